"""Who asked: the first function on the stack that is the user's, or a library's own.

What carries requests for others is passed over: the standard library, clients of HTTP,
SDKs of models, and agentsim. Functions are named with file name and line, so that the
words are the same in every checkout.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import PurePath
from types import FrameType
from typing import Any

CARRIERS = frozenset(
    (
        "agentsim",
        "aiohttp",
        "anthropic",
        "anyio",
        "backoff",
        "h11",
        "h2",
        "httpcore",
        "httpcore2",
        "httpx",
        "httpx2",
        "openai",
        "requests",
        "sniffio",
        "stamina",
        "tenacity",
        "urllib3",
        "websockets",
        "wrapt",
    )
)
"""Packages that send and retry for whoever calls them."""

_DRIVER = "agentsim.engine.asyncio_shim", "run_ready"
"""Module and function: what is below it on the stack is who runs the simulation."""

NOBODY = "something outside of Python's sight"


def caller(waiting: Iterable[list[FrameType]] = ()) -> str:
    """Name who asked.

    Args:
        waiting: What suspended tasks are in, outermost first. It is looked at when the
            stack has carriers only: a library's own task asked for another one.
    """
    frames = list(inside(sys._getframe(1)))  # noqa: SLF001 - the public way is slower
    named = next((one for one in frames if not _carries(one)), None)
    if named is None and any(_package(one) != "agentsim" for one in frames):
        named = _behind(waiting)
    return NOBODY if named is None else words_of(named)


def on_thread(who: str, thread: str) -> str:
    """Who asked on a thread; the thread alone, where nothing else is known."""
    if who == NOBODY:
        return f"the thread {thread}"
    return f"{who}, on the thread {thread},"


def stack(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those that called it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def inside(frame: FrameType | None) -> Iterator[FrameType]:
    """Of the stack what is inside of the simulation, innermost first."""
    return takewhile(
        lambda one: (module_of(one), one.f_code.co_name) != _DRIVER, stack(frame)
    )


def suspended(task: asyncio.Future[Any]) -> list[FrameType]:
    """The coroutines that a task is in, outermost first."""
    frames: list[FrameType] = []
    inner: Any = task.get_coro() if isinstance(task, asyncio.Task) else None
    while inner is not None:
        frame = getattr(inner, "cr_frame", None) or getattr(inner, "gi_frame", None)
        if frame is not None:
            frames.append(frame)
        inner = getattr(inner, "cr_await", None) or getattr(inner, "gi_yieldfrom", None)
    return frames


def words_of(frame: FrameType) -> str:
    """A function with the file and line at which it is."""
    code = frame.f_code
    return f"{code.co_name} ({PurePath(code.co_filename).name}:{frame.f_lineno})"


def module_of(frame: FrameType) -> str:
    """The name of the module that a frame's function is in."""
    return str(frame.f_globals.get("__name__", ""))


def _behind(waiting: Iterable[list[FrameType]]) -> FrameType | None:
    """Who waits in a carrier: the first of the tasks, in order of creation."""
    for frames in waiting:
        if frames and _carries(frames[-1]):
            for frame in reversed(frames):
                if not _carries(frame):
                    return frame
    return None


def _package(frame: FrameType) -> str:
    return module_of(frame).partition(".")[0]


def _carries(frame: FrameType) -> bool:
    package = _package(frame)
    return package in CARRIERS or package in sys.stdlib_module_names
