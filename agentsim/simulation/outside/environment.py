"""What one incarnation of the agent is given: the `Env` of a simulation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from agentsim.core import (
    Client,
    Confirm,
    ConfirmationAnswered,
    ConfirmationAsked,
    Decision,
    Declared,
    Event,
    Injected,
    Limits,
    LoopRules,
    Message,
    MessageInjected,
    Question,
    Stop,
    SyncEnv,
    Tool,
    UsageError,
)
from agentsim.engine import Life
from agentsim.simulation.outside.copies import kept, own_messages
from agentsim.simulation.outside.functions import Functions
from agentsim.simulation.outside.model import simulated_client
from agentsim.simulation.outside.stage import Stage
from agentsim.simulation.outside.synchronous import Synchronous
from agentsim.simulation.outside.toolbox import simulated_tools
from agentsim.world import Described, described

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

    from agentsim.simulation.outside.sdk import Sdk

__all__ = ["Environment"]


class Environment:
    """Everything that an agent under test may touch; see `core.Env` for each part.

    Args:
        trusted: Whether the agent is known to change nothing of what it is handed.
    """

    def __init__(self, stage: Stage, life: Life, *, trusted: bool = False) -> None:
        self._stage = stage
        self._life = life
        scenario = stage.scenario
        self.task: str = scenario.task
        self.prompt: str | None = scenario.prompt
        self.history: tuple[Message, ...] = own_messages(scenario.history)
        self.model: str = scenario.model
        self.temperature: float = scenario.temperature
        self.limits: Limits = scenario.limits
        self.loop: LoopRules = scenario.loop
        self.stop: Stop | None = scenario.stop
        self.client: Client = simulated_client(stage, life)
        self.tools: tuple[Tool, ...] = simulated_tools(stage, life, shared=trusted)

    def __repr__(self) -> str:
        # Without an address, as all that an agent is handed: it may end up in a message.
        return "<Environment>"

    @cached_property
    def sync(self) -> SyncEnv:
        """Client, tools and person for an agent that is no coroutine."""
        return Synchronous(
            self._life, self.client, self.tools, self.confirm, self._describe
        )

    @cached_property
    def functions(self) -> Mapping[str, Callable[..., Awaitable[object]]]:
        """The tools as async functions that frameworks make tools of, by name."""
        return Functions(self.tools, self._describe)

    @cached_property
    def _describe(self) -> Callable[[str], Described]:
        tools = {tool.name: tool for tool in self._stage.world.tools}

        @cache
        def describe(name: str) -> Described:
            return described(tools[name].definition, tools[name].parameters)

        return describe

    @cached_property
    def _sdk(self) -> Sdk:
        from agentsim.simulation.outside.sdk import Sdk

        client = self._stage.client
        if client is None:
            self._life.outlived()
        stage = self._stage
        return Sdk(client, self._life, stage.scenario, stage.kept, warn=stage.warn)

    def openai(self, **options: Any) -> AsyncOpenAI:
        """A new `openai.AsyncOpenAI` that the simulated model answers."""
        return self._sdk.openai(**options)

    def openai_sync(self, **options: Any) -> OpenAI:
        """A new `openai.OpenAI` that the simulated model answers."""
        return self._sdk.openai_sync(**options)

    def anthropic(self, **options: Any) -> AsyncAnthropic:
        """A new `anthropic.AsyncAnthropic` that the simulated model answers."""
        return self._sdk.anthropic(**options)

    def anthropic_sync(self, **options: Any) -> Anthropic:
        """A new `anthropic.Anthropic` that the simulated model answers."""
        return self._sdk.anthropic_sync(**options)

    def http_client(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `AsyncClient` of httpx2 or httpx that the simulated model answers."""
        return self._sdk.http_client(library)

    def http_client_sync(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `Client` of httpx2 or httpx that the simulated model answers."""
        return self._sdk.http_client_sync(library)

    @property
    def confirm(self) -> Confirm | None:
        """The person who approves, or None when nobody is there."""
        return self._ask if self._stage.human is not None else None

    async def _ask(self, question: Question) -> Decision:
        human = self._stage.human
        assert human is not None
        number = self._stage.next_question()
        asked = kept(question.arguments)
        self._life.record(
            ConfirmationAsked(number, question.name, asked, question.call_id)
        )
        struck = self._stage.striker.strike(self._life, "human", question.name)
        fault = struck.fault if struck is not None else None
        latency_s = human.latency_s
        if fault is not None:
            latency_s = inf if fault.answer == "never" else latency_s + fault.delay_s
        await self._life.gate("the person", latency_s=latency_s)
        decision = human.decide(question)
        if fault is not None and fault.decision is not None:
            decision = fault.decision
        self._life.record(
            ConfirmationAnswered(
                number, decision.approved, decision.confirmed_by, decision.reason
            )
        )
        return decision

    def inject(self) -> Sequence[Injected]:
        """Take the messages that a user sent into the running turn."""
        taken = self._stage.take_injected()
        for message in taken:
            self._life.record(MessageInjected(message.id, message.text))
        return taken

    def on(self, event: Event) -> None:
        """Record what the agent's runtime says of itself.

        Raises:
            UsageError: for what is no event.
        """
        if not isinstance(event, Event):
            raise UsageError(f"on: expected an event, got {type(event).__name__}")
        event.who = "runtime"
        self._life.record(event)

    def declare(
        self, *, limits: Limits | None = None, loop: LoopRules | None = None
    ) -> None:
        """Promise to keep boundaries: only then are they judged.

        What was promised before stays, unless it is promised anew.

        Raises:
            UsageError: for what are no limits or no loop rules.
        """
        _expect("limits", limits, Limits)
        _expect("loop", loop, LoopRules)
        before = self._stage.declared or Declared()
        declared = Declared(limits or before.limits, loop or before.loop)
        self._stage.declared = declared
        self._life.record(declared)


def _expect(name: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise UsageError(
            f"declare: expected {name} as a {kind.__name__}, got {type(value).__name__}"
        )
