"""Where a thread is that does not go on: read from outside, for its error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

from agentsim.engine.seals.callers import inside, module_of, stack, words_of

_FRAMES_SHOWN = 4
_DEBUGGERS = ("bdb", "pdb", "pydevd", "debugpy", "_pydevd_bundle")
_IMPORTS = "importlib"
_BATON = "agentsim.engine.threads.baton", "run"
_MACHINERY = ("threading", "agentsim")


def where_is(ident: int | None) -> str:
    """Name the functions that a thread is in, outermost first, by file and line."""
    told = [
        words_of(frame)
        for frame in inside(frame_of(ident))
        if _package(frame) not in _MACHINERY
    ]
    return " > ".join(told[:_FRAMES_SHOWN][::-1]) or "code out of Python's sight"


def functions_in(ident: int | None) -> list[str]:
    """The functions that a baton's thread is in, outermost first, without places."""
    names: list[str] = []
    for frame in frames_of(ident):
        if (module_of(frame), frame.f_code.co_name) == _BATON:
            break
        if _package(frame) != "agentsim":
            names.append(frame.f_code.co_qualname)
    return names[::-1]


def is_debugged(ident: int | None) -> bool:
    """Whether a person looks at the thread in a debugger, which may take its time."""
    return any(_package(frame) in _DEBUGGERS for frame in frames_of(ident))


def is_importing(ident: int | None) -> bool:
    """Whether a thread imports a module, which it does once."""
    return any(_package(frame) == _IMPORTS for frame in inside(frame_of(ident)))


def frames_of(ident: int | None) -> Iterator[FrameType]:
    """The frames of a thread, innermost first."""
    return stack(frame_of(ident))


def frame_of(ident: int | None) -> FrameType | None:
    """The innermost frame of a thread, or None where there is no such thread."""
    return sys._current_frames().get(ident or 0)  # noqa: SLF001 - there is no other


def _package(frame: FrameType) -> str:
    return module_of(frame).partition(".")[0]
