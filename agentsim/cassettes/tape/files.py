"""The file of a tape: what is in it, where is written, and what replaces it in the end.

A new recording never touches an old one while it goes on: it stands beside it as
`NAME.new`, and takes its place in one step. Whoever writes holds the lock of the cassette
itself too, so that two recordings of one cassette never meet.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from agentsim.cassettes.locks import let_go, open_locked
from agentsim.cassettes.reading import holds_nothing, load_cassette, load_header
from agentsim.cassettes.records import Cassette, CassetteHeader
from agentsim.cassettes.tape.placeholders import without_gaps
from agentsim.cassettes.writer import CassetteWriter
from agentsim.cassettes.writing import document_text, header_text
from agentsim.core import CassetteError, did_you_mean, shown_path

__all__ = ["MODES", "Mode", "TapeFile"]

Mode = Literal["replay", "record", "record-missing", "refresh"]
"""What a tape does: answer, record, answer and record what is missing or also stale."""

MODES: tuple[Mode, ...] = get_args(Mode)

BESIDE = ".new"
"""Stands behind the name of a recording that is to replace another."""


class TapeFile:
    """The file of one tape.

    Args:
        header: Of a new cassette.
        young: Whether a cassette is not too old for `refresh` to answer from.

    Attributes:
        answers: Whether what was there is answered.
        old: What was there, its header only in the mode `record`; None: nothing that
            can be read.
        writer: None in the mode `replay`.
        written: Where the recording stands.

    Raises:
        CassetteInUse: while another recording has the file.
        CassetteError: when it can't be read or written, is missing in the mode
            `replay`, or belongs to another owner.
    """

    def __init__(
        self,
        path: Path,
        mode: Mode,
        header: CassetteHeader,
        *,
        young: Callable[[CassetteHeader], bool],
    ) -> None:
        check_mode(mode)
        self.answers = mode != "record"
        self._path = path
        self.written = path
        self.writer: CassetteWriter | None = None
        self._held: BinaryIO | None = None
        self._header = header
        if mode == "replay":
            self.old: Cassette | None = load_cassette(path)
            self._check_owner(header.owner)
            return
        held = open_locked(path)
        self._target = path.resolve()
        try:
            self.old = None if holds_nothing(held) else self._read(mode)
            self._check_owner(header.owner)
            if mode == "refresh" and self.old is not None:
                self.answers = young(self.old.header)
            self._begin(held, mode, header)
        except BaseException:
            held.close()
            raise

    def _read(self, mode: Mode) -> Cassette:
        """What is there; what is recorded anew may be spoilt behind its header."""
        if mode == "record":
            return Cassette(shown_path(self._path), load_header(self._path))
        return load_cassette(self._path)

    def _begin(self, held: BinaryIO, mode: Mode, header: CassetteHeader) -> None:
        if self.old is None or mode == "record-missing":
            self.writer = CassetteWriter(self._path, header, file=held)
            return
        # What is partly kept is as old as before; who owns it does not change.
        owner = self.old.header.owner or header.owner
        self._header = replace(header, owner=owner)
        kept = self.old.header if self.answers else header
        self._held = held
        self.written = self._target.with_name(self._target.name + BESIDE)
        self.writer = CassetteWriter(
            self.written, replace(kept, owner=owner), fresh=True
        )

    def _check_owner(self, owner: str) -> None:
        """A cassette of one test is never used for another (their names may collide)."""
        theirs = self.old.header.owner if self.old is not None else ""
        if owner and theirs and owner != theirs:
            raise CassetteError(
                f"{shown_path(self._path)}: this cassette was recorded for {theirs}, not for "
                f"{owner}: give each a file of its own, or change `owner` in its header"
            )

    def close(self, *, keep: bool, anew: bool = False) -> None:
        """Let go of the file; calling it again does nothing.

        Args:
            keep: Whether a recording beside an old cassette takes its place; if not, one
                in which nothing is goes away.
            anew: Whether nothing of the old one is in it, so that it is not as old.
        """
        writer, held = self.writer, self._held
        self.writer = self._held = None
        if writer is None:
            return
        ours = writer.is_ours
        try:
            if not ours:
                return  # whoever forked this process closes it
            if held is not None and keep:
                self._replace(writer, held, anew=anew)
            elif not keep and writer.made and not writer.added:
                self._remove(writer)
        finally:
            writer.close()
            if held is not None and ours:
                let_go(held)
            elif held is not None:
                held.close()

    def _remove(self, writer: CassetteWriter) -> None:
        """Leave no cassette behind of what failed before anything was recorded."""
        if sys.platform == "win32":  # where no file that is open can be removed
            writer.close()
        with contextlib.suppress(OSError):  # it does no harm
            self.written.unlink()

    def _replace(self, writer: CassetteWriter, held: BinaryIO, *, anew: bool) -> None:
        writer.sync()
        settled = self._settled(anew=anew)
        if sys.platform == "win32":  # where no file that is open can be renamed
            writer.close()
            held.close()
        try:
            if settled is None:
                self.written.replace(self._target)
            else:
                # Never in its own place: what is killed here loses nothing.
                again = self.written.with_name(self.written.name + BESIDE)
                with again.open("wb") as file:
                    file.write(settled)
                    file.flush()
                    os.fsync(file.fileno())
                again.replace(self._target)
                self.written.unlink()
        except OSError:
            raise CassetteError(
                f"{shown_path(self._path)}: the new recording can't take the place of the old one: "
                f"see to the permissions of the folder, and rename {shown_path(self.written)}"
            ) from None
        self.written = self._path

    def _settled(self, *, anew: bool) -> bytes | None:
        """What takes the old one's place, where it is not what was recorded to the byte.

        While a refresh goes on nobody knows whether anything of the old one is kept: so
        its age, and the numbers of its placeholders, are left to it until the end.
        """
        if not self.answers:
            return None
        text = self.written.read_text("utf-8", "surrogateescape")
        settled = without_gaps(text)
        if anew:
            entries = load_cassette(self.written).entries
            parts = (header_text(self._header), *map(document_text, entries))
            settled = without_gaps("".join(parts))
        if settled == text:
            return None
        return settled.encode("utf-8", "surrogateescape")


def check_mode(mode: str) -> None:
    """Raise `CassetteError` when there is no such mode."""
    if mode not in MODES:
        listed = ", ".join(MODES)
        raise CassetteError(
            f"mode: expected one of {listed}, got {mode!r}{did_you_mean(mode, MODES)}"
        )
