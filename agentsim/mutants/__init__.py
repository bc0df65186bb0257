"""Agents that are correct but for one fault each: what the invariants must catch."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.mutants.arguments import approval_forged as approval_forged
    from agentsim.mutants.arguments import (
        approval_lost_in_batch as approval_lost_in_batch,
    )
    from agentsim.mutants.arguments import arguments_tidied as arguments_tidied
    from agentsim.mutants.arguments import (
        empty_arguments_accepted as empty_arguments_accepted,
    )
    from agentsim.mutants.arguments import (
        first_approver_signs_all as first_approver_signs_all,
    )
    from agentsim.mutants.arguments import (
        large_numbers_rounded as large_numbers_rounded,
    )
    from agentsim.mutants.arguments import (
        last_arguments_for_all as last_arguments_for_all,
    )
    from agentsim.mutants.arguments import models_approval_kept as models_approval_kept
    from agentsim.mutants.conversation.answering import (
        arguments_rewritten as arguments_rewritten,
    )
    from agentsim.mutants.conversation.answering import blocks_dropped as blocks_dropped
    from agentsim.mutants.conversation.answering import (
        call_ids_renamed as call_ids_renamed,
    )
    from agentsim.mutants.conversation.answering import (
        empty_answer_appended as empty_answer_appended,
    )
    from agentsim.mutants.conversation.answering import (
        nudge_after_results as nudge_after_results,
    )
    from agentsim.mutants.conversation.answering import (
        output_replaced_by_notice as output_replaced_by_notice,
    )
    from agentsim.mutants.conversation.answering import (
        results_swapped as results_swapped,
    )
    from agentsim.mutants.conversation.answering import task_not_sent as task_not_sent
    from agentsim.mutants.conversation.answering import (
        text_beside_calls_dropped as text_beside_calls_dropped,
    )
    from agentsim.mutants.conversation.breaking import (
        cut_stream_calls_run as cut_stream_calls_run,
    )
    from agentsim.mutants.conversation.breaking import (
        early_end_as_done as early_end_as_done,
    )
    from agentsim.mutants.conversation.breaking import (
        lost_stream_as_done as lost_stream_as_done,
    )
    from agentsim.mutants.conversation.results import (
        ending_call_not_told as ending_call_not_told,
    )
    from agentsim.mutants.conversation.results import (
        final_answer_not_appended as final_answer_not_appended,
    )
    from agentsim.mutants.conversation.results import (
        iterations_from_zero as iterations_from_zero,
    )
    from agentsim.mutants.conversation.results import model_switched as model_switched
    from agentsim.mutants.conversation.results import open_calls_kept as open_calls_kept
    from agentsim.mutants.conversation.results import (
        temperature_rises as temperature_rises,
    )
    from agentsim.mutants.conversation.results import tool_after_end as tool_after_end
    from agentsim.mutants.conversation.results import usage_not_told as usage_not_told
    from agentsim.mutants.conversation.stopping import (
        asks_on_without_calls as asks_on_without_calls,
    )
    from agentsim.mutants.conversation.stopping import (
        cut_answer_as_done as cut_answer_as_done,
    )
    from agentsim.mutants.conversation.stopping import cut_call_runs as cut_call_runs
    from agentsim.mutants.conversation.stopping import (
        cut_response_raises as cut_response_raises,
    )
    from agentsim.mutants.conversation.stopping import (
        done_after_tool as done_after_tool,
    )
    from agentsim.mutants.conversation.stopping import (
        empty_answer_as_done as empty_answer_as_done,
    )
    from agentsim.mutants.conversation.stopping import (
        final_answer_unfinished as final_answer_unfinished,
    )
    from agentsim.mutants.conversation.stopping import (
        goes_on_after_cut as goes_on_after_cut,
    )
    from agentsim.mutants.conversation.stopping import (
        only_end_turn_ends as only_end_turn_ends,
    )
    from agentsim.mutants.conversation.stopping import pause_as_end as pause_as_end
    from agentsim.mutants.conversation.stopping import (
        pause_with_user_message as pause_with_user_message,
    )
    from agentsim.mutants.conversation.stopping import (
        refusal_as_failure as refusal_as_failure,
    )
    from agentsim.mutants.conversation.stopping import (
        refusal_asked_again as refusal_asked_again,
    )
    from agentsim.mutants.conversation.stopping import (
        stop_with_calls_drops_them as stop_with_calls_drops_them,
    )
    from agentsim.mutants.conversation.stopping import (
        task_complete_tool as task_complete_tool,
    )
    from agentsim.mutants.conversation.stopping import (
        unknown_reason_goes_on as unknown_reason_goes_on,
    )
    from agentsim.mutants.conversation.streamed import (
        unbroken_streaming as unbroken_streaming,
    )
    from agentsim.mutants.errors import batch_fails_together as batch_fails_together
    from agentsim.mutants.errors import error_answered_twice as error_answered_twice
    from agentsim.mutants.errors import error_ends_run as error_ends_run
    from agentsim.mutants.errors import error_kills_loop as error_kills_loop
    from agentsim.mutants.errors import error_not_flagged as error_not_flagged
    from agentsim.mutants.errors import error_swallowed as error_swallowed
    from agentsim.mutants.errors import siblings_cut as siblings_cut
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
    from agentsim.mutants.limits import (
        answer_over_budget_lost as answer_over_budget_lost,
    )
    from agentsim.mutants.limits import budget_checked_late as budget_checked_late
    from agentsim.mutants.limits import cache_taken_off_twice as cache_taken_off_twice
    from agentsim.mutants.limits import cached_tokens_in_full as cached_tokens_in_full
    from agentsim.mutants.limits import (
        deadline_as_cancellation as deadline_as_cancellation,
    )
    from agentsim.mutants.limits import (
        final_answer_not_counted as final_answer_not_counted,
    )
    from agentsim.mutants.limits import heartbeat_left_running as heartbeat_left_running
    from agentsim.mutants.limits import last_response_counts as last_response_counts
    from agentsim.mutants.limits import (
        limit_looks_like_success as limit_looks_like_success,
    )
    from agentsim.mutants.limits import limit_off_by_one as limit_off_by_one
    from agentsim.mutants.limits import limit_one_short as limit_one_short
    from agentsim.mutants.limits import limit_prolonged as limit_prolonged
    from agentsim.mutants.limits import missing_usage_is_zero as missing_usage_is_zero
    from agentsim.mutants.limits import no_deadline as no_deadline
    from agentsim.mutants.limits import no_limit_at_all as no_limit_at_all
    from agentsim.mutants.limits import (
        one_more_request_after_limit as one_more_request_after_limit,
    )
    from agentsim.mutants.limits import raises_at_limit as raises_at_limit
    from agentsim.mutants.limits import tokens_counted_twice as tokens_counted_twice
    from agentsim.mutants.limits import tokens_never_counted as tokens_never_counted
    from agentsim.mutants.limits import waits_at_limit as waits_at_limit
    from agentsim.mutants.loop import Loop as Loop
    from agentsim.mutants.loops import approver_in_signature as approver_in_signature
    from agentsim.mutants.loops import blocked_write_asked as blocked_write_asked
    from agentsim.mutants.loops import blocked_write_runs as blocked_write_runs
    from agentsim.mutants.loops import (
        declined_calls_not_counted as declined_calls_not_counted,
    )
    from agentsim.mutants.loops import detection_by_name as detection_by_name
    from agentsim.mutants.loops import (
        detection_without_output as detection_without_output,
    )
    from agentsim.mutants.loops import detector_shared as detector_shared
    from agentsim.mutants.loops import first_call_only as first_call_only
    from agentsim.mutants.loops import (
        looks_at_last_call_only as looks_at_last_call_only,
    )
    from agentsim.mutants.loops import (
        loop_looks_like_success as loop_looks_like_success,
    )
    from agentsim.mutants.loops import loop_never_ended as loop_never_ended
    from agentsim.mutants.loops import loop_on_text_only as loop_on_text_only
    from agentsim.mutants.loops import no_loop_detection as no_loop_detection
    from agentsim.mutants.loops import progress_not_seen as progress_not_seen
    from agentsim.mutants.loops import raw_text_compared as raw_text_compared
    from agentsim.mutants.loops import refusals_counted_apart as refusals_counted_apart
    from agentsim.mutants.loops import short_window as short_window
    from agentsim.mutants.loops import signature_joined as signature_joined
    from agentsim.mutants.loops import texts_not_compared as texts_not_compared
    from agentsim.mutants.loops import (
        unrun_calls_not_counted as unrun_calls_not_counted,
    )
    from agentsim.mutants.loops import volatile_not_masked as volatile_not_masked
    from agentsim.mutants.loops import whole_step_signature as whole_step_signature
    from agentsim.mutants.pages.mutants import mutants_page as mutants_page
    from agentsim.mutants.registry import MUTANTS as MUTANTS
    from agentsim.mutants.registry import Mutant as Mutant
    from agentsim.mutants.registry import unbroken as unbroken
    from agentsim.mutants.requests import injected_lost as injected_lost
    from agentsim.mutants.requests import injected_twice as injected_twice
    from agentsim.mutants.requests import old_messages_dropped as old_messages_dropped
    from agentsim.mutants.requests import old_results_shortened as old_results_shortened
    from agentsim.mutants.requests import prompt_never_sent as prompt_never_sent
    from agentsim.mutants.requests import (
        prompt_tells_iteration as prompt_tells_iteration,
    )
    from agentsim.mutants.requests import tools_narrowed as tools_narrowed
    from agentsim.mutants.timing import cancellation_swallowed as cancellation_swallowed
    from agentsim.mutants.timing import cut_write_denied as cut_write_denied
    from agentsim.mutants.timing import deadline_between_steps as deadline_between_steps
    from agentsim.mutants.timing import deadline_early as deadline_early
    from agentsim.mutants.timing import deadline_per_iteration as deadline_per_iteration
    from agentsim.mutants.timing import late_answer_taken as late_answer_taken
    from agentsim.mutants.timing import (
        next_call_after_deadline as next_call_after_deadline,
    )
    from agentsim.mutants.timing import queue_worked_off as queue_worked_off
    from agentsim.mutants.timing import (
        waiting_calls_told_unknown as waiting_calls_told_unknown,
    )
    from agentsim.mutants.tools import all_asked_at_once as all_asked_at_once
    from agentsim.mutants.tools import approval_reused as approval_reused
    from agentsim.mutants.tools import call_runs_twice as call_runs_twice
    from agentsim.mutants.tools import category_ignored as category_ignored
    from agentsim.mutants.tools import confirmation_ignored as confirmation_ignored
    from agentsim.mutants.tools import confirmation_too_late as confirmation_too_late
    from agentsim.mutants.tools import declined_call_runs as declined_call_runs
    from agentsim.mutants.tools import equal_calls_merged as equal_calls_merged
    from agentsim.mutants.tools import everything_at_once as everything_at_once
    from agentsim.mutants.tools import reads_go_first as reads_go_first
    from agentsim.mutants.tools import (
        refusal_asked_once_more as refusal_asked_once_more,
    )
    from agentsim.mutants.tools import refusal_without_reason as refusal_without_reason
    from agentsim.mutants.tools import too_many_at_once as too_many_at_once
    from agentsim.mutants.tools import unknown_tool_guessed as unknown_tool_guessed
    from agentsim.mutants.tools import write_overlaps_reads as write_overlaps_reads
    from agentsim.mutants.tools import write_retried as write_retried
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Loop": "loop",
            "MUTANTS": "registry",
            "Mutant": "registry",
            "all_asked_at_once": "tools",
            "answer_over_budget_lost": "limits",
            "approval_forged": "arguments",
            "approval_lost_in_batch": "arguments",
            "approval_reused": "tools",
            "approver_in_signature": "loops",
            "arguments_rewritten": "conversation.answering",
            "arguments_tidied": "arguments",
            "asks_on_without_calls": "conversation.stopping",
            "batch_fails_together": "errors",
            "blocked_write_asked": "loops",
            "blocked_write_runs": "loops",
            "blocks_dropped": "conversation.answering",
            "budget_checked_late": "limits",
            "cache_taken_off_twice": "limits",
            "cached_tokens_in_full": "limits",
            "call_ids_renamed": "conversation.answering",
            "call_runs_twice": "tools",
            "calls_left_unanswered": "history",
            "cancellation_swallowed": "timing",
            "category_ignored": "tools",
            "confirmation_ignored": "tools",
            "confirmation_too_late": "tools",
            "cut_answer_as_done": "conversation.stopping",
            "cut_call_runs": "conversation.stopping",
            "cut_response_raises": "conversation.stopping",
            "cut_stream_calls_run": "conversation.breaking",
            "cut_write_denied": "timing",
            "deadline_as_cancellation": "limits",
            "deadline_between_steps": "timing",
            "deadline_early": "timing",
            "deadline_per_iteration": "timing",
            "declined_call_runs": "tools",
            "declined_calls_not_counted": "loops",
            "detection_by_name": "loops",
            "detection_without_output": "loops",
            "detector_shared": "loops",
            "done_after_tool": "conversation.stopping",
            "early_end_as_done": "conversation.breaking",
            "empty_answer_appended": "conversation.answering",
            "empty_answer_as_done": "conversation.stopping",
            "empty_arguments_accepted": "arguments",
            "ending_call_not_told": "conversation.results",
            "ends_on_done_text": "history",
            "equal_calls_merged": "tools",
            "error_answered_twice": "errors",
            "error_ends_run": "errors",
            "error_kills_loop": "errors",
            "error_not_flagged": "errors",
            "error_swallowed": "errors",
            "everything_at_once": "tools",
            "final_answer_not_appended": "conversation.results",
            "final_answer_not_counted": "limits",
            "final_answer_unfinished": "conversation.stopping",
            "first_approver_signs_all": "arguments",
            "first_call_only": "loops",
            "goes_on_after_cut": "conversation.stopping",
            "heartbeat_left_running": "limits",
            "injected_lost": "requests",
            "injected_twice": "requests",
            "iterations_from_zero": "conversation.results",
            "large_numbers_rounded": "arguments",
            "last_arguments_for_all": "arguments",
            "last_response_counts": "limits",
            "late_answer_taken": "timing",
            "limit_looks_like_success": "limits",
            "limit_off_by_one": "limits",
            "limit_one_short": "limits",
            "limit_prolonged": "limits",
            "looks_at_last_call_only": "loops",
            "loop_looks_like_success": "loops",
            "loop_never_ended": "loops",
            "loop_on_text_only": "loops",
            "lost_stream_as_done": "conversation.breaking",
            "missing_usage_is_zero": "limits",
            "model_switched": "conversation.results",
            "models_approval_kept": "arguments",
            "mutants_page": "pages.mutants",
            "next_call_after_deadline": "timing",
            "no_deadline": "limits",
            "no_limit_at_all": "limits",
            "no_loop_detection": "loops",
            "nudge_after_results": "conversation.answering",
            "old_messages_dropped": "requests",
            "old_results_shortened": "requests",
            "one_more_request_after_limit": "limits",
            "only_end_turn_ends": "conversation.stopping",
            "open_calls_kept": "conversation.results",
            "output_replaced_by_notice": "conversation.answering",
            "pause_as_end": "conversation.stopping",
            "pause_with_user_message": "conversation.stopping",
            "progress_not_seen": "loops",
            "prompt_never_sent": "requests",
            "prompt_tells_iteration": "requests",
            "queue_worked_off": "timing",
            "raises_at_limit": "limits",
            "raw_text_compared": "loops",
            "reads_go_first": "tools",
            "refusal_as_failure": "conversation.stopping",
            "refusal_asked_again": "conversation.stopping",
            "refusal_asked_once_more": "tools",
            "refusal_without_reason": "tools",
            "refusals_counted_apart": "loops",
            "response_not_appended": "history",
            "result_not_appended": "history",
            "results_as_user_messages": "history",
            "results_before_response": "history",
            "results_by_completion": "history",
            "results_swapped": "conversation.answering",
            "short_window": "loops",
            "siblings_cut": "errors",
            "signature_joined": "loops",
            "stop_with_calls_drops_them": "conversation.stopping",
            "task_complete_tool": "conversation.stopping",
            "task_not_sent": "conversation.answering",
            "temperature_rises": "conversation.results",
            "text_beside_calls_dropped": "conversation.answering",
            "texts_not_compared": "loops",
            "tokens_counted_twice": "limits",
            "tokens_never_counted": "limits",
            "too_many_at_once": "tools",
            "tool_after_end": "conversation.results",
            "tools_narrowed": "requests",
            "unbroken": "registry",
            "unbroken_streaming": "conversation.streamed",
            "unknown_reason_goes_on": "conversation.stopping",
            "unknown_tool_guessed": "tools",
            "unknown_tool_kills_loop": "errors",
            "unrun_calls_not_counted": "loops",
            "usage_not_told": "conversation.results",
            "volatile_not_masked": "loops",
            "waiting_calls_told_unknown": "timing",
            "waits_at_limit": "limits",
            "whole_step_signature": "loops",
            "write_overlaps_reads": "tools",
            "write_retried": "tools",
            "wrong_call_id": "history",
        },
    )
