"""What a synchronous agent is given: client, tools and person that block its thread."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from agentsim.core import (
    Client,
    Confirm,
    Decision,
    Delta,
    Question,
    Request,
    Response,
    SyncClient,
    SyncConfirm,
    SyncTool,
    Tool,
    ToolFunction,
    UsageError,
)
from agentsim.engine import Baton, Life
from agentsim.simulation.outside.functions import Functions
from agentsim.world import Described

__all__ = ["Synchronous"]

T = TypeVar("T")

Wait = Callable[[str, Callable[[], Awaitable[Any]]], Any]
"""Blocks until an answer is there: who is asked, and what to await."""


class Synchronous:
    """The blocking side of an environment; implements `core.SyncEnv`."""

    def __init__(
        self,
        life: Life,
        client: Client,
        tools: tuple[Tool, ...],
        confirm: Confirm | None,
        describe: Callable[[str], Described],
    ) -> None:
        self._life = life
        self._confirm = confirm
        self._describe = describe
        self.client: SyncClient = _SyncClient(client, self._wait)
        self.tools: tuple[SyncTool, ...] = tuple(
            _blocking(tool, self._wait) for tool in tools
        )

    def __repr__(self) -> str:
        return "<Environment.sync>"

    @cached_property
    def functions(self) -> Mapping[str, Callable[..., object]]:
        """The tools as blocking functions that frameworks make tools of, by name."""
        return Functions(self.tools, self._describe)

    @property
    def confirm(self) -> SyncConfirm | None:
        """The person who approves, or None when nobody is there."""
        confirm = self._confirm
        if confirm is None:
            return None

        def ask(question: Question) -> Decision:
            answer: Decision = self._wait("confirm", partial(confirm, question))
            return answer

        return ask

    def run(self, awaitable: Awaitable[T], *, timeout_s: float | None = None) -> T:
        """Block until anything else of the async side is done.

        Raises:
            TimeoutError: when it took longer.
        """

        async def done() -> T:
            async with asyncio.timeout(timeout_s):
                return await awaitable

        try:
            return self._wait("run", done)
        finally:
            if inspect.iscoroutine(awaitable):
                awaitable.close()  # one that was never begun; else this does nothing

    def _wait(self, what: str, ask: Callable[[], Awaitable[T]]) -> T:
        baton = Baton.held()
        if baton is None:
            error = UsageError(
                f"env.sync: {what} was called outside of a synchronous agent's own "
                "thread: an async agent awaits env.client, env.tools and env.confirm, or "
                "calls a blocking function by asyncio.to_thread; daemon threads are left "
                "to themselves and reach no simulation"
            )
            self._life.halt(error)
            raise error
        return baton.wait_for(ask)


class _SyncClient:
    """The neutral client, for a thread that waits."""

    __slots__ = ("_client", "_wait")

    def __init__(self, client: Client, wait: Wait) -> None:
        self._client = client
        self._wait = wait

    def __repr__(self) -> str:
        return "<SyncClient>"

    def complete(self, request: Request) -> Response:
        """Answer a request whole."""
        ask = partial(self._client.complete, request)
        response: Response = self._wait("client.complete", ask)
        return response

    def stream(self, request: Request) -> Iterator[Delta]:
        """Answer in pieces."""
        deltas = self._client.stream(request)
        while True:
            delta = self._wait("client.stream", partial(anext, deltas, None))
            if delta is None:
                return
            yield delta


def _blocking(tool: Tool, wait: Wait) -> SyncTool:
    def blocks(run: ToolFunction) -> Callable[[dict[str, Any]], object]:
        def ask(arguments: dict[str, Any]) -> object:
            return wait(f"tool {tool.name}", partial(run, arguments))

        return ask

    dry_run = None if tool.dry_run is None else blocks(tool.dry_run)
    return SyncTool(tool.definition, blocks(tool.run), tool.rights, dry_run)
