"""What a child process does in the environment of a framework: it answers tasks.

`python -m tests.frameworks.child` reads a task per line, as JSON, and answers each with a
line of JSON:

["schemas", "tests.frameworks.agents.with_langgraph"]
["runs", "MODULE:AGENT", MENU, FIRST_SEED, COUNT]
["runs", "MODULE:AGENT MODULE:SCENARIO", MENU, FIRST_SEED, COUNT]
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import inspect
import itertools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentsim import Env, Menu, Scenario, run
from agentsim.engine import Choices, Seeded
from agentsim.simulation import Run
from tests.frameworks.scenario import MANY_TOOLS, SCENARIO

MENUS = {
    "calm": Menu("timed"),
    "orders": Menu("any_order"),
    "crashed": Menu("any_order", crash=True),
    "cancelled": Menu("any_order", cancel=True),
}

STRUCK = {"crashed": "crash", "cancelled": "cancel"}
"""What must have struck for a run to count, by menu."""

REPEATED = 5
"""So many runs of random orders are made once more in the same process."""

STRIKES = 12
"""A strike comes at one of the first so many gates, as far as the run has them."""

RESTARTED = 25
"""After so many crashes an agent does its work again, which takes as long as all before
the crash; after more of them it finds nothing left to do.
"""

SEEDS_PER_RUN = 2
"""So many seeds are tried at most for each run that counts."""


class Struck(Seeded):
    """Random orders, and one strike at a gate drawn by the seed.

    Where each choice is drawn alike, most strikes come early, and many runs have none.
    """

    __slots__ = ("_left", "_strike")

    def __init__(self, seed: int, strike: str) -> None:
        super().__init__(seed, probability=0.2)
        self._strike = strike
        self._left = int(self._random() * STRIKES)

    def draw(self, position: int, label: str, arity: int) -> int:
        """Strike, if this is the gate for it."""
        drawn = super().draw(position, label, arity)
        if self._strike not in self.kinds:
            return drawn
        option = arity - len(self.kinds) + self.kinds.index(self._strike)
        self._left -= 1
        if self._left == -1:
            return option
        return 0 if drawn == option else drawn


class Tried(NamedTuple):
    """An agent, and what happens to it."""

    agent: Any
    scenario: Scenario


def agent_of(target: str) -> Any:  # noqa: ANN401 - an agent in any form
    """Import `module:name`, or `path/to/file.py:name`."""
    where, _, name = target.rpartition(":")
    if not where.endswith(".py"):
        return getattr(importlib.import_module(where), name)
    spec = importlib.util.spec_from_file_location(Path(where).stem, where)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def runs(target: str, menu: str, first: int, count: int) -> dict[str, Any]:
    """Make runs of an agent, from a seed on, and tell what came of them."""
    name, _, story = target.partition(" ")
    agent = Tried(agent_of(name), agent_of(story) if story else SCENARIO)
    made(agent, "calm", None)  # imports what it needs, and starts what it keeps
    before = alive()
    began = time.perf_counter()
    told = Told()
    for one in struck(agent, menu, first, count):
        told.add(one)
    seconds = time.perf_counter() - began
    repeated = 0 if menu in STRUCK else min(count, REPEATED)
    again = [one.trace.digest() for one in struck(agent, menu, first, repeated)]
    return {
        **vars(told),
        "seconds": seconds,
        "again": again,
        "different": len({*told.digests}),
        "threads": [name for name in alive() if name not in before],
    }


class Told:
    """What is told of many runs, of which none is kept."""

    def __init__(self) -> None:
        self.digests: list[str] = []
        self.endings: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.values: Counter[str] = Counter()
        self.violated: Counter[str] = Counter()
        self.effects: Counter[int] = Counter()

    def add(self, one: Run) -> None:
        """Count a run."""
        self.digests.append(one.trace.digest())
        self.endings[one.outcome.ending] += 1
        if one.outcome.error:
            self.errors[str(one.outcome.error)] += 1
        self.values[str(one.value)] += 1
        self.violated.update(bad.id for bad in one.verdict.violated)
        self.effects[len(one.world.ledger)] += 1


def struck(agent: Tried, menu: str, first: int, count: int) -> Iterator[Run]:
    """The runs that met what the menu is for."""
    found = 0
    for seed in range(first, first + count * SEEDS_PER_RUN):
        if found == count:
            return
        if menu == "crashed" and found >= RESTARTED:
            one = made(agent._replace(agent=once(agent.agent)), menu, seed)
        else:
            one = made(agent, menu, seed)
        if menu not in STRUCK or STRUCK[menu] in one.struck:
            found += 1
            yield one


def made(agent: Tried, menu: str, seed: int | None) -> Run:
    """One run; without a seed, with the dull choices."""
    choices = Choices()
    if seed is not None:
        choices = Struck(seed, STRUCK[menu]) if menu in STRUCK else Seeded(seed)
    return run(agent.scenario, agent.agent, menu=MENUS[menu], choices=choices)


def once(agent: Any) -> Any:  # noqa: ANN401 - an agent in the same form
    """An agent that does the work in its first life, and nothing in later ones."""
    lives = itertools.count(1)
    if inspect.iscoroutinefunction(agent):

        async def first_life(env: Env) -> object:
            return await agent(env) if next(lives) == 1 else None

        return first_life
    return lambda env: agent(env) if next(lives) == 1 else None


def alive() -> list[str]:
    """The names of the threads that are there."""
    return sorted(thread.name for thread in threading.enumerate())


def schemas(module: str) -> dict[str, Any]:
    """What a framework makes of each function, async and sync, and what the tool says."""
    derived = importlib.import_module(module).derived
    found: dict[str, Any] = {}

    async def agent(env: Env) -> None:
        for tool in env.tools:
            found[tool.name] = {
                "wanted": tool.definition.parameters,
                "words": tool.definition.description,
                "async": derived(env.functions[tool.name]),
                "sync": derived(env.sync.functions[tool.name]),
            }

    run(MANY_TOOLS, agent)
    return found


def main() -> None:
    """Answer tasks until there are no more."""
    answers, sys.stdout = sys.stdout, sys.stderr  # no print goes between the answers
    tasks: dict[str, Callable[..., dict[str, Any]]] = {"runs": runs, "schemas": schemas}
    for line in sys.stdin:
        name, *words = json.loads(line)
        answer = json.dumps(tasks[name](*words))
        gc.collect()  # what was left open is told with the task that left it
        sys.stderr.flush()
        answers.write(f"{answer}\n")
        answers.flush()


if __name__ == "__main__":
    main()
