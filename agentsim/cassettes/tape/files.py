"""The file of a tape: what is in it, where is written, and what replaces it in the end.

A new recording never touches an old one while it goes on: it stands beside it as
`NAME.new`, and takes its place in one step. Whoever writes holds the lock of the cassette
itself too, so that two recordings of one cassette never meet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from agentsim.cassettes.locks import open_locked
from agentsim.cassettes.reading import holds_nothing, load_cassette, load_header
from agentsim.cassettes.records import Cassette, CassetteHeader
from agentsim.cassettes.writer import CassetteWriter
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
        kept = self.old.header if self.answers else header
        header = replace(kept, owner=self.old.header.owner or header.owner)
        self._held = held
        self.written = self._target.with_name(self._target.name + BESIDE)
        self.writer = CassetteWriter(self.written, header, fresh=True)

    def _check_owner(self, owner: str) -> None:
        """A cassette of one test is never used for another (their names may collide)."""
        theirs = self.old.header.owner if self.old is not None else ""
        if owner and theirs and owner != theirs:
            raise CassetteError(
                f"{shown_path(self._path)}: this cassette was recorded for {theirs}, not for "
                f"{owner}: give each a file of its own, or change `owner` in its header"
            )

    def close(self, *, keep: bool) -> None:
        """Let go of the file; calling it again does nothing.

        Args:
            keep: Whether a recording beside an old cassette takes its place.
        """
        writer, held = self.writer, self._held
        self.writer = self._held = None
        if writer is None:
            return
        try:
            if held is not None and keep:
                self._replace(writer, held)
        finally:
            writer.close()
            if held is not None:
                held.close()

    def _replace(self, writer: CassetteWriter, held: BinaryIO) -> None:
        writer.sync()
        if sys.platform == "win32":  # where no file that is open can be renamed
            writer.close()
            held.close()
        try:
            self.written.replace(self._target)
        except OSError:
            raise CassetteError(
                f"{shown_path(self._path)}: the new recording can't take the place of the old one: "
                f"see to the permissions of the folder, and rename {shown_path(self.written)}"
            ) from None
        self.written = self._path


def check_mode(mode: str) -> None:
    """Raise `CassetteError` when there is no such mode."""
    if mode not in MODES:
        listed = ", ".join(MODES)
        raise CassetteError(
            f"mode: expected one of {listed}, got {mode!r}{did_you_mean(mode, MODES)}"
        )
