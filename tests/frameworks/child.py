"""What a child process does in the environment of a framework: it prints JSON.

python -m tests.frameworks.child schemas tests.frameworks.agents.with_langgraph
python -m tests.frameworks.child runs MODULE:AGENT MENU FIRST_SEED COUNT
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from agentsim import Env, Menu, run
from agentsim.engine import Choices, Seeded
from agentsim.simulation import Run
from tests.frameworks.scenario import SCENARIO

MENUS = {
    "calm": Menu("timed"),
    "orders": Menu("any_order"),
    "crashed": Menu("any_order", crash=True),
    "cancelled": Menu("any_order", cancel=True),
}

STRUCK = {"crashed": "crash", "cancelled": "cancel"}
"""What must have struck for a run to count, by menu."""

REPEATED = 20
"""So many runs are made once more in the same process."""

SEEDS_PER_RUN = 20
"""So many seeds are tried at most for each run that counts."""


def agent_of(target: str) -> Any:  # noqa: ANN401 - an agent in any form
    """Import `module:name`."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def runs(target: str, menu: str, first: str, count: str) -> dict[str, Any]:
    """Make runs of an agent, from a seed on, and tell what came of them."""
    agent = agent_of(target)
    made(agent, "calm", None)  # imports what it needs, and starts what it keeps
    before = alive()
    began = time.perf_counter()
    found = [*struck(agent, menu, int(first), int(count))]
    seconds = time.perf_counter() - began
    again = struck(agent, menu, int(first), min(int(count), REPEATED))
    return {
        "seconds": seconds,
        "again": [one.trace.digest() for one in again],
        "digests": [one.trace.digest() for one in found],
        "endings": Counter(one.outcome.ending for one in found),
        "errors": Counter(str(one.outcome.error) for one in found if one.outcome.error),
        "values": Counter(str(one.value) for one in found),
        "violated": Counter(bad.id for one in found for bad in one.verdict.violated),
        "notes": Counter(note for one in found for note in one.notes),
        "effects": Counter(len(one.world.ledger) for one in found),
        "different": len({one.trace.digest() for one in found}),
        "threads": [name for name in alive() if name not in before],
    }


def struck(agent: Any, menu: str, first: int, count: int) -> list[Run]:  # noqa: ANN401
    """The runs that met what the menu is for."""
    found: list[Run] = []
    for seed in range(first, first + count * SEEDS_PER_RUN):
        one = made(agent, menu, seed)
        if menu not in STRUCK or STRUCK[menu] in one.struck:
            found.append(one)
        if len(found) == count:
            break
    return found


def made(agent: Any, menu: str, seed: int | None) -> Run:  # noqa: ANN401
    """One run; without a seed, with the dull choices."""
    choices = Choices() if seed is None else Seeded(seed)
    return run(SCENARIO, agent, menu=MENUS[menu], choices=choices)


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

    run(SCENARIO, agent)
    return found


if __name__ == "__main__":
    tasks: dict[str, Callable[..., dict[str, Any]]] = {"runs": runs, "schemas": schemas}
    sys.stdout.write(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))
