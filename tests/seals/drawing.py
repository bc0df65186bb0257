"""Prints what an agent draws and reads from the clocks, and the traces that it makes.

`python -m tests.seals.drawing`: the same bytes in any process. The agent tells the
model all that it sees, so that it stands in the trace.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime
from random import Random

from agentsim import Env
from agentsim.core import Request, SyncEnv, user
from agentsim.engine import Seeded
from agentsim.simulation import run
from tests.support.digests import MENU
from tests.support.scenarios import scenario

RUNS = 40


def seen() -> str:
    """One look at every clock, and one draw from every source, as text."""
    parts = (
        *(time.time(), time.time_ns(), time.ctime(), time.strftime("%c %Z")),
        *(time.monotonic(), time.perf_counter_ns(), time.process_time()),
        *(datetime.now(UTC), datetime.now(), date.today()),  # noqa: DTZ005, DTZ011
        *(random.random(), random.getrandbits(64), Random().random()),
        *(os.urandom(4).hex(), secrets.token_hex(4), secrets.randbelow(10**6)),
        *(uuid.uuid4(), uuid.uuid1(), uuid.getnode()),
    )
    return " | ".join(map(str, parts))


def request(env: Env | SyncEnv, task: str, model: str) -> Request:
    """Ask with what was seen in the place of a system prompt's date and ids."""
    definitions = tuple(tool.definition for tool in env.tools)
    return Request(model, (user(f"{task} {seen()}"),), definitions, 0.0, None)


async def waiting(env: Env) -> str:
    """Look, ask, wait and look again."""
    response = await env.client.complete(request(env, env.task, env.model))
    await asyncio.sleep(random.uniform(1, 9))
    print(seen())  # noqa: T201
    return response.message.content


def blocking(env: Env) -> str:
    """The same on a thread of its own."""
    response = env.sync.client.complete(request(env.sync, env.task, env.model))
    time.sleep(random.uniform(1, 9))
    print(seen())  # noqa: T201
    return response.message.content


def lines() -> Iterator[str]:
    """One line per run: agent, digest and ending."""
    for agent in (waiting, blocking):
        for seed in range(RUNS):
            made = run(scenario("high_cpu"), agent, menu=MENU, choices=Seeded(seed))
            yield f"{agent.__name__} {made.trace.digest()} {made.outcome} {made.words}"


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(line + "\n")
