"""Agents that look at clocks, by the names that their modules hold."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic, perf_counter, sleep
from time import time as now

from pydantic import BaseModel, Field

from agentsim import Env, reference
from agentsim.core import Request, user

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def local_time() -> datetime:
    """Ask as agents do that know of no time zones."""
    return datetime.now()  # noqa: DTZ005


class Note(BaseModel):
    """Something that was said, and when."""

    words: str
    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    naive: datetime = Field(default_factory=local_time)


def readings() -> list[float]:
    """What all clocks show, in seconds since the run's epoch or start."""
    note = Note(words="now")
    return [
        (note.at - EPOCH).total_seconds(),
        (note.naive - EPOCH.replace(tzinfo=None)).total_seconds(),
        round(now() - EPOCH.timestamp(), 6),
        round(time.time_ns() / 10**9 - EPOCH.timestamp(), 6),
        monotonic(),
        time.monotonic(),
        time.monotonic_ns() / 10**9,
        perf_counter(),
        time.perf_counter_ns() / 10**9,
    ]


@dataclass
class Measuring:
    """An agent that works, waits, and looks at the clocks before and after it."""

    looks: list[list[float]] = field(default_factory=list)

    async def __call__(self, env: Env) -> object:
        """Look, work, wait and look again."""
        self.looks += [readings()]
        result = await reference(env)
        await asyncio.sleep(90.5)
        self.looks += [readings()]
        return result

    def check(self) -> None:
        """Each look showed one time on all clocks, and that of the run."""
        assert self.looks
        for first, second in zip(self.looks[::2], self.looks[1::2], strict=True):
            assert set(first) == {0.0}
            assert len(set(second)) == 1
            assert second[0] > 90.5


@dataclass
class Blocking:
    """The same, not async: it asks once, and sleeps as programs do."""

    looks: list[list[float]] = field(default_factory=list)

    def __call__(self, env: Env) -> str:
        """Look, ask, sleep and look again."""
        self.looks += [readings()]
        definitions = tuple(tool.definition for tool in env.tools)
        request = Request(env.model, (user(env.task),), definitions, 0.0, None)
        response = env.sync.client.complete(request)
        sleep(60)
        time.sleep(30.5)
        self.looks += [readings()]
        return response.message.content

    check = Measuring.check
