"""The reference agent on an environment (what a simulation drives by default)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from agentsim.core import (
    Confirm,
    Event,
    Inject,
    Injected,
    Limits,
    LoopRules,
    RunResult,
    Stop,
    SyncEnv,
    Tool,
    assistant,
    system,
    user,
)
from agentsim.runtime import DEFAULT_PROMPT, reference
from tests.runtime.fakes import Events, ScriptedClient, asks, call, says, tool

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI


class Environment:
    """Everything an async agent is given, by hand."""

    functions: Mapping[str, Callable[..., Awaitable[object]]]
    sync: SyncEnv
    openai: Callable[..., AsyncOpenAI]
    openai_sync: Callable[..., OpenAI]
    anthropic: Callable[..., AsyncAnthropic]
    anthropic_sync: Callable[..., Anthropic]
    http_client: Callable[..., Any]
    http_client_sync: Callable[..., Any]

    def __init__(self, client: ScriptedClient, *tools: Tool) -> None:
        self.task = "task"
        self.prompt: str | None = None
        self.history = (user("before"), assistant("so it was"))
        self.model = "big"
        self.temperature = 0.7
        self.client = client
        self.tools = tools
        self.confirm: Confirm | None = None
        self.limits = Limits(max_iterations=2)
        self.loop = LoopRules(block_at=2)
        self.stop: Stop | None = None
        self.inject: Inject = lambda: [Injected("1", "hello")]
        self.told = Events()
        self.declared: list[object] = []

    def on(self, event: Event) -> None:
        self.told(event)

    def declare(
        self, *, limits: Limits | None = None, loop: LoopRules | None = None
    ) -> None:
        self.declared += [limits, loop]


@pytest.mark.parametrize(("prompt", "sent"), [(None, DEFAULT_PROMPT), ("mine", "mine")])
def test_the_reference_agent_uses_what_it_is_given_and_declares_its_limits(
    prompt: str | None, sent: str
) -> None:
    """Every part of the environment arrives in the run."""
    client = ScriptedClient(asks(call("look", "1")), asks(call("look", "2")))
    env = Environment(client, tool())
    env.prompt = prompt
    result = asyncio.run(reference(env))
    assert isinstance(result, RunResult)
    assert result.status == "max_iterations"
    assert client.sent[0] == [
        system(sent),
        user("before"),
        assistant("so it was"),
        user("task"),
        user("hello"),
    ]
    assert client.requests[0].temperature == 0.7
    assert client.requests[0].model == "big"
    assert env.declared == [env.limits, env.loop]
    assert env.told.kinds[-1] == "run_ended"
    assert "loop_blocked" in env.told.kinds


def test_the_reference_agent_ends_with_its_answer() -> None:
    """The happy path returns what the model said."""
    result = asyncio.run(reference(Environment(ScriptedClient(says("done")))))
    assert result.output == "done"
