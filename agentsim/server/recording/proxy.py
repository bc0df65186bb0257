"""The proxy itself: a socket, a cassette in use, and the services behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from agentsim.cassettes.tape import Tape
from agentsim.server.asgi import Receive, Scope, Send
from agentsim.server.hosting.host import LOOPBACK, Host
from agentsim.server.recording.answering import ProxyApp, Standing
from agentsim.server.recording.asking import Asking
from agentsim.server.recording.troubles import Troubles
from agentsim.server.recording.upstreams import Upstream
from agentsim.server.runs import KEY

__all__ = ["RecordingProxy"]

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


class RecordingProxy:
    """Stands between a program and the services that it asks, bound from the beginning.

    Args:
        tape: The cassette in use; whoever opened it closes it.
        upstreams: The services, `openai` and `anthropic` among them.
        port: 0 for a free one.
        host: An address of this machine; others than the loopback let anybody in.
        real: Whether recorded answers take the time that they took.
        tell: Takes what goes wrong, when it does.

    Attributes:
        troubles: What went wrong until now.

    Raises:
        UsageError: when nothing can listen there, or no HTTP library is installed for
            what goes live.
    """

    def __init__(
        self,
        tape: Tape,
        upstreams: Sequence[Upstream],
        *,
        port: int = 0,
        host: str = LOOPBACK,
        real: bool = False,
        tell: Callable[[str], None] = lambda _words: None,
    ) -> None:
        self.troubles = Troubles(tell)
        self._replays = tape.mode == "replay"
        self._upstreams = upstreams
        self._asking = None if self._replays else Asking()
        self._host = Host(self._serve_one, host, port)
        standing = Standing(tape, upstreams, self._asking, real, self.troubles)
        self._app = ProxyApp(standing, self._host.connections)

    @property
    def url(self) -> str:
        """The address of the proxy, without a path."""
        return self._host.url

    def environment(self) -> dict[str, str]:
        """The variables by which programs find the proxy.

        Keys are the program's own: they are passed on, and never recorded. Where nothing
        goes live and there is none, one is made up, without which SDKs do not begin.
        """
        made = {one.variable: self.url + one.below for one in self._upstreams}
        made["AGENTSIM_URL"] = self.url
        if self._replays:
            made |= {name: KEY for name in KEYS if not os.environ.get(name)}
        return made

    async def serve(self) -> None:
        """Serve until `stop` is called, then close every connection."""
        try:
            await self._host.serve()
        finally:
            if self._asking is not None:
                await self._asking.close()

    def stop(self) -> None:
        """Stop serving; who still waits for an answer gets none."""
        self._host.stop()

    def close(self) -> None:
        """Give the port back."""
        self._host.close()

    async def _serve_one(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
