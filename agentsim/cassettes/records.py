"""What a cassette holds, as values: a header, exchanges with a model, calls of tools.

Texts of bodies and chunks are what came over the wire, decoded as UTF-8; a byte that is
none stands as half a character (`surrogateescape`), so that every body comes back byte
for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

__all__ = [
    "ENDINGS",
    "LEAVING_S",
    "VERSION",
    "AnswerEnding",
    "AssembledAnswer",
    "Cassette",
    "CassetteHeader",
    "RecordedAnswer",
    "RecordedCall",
    "RecordedChunk",
    "RecordedExchange",
    "RecordedRequest",
    "RecordedTool",
    "body_text",
]

VERSION = 1
"""Version of the format."""

AnswerEnding = Literal["whole", "closed by the client", "broken off", "no answer"]

ENDINGS: tuple[AnswerEnding, ...] = (
    "whole",
    "closed by the client",
    "broken off",
    "no answer",
)
"""How an answer can end: whole, left by the client, lost in the middle, or not begun."""

LEAVING_S = 60.0
"""Seconds at most that a replay waits for a client to leave what it left before."""


def body_text(body: bytes) -> str:
    """The text of a body or a chunk; `text.encode("utf-8", "surrogateescape")` undoes it."""
    return body.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class CassetteHeader:
    """What a cassette says of itself.

    Attributes:
        version: Of the format.
        recorded_by: Name and version of what wrote it; empty: not told.
        recorded_at: When the recording began, as ISO 8601 in UTC; empty: not told.
        owner: What it was recorded for, such as the node id of a test; empty: anything.
    """

    version: int = VERSION
    recorded_by: str = ""
    recorded_at: str = ""
    owner: str = ""


class RecordedChunk(NamedTuple):
    """A piece of a streamed body, as it was received.

    Attributes:
        at_ms: Milliseconds since the request was sent, in steps of a microsecond.
    """

    at_ms: float
    text: str


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request to a service.

    Attributes:
        headers: Names in lower case; those that may be kept.
    """

    method: str = "POST"
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What came back.

    Attributes:
        status: HTTP status; None when no answer came.
        headers: Names in lower case; those that may be kept.
        body: Of an answer that was not streamed.
        chunks: Of a streamed one, in order; None: it was not streamed.
        at_ms: Milliseconds from the request to the head of the answer.
        ended: How it ended.
        error: What broke it off, in words; empty otherwise.
    """

    status: int | None = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    chunks: Sequence[RecordedChunk] | None = None
    at_ms: float = 0
    ended: AnswerEnding = "whole"
    error: str = ""

    @property
    def text(self) -> str:
        """The whole body, streamed or not."""
        if self.chunks is None:
            return self.body
        return "".join(chunk.text for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that the model asked for.

    Attributes:
        arguments: The text that the model wrote.
    """

    id: str
    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class AssembledAnswer:
    """What the model said, put together for readers; replay goes by the wire's text.

    Attributes:
        stop_reason: As the neutral form names it; empty when a stream broke off.
    """

    content: str = ""
    tool_calls: tuple[RecordedCall, ...] = ()
    stop_reason: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """A request and its answer.

    Attributes:
        number: Which request or call of the recording it was, by the time it was sent,
            1-based: documents stand in the order in which they were complete.
        at_ms: Milliseconds from the start of the recording to the request.
        wire: Name of the dialect, such as `openai-chat`; empty: none that is known.
        message: The answer put together; None when that can't be done.
    """

    number: int
    request: RecordedRequest
    answer: RecordedAnswer
    wire: str = ""
    at_ms: float = 0
    message: AssembledAnswer | None = None


@dataclass(frozen=True, slots=True)
class RecordedTool:
    """A call of a tool, and what came of it.

    Attributes:
        number: As of an exchange.
        arguments: JSON text.
        result: The text that the model is given; empty when it failed.
        error: What it failed with, in words; None when it did not.
        took_ms: Milliseconds until it was done.
        returned: What the result is: empty for a text, `json` for a value written as
            JSON, `json of datetime` where JSON has no form for a part of it.
        raised: Name of the class of the exception that it failed with; empty: not told.
    """

    number: int
    name: str
    call_id: str = ""
    arguments: str = ""
    result: str = ""
    error: str | None = None
    at_ms: float = 0
    took_ms: float = 0
    returned: str = ""
    raised: str = ""


@dataclass(frozen=True, slots=True)
class Cassette:
    """A cassette that was read.

    Attributes:
        name: Of the file, as errors show it.
        entries: In the order of the file.
        complete_bytes: Where the last complete document ends: bytes from the start.
        left_over_bytes: How many bytes of an unfinished document stand behind it.
    """

    name: str
    header: CassetteHeader
    entries: tuple[RecordedExchange | RecordedTool, ...] = ()
    complete_bytes: int = 0
    left_over_bytes: int = 0

    @property
    def exchanges(self) -> tuple[RecordedExchange, ...]:
        """The exchanges with a model, by the time they were asked."""
        return tuple(
            sorted(
                (one for one in self.entries if isinstance(one, RecordedExchange)),
                key=lambda one: one.number,
            )
        )

    @property
    def tools(self) -> tuple[RecordedTool, ...]:
        """The calls of tools, by the time they began."""
        return tuple(
            sorted(
                (one for one in self.entries if isinstance(one, RecordedTool)),
                key=lambda one: one.number,
            )
        )
