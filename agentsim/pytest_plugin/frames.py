"""Which frames of a failure pytest shows: those of the project, and none of ours.

What we raise says itself what is wrong and where; how we came to see it helps nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

import pytest
from _pytest._code import Traceback

__all__ = ["hide_own_frames", "is_ours"]

OURS = "agentsim"

RUNNERS = ("_pytest", "pluggy")


def is_ours(error: BaseException) -> bool:
    """Whether an error is one that agentsim raises."""
    return _package(type(error).__module__) == OURS


def hide_own_frames(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Take our frames out of the traceback of an error of ours, unless all would go."""
    places = [place for place in _linked(excinfo.tb) if _home(place) != OURS]
    if all(_home(place) in RUNNERS for place in places):
        return
    # Linked anew, since pytest follows the links to where the test begins.
    chain: TracebackType | None = None
    for place in reversed(places):
        chain = TracebackType(chain, place.tb_frame, place.tb_lasti, place.tb_lineno)
    assert chain is not None
    excinfo.traceback = Traceback(chain)


def _linked(place: TracebackType | None) -> Iterator[TracebackType]:
    while place is not None:
        yield place
        place = place.tb_next


def _home(place: TracebackType) -> str:
    return _package(str(place.tb_frame.f_globals.get("__name__", "")))


def _package(module: str) -> str:
    return module.partition(".")[0]
