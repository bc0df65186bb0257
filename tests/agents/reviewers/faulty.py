"""Each wrong reviewer with the story that shows it, and what is found there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.agents.reviewers import wrong_on_chat, wrong_on_messages, wrong_on_responses


@dataclass(frozen=True)
class Wrong:
    """A wrong reviewer and how it is found.

    Attributes:
        said: The key phrase of the service's refusal, where it refuses.
        faults: What may strike; none where the plain run shows it.
    """

    agent: Callable[..., object]
    invariant: str
    said: str = ""
    story: str = "review_pr"
    faults: tuple[str, ...] = ()


UNANSWERED = "did not have response messages"

UNASKED = "must be a response to a preceeding message with 'tool_calls'"

REFUSED = "provider-accepts"

ON_CHAT = (
    Wrong(wrong_on_chat.TextOnly, REFUSED, UNASKED),
    Wrong(wrong_on_chat.IdLost, REFUSED, "must have a 'tool_call_id'"),
    Wrong(wrong_on_chat.OrphanResult, REFUSED, UNASKED),
    Wrong(wrong_on_chat.ResultFirst, REFUSED, UNASKED),
    Wrong(wrong_on_chat.ResultMissing, REFUSED, UNANSWERED),
    Wrong(wrong_on_chat.FailureMissing, REFUSED, UNANSWERED, "missing_file"),
    Wrong(wrong_on_chat.ResultTwice, REFUSED, "Duplicate value for 'tool_call_id'"),
    Wrong(wrong_on_chat.ResultLate, REFUSED, UNANSWERED),
    Wrong(wrong_on_chat.NobodyAsked, "confirmed-before-effect"),
    Wrong(
        wrong_on_chat.DeclinedRuns, "confirmed-before-effect", story="declined_merge"
    ),
    Wrong(wrong_on_chat.FailureHidden, "errors-visible", story="missing_file"),
    Wrong(wrong_on_chat.ResultsSwapped, "results-in-order"),
    Wrong(
        wrong_on_chat.HelperMessageKept,
        REFUSED,
        "Unknown parameter: 'messages[2].parsed'",
    ),
    Wrong(wrong_on_chat.LastPieceWins, "response-kept-whole"),
    Wrong(wrong_on_chat.IndexIgnored, "response-kept-whole"),
)

UNFOLLOWED = "`tool_use` ids were found without `tool_result` blocks immediately after"

UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks"

ON_MESSAGES = (
    Wrong(wrong_on_messages.TextOnly, REFUSED, UNEXPECTED),
    Wrong(
        wrong_on_messages.IdLost,
        REFUSED,
        "messages.2.content.0.tool_result.tool_use_id: Field required",
    ),
    Wrong(wrong_on_messages.OrphanResult, REFUSED, UNEXPECTED),
    Wrong(wrong_on_messages.ResultFirst, REFUSED, UNEXPECTED),
    Wrong(wrong_on_messages.ResultMissing, REFUSED, UNFOLLOWED),
    Wrong(wrong_on_messages.FailureMissing, REFUSED, UNFOLLOWED, "missing_file"),
    Wrong(
        wrong_on_messages.ResultTwice,
        REFUSED,
        "each tool_use must have a single result",
    ),
    Wrong(wrong_on_messages.ResultLate, REFUSED, UNFOLLOWED),
    Wrong(wrong_on_messages.TextBeforeResults, REFUSED, UNFOLLOWED),
    Wrong(wrong_on_messages.RoleTool, REFUSED, "messages.2.role: Input should be"),
    Wrong(wrong_on_messages.InputAsText, REFUSED, "Input should be a valid dictionary"),
    Wrong(
        wrong_on_messages.EmptyError,
        REFUSED,
        "content cannot be empty if `is_error` is true",
        "missing_file",
    ),
    Wrong(wrong_on_messages.NobodyAsked, "confirmed-before-effect"),
    Wrong(wrong_on_messages.FailureHidden, "errors-visible", story="missing_file"),
    Wrong(wrong_on_messages.ThinkingDropped, "response-kept-whole", story="thoughtful"),
    Wrong(
        wrong_on_messages.ReasonIgnored,
        "stops-by-structure",
        faults=("max_tokens_with_calls",),
    ),
    Wrong(wrong_on_messages.PauseIsEnd, "stops-by-structure", faults=("paused",)),
    Wrong(wrong_on_messages.RefusalIsAnswer, "result-true", faults=("refused",)),
    Wrong(wrong_on_messages.ResultsSwapped, "results-in-order"),
)

OPEN = "No tool output found for function call"

UNCALLED = "No tool call found for function call output with call_id"

ON_RESPONSES = (
    Wrong(wrong_on_responses.TextOnly, REFUSED, UNCALLED),
    Wrong(
        wrong_on_responses.IdLost,
        REFUSED,
        "Missing required parameter: 'input[3].call_id'",
    ),
    Wrong(wrong_on_responses.ItemId, REFUSED, UNCALLED),
    Wrong(wrong_on_responses.ResultFirst, REFUSED, UNCALLED),
    Wrong(wrong_on_responses.ResultMissing, REFUSED, OPEN),
    Wrong(wrong_on_responses.FailureMissing, REFUSED, OPEN, "missing_file"),
    Wrong(wrong_on_responses.ResultTwice, "every-call-answered"),
    Wrong(wrong_on_responses.ResultLate, REFUSED, OPEN),
    Wrong(wrong_on_responses.RoleTool, REFUSED, "Unknown parameter: 'input[3]"),
    Wrong(
        wrong_on_responses.ReasoningDropped,
        REFUSED,
        "was provided without its required 'reasoning' item",
        "thoughtful",
    ),
    Wrong(wrong_on_responses.NobodyAsked, "confirmed-before-effect"),
    Wrong(wrong_on_responses.FailureHidden, "errors-visible", story="missing_file"),
    Wrong(
        wrong_on_responses.StatusIgnored,
        "stops-by-structure",
        faults=("max_tokens_with_calls",),
    ),
    Wrong(wrong_on_responses.ChainedAndWhole, REFUSED, "Duplicate item found with id"),
    Wrong(wrong_on_responses.ChainedUnanswered, REFUSED, OPEN),
    Wrong(wrong_on_responses.ChainedFromFirst, REFUSED, UNCALLED),
    Wrong(wrong_on_responses.ResultsSwapped, "results-in-order"),
)

FAMILIES = {"chat": ON_CHAT, "messages": ON_MESSAGES, "responses": ON_RESPONSES}

WRONG = {
    f"{wire}: {wrong.agent.__name__}": wrong
    for wire, family in FAMILIES.items()
    for wrong in family
}

SWAPPED = "in another order than its calls"

HABITS: dict[str, tuple[Callable[..., object], str]] = {
    "chat: order swapped": (wrong_on_chat.ResultsSwapped, SWAPPED),
    "messages: order swapped": (wrong_on_messages.ResultsSwapped, SWAPPED),
    "messages: results split": (
        wrong_on_messages.ResultsSplit,
        "in several messages of the user",
    ),
    "responses: order swapped": (wrong_on_responses.ResultsSwapped, SWAPPED),
    "responses: result twice": (wrong_on_responses.ResultTwice, "with two results"),
}
"""What services accept, and words of the warning."""
