"""What only a runtime can say of itself (spec R11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agentsim.core.events.event import Event
from agentsim.core.history import MessageView
from agentsim.core.messages import Usage

__all__ = [
    "Acknowledged",
    "CallIdsReplaced",
    "CallRecovered",
    "CheckpointSaved",
    "CondenseEnded",
    "CondenseFailed",
    "CondenseStarted",
    "Escalated",
    "FallbackUsed",
    "FinalAnswer",
    "LoopBlocked",
    "Retried",
    "RunEnded",
    "RunStarted",
    "Terminal",
    "ToolProgress",
]


@dataclass(slots=True)
class RunStarted(Event):
    """A run began."""

    kind: ClassVar[str] = "run_started"
    task: str


@dataclass(slots=True)
class FinalAnswer(Event):
    """The runtime took a response as the end of the task."""

    kind: ClassVar[str] = "final_answer"
    text: str


@dataclass(slots=True)
class Retried(Event):
    """A failed request is tried again."""

    kind: ClassVar[str] = "retry"
    number: int
    attempt: int
    wait_s: float
    words: str


@dataclass(slots=True)
class FallbackUsed(Event):
    """The model was changed after transient failures."""

    kind: ClassVar[str] = "fallback"
    model: str
    words: str


@dataclass(slots=True)
class ToolProgress(Event):
    """A tool said how far it is."""

    kind: ClassVar[str] = "tool_progress"
    operation: int
    words: str


@dataclass(slots=True)
class CallIdsReplaced(Event):
    """Missing, empty or repeated call ids were replaced (R3.13).

    Attributes:
        replaced: Pairs of the id as it came and the id in its place, by call.
    """

    kind: ClassVar[str] = "call_ids_replaced"
    replaced: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class LoopBlocked(Event):
    """A repeated call was answered with a block (R5.2)."""

    kind: ClassVar[str] = "loop_blocked"
    name: str
    count: int
    call_id: str | None = None


@dataclass(slots=True)
class Terminal(Event):
    """A boundary ended the run.

    Attributes:
        boundary: A status of R1.9, such as `loop`, `deadline`, `max_iterations`.
    """

    kind: ClassVar[str] = "terminal"
    boundary: str
    words: str


@dataclass(slots=True)
class Escalated(Event):
    """What a person needs to act on the boundary that ended the run (R6.4)."""

    kind: ClassVar[str] = "escalated"
    words: str


@dataclass(slots=True)
class CondenseStarted(Event):
    """The history is about to be condensed."""

    kind: ClassVar[str] = "condense_started"
    words: str


@dataclass(slots=True)
class CondenseEnded(Event):
    """The history was condensed.

    Attributes:
        before: Messages before it.
        after: Messages after it.
    """

    kind: ClassVar[str] = "condense_ended"
    before: int
    after: int


@dataclass(slots=True)
class CondenseFailed(Event):
    """Condensing failed, or did not shrink the history."""

    kind: ClassVar[str] = "condense_failed"
    words: str


@dataclass(slots=True)
class CallRecovered(Event):
    """A tool call was recovered from text."""

    kind: ClassVar[str] = "call_recovered"
    call_id: str
    name: str


@dataclass(slots=True)
class CheckpointSaved(Event):
    """The state of the run was saved."""

    kind: ClassVar[str] = "checkpoint"
    step: int


@dataclass(slots=True)
class Acknowledged(Event):
    """An injected message was acknowledged."""

    kind: ClassVar[str] = "acknowledged"
    message_id: str


@dataclass(slots=True)
class RunEnded(Event):
    """The runtime says that its run ended, with all that its result carries.

    A cancelled run has no result to return: who wants it reads it here.

    Attributes:
        words: The error of the result.
        history: What the run left behind, repaired.
    """

    kind: ClassVar[str] = "run_ended"
    status: str
    words: str | None = None
    output: str | None = None
    iterations: int | None = None
    usage: Usage | None = None
    tools: tuple[str, ...] | None = None
    history: MessageView | None = None
