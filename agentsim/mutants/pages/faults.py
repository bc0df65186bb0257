"""Where published loops go wrong, and what shows each: a mutant, a test, or not yet."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KNOWN_FAULTS", "KnownFault"]

ITERATION = "tests/runtime/test_iteration.py"
CONFIG = "tests/runtime/test_config.py"
TOOLS = "tests/core/test_tools.py"

DIALECTS = "wires of the services"
STREAMS = "streams"
RETRIES = "retries and recovery"
STORES = "stores and resuming"


@dataclass(frozen=True, slots=True)
class KnownFault:
    """One fault that loops in books, blogs and frameworks have.

    Attributes:
        words: What goes wrong.
        mutants: Names of the mutants that have it.
        test: The test that holds it where it leaves no trace, as `file::name`.
        waits_for: What there is not yet, without which it can't be shown.
    """

    words: str
    mutants: tuple[str, ...] = ()
    test: str = ""
    waits_for: str = ""


def _shown(words: str, *mutants: str) -> KnownFault:
    return KnownFault(words, mutants)


def _tested(words: str, file: str, name: str) -> KnownFault:
    return KnownFault(words, test=f"{file}::{name}")


def _later(words: str, part: str) -> KnownFault:
    return KnownFault(words, waits_for=part)


KNOWN_FAULTS = (
    # requests and history
    _shown("The prompt is configured and never sent", "prompt_never_sent"),
    _shown("A new run begins without the user's message", "task_not_sent"),
    _shown("Results have the wrong role", "results_as_user_messages"),
    _shown(
        "A limit, a budget or a loop ends the run with calls unanswered",
        "calls_left_unanswered",
        "open_calls_kept",
    ),
    _shown(
        "An error branch goes on instead of ending: two results for one call",
        "error_answered_twice",
    ),
    _tested(
        "Messages are appended to the list that the caller passed",
        CONFIG,
        "test_the_callers_history_is_read_and_never_changed",
    ),
    _tested(
        "The client is resolved anew in each iteration",
        ITERATION,
        "test_resolve_may_be_async_and_is_called_once_per_run",
    ),
    _later("A response without choices crashes the loop", DIALECTS),
    # endings
    _shown(
        "The stop reason is never read",
        "cut_answer_as_done",
        "empty_answer_as_done",
        "pause_as_end",
    ),
    _shown("A stop with calls drops them", "stop_with_calls_drops_them"),
    _shown("A reason of tool_use without calls asks for ever", "asks_on_without_calls"),
    _shown(
        "Only one stop reason ends the run; others append an empty user message",
        "only_end_turn_ends",
    ),
    _shown(
        "A pause, a cut or a refusal is thrown as an exception, and the history is lost",
        "cut_response_raises",
    ),
    _shown(
        "A stream that ends without its last event, or breaks off, is taken for whole",
        "early_end_as_done",
        "lost_stream_as_done",
        "cut_stream_calls_run",
    ),
    _shown("The final answer is not appended", "final_answer_not_appended"),
    _shown("The final answer is taken as unfinished", "final_answer_unfinished"),
    _shown("A tool that says that all is done costs a request", "task_complete_tool"),
    _shown("There is no limit at all", "no_limit_at_all"),
    _shown(
        "A loop or a limit ends silently as a success",
        "limit_looks_like_success",
        "loop_looks_like_success",
    ),
    _shown(
        "The call that ends the run is missing in the result", "ending_call_not_told"
    ),
    _shown("Errors of tools are thrown", "error_kills_loop", "unknown_tool_kills_loop"),
    # tools
    _shown("The category of a tool is ignored", "category_ignored"),
    _shown("A write is launched while reads are in flight", "write_overlaps_reads"),
    _tested(
        "A parallel read that needs confirmation runs in parallel",
        TOOLS,
        "test_rights_are_refused_exactly_when_they_contradict_one_another",
    ),
    _tested(
        "Two tools have one name, and the confirmation of the second is skipped",
        TOOLS,
        "test_names_of_tools_must_differ",
    ),
    _shown(
        "Who approved is written into arguments of null, an empty text or a list",
        "empty_arguments_accepted",
    ),
    _shown(
        "A batch gets the calls as they came, and the approval is lost",
        "approval_lost_in_batch",
    ),
    _shown("Large integers are changed on the way", "large_numbers_rounded"),
    _shown(
        "Reads that wait for their turn run after a cancellation", "queue_worked_off"
    ),
    _shown(
        "The next call of a batch starts after the deadline", "next_call_after_deadline"
    ),
    # loops
    _shown("A call that is blocked takes effect each time", "blocked_write_runs"),
    _shown(
        "Unknown, invalid and declined calls are not counted, and repeat for ever",
        "unrun_calls_not_counted",
        "declined_calls_not_counted",
    ),
    _shown("One detector is shared by two runs", "detector_shared"),
    _shown("Who approved is part of the signature", "approver_in_signature"),
    _shown(
        "A signature is joined by a separator that occurs in the data",
        "signature_joined",
    ),
    _shown("The raw text of arguments is compared", "raw_text_compared"),
    _shown("Only the first call of a message is looked at", "first_call_only"),
    _shown("A cycle of two is never seen", "short_window", "looks_at_last_call_only"),
    _shown(
        "The output is not in the signature: asking until something is ready is flagged",
        "detection_without_output",
    ),
    _shown(
        "One signature for a whole response: a read that varies hides a write",
        "whole_step_signature",
    ),
    _shown("Loops are looked for in texts only", "loop_on_text_only"),
    # limits
    _shown(
        "The deadline is not told apart from a cancellation", "deadline_as_cancellation"
    ),
    _shown(
        "The tokens of a final answer over the budget are lost",
        "final_answer_not_counted",
    ),
    _shown("The tokens that count become negative", "cache_taken_off_twice"),
    _shown("A response without usage counts as zero", "missing_usage_is_zero"),
    _tested(
        "A limit of zero, or a concurrency of zero that blocks for ever, is taken",
        CONFIG,
        "test_limits_of_zero_are_refused",
    ),
    # what is not there yet
    _tested(
        "A message is taken from the user during the final answer, and lost",
        ITERATION,
        "test_nothing_is_taken_from_the_inbox_when_no_request_follows",
    ),
    _later(
        "Repetition is checked per piece or per byte, without a bound, or over retries",
        STREAMS,
    ),
    _later(
        "Calls recovered from text have no id, are the first only, or were just quoted",
        RETRIES,
    ),
    _later(
        "Counters of recovery are never reset, overlap, or multiply with the client's",
        RETRIES,
    ),
    _later("A user's message is acknowledged before it is durable", STORES),
    _later("The state is saved after the tools only, or every few steps", STORES),
    _later(
        "A key without an ordinal, or through floats: two payments become one, or a stale "
        "result comes back",
        STORES,
    ),
    _later("A hand-over is saved with calls unanswered, and never goes on", STORES),
    _later("A save that failed is ignored", STORES),
    _later("Another task under the same id returns the old answer", STORES),
    _later("Limits and usage begin anew on resume", STORES),
    _later(
        "The store keeps the live object, or nothing: a missing save is invisible",
        STORES,
    ),
)
"""Every one that is known, by what it is about."""
