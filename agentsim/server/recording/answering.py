"""The proxy as an ASGI application: each request is answered by the cassette, or live."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agentsim.cassettes import RecordedExchange, RecordedRequest, body_text, wire_of_url
from agentsim.cassettes.tape import Tape
from agentsim.core import CassetteError, CassetteMiss, ProviderError, shown_path
from agentsim.providers.transports import (
    Decoder,
    HttpRequest,
    NotDecoded,
    error_answer_to,
)
from agentsim.server.asgi import (
    ClientLeft,
    Receive,
    Scope,
    Send,
    not_retried,
    read_body,
    send_answer,
)
from agentsim.server.hosting.connections import Connections
from agentsim.server.hosting.presence import gone, while_there
from agentsim.server.recording.asking import Asked, Asking, Lost
from agentsim.server.recording.headers import told
from agentsim.server.recording.passing import Kept, pass_on
from agentsim.server.recording.playing import ReadOn, play
from agentsim.server.recording.troubles import Troubles
from agentsim.server.recording.upstreams import Upstream, found_in

__all__ = ["ProxyApp", "Standing"]

BODY_BYTES_MAX = 1 << 30


@dataclass(frozen=True, slots=True)
class Standing:
    """What a proxy stands on.

    Attributes:
        asking: Asks the services; None: nothing is asked of any.
        real: Whether recorded answers take the time that they took.
        troubles: Takes what goes wrong.
    """

    tape: Tape
    upstreams: Sequence[Upstream]
    asking: Asking | None
    real: bool
    troubles: Troubles


class ProxyApp:
    """Answers the requests of a program."""

    def __init__(self, standing: Standing, connections: Connections) -> None:
        self._on = standing
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or break its connection off."""
        try:
            body = await read_body(receive, BODY_BYTES_MAX)
        except ClientLeft:
            return
        if not await while_there(self._answer(scope, body, send), receive):
            self._connections.cut(scope["client"])
            await gone(receive)

    async def _answer(self, scope: Scope, body: bytes | None, send: Send) -> bool:
        """Answer a request; False where its connection is to break off."""
        try:
            asked = self._asked(scope, body)
            text = _readable(asked)
        except _Refused as refused:
            self._on.troubles.lose(str(refused))
            await _refuse(scope, str(refused), send, status=refused.status)
            return True
        wire = wire_of_url(asked.method, asked.target)
        headers = told(asked.headers)
        request = RecordedRequest(asked.method, asked.url, headers, text)
        try:
            return await self._answered(asked, request, wire, send)
        except CassetteMiss as miss:
            self._on.troubles.miss(str(miss))
            await _refuse(scope, str(miss), send)
            return True
        except CassetteError as error:
            self._on.troubles.lose(str(error))
            await _refuse(scope, str(error), send)
            return True
        except Exception as error:  # noqa: BLE001 - it must not break off the proxy
            self._on.troubles.fail(error)
            return False

    async def _answered(
        self, asked: Asked, request: RecordedRequest, wire: str, send: Send
    ) -> bool:
        found = self._on.tape.answer(request, wire)
        if found is not None:
            return await self._played(found, send)
        assert self._on.asking is not None, "a tape that replays has no live answers"
        taking = self._on.tape.begin(request, wire)
        kept = Kept(taking, self._on.troubles.lose)
        try:
            async with self._on.asking.ask(asked) as answer:
                await pass_on(answer, kept, send)
        except Lost as lost:
            kept.end("broken off" if lost.reached else "no answer", str(lost))
            if not lost.reached:
                self._on.troubles.note(f"{asked.origin} can't be reached: {lost}")
            return False
        except asyncio.CancelledError:
            kept.end("closed by the client")
            raise
        return True

    async def _played(self, found: RecordedExchange, send: Send) -> bool:
        try:
            return await play(found.answer, send, real=self._on.real)
        except ReadOn:
            self._on.troubles.miss(
                f"{shown_path(self._on.tape.path)}: exchange {found.number} was left by the "
                "client when it was recorded, and is waited for now: record it again"
            )
            return False

    def _asked(self, scope: Scope, body: bytes | None) -> Asked:
        path = scope["raw_path"].decode("latin-1")
        if not path.startswith("/"):
            raise _Refused(
                f"the proxy was asked for {path!r}: give the program its address as the "
                "base URL of the service, not as that of an HTTP proxy"
            )
        if body is None:
            raise _Refused(
                f"a request of more than {BODY_BYTES_MAX >> 30} GiB can't be recorded: "
                "send it past the proxy",
                status=413,
            )
        headers = scope["headers"]
        upstream, below = found_in(self._on.upstreams, path, told(headers))
        query = scope["query_string"].decode("latin-1")
        target = (below or "/") + (f"?{query}" if query else "")
        return Asked(scope["method"], upstream.origin, target, headers, body)


class _Refused(Exception):
    """A request that the proxy itself can't serve."""

    def __init__(self, words: str, *, status: int = 400) -> None:
        super().__init__(words)
        self.status = status


def _readable(asked: Asked) -> str:
    """The body of a request as it is recorded."""
    coding = told(asked.headers).get("content-encoding", "")
    decoder = Decoder(coding)
    if decoder.unknown:
        raise _Refused(
            f"a request is encoded as {coding!r}, which can't be read, and searched for "
            "secrets: let the program send it as it is",
            status=415,
        )
    try:
        return body_text(decoder.decode(asked.body) + decoder.flush())
    except NotDecoded:
        raise _Refused(f"a request is not encoded as it says, {coding!r}") from None


async def _refuse(scope: Scope, words: str, send: Send, *, status: int = 400) -> None:
    """Answer with an error that SDKs do not ask again after, in their dialect."""
    path = scope["raw_path"].decode("latin-1")
    below = "/v1" + path.partition("/v1")[2] if "/v1" in path else path
    request = HttpRequest(scope["method"], "", below, headers=told(scope["headers"]))
    error = ProviderError(words, status=status, kind="invalid_request_error")
    await send_answer(not_retried(error_answer_to(request, error)), send)
