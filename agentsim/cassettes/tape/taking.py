"""What is going on live and becomes a document when it ends: an exchange, a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock

from agentsim.cassettes.records import (
    AnswerEnding,
    RecordedAnswer,
    RecordedChunk,
    RecordedTool,
    body_text,
)
from agentsim.cassettes.wires import StreamEnd

__all__ = ["Taking", "ToolTaking"]


class Taking:
    """A live exchange: it is told what comes in, and keeps it when it ends.

    Call `end` before the last byte is handed on, or as soon as a stream has ended: when
    it returns, the exchange outlives the process. It may be told from any thread; what
    comes after the end is not kept.

    Args:
        keep: Writes the answer.
        elapsed_ms: Milliseconds since the request.
        wire: Name of the dialect: clients close a stream behind its last event, and so
            it is kept as whole before that is handed on.
    """

    def __init__(
        self,
        keep: Callable[[RecordedAnswer], None],
        elapsed_ms: Callable[[], float],
        wire: str = "",
    ) -> None:
        self._keep = keep
        self._stream_end = StreamEnd(wire)
        self._elapsed_ms = elapsed_ms
        self._lock = Lock()
        self._ended = False
        self._status: int | None = None
        self._headers: dict[str, str] = {}
        self._at_ms = 0.0
        self._body = bytearray()
        self._chunks: list[RecordedChunk] | None = None

    @property
    def ended(self) -> bool:
        """Whether it is over, and kept."""
        return self._ended

    @property
    def begun(self) -> bool:
        """Whether the head of the answer is there."""
        return self._status is not None

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of the answer is there.

        Args:
            headers: All of them; those that may not be kept are left out.
        """
        self._status = status
        self._headers = dict(headers)
        self._at_ms = self._elapsed_ms()

    def chunk(self, data: bytes) -> None:
        """A piece of a stream is there, as it was received; the last event ends it.

        Raises:
            CassetteError: when it can't be written.
        """
        if self._chunks is None:
            self._chunks = []
        self._chunks.append(RecordedChunk(self._elapsed_ms(), body_text(data)))
        if self._stream_end.seen(data):
            self.end()

    def streams(self) -> None:
        """The answer is a stream, even if no piece of it ever comes."""
        if self._chunks is None:
            self._chunks = []

    def body(self, data: bytes) -> None:
        """The body of an answer that is no stream is there, or a further part of it."""
        self._body += data

    def end(self, ended: AnswerEnding = "whole", error: str = "") -> None:
        """Keep what came; the first end counts, later ones do nothing.

        Args:
            ended: How it ended.
            error: What broke it off, in words.

        Raises:
            CassetteError: when it can't be written.
        """
        with self._lock:
            if self._ended:
                return
            self._ended = True
        self._keep(
            RecordedAnswer(
                self._status,
                self._headers,
                body_text(bytes(self._body)),
                None if self._chunks is None else tuple(self._chunks),
                self._at_ms,
                ended,
                error,
            )
        )

    def abandon(self) -> None:
        """End it in the state that it is in: whoever asked does not read on."""
        if self._status is None:
            self.end("no answer", "the recording ended before the answer came")
        else:
            self.end("closed by the client")


class ToolTaking:
    """A live call of a tool: it is kept when it ends.

    Args:
        keep: Writes what came of it: a call of which only that is filled in.
    """

    def __init__(self, keep: Callable[[RecordedTool], None]) -> None:
        self._keep = keep
        self._lock = Lock()
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether it is over, and kept."""
        return self._ended

    def end(
        self,
        result: str = "",
        error: str | None = None,
        *,
        returned: str = "",
        raised: str = "",
    ) -> None:
        """Keep what came of it; the first end counts, later ones do nothing.

        Args:
            result: The text that the model is given.
            error: What it failed with; None: it did not.
            returned: What the result is, as a `RecordedTool` tells it.
            raised: Name of the class of the exception.

        Raises:
            CassetteError: when it can't be written.
        """
        with self._lock:
            if self._ended:
                return
            self._ended = True
        done = RecordedTool(0, "", result=result, error=error)
        self._keep(replace(done, returned=returned, raised=raised))

    def abandon(self) -> None:
        """End it as one that was never done."""
        self.end(error="the recording ended before the tool did")
