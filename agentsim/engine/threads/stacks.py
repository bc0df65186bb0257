"""Where a thread is that does not hand over: read from outside, for its error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import PurePath
from types import FrameType

_FRAMES_SHOWN = 4
_DEBUGGERS = ("bdb", "pdb", "pydevd", "debugpy", "_pydevd_bundle")
_MACHINERY = ("threading", "agentsim")


def where_is(thread: threading.Thread) -> str:
    """Name the functions that a thread is in, outermost first, by file and line."""
    told = [
        f"{frame.f_code.co_name} ({PurePath(frame.f_code.co_filename).name}:"
        f"{frame.f_lineno})"
        for frame in _frames(thread)
        if _package(frame) not in _MACHINERY
    ]
    return " > ".join(told[:_FRAMES_SHOWN][::-1]) or "code out of Python's sight"


def is_debugged(thread: threading.Thread) -> bool:
    """Whether a person looks at the thread in a debugger, which may take its time."""
    return any(_package(frame) in _DEBUGGERS for frame in _frames(thread))


def _frames(thread: threading.Thread) -> Iterator[FrameType]:
    """The frames of a thread, innermost first."""
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - there is no other
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
