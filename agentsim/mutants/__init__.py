"""Agents that are correct but for one fault each: what the invariants must catch."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.mutants.errors import error_kills_loop as error_kills_loop
    from agentsim.mutants.errors import error_not_flagged as error_not_flagged
    from agentsim.mutants.errors import error_swallowed as error_swallowed
    from agentsim.mutants.errors import (
        unknown_tool_kills_loop as unknown_tool_kills_loop,
    )
    from agentsim.mutants.history import calls_left_unanswered as calls_left_unanswered
    from agentsim.mutants.history import ends_on_done_text as ends_on_done_text
    from agentsim.mutants.history import response_not_appended as response_not_appended
    from agentsim.mutants.history import result_not_appended as result_not_appended
    from agentsim.mutants.history import (
        results_as_user_messages as results_as_user_messages,
    )
    from agentsim.mutants.history import (
        results_before_response as results_before_response,
    )
    from agentsim.mutants.history import results_by_completion as results_by_completion
    from agentsim.mutants.history import wrong_call_id as wrong_call_id
    from agentsim.mutants.limits import budget_checked_late as budget_checked_late
    from agentsim.mutants.limits import cached_tokens_in_full as cached_tokens_in_full
    from agentsim.mutants.limits import (
        deadline_as_cancellation as deadline_as_cancellation,
    )
    from agentsim.mutants.limits import heartbeat_left_running as heartbeat_left_running
    from agentsim.mutants.limits import (
        limit_looks_like_success as limit_looks_like_success,
    )
    from agentsim.mutants.limits import limit_off_by_one as limit_off_by_one
    from agentsim.mutants.limits import limit_one_short as limit_one_short
    from agentsim.mutants.limits import no_deadline as no_deadline
    from agentsim.mutants.limits import no_limit_at_all as no_limit_at_all
    from agentsim.mutants.limits import (
        one_more_request_after_limit as one_more_request_after_limit,
    )
    from agentsim.mutants.limits import raises_at_limit as raises_at_limit
    from agentsim.mutants.limits import waits_at_limit as waits_at_limit
    from agentsim.mutants.loop import Loop as Loop
    from agentsim.mutants.loops import blocked_write_runs as blocked_write_runs
    from agentsim.mutants.loops import (
        detection_without_output as detection_without_output,
    )
    from agentsim.mutants.loops import (
        looks_at_last_call_only as looks_at_last_call_only,
    )
    from agentsim.mutants.loops import loop_never_ended as loop_never_ended
    from agentsim.mutants.loops import no_loop_detection as no_loop_detection
    from agentsim.mutants.loops import progress_not_seen as progress_not_seen
    from agentsim.mutants.loops import short_window as short_window
    from agentsim.mutants.page import mutants_page as mutants_page
    from agentsim.mutants.registry import MUTANTS as MUTANTS
    from agentsim.mutants.registry import Mutant as Mutant
    from agentsim.mutants.registry import unbroken as unbroken
    from agentsim.mutants.requests import old_messages_dropped as old_messages_dropped
    from agentsim.mutants.requests import old_results_shortened as old_results_shortened
    from agentsim.mutants.requests import prompt_never_sent as prompt_never_sent
    from agentsim.mutants.requests import (
        prompt_tells_iteration as prompt_tells_iteration,
    )
    from agentsim.mutants.requests import tools_narrowed as tools_narrowed
    from agentsim.mutants.tools import approval_reused as approval_reused
    from agentsim.mutants.tools import call_runs_twice as call_runs_twice
    from agentsim.mutants.tools import confirmation_ignored as confirmation_ignored
    from agentsim.mutants.tools import confirmation_too_late as confirmation_too_late
    from agentsim.mutants.tools import declined_call_runs as declined_call_runs
    from agentsim.mutants.tools import everything_at_once as everything_at_once
    from agentsim.mutants.tools import too_many_at_once as too_many_at_once
    from agentsim.mutants.tools import unknown_tool_guessed as unknown_tool_guessed
    from agentsim.mutants.tools import write_overlaps_reads as write_overlaps_reads
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Loop": "loop",
            "MUTANTS": "registry",
            "Mutant": "registry",
            "approval_reused": "tools",
            "blocked_write_runs": "loops",
            "budget_checked_late": "limits",
            "cached_tokens_in_full": "limits",
            "call_runs_twice": "tools",
            "calls_left_unanswered": "history",
            "confirmation_ignored": "tools",
            "confirmation_too_late": "tools",
            "deadline_as_cancellation": "limits",
            "declined_call_runs": "tools",
            "detection_without_output": "loops",
            "ends_on_done_text": "history",
            "error_kills_loop": "errors",
            "error_not_flagged": "errors",
            "error_swallowed": "errors",
            "everything_at_once": "tools",
            "heartbeat_left_running": "limits",
            "limit_looks_like_success": "limits",
            "limit_off_by_one": "limits",
            "limit_one_short": "limits",
            "looks_at_last_call_only": "loops",
            "loop_never_ended": "loops",
            "mutants_page": "page",
            "no_deadline": "limits",
            "no_limit_at_all": "limits",
            "no_loop_detection": "loops",
            "old_messages_dropped": "requests",
            "old_results_shortened": "requests",
            "one_more_request_after_limit": "limits",
            "progress_not_seen": "loops",
            "prompt_never_sent": "requests",
            "prompt_tells_iteration": "requests",
            "raises_at_limit": "limits",
            "response_not_appended": "history",
            "result_not_appended": "history",
            "results_as_user_messages": "history",
            "results_before_response": "history",
            "results_by_completion": "history",
            "short_window": "loops",
            "too_many_at_once": "tools",
            "tools_narrowed": "requests",
            "unbroken": "registry",
            "unknown_tool_guessed": "tools",
            "unknown_tool_kills_loop": "errors",
            "waits_at_limit": "limits",
            "write_overlaps_reads": "tools",
            "wrong_call_id": "history",
        },
    )
