"""Writes what goes on live: each document is redacted, numbered and timed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import RLock

from agentsim.cassettes.assembling import assembled
from agentsim.cassettes.records import (
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.redaction import Redactor
from agentsim.cassettes.tape.clock import TapeClock
from agentsim.cassettes.tape.taking import Taking, ToolTaking
from agentsim.cassettes.tape.values import VALUE
from agentsim.cassettes.writer import CassetteWriter
from agentsim.core import CassetteError

__all__ = ["Recording"]

Entry = RecordedExchange | RecordedTool


class Recording:
    """The recording side of a tape.

    Args:
        lock: Held while anything is written or redacted.
        goes_on: What is in the file that is continued.

    Attributes:
        lost: Name of a tool and what of its result JSON has no form for.
        unwritten: Why documents could not be written, one for each.
    """

    def __init__(
        self,
        writer: CassetteWriter,
        redactor: Redactor,
        clock: TapeClock,
        lock: RLock,
        goes_on: Sequence[Entry] = (),
    ) -> None:
        self._writer = writer
        self._redactor = redactor
        self._clock = clock
        self._lock = lock
        self._number = max((one.number for one in goes_on), default=0)
        self._started_ms = clock.elapsed_ms()
        self._before_ms = max(map(_end_ms, goes_on), default=0.0)
        self.lost: list[str] = []
        self.unwritten: list[CassetteError] = []
        self._open: dict[int, Taking | ToolTaking] = {}
        self._live = False

    def begin(self, request: RecordedRequest, wire: str) -> Taking:
        """A live exchange begins."""
        with self._lock:
            number, at_ms = self._next()
            self._redactor.text(request.body)  # secrets are counted as they are sent
            asked_ms = self._clock.elapsed_ms()

            def keep(answer: RecordedAnswer) -> None:
                message = assembled(wire, answer)
                self._add(
                    RecordedExchange(number, request, answer, wire, at_ms, message)
                )

            taking = Taking(keep, lambda: self._since_ms(asked_ms), wire)
            self._open[number] = taking
            return taking

    def begin_tool(self, name: str, arguments: str, call_id: str) -> ToolTaking:
        """A live call of a tool begins."""
        with self._lock:
            number, at_ms = self._next()
            self._redactor.text(arguments)
            asked_ms = self._clock.elapsed_ms()

            def keep(done: RecordedTool) -> None:
                call = {"name": name, "arguments": arguments, "call_id": call_id}
                took_ms = self._since_ms(asked_ms)
                self._add(
                    replace(done, number=number, at_ms=at_ms, took_ms=took_ms, **call)
                )
                if done.returned not in ("", VALUE):
                    self.lost.append(
                        f"{name}: {done.returned.removeprefix(f'{VALUE} of ')}"
                    )

            taking = ToolTaking(keep)
            self._open[number] = taking
            return taking

    def copy(self, entry: Entry) -> None:
        """Keep what was answered from an old cassette.

        It stays as it is until something goes live: a refresh that changes nothing gives
        the same cassette.
        """
        with self._lock:
            now = self._now_ms()
            copied: Entry = entry
            if self._live:
                number, at_ms = self._number + 1, max(entry.at_ms, now)
                copied = replace(entry, number=number, at_ms=at_ms)
            self._number = max(self._number, copied.number)
            self._before_ms += max(0.0, _end_ms(copied) - now)
            self._write(copied)

    def close(self) -> None:
        """End what is still going on, where that is known."""
        if not self._writer.is_ours:
            return
        for taking in list(self._open.values()):
            taking.abandon()

    def _next(self) -> tuple[int, float]:
        self._writer.check()
        self._live = True
        self._number += 1
        return self._number, self._now_ms()

    def _now_ms(self) -> float:
        return round(self._before_ms + self._since_ms(self._started_ms), 3)

    def _since_ms(self, moment_ms: float) -> float:
        return round(max(0.0, self._clock.elapsed_ms() - moment_ms), 3)

    def _add(self, entry: Entry) -> None:
        with self._lock:
            self._open.pop(entry.number, None)
            if isinstance(entry, RecordedExchange):
                self._write(self._redactor.exchange(entry))
            else:
                self._write(self._redactor.tool(entry))

    def _write(self, entry: Entry) -> None:
        try:
            self._writer.add(entry)
        except CassetteError as failure:
            self.unwritten.append(failure)
            raise


def _end_ms(entry: Entry) -> float:
    """When it was over, from the start of the recording."""
    if isinstance(entry, RecordedTool):
        return entry.at_ms + entry.took_ms
    chunks = entry.answer.chunks
    last = chunks[-1].at_ms if chunks else 0.0
    return entry.at_ms + max(entry.answer.at_ms, last)
