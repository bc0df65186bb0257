"""What the model and the runtime say to one another (spec R1.1 to R1.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agentsim.core.tools import ToolDef

__all__ = [
    "FINAL_REASONS",
    "WIRE_BLOCK",
    "Carried",
    "Delta",
    "Message",
    "Request",
    "Response",
    "Role",
    "StreamFault",
    "StreamKind",
    "StreamPlace",
    "ToolCall",
    "Usage",
    "assistant",
    "system",
    "tool_result",
    "user",
]

Role = Literal["system", "user", "assistant", "tool"]

Carried = Literal["whole", "pieces", "bytes"]
"""How an answer comes: whole, in pieces of the neutral form, as the bytes of a stream."""

StreamKind = Literal[
    "cut",
    "cut_bytes",
    "ends",
    "error",
    "stalls",
    "noise",
    "doubled",
    "interleaved",
    "chunks",
]

StreamPlace = Literal["middle", "end", "character"]

BREAKS: tuple[StreamKind, ...] = ("cut", "cut_bytes", "ends", "error", "stalls")

FINAL_REASONS = ("end_turn", "stop", "stop_sequence")
"""Stop reasons with which a response without calls is final (R3.1)."""


WIRE_BLOCK = "wire"
"""Type of the block that holds what a wire has in a message and the neutral form not."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model asks for (R1.2).

    Attributes:
        arguments: The JSON text that the model wrote; it may be invalid.
    """

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a history (R1.1).

    Attributes:
        tool_call_id: The call that a message of role `tool` answers.
        is_error: For tool results: whether the call failed.
        blocks: What a provider sent and wants back unchanged (reasoning, signatures).
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    is_error: bool = False
    blocks: tuple[Mapping[str, Any], ...] = ()

    @property
    def characters(self) -> int:
        """Length of the text and of the names and arguments of the calls."""
        total = len(self.content)
        for call in self.tool_calls:
            total += len(call.name) + len(call.arguments)
        return total


def system(content: str) -> Message:
    """The system prompt as a message."""
    return Message("system", content)


def user(content: str) -> Message:
    """A message of the user."""
    return Message("user", content)


def assistant(content: str = "", *calls: ToolCall) -> Message:
    """A message of the model, with the calls it asks for."""
    return Message("assistant", content, calls)


def tool_result(call_id: str, content: str, *, is_error: bool = False) -> Message:
    """The result of one call."""
    return Message("tool", content, (), call_id, is_error)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response, or of a run (R1.5); `prompt` includes `cache_read`.

    Attributes:
        estimated: Whether the service gave no usage and this is our estimate.
    """

    prompt: int = 0
    completion: int = 0
    cache_read: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cache_read + other.cache_read,
            self.estimated or other.estimated,
        )

    def billable(self, cache_read_weight: float = 0) -> float:
        """Tokens that count against a budget; cached ones by `cache_read_weight`."""
        fresh = self.prompt - self.cache_read + self.completion
        return (
            fresh + cache_read_weight * self.cache_read if cache_read_weight else fresh
        )


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to the model (R1.4).

    `messages` is a view of a growing history where the runtime has one: it must be
    read, or copied, before it is kept.
    """

    model: str
    messages: Sequence[Message]
    tools: Sequence[ToolDef] = ()
    temperature: float = 0.2
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What the model answered (R1.4, R1.6).

    Attributes:
        stop_reason: `end_turn`, `tool_use`, `max_tokens`, `stop_sequence`,
            `pause_turn`, `refusal`, `content_filter`, or what else a wire defines.
        usage: None when the service sent none.
        refusal: Details of a refusal, or None.
    """

    message: Message
    stop_reason: str = "end_turn"
    usage: Usage | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed response; the last one carries the whole `response`."""

    text: str = ""
    call: ToolCall | None = None
    response: Response | None = field(default=None)


@dataclass(frozen=True, slots=True)
class StreamFault:
    """What goes wrong with one streamed answer (spec T3.4).

    Attributes:
        kind: `cut`: the connection is lost behind an event; `cut_bytes`: behind a byte;
            `ends`: the stream ends there as if it were whole; `error`: its last event
            tells of an error; `stalls`: nothing more comes; `noise`: events and comments
            that say nothing stand between; `doubled`: an event comes twice;
            `interleaved`: the pieces of several calls come in turn; `chunks`: the bytes
            come in other portions.
        at: How many events come before, or bytes for `cut_bytes`; for `doubled` which
            piece, from 0; for `chunks` the size of a portion in bytes, where 0 is all
            at once. Or a place: the `middle`; the `end`, where all has come but what
            says that the answer is whole; a `character` of several bytes, for
            `cut_bytes`. None: the middle, and one byte for `chunks`.
    """

    kind: StreamKind
    at: int | StreamPlace | None = None

    @property
    def breaks(self) -> bool:
        """Whether the answer does not come whole."""
        return self.kind in BREAKS

    def place(self, count: int) -> int:
        """How many of so many parts come before it; the last of them is the end."""
        if isinstance(self.at, int):
            return min(self.at, count)
        return count if self.at == "end" else (count + 1) // 2
