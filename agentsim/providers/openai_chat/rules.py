"""What the service refuses on the Chat Completions wire: each rule as data.

The `number` is the rule's place in the table of the reference page; the `source` says
how sure it is: `observed` in traffic or in measurements, `reported` by people who met
it, or `assumed` (then a profile can switch it off). Params name two styles of path, as
the service does: `messages.[3].role` where the structure of the conversation is wrong,
`messages[3].role` where the form of a field is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsim.core import ProviderError

__all__ = ["CHAT_RULES", "ChatRefusal", "ChatRule", "refuse"]

INVALID = "invalid_request_error"

Source = Literal["observed", "reported", "assumed"]


@dataclass(frozen=True, slots=True)
class ChatRule:
    """One rule of the wire.

    Attributes:
        sentence: What a request must be.
        phrase: The words by which people find the service's message.
        param: Where the fault is told to be, with N and M for indexes; None for nowhere.
        code: The service's code; None where it sends none.
        status: HTTP status of the refusal.
        kind: The error's `type`.
    """

    id: str
    number: str
    sentence: str
    phrase: str
    source: Source
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = INVALID


@dataclass(frozen=True, slots=True)
class ChatRefusal:
    """Why the service refuses a request, as its error body says it.

    Attributes:
        rule: Id of the rule, as in `CHAT_RULES`.
        words: The `message` of the body.
        kind: The `type` of the body.
    """

    rule: str
    words: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = INVALID

    def error(self) -> ProviderError:
        """The refusal as the client records it."""
        return ProviderError(
            self.words,
            status=self.status,
            kind=self.kind,
            param=self.param,
            code=self.code,
        )


def refuse(
    rule: str, words: str, param: str | None = None, *, code: str | None = None
) -> ChatRefusal:
    """The refusal of a rule; `code` where it has several."""
    known = CHAT_RULES[rule]
    return ChatRefusal(rule, words, param, code or known.code, known.status, known.kind)


_RULES = (
    ChatRule(
        "no-model",
        "C1",
        "a request names a model",
        "you must provide a model parameter",
        "observed",
    ),
    ChatRule(
        "missing-parameter",
        "C3",
        "what an object needs is there",
        "Missing required parameter",
        "observed",
        "the path",
        "missing_required_parameter",
    ),
    ChatRule(
        "orphan",
        "C4",
        "a tool message answers a call of the assistant message directly before its group",
        "must be a response to a preceeding message with 'tool_calls'",
        "reported",
        "messages.[N].role",
    ),
    ChatRule(
        "unanswered",
        "C5",
        "each call is answered before the next message that is no tool message",
        "must be followed by tool messages responding to each 'tool_call_id'",
        "reported",
        "messages.[N].role",
    ),
    ChatRule(
        "missing-id",
        "C7",
        "a tool message says which call it answers",
        "must have a 'tool_call_id'",
        "reported",
        "messages.[N].tool_call_id",
    ),
    ChatRule(
        "answered-twice",
        "C8",
        "each call is answered once",
        "Duplicate value for 'tool_call_id'",
        "assumed",
        "messages.[N].tool_call_id",
    ),
    ChatRule(
        "duplicate-id",
        "C9",
        "the ids of the calls of one message differ",
        "Duplicate value for 'tool_call_id'",
        "assumed",
        "messages.[N].tool_calls",
    ),
    ChatRule(
        "empty-array",
        "C10",
        "there are messages, and an array of calls that is there has one",
        "empty array. Expected an array with minimum length 1",
        "reported",
        "messages, messages[N].tool_calls",
        "empty_array",
    ),
    ChatRule(
        "null-content",
        "C21",
        "a message has a content, unless it is the model's and calls tools or refuses",
        "expected a string, got null",
        "reported",
        "messages.[N].content",
    ),
    ChatRule(
        "no-json",
        "C29",
        "the body is a JSON object",
        "We could not parse the JSON body of your request",
        "reported",
    ),
)

CHAT_RULES: dict[str, ChatRule] = {rule.id: rule for rule in _RULES}
"""Every rule by its id."""
