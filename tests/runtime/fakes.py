"""A scripted client, tools and a virtual loop for the tests of the runtime."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from agentsim.core import (
    Category,
    Delta,
    Event,
    Message,
    Request,
    Response,
    Rights,
    RunEnded,
    RunResult,
    Tool,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
)
from agentsim.engine import Choices, Ending, Engine, Life, Policy
from agentsim.runtime import AgentConfig, run_agent

E = TypeVar("E", bound=Event)

Reply = Response | BaseException | Callable[[Request], Response]

ANY = {"type": "object"}


def call(name: str, call_id: str = "", /, **arguments: Any) -> ToolCall:
    """A call; its id is made from name and arguments unless one is given."""
    text = json.dumps(arguments)
    return ToolCall(call_id or f"{name}{text}", name, text)


def asks(*calls: ToolCall, text: str = "", reason: str = "tool_use") -> Response:
    """A response that asks for calls."""
    return Response(assistant(text, *calls), reason, Usage(10, 1))


def says(text: str, reason: str = "end_turn", usage: Usage | None = None) -> Response:
    """A response of text only."""
    return Response(assistant(text), reason, usage or Usage(10, 1))


class ScriptedClient:
    """Answers request after request from a list; it repeats the last reply for ever."""

    def __init__(self, *replies: Reply, life: Life | None = None) -> None:
        self.replies = replies
        self.life = life
        self.requests: list[Request] = []
        self.sent: list[list[Message]] = []

    async def complete(self, request: Request) -> Response:
        self.requests.append(request)
        self.sent.append(list(request.messages))
        if self.life is not None:
            await self.life.gate("model")
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return reply if isinstance(reply, Response) else reply(request)

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        raise NotImplementedError


def tool(
    name: str = "look",
    run: Callable[[dict[str, Any]], Awaitable[object]] | None = None,
    *,
    returns: object = "seen",
    category: Category = "read_only",
    parallel: bool = False,
    confirm: bool | None = None,
    schema: dict[str, Any] | None = None,
    volatile: tuple[str, ...] = (),
) -> Tool:
    """A tool that returns (or raises) the same thing each time, or runs a function."""

    async def constant(arguments: dict[str, Any]) -> object:
        if isinstance(returns, BaseException):
            raise returns
        return returns

    return Tool(
        ToolDef(name, "", schema or ANY),
        run or constant,
        Rights(category, parallel, confirm, volatile),
        dry_run=constant if category == "destructive" else None,
    )


def config(client: object, *tools: Tool, **fields: Any) -> AgentConfig:
    """A configuration around one client."""
    fields.setdefault("resolve", lambda: client)
    fields.setdefault("model", "m")
    return AgentConfig(tools=tools, **fields)


def play(*replies: Reply, tools: Sequence[Tool] = (), **fields: Any) -> RunResult:
    """Run a script on a stock loop and return the result."""
    return asyncio.run(
        run_agent(config(ScriptedClient(*replies), *tools, **fields), "task")
    )


def results(outcome: RunResult) -> list[str]:
    """The contents of all tool results of a history."""
    return [m.content for m in outcome.history if m.role == "tool"]


class Events(list[Event]):
    """A handler that keeps what it is told."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self if isinstance(event, kind)]


def simulate(
    main: Callable[[Life], Coroutine[Any, Any, object]],
    choices: Choices | None = None,
    *,
    policy: Policy = "timed",
    cancel: bool = False,
    record: Callable[[Event], None] | None = None,
) -> Ending:
    """Live one life on a virtual clock; what it raises is raised here.

    A cancellation is not: whether it came out is what tests want to know.
    """
    engine = Engine(
        choices or Choices(),
        policy=policy,
        cancel=cancel,
        record=record or (lambda event: None),
    )
    ending = engine.live(main)
    engine.bury()
    error = ending.error
    if error is not None and not isinstance(error, asyncio.CancelledError):
        raise error
    return ending


def ended(events: Events) -> RunEnded:
    """The end of the one run that a handler was told of."""
    (end,) = events.of(RunEnded)
    return end


def run_virtually(client: object, *tools: Tool, **fields: Any) -> RunResult:
    """Run on a virtual clock and return the result."""

    async def main(life: Life) -> object:
        return await run_agent(config(client, *tools, **fields), "task")

    value = simulate(main).value
    assert isinstance(value, RunResult)
    return value
