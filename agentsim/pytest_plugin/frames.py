"""Which frames of a failure pytest shows: those of the project, and none on the way to us.

What we raise says itself what is wrong and where; how we came to see it helps nobody, and
neither does the way of a request through an SDK, its client of HTTP and the event loop.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import pytest
from _pytest._code import Traceback

from agentsim.core import InternalError, linked_errors

__all__ = ["is_ours", "only_own_frames"]

OURS = "agentsim"

RUNNERS = ("_pytest", "pluggy")

PACKAGES = ("site-packages", "dist-packages")
"""Folders that packages are installed in."""

PYTHON = tuple(
    Path(sysconfig.get_path(name)).as_posix() + "/" for name in ("stdlib", "platstdlib")
)
"""Folders of the standard library."""


def is_ours(error: BaseException) -> bool:
    """Whether an error is one that agentsim raises, and no bug of it."""
    ours = _package(type(error).__module__) == OURS
    return ours and not isinstance(error, InternalError)


@contextmanager
def only_own_frames(
    excinfo: pytest.ExceptionInfo[BaseException], root: Path
) -> Iterator[None]:
    """Show of our errors the frames of the project alone.

    Where there are none, those of other plugins are left out, such as one that runs async
    tests; ours are hidden then, and so are pytest's. It is so for the error itself, for
    those behind it, and for those of a group. They get their frames back, for debuggers
    and whoever else looks at them later.

    Args:
        root: The folder of the project: what is installed from it is still its own.
    """
    before: list[tuple[BaseException, TracebackType | None]] = []
    try:
        for error in linked_errors(excinfo.value):
            if not is_ours(error):
                continue
            chain = _own(error.__traceback__, root)
            if chain is not None:
                before.append((error, error.__traceback__))
                error.__traceback__ = chain
                if error is excinfo.value:
                    excinfo.traceback = Traceback(chain)
        yield
    finally:
        for error, whole in before:
            error.__traceback__ = whole


def _own(chain: TracebackType | None, root: Path) -> TracebackType | None:
    """The frames of the project, else ours and pytest's; None where there are neither."""
    places = list(_linked(chain))
    kept = [place for place in places if _is_of_project(place, root)]
    kept = kept or [p for p in places if _package_of(p) in (OURS, *RUNNERS)]
    # Linked anew, since pytest follows the links to where the test begins.
    chain = None
    for place in reversed(kept):
        chain = TracebackType(chain, place.tb_frame, place.tb_lasti, place.tb_lineno)
    return chain


def _is_of_project(place: TracebackType, root: Path) -> bool:
    package = _package_of(place)
    if package in (OURS, *RUNNERS):
        return False
    file = Path(place.tb_frame.f_code.co_filename)
    if any(name in file.parts for name in PACKAGES):
        # tox and nox install the project itself.
        return any((base / package).is_dir() for base in (root, root / "src"))
    name = file.as_posix()
    return not name.startswith((*PYTHON, "<frozen "))


def _package_of(place: TracebackType) -> str:
    return _package(str(place.tb_frame.f_globals.get("__name__", "")))


def _linked(place: TracebackType | None) -> Iterator[TracebackType]:
    while place is not None:
        yield place
        place = place.tb_next


def _package(module: str) -> str:
    return module.partition(".")[0]
