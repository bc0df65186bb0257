"""What threads cost: a synchronous agent, and jobs against those of a stock loop."""

from __future__ import annotations

import asyncio

from agentsim.core import Env, Request, user
from agentsim.engine import Choices, Engine, Life
from agentsim.providers import say
from agentsim.simulation import Scenario, run

__all__ = ["fifteen_gates", "simulated_jobs", "stock_jobs"]

GATES = 15
JOBS = 100

_WAITING = Scenario("Wait.", [say("Go on.")] * GATES, exact=False)


def _asks(env: Env) -> str:
    """A synchronous agent that waits for the model fifteen times."""
    messages = [user(env.task)]
    for _ in range(GATES):
        answer = env.sync.client.complete(Request(env.model, tuple(messages)))
        messages += [answer.message, user("And then?")]
    return "done"


def fifteen_gates() -> None:
    """A whole run of it, strict, traced and judged."""
    assert run(_WAITING, _asks).value == "done"


async def _jobs() -> int:
    total = 0
    for number in range(JOBS):
        total += await asyncio.to_thread(abs, number)
    return total


async def _in_a_life(_: Life) -> int:
    return await _jobs()


def simulated_jobs() -> None:
    """Jobs one after the other, in one life of the engine."""
    assert Engine(Choices()).live(_in_a_life).kind == "returned"


def stock_jobs() -> None:
    """The same on a stock loop."""
    asyncio.run(_jobs())
