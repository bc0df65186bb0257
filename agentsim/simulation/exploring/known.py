"""Known failures: the least failing runs, kept beside the project and replayed first.

One small JSON file per scenario, agent and menu, in a folder that git ignores. Writing is
atomic, and what another process wrote meanwhile is kept. A file that is not ours, or can't
be read, is told and left alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from agentsim.core import TokenError
from agentsim.engine import Token
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario

__all__ = ["KNOWN_FOLDER", "Known", "KnownFailure", "KnownFailures"]

KNOWN_FOLDER = ".agentsim"
"""The folder in the working directory where the command line keeps them."""

VERSION = 1

ENTRIES_MAX = 20
"""Failures that are kept for one scenario, agent and menu; the oldest go first."""

BYTES_MAX = 1 << 20

_KEY = "agentsim_known_failures"


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """A failing run of before.

    Attributes:
        invariant: What it violated.
        kind: The words of the violation without names and numbers.
        token: Repeats it, with its scenario, agent and menu.
        deviations: What was not as usual, in words, for who reads the file.
    """

    invariant: str
    kind: str
    token: str
    deviations: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The failure in a few words."""
        return f"{self.invariant} ({self.token})"


@dataclass(slots=True)
class Known:
    """What became of the known failures in an exploration.

    Attributes:
        failing: Those that still fail.
        mended: Those that don't, and are removed.
        dropped: Those whose token no longer fits, since scenario or menu changed.
        notes: What kept them from being read or kept, in sentences.
    """

    failing: list[KnownFailure] = field(default_factory=list)
    mended: list[KnownFailure] = field(default_factory=list)
    dropped: list[KnownFailure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def replayed(self) -> tuple[KnownFailure, ...]:
        """All of them."""
        return (*self.failing, *self.mended, *self.dropped)


class KnownFailures:
    """The failures that are kept of one scenario, agent and menu.

    Attributes:
        path: Their file.
        notes: What kept them from being read or kept, in sentences.
    """

    def __init__(
        self, folder: str | Path, scenario: Scenario, agent: str, menu: Menu
    ) -> None:
        """Look into a folder, which need not be there.

        Args:
            folder: Where the files are, such as `.agentsim`.
            scenario: Counts by its name.
            agent: Its name, as `agent_name` gives it.
            menu: Counts by its text.
        """
        self._about = {"scenario": scenario.name, "agent": agent, "menu": menu.text}
        self._folder = Path(folder)
        self.path = self._folder / _file_name(self._about)
        self.notes: list[str] = []

    def load(self) -> tuple[KnownFailure, ...]:
        """Read them, the oldest first; none if there is no file, or another one's."""
        return self._read() or ()

    def update(
        self, gone: Iterable[KnownFailure], found: Iterable[KnownFailure]
    ) -> None:
        """Remove some and add others; what another process added meanwhile stays."""
        gone, found = list(gone), list(dict.fromkeys(found))
        if not found and not self.path.exists():
            return
        try:
            with self._locked():
                self._rewrite(gone, found)
        except OSError as error:
            why = error.strerror or type(error).__name__
            self.notes.append(f"can't keep known failures in {self.path}: {why}")

    def _rewrite(
        self, gone: Sequence[KnownFailure], found: Sequence[KnownFailure]
    ) -> None:
        before = self._read()
        if before is None:
            return
        left = [entry for entry in before if entry not in gone and entry not in found]
        entries = [*left, *found]
        if len(entries) > ENTRIES_MAX:
            over = len(entries) - ENTRIES_MAX
            self.notes.append(f"{over} known failures are over {ENTRIES_MAX}: dropped")
            entries = entries[over:]
        if not entries:
            self.path.unlink(missing_ok=True)
            return
        data = {_KEY: VERSION, **self._about, "failures": list(map(asdict, entries))}
        text = json.dumps(data, indent=2) + "\n"
        new = self.path.with_suffix(f".{os.getpid()}.new")
        new.write_text(text, encoding="utf-8", newline="\n")
        new.replace(self.path)

    def _read(self) -> tuple[KnownFailure, ...] | None:
        """The entries of the file; None, and a note, for one that is not ours."""
        try:
            status = self.path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES_MAX:
                raise ValueError  # a device or a pipe would be read for ever
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if data[_KEY] != VERSION or any(
                data[name] != value for name, value in self._about.items()
            ):
                raise ValueError
            entries = dict.fromkeys(map(_entry, data["failures"]))
            return tuple(entries)[-ENTRIES_MAX:]
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            note = f"{self.path} is no file of known failures of this run: left alone"
            if note not in self.notes:
                self.notes.append(note)
            return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder alone, where the system has locks for that."""
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        try:
            import fcntl
        except ImportError:
            yield
            return
        with (self._folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _entry(data: object) -> KnownFailure:
    if not isinstance(data, dict):
        raise TypeError
    entry = KnownFailure(**{**data, "deviations": tuple(data["deviations"])})
    texts = (entry.invariant, entry.kind, entry.token, *entry.deviations)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    try:
        Token.parse(entry.token)
    except TokenError:
        raise ValueError from None
    return entry


def _file_name(about: dict[str, str]) -> str:
    """Readable, and another one for every scenario, agent and menu."""
    mark = hashlib.blake2b(json.dumps(about).encode(), digest_size=4).hexdigest()
    told = f"{about['scenario']}-{about['agent'].rpartition(':')[2]}"
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', told).strip('-')[:60]}-{mark}.json"
