"""What surrounds an agent witnesses: there for any agent, and what judges read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from agentsim.core.events.event import Event
from agentsim.core.history import MessageView
from agentsim.core.limits import Limits, LoopRules
from agentsim.core.messages import Message, Usage
from agentsim.core.tools import ToolDef

__all__ = [
    "CancelRequested",
    "ConfirmationAnswered",
    "ConfirmationAsked",
    "Crashed",
    "Declared",
    "DeltaReceived",
    "EffectApplied",
    "EndingKind",
    "FaultStruck",
    "IncarnationStarted",
    "MessageInjected",
    "Outcome",
    "RequestFailed",
    "RequestSent",
    "ResponseReceived",
    "ResumeProbe",
    "Returned",
    "ToolEnded",
    "ToolEnding",
    "ToolStarted",
]

ToolEnding = Literal["ok", "error", "unknown", "cancelled"]

EndingKind = Literal[
    "returned", "raised", "cancelled", "deadlock", "livelock", "leak", "crashed"
]


@dataclass(slots=True)
class IncarnationStarted(Event):
    """A life of the agent began: the first, or one after a crash."""

    kind: ClassVar[str] = "incarnation_started"


@dataclass(slots=True)
class Declared(Event):
    """The agent said which boundaries it promises to keep.

    Attributes:
        limits: The limits in force, or None where it promises none.
        loop: The parameters of its loop detection, or None.
    """

    kind: ClassVar[str] = "declared"
    limits: Limits | None = None
    loop: LoopRules | None = None


@dataclass(slots=True)
class RequestSent(Event):
    """A request to the model.

    Attributes:
        number: 1-based, over all lives, failed ones included.
        wire: The wire that it came by, such as `openai-chat`; empty for the neutral client.
    """

    kind: ClassVar[str] = "request"
    number: int
    model: str
    messages: MessageView
    tools: tuple[ToolDef, ...]
    temperature: float = 0.2
    max_tokens: int | None = None
    wire: str = ""


@dataclass(slots=True)
class DeltaReceived(Event):
    """A piece of a streamed response."""

    kind: ClassVar[str] = "delta"
    number: int
    text: str


@dataclass(slots=True)
class ResponseReceived(Event):
    """The answer to a request.

    Attributes:
        number: That of the request.
        reply: Index of the scripted reply it was made from, or None.
    """

    kind: ClassVar[str] = "response"
    number: int
    message: Message
    stop_reason: str
    usage: Usage | None
    reply: int | None = None


@dataclass(slots=True)
class RequestFailed(Event):
    """A request was answered with an error, or not at all.

    Attributes:
        number: That of the request.
        status: HTTP status, or None when no answer came.
        error: The provider's error type.
        rule: The rule of the history that the request broke, or None.
    """

    kind: ClassVar[str] = "request_failed"
    number: int
    status: int | None
    error: str
    words: str
    rule: str | None = None
    definite: bool = True


@dataclass(slots=True)
class ToolStarted(Event):
    """A tool began to run.

    Attributes:
        operation: Number that its end and its effects carry too; 1-based per witness.
        arguments: As the tool gets them, parsed.
        call_id: The call it serves, where the witness knows.
        inside: The operation that runs it as a part of its own work, as a tool that is
            an agent does; None for one that the agent runs itself.
    """

    kind: ClassVar[str] = "tool_start"
    operation: int
    name: str
    arguments: Mapping[str, Any]
    call_id: str | None = None
    inside: int | None = None


@dataclass(slots=True)
class ToolEnded(Event):
    """A tool ended.

    Attributes:
        operation: That of its start; 0 when a runtime answered the call with an error
            and no tool ran (unknown tool, bad arguments, declined).
        ending: `ok`; `error` (did not happen, or says so); `unknown` (may have
            happened: the answer was lost); `cancelled`.
        output: The raw output, or the words of the error.
    """

    kind: ClassVar[str] = "tool_end"
    operation: int
    name: str
    ending: ToolEnding
    output: str
    call_id: str | None = None


@dataclass(slots=True)
class MessageInjected(Event):
    """A user's message entered the running turn (R9)."""

    kind: ClassVar[str] = "injected"
    message_id: str
    text: str


@dataclass(slots=True)
class ConfirmationAsked(Event):
    """A person was asked to approve a call.

    Attributes:
        question: Number that the answer carries too; 1-based per witness.
    """

    kind: ClassVar[str] = "confirmation_asked"
    question: int
    name: str
    arguments: Mapping[str, Any]
    call_id: str | None = None


@dataclass(slots=True)
class ConfirmationAnswered(Event):
    """A person approved or declined."""

    kind: ClassVar[str] = "confirmation_answered"
    question: int
    approved: bool
    confirmed_by: str | None = None
    reason: str | None = None


@dataclass(slots=True)
class EffectApplied(Event):
    """A write took effect in the world: an entry of the ledger.

    Attributes:
        operation: That of the tool's start at the boundary.
    """

    kind: ClassVar[str] = "effect"
    operation: int
    name: str
    arguments: Mapping[str, Any]


@dataclass(slots=True)
class FaultStruck(Event):
    """A fault struck.

    Attributes:
        fault: Its name in the catalogue.
        target: The operation it struck: a tool's name, `model`, or `the person`.
        definite: Whether the operation certainly did not happen.
        effect: What became of the operation's effect: `normal`, `skipped`, `applied`,
            `twice`; empty in traces of before.
        answer: What became of its answer: `normal`, `error`, `never`, `outdated`.
    """

    kind: ClassVar[str] = "fault"
    fault: str
    target: str
    definite: bool
    words: str
    effect: str = ""
    answer: str = ""


@dataclass(slots=True)
class CancelRequested(Event):
    """The run was cancelled from outside."""

    kind: ClassVar[str] = "cancel"


@dataclass(slots=True)
class Crashed(Event):
    """The process died: a power cut."""

    kind: ClassVar[str] = "crash"


@dataclass(slots=True)
class Returned(Event):
    """The agent returned, and something of it went on: what follows came after its end.

    Only there where something follows; an agent that merely has tasks alive does nothing.
    """

    kind: ClassVar[str] = "returned"


@dataclass(slots=True)
class ResumeProbe(Event):
    """The service was asked whether the history left takes a new message of the user.

    It stands before the outcome whose history it is about; no request was sent.

    Attributes:
        rule: The rule of a history that the service would refuse it for, or None if it
            accepts.
        words: What is wrong, in the service's words; empty if nothing is.
        param: Where in the history, such as `messages[3]`; empty if nothing is wrong.
    """

    kind: ClassVar[str] = "resume_probe"
    rule: str | None = None
    words: str = ""
    param: str = ""


@dataclass(slots=True)
class Outcome(Event):
    """What the agent left behind, as its caller sees it.

    Attributes:
        ending: `returned`, `raised`, `cancelled` (the cancellation came out),
            `deadlock`, `livelock`, `leak` (returned with tasks or threads alive), or `crashed`.
        status: A status of R1.9 where the agent gave one, else None.
        history: The history it left, where it gave one.
    """

    kind: ClassVar[str] = "outcome"
    ending: EndingKind
    status: str | None
    output: str | None
    error: str | None = None
    iterations: int | None = None
    usage: Usage | None = None
    tools: tuple[str, ...] | None = None
    history: MessageView | None = None
