"""Agents for runs in other processes, and what such a process is asked in tests."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agentsim.core import Env, ToolFailed, UsageError
from agentsim.engine import Replay
from agentsim.runtime import reference
from agentsim.simulation import Exploration, Menu, run
from agentsim.simulation.exploring.explorer import Explorer
from agentsim.simulation.exploring.plans import Random
from agentsim.simulation.exploring.sharing.packing import Job
from agentsim.simulation.exploring.sharing.team import hire
from tests.simulation.fakes import obedient, reading

MENU = Menu("any_order", faults=("raises", "unknown_tool"), cancel=True)

KEY = "AGENTSIM_TESTS_PARENT"

PARENT = os.environ.setdefault(KEY, str(os.getpid()))
"""The process that explores; its workers have it from there."""

RUNS = 40

_made: list[int] = []


async def talkative(env: Env) -> object:
    """Fail where a tool fails, and say so."""
    sys.stdout.write("on stdout\n")
    sys.stderr.write("on stderr\n")
    return await obedient(env)


async def mortal(env: Env) -> object:
    """Take the process along in its sixth run, unless it is the first process."""
    _made.append(0)
    if str(os.getpid()) != PARENT and len(_made) >= 6:
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        os._exit(7)
    return await reference(env)


async def closing(env: Env) -> object:
    """Close all pipes of the process in its sixth run."""
    _made.append(0)
    if str(os.getpid()) != PARENT and len(_made) == 6:
        os.closerange(3, 64)
    return await reference(env)


async def overstepping(env: Env) -> object:
    """Fail where a tool is missing, and ask where one fails for what is not there."""
    try:
        return await obedient(env)
    except KeyError:
        raise ValueError("no") from None
    except ToolFailed:
        raise UsageError("mine.py:7: a simulation has no such thing") from None


def found_with(agent: Callable[..., Any], workers: int) -> Exploration:
    """Explore with workers that are all there before the first run counts."""
    explorer = Explorer(Exploration(reading(), "", MENU), agent, RUNS, None)
    team = hire(Job(reading(), agent, MENU), workers)
    try:
        team.expect(run(reading(), agent, menu=MENU, choices=Replay({})))
        while not team.room(None):
            team.receive(wait=True)
        explorer.explore(Random(0), team)
    finally:
        pids = team.pids
        team.end()
        assert len(pids) == workers
        assert not any(map(is_left, pids))
    explorer.close(())
    return explorer.found


def told(found: Exploration) -> list[object]:
    """What must be the same whoever makes the runs."""
    failures = [(one.invariant, one.runs, one.run.token) for one in found.failures]
    return [found.runs, found.endings, found.never_struck, found.notes, failures]


def is_left(pid: int) -> bool:
    """Whether a process is still there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def another_thread() -> Iterator[None]:
    """Have a thread, so that this process can't be copied."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="telemetry")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def main() -> None:
    """In a process without other threads: what copies of it do, one line for each."""

    async def inner(env: Env) -> object:
        return await obedient(env)

    lines = [str(told(found_with(agent, 2))) for agent in (inner, talkative)]
    for agent in (mortal, closing):
        _made.clear()
        try:
            found_with(agent, 1)
        except UsageError as error:
            lines.append(str(error))
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
