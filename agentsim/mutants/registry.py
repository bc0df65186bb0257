"""The table of mutants: what is broken, where it shows, and what must catch it (T10)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agentsim.core import Env, RunResult
from agentsim.mutants.arguments import (
    approval_forged,
    approval_lost_in_batch,
    arguments_tidied,
    empty_arguments_accepted,
    first_approver_signs_all,
    large_numbers_rounded,
    last_arguments_for_all,
    models_approval_kept,
)
from agentsim.mutants.conversation.answering import (
    arguments_rewritten,
    blocks_dropped,
    call_ids_renamed,
    empty_answer_appended,
    nudge_after_results,
    output_replaced_by_notice,
    results_swapped,
    task_not_sent,
    text_beside_calls_dropped,
)
from agentsim.mutants.conversation.breaking import (
    cut_stream_calls_run,
    early_end_as_done,
    lost_stream_as_done,
)
from agentsim.mutants.conversation.results import (
    ending_call_not_told,
    final_answer_not_appended,
    iterations_from_zero,
    model_switched,
    open_calls_kept,
    temperature_rises,
    tool_after_end,
    usage_not_told,
)
from agentsim.mutants.conversation.stopping import (
    asks_on_without_calls,
    cut_answer_as_done,
    cut_call_runs,
    cut_response_raises,
    done_after_tool,
    empty_answer_as_done,
    final_answer_unfinished,
    goes_on_after_cut,
    only_end_turn_ends,
    pause_as_end,
    pause_with_user_message,
    refusal_as_failure,
    refusal_asked_again,
    stop_with_calls_drops_them,
    task_complete_tool,
    unknown_reason_goes_on,
)
from agentsim.mutants.errors import (
    batch_fails_together,
    error_answered_twice,
    error_ends_run,
    error_kills_loop,
    error_not_flagged,
    error_swallowed,
    siblings_cut,
    unknown_tool_kills_loop,
)
from agentsim.mutants.history import (
    calls_left_unanswered,
    ends_on_done_text,
    response_not_appended,
    result_not_appended,
    results_as_user_messages,
    results_before_response,
    results_by_completion,
    wrong_call_id,
)
from agentsim.mutants.limits import (
    answer_over_budget_lost,
    budget_checked_late,
    cache_taken_off_twice,
    cached_tokens_in_full,
    deadline_as_cancellation,
    final_answer_not_counted,
    heartbeat_left_running,
    last_response_counts,
    limit_looks_like_success,
    limit_off_by_one,
    limit_one_short,
    limit_prolonged,
    missing_usage_is_zero,
    no_deadline,
    no_limit_at_all,
    one_more_request_after_limit,
    raises_at_limit,
    tokens_counted_twice,
    tokens_never_counted,
    waits_at_limit,
)
from agentsim.mutants.loop import Loop
from agentsim.mutants.loops import (
    approver_in_signature,
    blocked_write_asked,
    blocked_write_runs,
    declined_calls_not_counted,
    detection_by_name,
    detection_without_output,
    detector_shared,
    first_call_only,
    looks_at_last_call_only,
    loop_looks_like_success,
    loop_never_ended,
    loop_on_text_only,
    no_loop_detection,
    progress_not_seen,
    raw_text_compared,
    refusals_counted_apart,
    short_window,
    signature_joined,
    texts_not_compared,
    unrun_calls_not_counted,
    volatile_not_masked,
    whole_step_signature,
)
from agentsim.mutants.requests import (
    injected_lost,
    injected_twice,
    old_messages_dropped,
    old_results_shortened,
    prompt_never_sent,
    prompt_tells_iteration,
    tools_narrowed,
)
from agentsim.mutants.timing import (
    cancellation_swallowed,
    cut_write_denied,
    deadline_between_steps,
    deadline_early,
    deadline_per_iteration,
    late_answer_taken,
    next_call_after_deadline,
    queue_worked_off,
    waiting_calls_told_unknown,
)
from agentsim.mutants.tools import (
    all_asked_at_once,
    approval_reused,
    call_runs_twice,
    category_ignored,
    confirmation_ignored,
    confirmation_too_late,
    declined_call_runs,
    equal_calls_merged,
    everything_at_once,
    reads_go_first,
    refusal_asked_once_more,
    refusal_without_reason,
    too_many_at_once,
    unknown_tool_guessed,
    write_overlaps_reads,
    write_retried,
)

__all__ = ["MUTANTS", "Mutant", "unbroken"]

MutantAgent = Callable[[Env], Awaitable[RunResult]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """An agent that is correct but for one fault.

    Attributes:
        sentence: What is broken, as a bug report would say it.
        scenario: File in `scenarios/` that shows it.
        invariant: Id of the invariant that must catch it; others may, too.
        agent: `async def agent(env)`, also found as `agentsim.mutants:NAME`.
    """

    name: str
    sentence: str
    scenario: str
    invariant: str
    agent: MutantAgent


async def unbroken(env: Env) -> RunResult:
    """The loop of the mutants with nothing broken: no invariant may catch it."""
    return await Loop(env).run()


_TABLE: tuple[tuple[MutantAgent, str, str], ...] = (
    # what the history holds
    (calls_left_unanswered, "stuck_model", "every-call-answered"),
    (ends_on_done_text, "declined", "every-call-answered"),
    (response_not_appended, "high_cpu", "provider-accepts"),
    (result_not_appended, "high_cpu", "every-call-answered"),
    (results_as_user_messages, "high_cpu", "every-call-answered"),
    (results_before_response, "high_cpu", "provider-accepts"),
    (results_by_completion, "parallel_reads", "results-in-order"),
    (wrong_call_id, "parallel_reads", "every-call-answered"),
    (text_beside_calls_dropped, "high_cpu", "response-kept-whole"),
    (blocks_dropped, "reasoning", "response-kept-whole"),
    (arguments_rewritten, "high_cpu", "response-kept-whole"),
    (call_ids_renamed, "high_cpu", "response-kept-whole"),
    (results_swapped, "parallel_reads", "results-as-returned"),
    (output_replaced_by_notice, "high_cpu", "results-as-returned"),
    (equal_calls_merged, "two_mails_alike", "results-as-returned"),
    (batch_fails_together, "one_of_three_fails", "results-as-returned"),
    (siblings_cut, "one_of_three_fails", "results-as-returned"),
    (nudge_after_results, "high_cpu", "no-invented-messages"),
    (injected_lost, "user_adds", "no-invented-messages"),
    (injected_twice, "user_adds", "no-invented-messages"),
    (task_not_sent, "high_cpu", "provider-accepts"),
    (open_calls_kept, "deadline", "resumable"),
    (empty_answer_appended, "empty_answer", "resumable"),
    # where it stops
    (stop_with_calls_drops_them, "reason_says_stop", "stops-by-structure"),
    (asks_on_without_calls, "reason_says_tool_use", "stops-by-structure"),
    (final_answer_unfinished, "high_cpu", "stops-by-structure"),
    (only_end_turn_ends, "stop_sequence", "stops-by-structure"),
    (task_complete_tool, "high_cpu", "stops-by-structure"),
    (pause_as_end, "paused", "stops-by-structure"),
    (pause_with_user_message, "paused", "stops-by-structure"),
    (cut_call_runs, "cut_call", "stops-by-structure"),
    (goes_on_after_cut, "cut_answer", "stops-by-structure"),
    (refusal_asked_again, "refused", "stops-by-structure"),
    (cut_response_raises, "refused", "result-always"),
    (done_after_tool, "disk_full", "stops-by-structure"),
    (unknown_reason_goes_on, "unknown_reason", "stops-by-structure"),
    (error_ends_run, "database_unreachable", "stops-by-structure"),
    (tool_after_end, "high_cpu", "no-work-after-end"),
    # what broke off
    (early_end_as_done, "declined", "cut-is-not-success"),
    (cut_stream_calls_run, "polling_service", "cut-is-not-success"),
    (lost_stream_as_done, "declined", "cut-is-not-success"),
    # what the result tells
    (cut_answer_as_done, "cut_answer", "result-true"),
    (empty_answer_as_done, "empty_answer", "result-true"),
    (refusal_as_failure, "refused", "result-true"),
    (answer_over_budget_lost, "final_answer_over_budget", "result-true"),
    (final_answer_not_appended, "high_cpu", "result-true"),
    (iterations_from_zero, "high_cpu", "result-true"),
    (usage_not_told, "high_cpu", "result-true"),
    (ending_call_not_told, "stuck_model", "result-true"),
    # what is sent
    (model_switched, "high_cpu", "one-model"),
    (temperature_rises, "high_cpu", "one-model"),
    (old_messages_dropped, "disk_full", "history-append-only"),
    (old_results_shortened, "disk_full", "history-append-only"),
    (prompt_never_sent, "iteration_limit", "prefix-stable"),
    (prompt_tells_iteration, "high_cpu", "prefix-stable"),
    (tools_narrowed, "high_cpu", "prefix-stable"),
    # which tool runs, and when
    (call_runs_twice, "disk_full", "allowlist"),
    (unknown_tool_guessed, "high_cpu", "allowlist"),
    (everything_at_once, "parallel_reads", "writes-alone"),
    (too_many_at_once, "parallel_reads", "reads-bounded"),
    (write_overlaps_reads, "parallel_reads", "writes-alone"),
    (approval_reused, "stuck_restart", "confirmed-before-effect"),
    (confirmation_ignored, "declined", "confirmed-before-effect"),
    (confirmation_too_late, "declined", "confirmed-before-effect"),
    (declined_call_runs, "declined", "confirmed-before-effect"),
    (refusal_asked_once_more, "declined", "confirmed-before-effect"),
    (category_ignored, "declined", "confirmed-before-effect"),
    (reads_go_first, "parallel_reads", "calls-in-order"),
    (all_asked_at_once, "steps_in_order", "calls-in-order"),
    (write_retried, "pay_invoice", "effect-once"),
    # with which arguments
    (arguments_tidied, "edit_and_test", "arguments-as-asked"),
    (empty_arguments_accepted, "null_arguments", "arguments-as-asked"),
    (large_numbers_rounded, "large_numbers", "arguments-as-asked"),
    (last_arguments_for_all, "parallel_reads", "arguments-as-asked"),
    (approval_forged, "high_cpu", "arguments-as-asked"),
    (approval_lost_in_batch, "one_then_two", "arguments-as-asked"),
    (models_approval_kept, "forged_approval", "arguments-as-asked"),
    (first_approver_signs_all, "two_approvers", "arguments-as-asked"),
    # errors
    (error_kills_loop, "database_unreachable", "result-always"),
    (error_not_flagged, "database_unreachable", "errors-visible"),
    (error_swallowed, "database_unreachable", "errors-visible"),
    (refusal_without_reason, "declined", "errors-visible"),
    (unknown_tool_kills_loop, "high_cpu", "result-always"),
    (error_answered_twice, "database_unreachable", "every-call-answered"),
    # loops
    (blocked_write_runs, "stuck_restart", "loop-blocked"),
    (blocked_write_asked, "stuck_restart", "loop-blocked"),
    (detection_without_output, "polling_service", "no-false-loop"),
    (looks_at_last_call_only, "alternating_search", "loop-blocked"),
    (loop_never_ended, "stuck_model", "loop-terminal"),
    (no_loop_detection, "stuck_model", "loop-blocked"),
    (progress_not_seen, "edit_and_test", "no-false-loop"),
    (short_window, "alternating_search", "loop-terminal"),
    (unrun_calls_not_counted, "invalid_again", "loop-blocked"),
    (declined_calls_not_counted, "declined_again", "loop-blocked"),
    (first_call_only, "hidden_write", "loop-blocked"),
    (whole_step_signature, "hidden_write", "loop-blocked"),
    (approver_in_signature, "two_approvers", "loop-blocked"),
    (raw_text_compared, "same_call_rewritten", "loop-blocked"),
    (signature_joined, "similar_searches", "no-false-loop"),
    (detection_by_name, "parallel_reads", "no-false-loop"),
    (volatile_not_masked, "stuck_restart", "loop-blocked"),
    (refusals_counted_apart, "stuck_restart", "loop-terminal"),
    (loop_looks_like_success, "stuck_model", "loop-terminal"),
    (loop_on_text_only, "stuck_model", "loop-blocked"),
    (texts_not_compared, "paused_again", "loop-terminal"),
    (detector_shared, "stuck_model", "no-false-loop"),
    # limits
    (budget_checked_late, "token_budget", "limit-terminal"),
    (cached_tokens_in_full, "token_budget", "budget-counted-once"),
    (deadline_as_cancellation, "deadline", "result-always"),
    (heartbeat_left_running, "high_cpu", "ends"),
    (limit_looks_like_success, "iteration_limit", "limit-exact"),
    (limit_off_by_one, "iteration_limit", "limit-exact"),
    (limit_one_short, "iteration_limit", "limit-exact"),
    (no_deadline, "deadline", "ends"),
    (no_limit_at_all, "iteration_limit", "limit-exact"),
    (one_more_request_after_limit, "iteration_limit", "limit-terminal"),
    (raises_at_limit, "iteration_limit", "result-always"),
    (waits_at_limit, "iteration_limit", "ends"),
    (limit_prolonged, "iteration_limit", "limit-exact"),
    (tokens_counted_twice, "token_budget", "budget-counted-once"),
    (tokens_never_counted, "token_budget", "budget-counted-once"),
    (last_response_counts, "token_budget", "budget-counted-once"),
    (cache_taken_off_twice, "token_budget", "budget-counted-once"),
    (missing_usage_is_zero, "usage_missing", "budget-counted-once"),
    (final_answer_not_counted, "final_answer_over_budget", "budget-counted-once"),
    # deadlines and cancellations
    (next_call_after_deadline, "slow_batch", "deadline-kept"),
    (deadline_per_iteration, "slow_polling", "deadline-kept"),
    (late_answer_taken, "late_answer", "deadline-kept"),
    (deadline_between_steps, "late_answer", "deadline-kept"),
    (deadline_early, "slow_batch", "deadline-kept"),
    (cut_write_denied, "deadline", "cut-calls-told"),
    (waiting_calls_told_unknown, "slow_batch", "cut-calls-told"),
    (queue_worked_off, "parallel_reads", "cancellation-kept"),
    (cancellation_swallowed, "high_cpu", "cancellation-kept"),
)


def _mutants() -> dict[str, Mutant]:
    found = {}
    for agent, scenario, invariant in _TABLE:
        name = agent.__name__
        sentence = (agent.__doc__ or name).strip()
        found[name] = Mutant(name, sentence, f"{scenario}.yaml", invariant, agent)
    return found


MUTANTS: dict[str, Mutant] = _mutants()
"""Every mutant by its name, in the order of what they break."""
