"""Nothing leaves a run: connections, look-ups of names and programs are refused.

Python tells each of them to an audit hook before it happens, whoever asks: the standard
library, `requests`, an SDK.

On the run's own threads an attempt raises `Refused`, and the run fails whatever the
agent makes of that. A thread of a library gets a `PermissionError`, which libraries take
for a network that is down, and the run fails as well. Threads that were there before
the first simulation go free, and are noted: they may be a debugger's. What is written
in C and raises no audit events is out of sight; see `UNSEEN`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from agentsim.core import UsageError
from agentsim.engine.refusals import NETWORK, PROCESSES, refusal
from agentsim.engine.seals.asked import EVENTS, PROCESS, Arguments
from agentsim.engine.seals.callers import module_of, stack
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.strays import Strays, plain_name
from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.held import HERE, current_thread
from agentsim.engine.threads.stacks import is_debugged

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

FACTS = {
    "ctypes.util": "find_library asks ldconfig and gcc where a library is",
    "distro": "asks lsb_release which Linux it is; SDKs send that in a header",
    "platform": "asks uname and the like which machine it is; SDKs send that too",
}
"""Module -> why the programs that it runs go free: they tell facts of the machine."""


class Guarded:
    """While entered, nothing leaves the process that a run has a hand in.

    Args:
        loop: The loop of the life; it is halted by an attempt.
        strays: Takes down the threads that the life starts.
    """

    __slots__ = ("_loop", "_multiprocessing", "_start", "_strays")

    def __init__(self, loop: SimLoop, strays: Strays) -> None:
        self._loop = loop
        self._strays = strays

    def __enter__(self) -> None:
        """Judge from now on, before all others."""
        HOOK.install()
        HOOK.enter(self)
        self._multiprocessing = sys.modules.get("multiprocessing.process")
        if self._multiprocessing is not None:
            self._watch(self._multiprocessing)
        self._strays.watch()

    def __exit__(self, *_: object) -> None:
        """Leave it to whoever judged before."""
        self._strays.rest()
        HOOK.leave(self)
        if self._multiprocessing is not None:
            self._multiprocessing.BaseProcess.start = self._start

    def _watch(self, module: ModuleType) -> None:
        """Judge the processes of `multiprocessing` too; it may have started some before."""
        self._start = real = module.BaseProcess.start

        def start(process: object) -> None:
            self.judge(PROCESS, ())
            real(process)

        module.BaseProcess.start = start

    def judge(self, event: str, args: Arguments) -> None:
        """Refuse what the run's threads, or those of libraries, ask for."""
        kind = NETWORK if event.startswith("socket.") else PROCESSES
        if kind == PROCESSES and _is_fact():
            return
        what = EVENTS[event](args)
        baton = Baton.held()
        if baton is not None:
            baton.refuse(what, kind)
        if self._loop.is_on_its_thread:
            self._loop.refuse(what, kind)
        if HERE.simulates:
            return  # it waits for its turn, or does something else between its runs
        thread = current_thread()
        name = plain_name(thread)
        if HOOK.was_before():
            if thread is None or not is_debugged(thread.ident):
                self._strays.let_through(name, what)
            return
        text = refusal(what, kind, thread=name)
        self._loop.halt(UsageError(text))
        raise PermissionError(text)


def _is_fact() -> bool:
    """Whether a program is run for a fact of the machine."""
    return any(module_of(frame) in FACTS for frame in stack(sys._getframe(2)))  # noqa: SLF001
