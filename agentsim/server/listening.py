"""The server itself: a socket, and the runs of one scenario behind it."""

from __future__ import annotations

from agentsim.server.answering import ModelApp
from agentsim.server.asgi import App, Receive, Scope, Send
from agentsim.server.endpoints import PREFIX
from agentsim.server.hosting.host import LOOPBACK, Host
from agentsim.server.runs import DEFAULT_RUN, KEY, Runs
from agentsim.server.session import Session
from agentsim.simulation import Scenario

__all__ = ["Listening"]


class Listening:
    """A server of one scenario, bound to its port from the beginning.

    Args:
        port: 0 for a free one.
        host: An address of this machine; others than the loopback let anybody in.
        program: What traces call the program that asks.
        real: Whether answers take the time that the script says.

    Attributes:
        runs: Every run by its name.

    Raises:
        UsageError: when nothing can listen there, such as on a port in use.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        port: int = 0,
        host: str = LOOPBACK,
        program: str = "http",
        real: bool = False,
    ) -> None:
        self._scenario = scenario
        self._host = Host(self._app, host, port)

        def make(name: str) -> Session:
            return Session(name, scenario, program=program, real=real)

        self.runs = Runs(make)
        self.runs.named(DEFAULT_RUN)
        self._model = ModelApp(self.runs, self._host.connections)
        self._control: App | None = None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._host.port

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        return self._host.url

    def environment(self, run: str = DEFAULT_RUN) -> dict[str, str]:
        """The variables by which programs find the server: those of the SDKs, and ours."""
        key = KEY if run == DEFAULT_RUN else f"{KEY}-{run}"
        return {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": key,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": key,
            "AGENTSIM_URL": self.url,
            "AGENTSIM_RUN": run,
        }

    async def serve(self) -> None:
        """Serve until `stop` is called, then close every connection."""
        await self._host.serve()

    def stop(self) -> None:
        """Stop serving; who still waits for an answer gets none."""
        self._host.stop()

    def close(self) -> None:
        """Give the port back."""
        self._host.close()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(PREFIX) or scope["path"] == PREFIX.rstrip("/"):
            await self._control_app()(scope, receive, send)
        else:
            await self._model(scope, receive, send)

    def _control_app(self) -> App:
        """The control surface, which is made when somebody asks for it: it takes time."""
        if self._control is None:
            from agentsim.server.control import control_app

            self._control = control_app(self.runs, self._scenario.name)
        return self._control
