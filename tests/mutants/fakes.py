"""A small outside for agents: strict, scripted, with a clock that jumps.

It obeys the contracts of `agentsim.core.ports` and knows nothing of the simulation, so
that the loop of the mutants is tested without it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from agentsim.core import (
    Confirm,
    Decision,
    Delta,
    Event,
    Injected,
    Limits,
    LoopRules,
    Message,
    ProviderError,
    Question,
    Request,
    Response,
    Rights,
    RunResult,
    Stop,
    SyncEnv,
    Tool,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
    breaches,
)

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    """Never waits: a wait for a timer moves the clock to it."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("deadlock: nothing can run and no timer is set")
        self.now_s += max(timeout, 0.0)
        return super().select(0)


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s

    def jump(self, seconds: float) -> None:
        self._jumping.now_s += seconds


def block(seconds: float) -> None:
    """Let time pass without letting anything else run, as blocking work does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _JumpingLoop)
    loop.jump(seconds)


def play(course: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in time that costs none."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(course)


class FakeClient:
    """Answers with scripted replies, and refuses histories that a provider refuses."""

    def __init__(
        self, replies: Sequence[Response], *, latency_s: float, blocks_s: float
    ) -> None:
        self.replies = list(replies)
        self.latency_s = latency_s
        self.blocks_s = blocks_s
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Response:
        copied = list(request.messages)
        self.requests.append(Request(request.model, copied, request.tools))
        await asyncio.sleep(self.latency_s)
        block(self.blocks_s)
        found = breaches(copied)
        if found:
            raise ProviderError(
                found[0].words, status=400, kind="invalid_request_error"
            )
        if not self.replies:
            raise ProviderError("the script ran out", status=500, kind="api_error")
        return self.replies.pop(0)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(response=await self.complete(request))


@dataclass
class Bench:
    """Tools that take time, and note who was in flight together.

    Attributes:
        log: `+name` when a tool starts and `-name` when it ends, with its arguments.
        most: The most tools that were ever in flight at once.
    """

    log: list[str] = field(default_factory=list)
    flying: list[str] = field(default_factory=list)
    most: int = 0
    arguments: list[dict[str, Any]] = field(default_factory=list)

    def tool(
        self,
        name: str,
        rights: Rights = Rights(),  # noqa: B008 - frozen
        *,
        takes_s: float = 0.0,
        gives: Callable[[dict[str, Any]], object] = lambda _: "ok",
        parameters: dict[str, Any] | None = None,
    ) -> Tool:
        """A tool whose output `gives` makes, `takes_s` seconds after its start."""

        async def run(arguments: dict[str, Any]) -> object:
            self.log.append(f"+{name}")
            self.flying.append(name)
            self.most = max(self.most, len(self.flying))
            self.arguments.append(dict(arguments))
            try:
                await asyncio.sleep(arguments.get("s", takes_s))
                return gives(arguments)
            finally:
                self.flying.remove(name)
                self.log.append(f"-{name}")

        schema = parameters or {"type": "object", "properties": {}}
        return Tool(ToolDef(name, parameters=schema), run, rights)


class FakeEnv:
    """An `Env` over a `FakeClient` and the given tools."""

    prompt: str | None = "Be brief."
    model = "fake"
    temperature = 0.2
    functions: Mapping[str, Callable[..., Awaitable[object]]]
    sync: SyncEnv
    openai: Callable[..., AsyncOpenAI]
    openai_sync: Callable[..., OpenAI]
    anthropic: Callable[..., AsyncAnthropic]
    anthropic_sync: Callable[..., Anthropic]
    http_client: Callable[..., Any]
    http_client_sync: Callable[..., Any]

    def __init__(
        self,
        *replies: Response,
        tools: Sequence[Tool] = (),
        limits: Limits | None = None,
        loop: LoopRules | None = None,
        confirm: Confirm | None = None,
        stop: Stop | None = None,
        inject: Sequence[Sequence[Injected]] = (),
        latency_s: float = 0.0,
        blocks_s: float = 0.0,
    ) -> None:
        self.task = "Sort it out."
        self.history: tuple[Message, ...] = ()
        self.client = FakeClient(replies, latency_s=latency_s, blocks_s=blocks_s)
        self.tools = tuple(tools)
        self.limits = limits or Limits()
        self.loop = loop or LoopRules()
        self.confirm = confirm
        self.stop = stop
        self.events: list[Event] = []
        self.declared: tuple[Limits | None, LoopRules | None] | None = None
        self._inject = list(inject)

    def inject(self) -> Sequence[Injected]:
        return self._inject.pop(0) if self._inject else ()

    def on(self, event: Event) -> None:
        self.events.append(event)

    def declare(
        self, *, limits: Limits | None = None, loop: LoopRules | None = None
    ) -> None:
        self.declared = (limits, loop)

    def kinds(self) -> list[str]:
        """Kinds of the events that the agent reported."""
        return [event.kind for event in self.events]


def call(name: str, call_id: str = "c1", arguments: str = "{}") -> ToolCall:
    """A call of a tool."""
    return ToolCall(call_id, name, arguments)


def asks(*calls: ToolCall, text: str = "", usage: Usage | None = None) -> Response:
    """A reply that asks for calls."""
    return Response(assistant(text, *calls), "tool_use", usage)


def says(text: str, reason: str = "end_turn", usage: Usage | None = None) -> Response:
    """A reply without calls."""
    return Response(assistant(text), reason, usage)


def person(
    approved: bool, by: str | None = "ann", reason: str | None = None
) -> Confirm:
    """Somebody who always says the same."""

    async def confirm(question: Question) -> Decision:
        return Decision(approved, by, reason)

    return confirm


def results(result: RunResult) -> list[Message]:
    """The results of calls in the history that a run left."""
    return [message for message in result.history if message.role == "tool"]
