"""What an agent does only in the first run of a process is not compared with the rest."""

from __future__ import annotations

import asyncio
import importlib
import random
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import Env, Request, UnscriptedRequest, user
from agentsim.engine import Replay, Seeded
from agentsim.providers import call, say
from agentsim.runtime import reference
from agentsim.simulation import (
    EXPLORING,
    RUNS_INDEPENDENT,
    Exploration,
    Scenario,
    explore,
    replay,
)
from agentsim.simulation.exploring.warming import warm_up
from agentsim.simulation.loading import Loading
from agentsim.simulation.run import run
from agentsim.world import Disk

LIBRARY = """
import asyncio

async def started():
    await asyncio.sleep(1)
"""

Agent = Callable[[Env], Any]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library of its own, not yet loaded, whose first use takes a second."""
    (tmp_path / "lazy_library.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lazy_library", raising=False)
    return "lazy_library"


def disk() -> Scenario:
    """One call of a tool, and an answer."""
    replies = [call("check_disk"), say("It is half full.")]
    return Scenario("How full is the disk?", replies, world=[Disk()])


def lazy(name: str, *, late: bool = False) -> Agent:
    """An agent that loads a library in its run; `late`: only where a tool failed."""

    async def agent(env: Env) -> object:
        loaded = name in sys.modules
        result = await reference(env)
        failed = any(m.is_error for m in result.history)
        if (failed or not late) and not loaded:
            await __import__(name).started()
        return result

    return agent


def independent(found: Exploration) -> bool:
    """Whether nothing was found of runs that hang on each other."""
    return all(one.invariant != RUNS_INDEPENDENT for one in found.failures)


def test_a_library_loaded_in_the_first_run_makes_no_run_dependent(library: str) -> None:
    """An exploration of an agent that loads lazily is as independent as it is warm."""
    found = explore(disk(), lazy(library), deviations=1)
    assert independent(found)
    assert found.complete
    again = explore(disk(), lazy(library), deviations=1)
    assert (again.runs, again.endings) == (found.runs, found.endings)


@pytest.mark.parametrize("how", [{"deviations": 1}, {"runs": 60}])
def test_a_library_loaded_after_a_fault_makes_no_run_dependent(
    library: str, how: dict[str, int]
) -> None:
    """The run that loads it is made again, and counts once, as it is then."""
    found = explore(disk(), lazy(library, late=True), faults=["raises"], **how)  # type: ignore[arg-type]
    assert library in sys.modules
    assert independent(found)
    again = explore(disk(), lazy(library, late=True), faults=["raises"], **how)  # type: ignore[arg-type]
    assert (again.runs, again.endings) == (found.runs, found.endings)


def test_a_token_found_warm_is_replayed_cold(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replay in another process loads what is missing, and is then the same run."""
    agent = lazy(library)
    warm_up(disk(), agent, EXPLORING)
    made = run(disk(), agent, menu=EXPLORING, choices=Seeded(3))
    assert made.choices.deviations
    monkeypatch.delitem(sys.modules, library)
    again = replay(disk(), made.token, agent, menu=EXPLORING)
    assert again.trace.digest() == made.trace.digest()


class Remembering:
    """A session: each turn tells what was said before, and loads a library at first."""

    def __init__(self, library: str) -> None:
        self.said: list[str] = []
        self.library = library

    async def __call__(self, env: Env) -> str:
        """One turn."""
        importlib.import_module(self.library)
        self.said.append(env.task)
        request = Request(env.model, tuple(map(user, self.said)))
        return (await env.client.complete(request)).message.content


def test_a_session_is_replayed_cold_as_its_test_prints_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An object that remembers the run before is not called twice for one turn."""
    story = Scenario("How full is the disk?", [say("It is half full.")])
    importlib.import_module(library)
    made_warm = Remembering(library)
    turns = [run(story, made_warm) for _ in range(2)]
    monkeypatch.delitem(sys.modules, library)
    session = Remembering(library)
    again = [replay(story, made.token, session) for made in turns]
    assert [one.trace.digest() for one in again] == [
        made.trace.digest() for made in turns
    ]
    assert len(session.said) == 2


def test_chance_drawn_by_an_import_shifts_no_run(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that draws numbers when it is loaded leaves those of later runs alone."""
    drawing = "import random, uuid\nSESSION = uuid.uuid4(), random.random()\n"
    (tmp_path / "lazy_library.py").write_text(drawing, encoding="utf-8")
    importlib.invalidate_caches()
    seen: list[str] = []

    async def agent(env: Env) -> object:
        session = importlib.import_module(library).SESSION
        seen.append(f"{session} {uuid.uuid4()} {random.random()}")
        await asyncio.sleep(random.random())
        return await reference(env)

    found = explore(disk(), agent, runs=10)
    assert independent(found)
    cold, *warm = dict.fromkeys(seen)
    assert len(warm) == 1
    monkeypatch.delitem(sys.modules, library)
    seen.clear()
    explore(disk(), agent, runs=10)
    assert list(dict.fromkeys(seen)) == [cold, *warm]


def test_an_agent_is_called_twice_only_to_warm_up(library: str) -> None:
    """`run` never calls it again, `replay` where it loaded something, `explore` once more."""
    calls: list[str] = []
    inner = lazy(library)

    async def agent(env: Env) -> object:
        calls.append(library)
        return await inner(env)

    token = run(disk(), agent).token
    assert len(calls) == 1
    replay(disk(), token, agent)
    assert len(calls) == 2
    seen: list[object] = []
    explore(disk(), agent, runs=5, on_run=seen.append, smallest=False)
    assert len(seen) == 5


def test_the_reference_runtime_needs_no_warm_up() -> None:
    """It pays for none, and loads nothing that others wait for."""
    assert warm_up(disk(), reference, EXPLORING) is None
    assert not Loading(reference)


def test_an_agent_that_can_not_be_run_says_so_once_it_counts() -> None:
    """The warm-up leaves it to the run after it to tell what is wrong."""
    unfit = Scenario("Say so.", [say("So."), say("Never asked for.")])

    async def agent(env: Env) -> object:
        return await reference(env)

    assert warm_up(unfit, agent, EXPLORING) is None
    with pytest.raises(UnscriptedRequest, match="the script was not used up"):
        run(unfit, agent, choices=Replay({}))
