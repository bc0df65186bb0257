"""Real SDKs in a simulation: their HTTP clients reach the scripted model in process.

All of them share the one client of an incarnation: whoever asks, requests are numbered,
recorded, refused and struck by faults once.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from agentsim.core import UsageError
from agentsim.engine import EPOCH_NS, Baton, Life
from agentsim.providers import ScriptedClient
from agentsim.providers.transports import (
    HttpLibrary,
    ModelService,
    Served,
    answered_in_process,
    http_library,
)
from agentsim.simulation.scenario import Scenario

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["Sdk"]

T = TypeVar("T")

API_KEY = "sk-simulated"
BASE_URL = "https://api.openai.com/v1"

PLATFORM = "Unknown"
"""What the SDK says of the machine: the same everywhere, and no process is asked."""

_SECOND_NAMES = {"AsyncOpenAI": "AsyncClient", "OpenAI": "Client"}
"""A client's class -> another public name of the same class."""

_OUTSIDE = {
    "provider": "another service would answer",
    "workload_identity": "tokens would be fetched",
}
"""Option of an OpenAI client -> why it is none in a simulation."""


class Sdk:
    """Makes the clients of one incarnation of the agent."""

    def __init__(
        self,
        client: ScriptedClient,
        life: Life,
        scenario: Scenario,
        kept: dict[str, Any],
    ) -> None:
        self._life = life
        self._served = Served(
            scenario.model,
            client.attempt,
            self._unix_s,
            self._end,
            scenario.profiles or {},
            kept,
        )

    def openai(self, **options: Any) -> AsyncOpenAI:
        """A new `openai.AsyncOpenAI`; see `core.Env`."""
        made: AsyncOpenAI = self._made(
            "openai", "AsyncOpenAI", self.http_client, options
        )
        return made

    def openai_sync(self, **options: Any) -> OpenAI:
        """A new `openai.OpenAI`; see `core.Env`."""
        made: OpenAI = self._made(
            "openai_sync", "OpenAI", self.http_client_sync, options
        )
        return made

    def http_client(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `AsyncClient`; see `core.Env`."""
        return self._library("http_client", library).client(self._service().answer)

    def http_client_sync(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `Client`; see `core.Env`."""
        made = self._library("http_client_sync", library)
        return made.sync_client(self._service().answer, self._block)

    def _made(
        self,
        asked: str,
        name: str,
        http_client: Callable[[], Any],
        options: dict[str, Any],
    ) -> Any:  # noqa: ANN401 - a client of the SDK
        try:
            import openai
        except ImportError:
            raise self._wrong(
                f"env.{asked}: the OpenAI SDK is not installed here: "
                "pip install 'pytest-agentsim[sdk]'"
            ) from None
        for option in options:
            if option in _OUTSIDE:
                raise self._wrong(
                    f"env.{asked}: the option {option} leads out of the simulation "
                    f"({_OUTSIDE[option]}): leave it away"
                )
        given = options.get("http_client")
        if given is None:
            given = http_client()
        elif not answered_in_process(given):
            raise self._wrong(
                f"env.{asked}: the option http_client would reach the network: leave "
                f"it away, or give one of env.http_client() or env.http_client_sync()"
            )
        defaults = {"api_key": API_KEY, "base_url": BASE_URL}
        # Under its second name: loops that make their client themselves are tested with
        # the first one patched, by this very method.
        client = getattr(openai, _SECOND_NAMES[name])(
            **{**defaults, **options, "http_client": given}
        )
        # Else its first request asks on a thread, which asks a process.
        client._platform = PLATFORM  # noqa: SLF001 - the SDK has no public way
        return client

    def _library(self, asked: str, name: str | None) -> HttpLibrary:
        try:
            return http_library(name)
        except UsageError as error:
            raise self._wrong(f"env.{asked}: {error}") from None

    def _service(self) -> ModelService:
        return ModelService(self._served)

    def _wrong(self, words: str) -> UsageError:
        """A misuse, which ends the run even where the agent swallows it."""
        error = UsageError(words)
        self._life.halt(error)
        return error

    def _unix_s(self) -> int:
        return (EPOCH_NS + self._life.now_ns) // 1_000_000_000

    async def _end(self, error: UsageError) -> None:
        self._life.halt(error)
        await self._life.gate("the end of the run", latency_s=math.inf)

    def _block(self, ask: Callable[[], Awaitable[T]], /) -> T:
        baton = Baton.held()
        if baton is None:
            raise self._wrong(
                "a synchronous client of an SDK was used outside of a synchronous "
                "agent's own thread: an async agent takes env.openai() or "
                "env.http_client(), or calls a blocking function by asyncio.to_thread; "
                "daemon threads are left to themselves and reach no simulation"
            )
        return baton.wait_for(ask)
