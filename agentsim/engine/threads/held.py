"""Which baton the thread at hand holds, if any: the question of all that may block."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentsim.engine.threads.baton import Baton


class _Here(threading.local):
    """What is known of the thread at hand."""

    baton: Baton | None = None
    is_starting: bool = False  # a thread, which is waited for in real time
    simulates: bool = False  # it makes runs itself, and is none of any of them


HERE = _Here()

OUTSIDE_S = 1.0
"""Real seconds that is waited for threads of libraries where nothing else can go on."""

_MARK = "_agentsim"


def mark(thread: threading.Thread) -> None:
    """Say that a thread goes on only when a loop lets it."""
    vars(thread)[_MARK] = True


def is_ours(thread: threading.Thread) -> bool:
    """Whether a thread goes on only when a loop lets it, living or dead."""
    return _MARK in vars(thread)


def current_thread() -> threading.Thread | None:
    """The thread at hand, or None if `threading` does not know it.

    `threading.current_thread` would make it known, and a leftover of the run.
    """
    here = threading.get_ident()
    return next((one for one in threading.enumerate() if one.ident == here), None)
