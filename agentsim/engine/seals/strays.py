"""What a run met beside itself and did not refuse: told in its notes, never a failure."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from agentsim.engine.seals.callers import caller, module_of
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.inside import inside
from agentsim.engine.threads.held import current_thread, is_ours

UNSEEN = {
    "curl_cffi._wrapper": "curl_cffi",
    "grpc._cython.cygrpc": "grpc",
    "psycopg.pq.pq_ctypes": "psycopg",
    "psycopg2._psycopg": "psycopg2",
    "psycopg_binary._psycopg": "psycopg",
    "psycopg_c._psycopg": "psycopg",
    "pycurl": "pycurl",
}
"""Module -> the client of which it is the part in C, which raises no audit events.

Each was seen to reach a listener on loopback without one. pymongo and aiohttp have parts
in C too, and were seen to go through Python's sockets: those are refused.
"""

GRACE_S = 0.05
"""Real seconds for threads that are about to end; waited once per kind of thread."""

_COUNTER = re.compile(r"[-_]\d+")
_SEEN: dict[str, None] = {}


_STARTERS: WeakKeyDictionary[threading.Thread, str] = WeakKeyDictionary()
"""Threads that runs started and do not drive, and those that these started: by whom."""


class Strays:
    """Takes down the threads that lives of one run start, and what was let through.

    Attributes:
        descended: Those threads, and the ones that these started in their turn.
    """

    __slots__ = ("_passed", "_real", "_started", "descended")

    def __init__(self) -> None:
        self._started: dict[threading.Thread, str] = {}
        self.descended: dict[threading.Thread, None] = {}
        self._passed: dict[str, None] = {}
        self._real: Any = None

    def watch(self) -> None:
        """Take down who starts threads from now on; Python 3.11 audits no start."""
        self._real = real = threading.Thread.start
        started, descended = self._started, self.descended

        def start(self: threading.Thread) -> None:
            if inside() is None:
                parent = current_thread()
                if parent in descended:
                    descended[self] = None
                    _STARTERS[self] = f"the thread {plain_name(parent)}"
                elif HOOK.is_free():
                    HOOK.let_free(self)
            elif not _is_ours():
                started[self] = _STARTERS[self] = caller()
                descended[self] = None
            real(self)

        threading.Thread.start = start  # type: ignore[method-assign]

    def rest(self) -> None:
        """Take down no more."""
        threading.Thread.start = self._real  # type: ignore[method-assign]

    def let_through(self, name: str, what: str) -> None:
        """Note what a thread reached that was there before any simulation."""
        self._passed[
            f"the thread {name}, which was there before the first simulation, asked for "
            f"{what} while a run was on, and was let through"
        ] = None

    def notes(self) -> Iterator[str]:
        """What there is to say at the end of the run."""
        if self._started:
            yield from dict.fromkeys(self._alive())
        yield from self._passed
        for client in unseen_clients():
            yield (
                f"{client} is loaded, a client written in C: Python does not see what it "
                "sends, so that nothing of it is refused"
            )

    def _alive(self) -> Iterator[str]:
        """The threads that go on after the run, in the order of their start."""
        told = {
            thread: f"the thread {plain_name(thread)}, started by {who}, goes on after "
            "the agent's end"
            for thread, who in self._started.items()
            if thread.daemon and thread.is_alive()
        }
        for thread, text in told.items():
            if text not in _SEEN:
                thread.join(GRACE_S)
            if thread.is_alive():
                _SEEN[text] = None
                yield text


def unseen_clients() -> tuple[str, ...]:
    """The clients written in C that are loaded, whose connections Python does not see."""
    modules = sys.modules
    if modules.keys().isdisjoint(UNSEEN):
        return ()
    loaded = (client for module, client in UNSEEN.items() if module in modules)
    return tuple(dict.fromkeys(loaded))


def starter_of(thread: threading.Thread) -> str | None:
    """Who started a thread in a run that does not drive it; None for all others."""
    return None if is_ours(thread) else _STARTERS.get(thread)


def _is_ours() -> bool:
    """Whether a thread is one that we drive, by who starts it."""
    return module_of(sys._getframe(2)).startswith("agentsim.")  # noqa: SLF001


def plain_name(thread: threading.Thread | None) -> str:
    """The name of a thread without numbers, which count all threads of a process."""
    return "without a name" if thread is None else _COUNTER.sub("", thread.name)
