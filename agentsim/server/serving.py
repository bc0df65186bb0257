"""A server beside a test: it runs on a thread of its own while a block lasts."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Self

from agentsim.server.listening import Listening
from agentsim.server.runs import DEFAULT_RUN
from agentsim.server.telling import ServedVerdict, verdict_of
from agentsim.simulation import Scenario

__all__ = ["Serving"]


class Serving:
    """A server for as long as a `with` block lasts.

        with Serving(scenario) as server:
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="agentsim")

    Args:
        port: 0 for a free one.
        real: Whether answers take the time that the script says.

    Attributes:
        url: The address of the server, without a path.
        environment: The variables by which programs find the server.

    Raises:
        UsageError: when nothing can listen on the port.
    """

    def __init__(
        self, scenario: Scenario, *, port: int = 0, real: bool = False
    ) -> None:
        self._listening = Listening(scenario, port=port, real=real)
        self.url = self._listening.url
        self.environment = self._listening.environment()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="agentsim-server")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._listening.stop)
        self._thread.join()

    def verdict(self, run: str = DEFAULT_RUN) -> ServedVerdict:
        """The verdict on a run, as if it ended now."""
        return verdict_of(self._listening.runs.named(run))

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._listening.serve())
