"""The audit hook: Python tells it of connections, look-ups and programs before they happen.

A hook can't be taken out of a process again. So one is put in at the first use, and it
looks only while somebody judges: a run, or a test without network.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Protocol
from weakref import WeakSet

from agentsim.engine.seals.asked import EVENTS, PROCESS, Arguments
from agentsim.engine.seals.foreign_loops import ForeignLoops
from agentsim.engine.threads.held import HERE, current_thread

_STARTERS = "multiprocessing.popen_"
"""Modules that `multiprocessing` imports when it starts its first process."""

_NEW_SOCKET = "socket.__new__"

_HEARD = frozenset((*EVENTS, "import", _NEW_SOCKET))


class Judge(Protocol):
    """What decides about an attempt; it raises to refuse."""

    def judge(self, event: str, args: Arguments) -> None:
        """Refuse what an audit event asks for, or let it pass."""


class _Hook:
    """The one audit hook of the process, and who judges at the moment."""

    __slots__ = ("_asking", "_before", "_idents", "_judges", "_loops")

    def __init__(self) -> None:
        self._judges: list[Judge] = []
        self._before: WeakSet[threading.Thread] | None = None
        self._idents: frozenset[int] = frozenset()
        self._asking = threading.local()
        self._loops = ForeignLoops(self.hear)

    def install(self) -> None:
        """Put the hook in, once, and take down which threads were there before it."""
        if self._before is not None:
            return
        known = threading.enumerate()
        self._before = WeakSet(known)
        # Those that `threading` knows nothing of, such as the ones of pytest-xdist.
        running = sys._current_frames().keys()  # noqa: SLF001 - there is no other
        self._idents = frozenset(running - {thread.ident for thread in known})
        sys.addaudithook(self.hear)

    def enter(self, judge: Judge) -> None:
        """Let somebody judge, before those who judge already."""
        self._judges.insert(0, judge)
        self._loops.listen()

    def leave(self, judge: Judge) -> None:
        """Let it judge no more; it need not be the one that came last."""
        if judge in self._judges:  # else nobody judges any more, in a copy
            self._judges.remove(judge)
        if not self._judges:
            self._loops.rest()

    def nobody_judges(self) -> None:
        """Let all judge no more: this process is a copy, and they are not in it."""
        self._judges.clear()
        self._loops.rest()

    def is_free(self) -> bool:
        """Whether the thread at hand is none of a run's or of a library's making."""
        return HERE.simulates or self.was_before()

    def let_free(self, thread: threading.Thread) -> None:
        """Let a thread that is about to start count as one that was there before."""
        if self._before is not None:
            self._before.add(thread)

    def was_before(self) -> bool:
        """Whether the thread at hand was there before the hook was."""
        thread = current_thread()
        if thread is None:
            return threading.get_ident() in self._idents
        return self._before is not None and thread in self._before

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Hear of an event, and let who judges refuse it."""
        __tracebackhide__ = True
        if not self._judges:
            return
        if event not in _HEARD:
            return
        if event == "import" and str(args[0]).startswith(_STARTERS):
            event = PROCESS
        if event == _NEW_SOCKET:
            self._loops.listen()  # a loop has a pair of its own, and may be a new kind
        if event not in EVENTS:
            return
        if getattr(self._asking, "now", False):
            return  # whoever judges may look up a name itself
        self._asking.now = True
        try:
            for judge in tuple(self._judges):  # threads come and go meanwhile
                judge.judge(event, args)
        finally:
            self._asking.now = False


# Python looks for it at each event; to look in vain takes longer than all that it hears.
_Hook.hear.__cantrace__ = False  # type: ignore[attr-defined]


HOOK = _Hook()


def ask_guards(host: str, port: int | None) -> None:
    """Ask who judges before something is sent over a connection that is there already.

    Raises:
        BaseException: what the judge raises that refuses it.
    """
    __tracebackhide__ = True
    HOOK.hear("socket.connect", (None, (host, port)))
