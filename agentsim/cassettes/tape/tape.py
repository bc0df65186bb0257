"""A cassette in use: who asks is answered from it, or goes live and is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self, TypeVar

from agentsim.cassettes.matching import MeaningReader
from agentsim.cassettes.records import (
    CassetteHeader,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.redaction import RedactionRules, Redactor
from agentsim.cassettes.staleness import age_days
from agentsim.cassettes.tape.clock import SystemClock, TapeClock
from agentsim.cassettes.tape.files import Mode, TapeFile
from agentsim.cassettes.tape.recall import Recall
from agentsim.cassettes.tape.recording import Recording
from agentsim.cassettes.tape.taking import Taking, ToolTaking
from agentsim.cassettes.wires import with_same_boundary
from agentsim.core import CassetteError, CassetteMiss, Change, shown_path

__all__ = ["Tape", "TapeUse"]

Found = TypeVar("Found", RecordedExchange, RecordedTool)


@dataclass(frozen=True, slots=True)
class TapeUse:
    """What was done with a tape.

    Attributes:
        hits: Requests that were answered from the cassette.
        misses: Requests that were looked for in it and not found.
        live: Requests that went out.
        unused: Exchanges of the cassette that nobody asked for.
        changes: Of all misses, what was other than in the nearest recordings.
        tool_hits: Calls of tools that were answered from the cassette.
        tool_misses: Calls of tools that were looked for in it and not found.
        tool_live: Calls of tools that were really made.
        unused_tools: Calls of tools in the cassette that nobody made.
        settings: Where an answer was recorded with other settings, such as another
            temperature, which count for nothing: what was other.
        lost: Tools of which a result was recorded that a replay can't give as it was,
            with the types that JSON has no form for, such as `now: datetime`.
    """

    hits: int = 0
    misses: int = 0
    live: int = 0
    unused: tuple[RecordedExchange, ...] = ()
    changes: tuple[Change, ...] = ()
    tool_hits: int = 0
    tool_misses: int = 0
    tool_live: int = 0
    unused_tools: tuple[RecordedTool, ...] = ()
    settings: tuple[Change, ...] = ()
    lost: tuple[str, ...] = ()


class Tape:
    """One cassette in use by a mode; it knows no HTTP library, and opens no connection.

    `replay` answers from the cassette only. `record` answers nothing, and writes a new
    cassette; one that is there is replaced when the tape is closed. `record-missing`
    answers what is there, and appends what is not. `refresh` answers what is there and
    not too old, and writes a new cassette of that and of what went live, without what
    nobody asked for. It may be used from any thread, and as a context manager.

    Args:
        path: Of the cassette.
        rules: What is secret beside the usual.
        volatile: Regular expressions for what may differ beside ids, uuids and times.
        owner: What it is used for, such as the id of a test; empty: anything.
        max_age_days: Days after which `refresh` records all again, also what tells no
            time; None: never.
        clock: By default the machine's.

    Raises:
        CassetteInUse: while another recording writes the cassette.
        CassetteError: when it can't be read or written, is missing in the mode
            `replay`, or belongs to another owner; also for a wrong mode or pattern.
    """

    def __init__(
        self,
        path: Path | str,
        mode: Mode = "replay",
        *,
        rules: RedactionRules | None = None,
        volatile: Sequence[str] = (),
        owner: str = "",
        max_age_days: float | None = None,
        clock: TapeClock | None = None,
    ) -> None:
        self.path = Path(path)
        self.mode: Mode = mode
        self._clock = clock or SystemClock()
        self._lock = RLock()
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._changes: list[Change] = []
        self._missed_ones: list[CassetteMiss] = []
        self._closed = False
        redactor = Redactor(rules)
        now = self._clock.now()
        header = CassetteHeader(
            recorded_by="agentsim", recorded_at=f"{now:%Y-%m-%dT%H:%M:%SZ}", owner=owner
        )
        MeaningReader(volatile)  # a wrong pattern is told before a file is touched

        def young(old: CassetteHeader) -> bool:
            days = age_days(old.recorded_at, now)
            return max_age_days is None or (days is not None and days <= max_age_days)

        self._file = TapeFile(self.path, mode, header, young=young)
        try:
            self._begin(redactor, volatile)
        except BaseException:
            self._file.close(keep=False)
            raise

    def _begin(self, redactor: Redactor, volatile: Sequence[str]) -> None:
        old = self._file.old
        self._recall: Recall | None = None
        if old is not None and self._file.answers:
            redactor.reserve(self.path.read_text("utf-8", "surrogateescape"))
            self._recall = Recall(old, redactor, volatile)
        self._recording: Recording | None = None
        if self._file.writer is not None:
            goes_on = old.entries if old and self.mode == "record-missing" else ()
            self._recording = Recording(
                self._file.writer, redactor, self._clock, self._lock, goes_on
            )

    @property
    def use(self) -> TapeUse:
        """What was done with it until now."""
        with self._lock:
            recall = self._recall
            return TapeUse(
                unused=recall.unused if recall else (),
                changes=tuple(self._changes),
                unused_tools=recall.unused_tools if recall else (),
                settings=recall.settings if recall else (),
                lost=tuple(self._recording.lost) if self._recording else (),
                **self._counts,
            )

    @property
    def missed(self) -> tuple[CassetteMiss, ...]:
        """What was looked for in it and not found, whatever became of the error."""
        with self._lock:
            return tuple(self._missed_ones)

    @property
    def unwritten(self) -> tuple[CassetteError, ...]:
        """Why exchanges and calls are not in it that should be, one error for each."""
        with self._lock:
            return tuple(self._recording.unwritten) if self._recording else ()

    @property
    def recorded_at(self) -> str:
        """When what it answers from was recorded, as ISO 8601; empty: not told."""
        return self._file.old.header.recorded_at if self._file.old else ""

    @property
    def written(self) -> Path:
        """Where the recording stands: beside an old cassette until it replaces it."""
        return self._file.written

    def answer(self, request: RecordedRequest, wire: str) -> RecordedExchange | None:
        """The recorded exchange that answers a request; None: it has to go live.

        Args:
            request: As it is sent, secrets included.
            wire: Name of the dialect, such as `openai-chat`; empty: none that is known.

        Raises:
            CassetteMiss: in the mode `replay`, when none was recorded.
        """
        request = with_same_boundary(request)
        return self._found(lambda recall: recall.exchange(request, wire), "")

    def begin(self, request: RecordedRequest, wire: str) -> Taking:
        """A live exchange begins: tell what comes in to what is returned.

        Raises:
            CassetteError: in the mode `replay`, where nothing goes live.
        """
        with self._lock:
            recording = self._live("an exchange")
            self._counts["live"] += 1
            return recording.begin(with_same_boundary(request), wire)

    def answer_tool(self, name: str, arguments: str) -> RecordedTool | None:
        """The recorded call that answers one of a tool; None: it has to be made.

        Args:
            arguments: JSON text, secrets included.

        Raises:
            CassetteMiss: in the mode `replay`, when none was recorded.
        """
        return self._found(lambda recall: recall.tool(name, arguments), "tool_")

    def begin_tool(self, name: str, arguments: str, call_id: str = "") -> ToolTaking:
        """A real call of a tool begins: tell what comes of it to what is returned.

        Raises:
            CassetteError: in the mode `replay`, where no tool runs.
        """
        with self._lock:
            recording = self._live("a call of a tool")
            self._counts["tool_live"] += 1
            return recording.begin_tool(name, arguments, call_id)

    def _found(self, find: Callable[[Recall], Found], counts: str) -> Found | None:
        """What answers, counted under names that begin so; None: it has to go live."""
        with self._lock:
            self._check_open()
            if self._recall is None:
                return None
            try:
                found = find(self._recall)
            except CassetteMiss as miss:
                self._counts[f"{counts}misses"] += 1
                self._missed(miss)
                return None
            self._counts[f"{counts}hits"] += 1
            self._copy(found)
            return found

    def close(self, *, keep: bool = True) -> None:
        """End the recording, and let go of the file; calling it again does nothing.

        What is still going on is kept as far as it has come.

        Args:
            keep: Whether what was recorded in place of an old cassette replaces it; if
                not, or where a part of it could not be written, it stays beside it
                until the next recording.

        Raises:
            CassetteError: when the last of it can't be written.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                if self._recording is not None:
                    self._recording.close()
            except BaseException:
                self._file.close(keep=False)
                raise
            counts = self._counts
            kept = counts["hits"] + counts["tool_hits"]
            anew = kept == 0 < counts["live"] + counts["tool_live"]
            self._file.close(keep=keep and not self.unwritten, anew=anew)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(keep=kind is None)

    def _missed(self, miss: CassetteMiss) -> None:
        self._changes.extend(miss.changes)
        self._missed_ones.append(miss)
        if self.mode == "replay":
            raise miss

    def _copy(self, found: RecordedExchange | RecordedTool) -> None:
        if self.mode == "refresh" and self._recording is not None:
            self._recording.copy(found)

    def _live(self, what: str) -> Recording:
        self._check_open()
        if self._recording is None:
            raise CassetteError(
                f"{shown_path(self.path)}: {what} can't go live in the mode replay: use record, "
                "record-missing or refresh"
            )
        return self._recording

    def _check_open(self) -> None:
        if self._closed:
            raise CassetteError(
                f"{shown_path(self.path)}: this tape was closed before: open it again"
            )


_COUNTED = ("hits", "misses", "live", "tool_hits", "tool_misses", "tool_live")
