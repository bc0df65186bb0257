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
    ANTHROPIC_SDK,
    OPENAI_SDK,
    HttpLibrary,
    ModelService,
    Served,
    VendorSdk,
    answered_in_process,
    http_library,
)
from agentsim.simulation.scenario import Scenario

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

__all__ = ["Sdk"]

T = TypeVar("T")

API_KEY = "sk-simulated"


class Sdk:
    """Makes the clients of one incarnation of the agent."""

    def __init__(
        self,
        client: ScriptedClient,
        life: Life,
        scenario: Scenario,
        kept: dict[str, Any],
        *,
        warn: Callable[[str], None],
    ) -> None:
        self._life = life
        self._served = Served(
            scenario.model,
            client.attempt,
            self._unix_s,
            self._end,
            scenario.profiles or {},
            kept,
            warn=warn,
        )

    def openai(self, **options: Any) -> AsyncOpenAI:
        """A new `openai.AsyncOpenAI`; see `core.Env`."""
        made: AsyncOpenAI = self._made(OPENAI_SDK, "openai", options)
        return made

    def openai_sync(self, **options: Any) -> OpenAI:
        """A new `openai.OpenAI`; see `core.Env`."""
        made: OpenAI = self._made(OPENAI_SDK, "openai_sync", options)
        return made

    def anthropic(self, **options: Any) -> AsyncAnthropic:
        """A new `anthropic.AsyncAnthropic`; see `core.Env`."""
        made: AsyncAnthropic = self._made(ANTHROPIC_SDK, "anthropic", options)
        return made

    def anthropic_sync(self, **options: Any) -> Anthropic:
        """A new `anthropic.Anthropic`; see `core.Env`."""
        made: Anthropic = self._made(ANTHROPIC_SDK, "anthropic_sync", options)
        return made

    def http_client(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `AsyncClient`; see `core.Env`."""
        return self._awaited(self._library("http_client", library))

    def http_client_sync(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new `Client`; see `core.Env`."""
        return self._blocking(self._library("http_client_sync", library))

    def _made(self, vendor: VendorSdk, asked: str, options: dict[str, Any]) -> Any:  # noqa: ANN401 - a client of the SDK
        try:
            vendor.module()
        except UsageError as error:
            raise self._wrong(f"env.{asked}: {error}") from None
        for option in options:
            if option in vendor.outside:
                raise self._wrong(
                    f"env.{asked}: the option {option} leads out of the simulation "
                    f"({vendor.outside[option]}): leave it away"
                )
        blocks = asked.endswith("_sync")
        given = options.get("http_client")
        if given is None:
            library = self._library(asked, None, vendor.package)
            given = self._blocking(library) if blocks else self._awaited(library)
        elif not answered_in_process(given):
            raise self._wrong(
                f"env.{asked}: the option http_client would reach the network: leave "
                f"it away, or give one of env.http_client() or env.http_client_sync()"
            )
        whole = {"base_url": vendor.base_url, **options, "http_client": given}
        return vendor.client(whole, key=API_KEY, blocks=blocks)

    def _awaited(self, library: HttpLibrary) -> Any:  # noqa: ANN401
        return library.client(self._service().answer)

    def _blocking(self, library: HttpLibrary) -> Any:  # noqa: ANN401
        return library.sync_client(self._service().answer, self._block)

    def _library(
        self, asked: str, name: str | None, sdk: str = "openai"
    ) -> HttpLibrary:
        try:
            return http_library(name, sdk)
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
