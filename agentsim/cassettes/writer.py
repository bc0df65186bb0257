"""Writes a cassette document by document, each in one piece and at once."""

from __future__ import annotations

import math
import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from agentsim.cassettes.locks import let_go, open_locked
from agentsim.cassettes.reading import holds_nothing, load_cassette
from agentsim.cassettes.records import (
    CassetteHeader,
    RecordedExchange,
    RecordedTool,
)
from agentsim.cassettes.writing import document_text, header_text
from agentsim.core import CassetteError, shown_path

__all__ = ["CassetteWriter"]


class CassetteWriter:
    """A cassette that is being recorded; only one writer can have it at a time.

    A file that is there is continued behind its last complete document. Use it as a
    context manager, or close it; a process that is killed loses what is not complete.

    Args:
        path: Of the file; its folders are made.
        header: Written into a new file; the one of a file that is there stays.
        fresh: Whether what is in the file goes.
        file: The file, where it is opened and locked already: it is closed with this.

    Attributes:
        cut_bytes: Bytes of an unfinished document that were cut off the file.
        made: Whether nothing was in the file before.
        added: How many documents were appended, beside the header.

    Raises:
        CassetteInUse: while another writer has the file.
        CassetteError: when the file can't be written, or is there and no cassette.
    """

    def __init__(
        self,
        path: Path | str,
        header: CassetteHeader | None = None,
        *,
        fresh: bool = False,
        file: BinaryIO | None = None,
    ) -> None:
        self.path = Path(path)
        self._process = os.getpid()
        self.cut_bytes = 0
        self.made, self.added = False, 0
        self._file = open_locked(self.path) if file is None else file
        try:
            if fresh:
                self._file.truncate(0)
            self._begin(header or CassetteHeader())
        except BaseException:
            self._file.close()
            raise

    def _begin(self, header: CassetteHeader) -> None:
        if holds_nothing(self._file):
            self.cut_bytes = self._file.seek(0, 2)
            self._file.truncate(0)
            self._write(header_text(header))
            self.made = True
            return
        found = load_cassette(self.path)
        self.cut_bytes = found.left_over_bytes
        self._file.truncate(found.complete_bytes)
        end = self._file.seek(0, 2)
        self._file.seek(end - 1)
        if self._file.read(1) != b"\n":
            self._write("\n")

    def add(self, entry: RecordedExchange | RecordedTool) -> None:
        """Append a document: when this returns, it outlives the process.

        Raises:
            CassetteError: when it can't be written, or a number in it is no time.
        """
        _check_times(entry)
        self._write(document_text(entry))
        self.added += 1

    @property
    def is_ours(self) -> bool:
        """Whether this process has opened it, and is none that was forked after that."""
        return self._process == os.getpid()

    def check(self) -> None:
        """Refuse to write what another process writes.

        Raises:
            CassetteError: in a process that was forked from the one that opened it.
        """
        if not self.is_ours:
            raise CassetteError(
                f"{shown_path(self.path)}: this process was forked from the one that "
                "records this cassette: ask there, or record into a file of its own here"
            )

    def sync(self) -> None:
        """Wait until what was written outlives the machine too."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file; a forked process leaves it to the one that opened it."""
        if self.is_ours:
            let_go(self._file)
        else:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, text: str) -> None:
        if self._file.closed:
            raise CassetteError(
                f"{shown_path(self.path)}: this recording was closed before"
            )
        self.check()
        data = memoryview(text.encode())
        start = self._file.seek(0, 2)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            self._file.truncate(start)
            raise CassetteError(
                f"{shown_path(self.path)}: the disk took only a part of a document, which was cut "
                "off again: make room, and record again"
            ) from None


def _check_times(entry: object) -> None:
    for field in fields(entry):  # type: ignore[arg-type]  # one of the records
        value = getattr(entry, field.name)
        if is_dataclass(value):
            _check_times(value)
        elif isinstance(value, float) and not (math.isfinite(value) and value >= 0):
            words = f"expected milliseconds from 0 on, got {value}"
            raise CassetteError(f"{field.name}: {words}")
        elif field.name == "chunks":
            for number, chunk in enumerate(value or ()):
                if not (math.isfinite(chunk.at_ms) and chunk.at_ms >= 0):
                    words = f"expected milliseconds from 0 on, got {chunk.at_ms}"
                    raise CassetteError(f"chunks[{number}].at_ms: {words}")
