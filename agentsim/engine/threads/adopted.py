"""Threads that the agent starts itself, made to hold a baton from their first step on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.outcomes import function_name
from agentsim.engine.threads.workers import Adopted

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

REAL_JOIN = threading.Thread.join
REAL_START = threading.Thread.start


def adopt(thread: threading.Thread, name: str, loop: SimLoop) -> Baton:
    """Let a thread that has not started wait for a baton first; returns the baton."""
    baton = Baton(thread.run, name=f"thread {name}", worker=Adopted(thread))
    baton.loop = loop
    thread.run = baton.run  # type: ignore[method-assign]
    return baton


def thread_label(thread: threading.Thread) -> str:
    """What a thread does, in a word: its function, or its class."""
    inside: Any = thread
    target = inside._target  # noqa: SLF001 - it is nowhere else
    return type(thread).__name__ if target is None else function_name(target)
