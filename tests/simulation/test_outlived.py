"""What a run gave its agent, used in the next one: the sentence that says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentsim import Menu, Scenario, call, run, say
from agentsim.core import Env, Question, Request, UsageError, user
from agentsim.engine import Replay
from agentsim.world import Disk

STORY = Scenario(
    task="Hi.", script=[call("check_disk"), say("Hello.")], world=[Disk()], exact=False
)
WORDS = (
    "used a client, a tool or a function of a run that is over: take them from the env"
)


async def model(env: Env) -> None:
    """It asks the model."""
    await env.client.complete(Request(env.model, (user("Hi."),)))


async def tool(env: Env) -> None:
    """It runs a tool."""
    await env.functions["check_disk"]()


async def person(env: Env) -> None:
    """It asks a person."""
    assert env.confirm is not None
    await env.confirm(Question("a", "check_disk", {}))


async def sdk(env: Env) -> None:
    """It makes a client of an SDK."""
    env.openai()


async def blocking(env: Env) -> None:
    """It blocks a thread until a tool is done."""
    await asyncio.to_thread(env.sync.functions["check_disk"])


WAYS: tuple[Callable[[Env], Any], ...] = (model, tool, person, sdk, blocking)


def keeping(use: Callable[[Env], Any], swallows: bool = False) -> Callable[..., Any]:
    """An agent that keeps the environment of its first run, as a session might."""
    kept: list[Env] = []

    async def agent(env: Env) -> str:
        kept.append(env)
        try:
            if len(kept) > 1:
                await use(kept[0])
        except BaseException:
            if not swallows:
                raise
        return "Done."

    return agent


@pytest.mark.parametrize("use", WAYS)
@pytest.mark.parametrize("swallows", [False, True])
def test_what_an_earlier_run_gave_is_refused_in_words(
    use: Callable[[Env], Any], swallows: bool
) -> None:
    """A client, tool or function that is kept for the next run ends it, and says why."""
    agent = keeping(use, swallows)
    run(STORY, agent)
    with pytest.raises(UsageError, match=WORDS):
        run(STORY, agent)


def test_what_an_earlier_life_gave_is_refused_in_words() -> None:
    """After a crash the environment is a new one, and the old one says so."""
    kept: list[Env] = []

    async def agent(env: Env) -> str:
        kept.append(env)
        await model(env)
        await model(kept[0])
        return "Done."

    crash = Menu(crash=True, faults=())
    with pytest.raises(UsageError, match="of each life, after a crash"):
        run(STORY, agent, menu=crash, choices=Replay({0: 1}))


def test_it_is_refused_outside_of_runs_too() -> None:
    """Who uses it when no run is under way gets the same sentence."""
    kept: list[Env] = []

    async def agent(env: Env) -> str:
        kept.append(env)
        return "Done."

    run(STORY, agent)
    with pytest.raises(UsageError, match=WORDS):
        asyncio.run(model(kept[0]))
