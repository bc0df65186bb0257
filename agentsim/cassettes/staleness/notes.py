"""Which test used which cassette, and with what result: notes that runs of pytest keep.

One JSON file in `.agentsim/` at pytest's root, which git ignores. What a run did not
collect stays as it was noted before; a process writes all it has to say at once, and none
takes away what another wrote meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agentsim.core import CassetteError

__all__ = ["CassetteNotes", "NotedTest", "NotedUse", "load_notes", "update_notes"]

FOLDER = ".agentsim"
"""The folder of what is kept beside a project; others keep their files there too."""

NAME = "cassettes.json"

VERSION = 1

BYTES_MAX = 64 << 20

_KEY = "agentsim_cassette_notes"


@dataclass(frozen=True, slots=True)
class NotedUse:
    """What a test made of its cassette when it last ran.

    Attributes:
        mode: Such as `replay`.
        passed: Whether the test did.
        digest: Of the file's bytes afterwards, as `file_digest` gives it.
        hits: Requests and calls of tools that the cassette answered.
        misses: Those that it could not answer.
        live: Those that were answered by the real thing, and recorded.
        untouched: Numbers of the exchanges and calls of tools that nobody asked for.
        changes: For each miss what had changed: its kind, and a sentence.
    """

    mode: str = "replay"
    passed: bool = True
    digest: str = ""
    hits: int = 0
    misses: int = 0
    live: int = 0
    untouched: tuple[int, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NotedTest:
    """A test that asks for a cassette.

    Attributes:
        cassette: Path of its file, seen from pytest's root.
        use: None as long as it never ran, or not since it has this cassette.
    """

    cassette: str
    use: NotedUse | None = None


@dataclass(frozen=True, slots=True)
class CassetteNotes:
    """All that is noted of a project.

    Attributes:
        whole: Folders and files, seen from pytest's root, all of whose tests are known.
        tests: Id of a test -> what is noted of it.
    """

    whole: tuple[str, ...] = ()
    tests: Mapping[str, NotedTest] = field(default_factory=dict)

    def knows_all(self, file: str) -> bool:
        """Whether all tests of a file or folder are known, seen from pytest's root."""
        return _is_below(file, self.whole)


def load_notes(root: Path) -> CassetteNotes | None:
    """Read the notes below a folder; None when there are none.

    Raises:
        CassetteError: when the file is there and can't be read.
    """
    path = root / FOLDER / NAME
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES_MAX:
            raise ValueError  # a device or a pipe would be read for ever
        return _read(json.loads(path.read_text("utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        raise CassetteError(
            f"{path}: these are no notes of which test used which cassette: delete the "
            "file, and run pytest, which writes it anew"
        ) from None


def update_notes(
    root: Path,
    asking: Mapping[str, str],
    uses: Mapping[str, NotedUse],
    whole: Sequence[str] = (),
) -> None:
    """Note what a run of pytest saw.

    Args:
        root: pytest's.
        asking: Id of each collected test that asks for a cassette -> that cassette.
        uses: Id of each test that ran with one -> what it made of it.
        whole: Folders and files that were collected with nothing left out.

    Raises:
        CassetteError: when they can't be written, or what is there is something else.
    """
    if not asking and load_notes(root) is None:
        return
    folder = root / FOLDER
    try:
        with _locked(folder):
            notes = _updated(load_notes(root) or CassetteNotes(), asking, uses, whole)
            new = folder / f"{NAME}.{os.getpid()}.new"
            new.write_text(_text(notes), encoding="utf-8", newline="\n")
            new.replace(folder / NAME)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise CassetteError(
            f"{folder / NAME}: can't note which test used which cassette: {why}"
        ) from None


def _updated(
    notes: CassetteNotes,
    asking: Mapping[str, str],
    uses: Mapping[str, NotedUse],
    whole: Sequence[str],
) -> CassetteNotes:
    tests = {
        test: noted
        for test, noted in notes.tests.items()
        if test in asking or not _is_below(test.partition("::")[0], whole)
    }
    for test, cassette in asking.items():
        before = tests.get(test)
        known = before.use if before and before.cassette == cassette else None
        tests[test] = NotedTest(cassette, uses.get(test, known))
    kept = [place for place in notes.whole if not _is_below(place, whole)]
    places = tuple(sorted(dict.fromkeys((*kept, *whole))))
    return CassetteNotes(places, dict(sorted(tests.items())))


def _is_below(place: str, folders: Sequence[str]) -> bool:
    return any(
        place == folder
        or place.startswith(f"{folder}/")
        or (folder == "." and not place.startswith("../"))
        for folder in folders
    )


def _text(notes: CassetteNotes) -> str:
    tests = {test: asdict(noted) for test, noted in notes.tests.items()}
    data = {_KEY: VERSION, "whole": list(notes.whole), "tests": tests}
    return json.dumps(data, indent=1) + "\n"


def _read(data: dict[str, Any]) -> CassetteNotes:
    if data[_KEY] != VERSION:
        raise ValueError
    tests = {test: _test(noted) for test, noted in data["tests"].items()}
    return CassetteNotes(tuple(map(str, data["whole"])), tests)


def _test(noted: dict[str, Any]) -> NotedTest:
    told = noted["use"]
    return NotedTest(str(noted["cassette"]), None if told is None else _use(**told))


def _use(
    *,
    mode: str,
    passed: bool,
    digest: str,
    untouched: list[int],
    changes: list[tuple[str, str]],
    **counts: int,
) -> NotedUse:
    return NotedUse(
        str(mode),
        bool(passed),
        str(digest),
        untouched=tuple(map(int, untouched)),
        changes=tuple((str(kind), str(words)) for kind, words in changes),
        **{name: int(count) for name, count in counts.items()},
    )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder alone, where the file system has locks for that."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / ".lock").open("a") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
