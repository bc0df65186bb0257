"""Tapped clients of httpx2 and httpx: all passes unchanged, and is heard of."""

# ruff: noqa: ANN401 - requests, responses and clients are those of either library
from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import httpx
import httpx2
import pytest

from agentsim.core import UsageError
from agentsim.providers.transports import HttpRequest, TapEnding, http_library
from agentsim.providers.wires import HttpAnswer
from tests.providers.transports.fakes import answered, block

URL = "https://api.openai.com/v1/chat/completions"

MODULES: dict[str, Any] = {"httpx2": httpx2, "httpx": httpx}


class Heard:
    """A tap that writes down what it hears."""

    def __init__(self, *, rest: bool = False) -> None:
        self.takes_rest = rest
        self.heard: list[object] = []
        self.ends: list[TapEnding] = []

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self.heard.append((status, headers.get("content-type")))

    def data(self, data: bytes) -> None:
        self.heard.append(data)

    def end(self, how: TapEnding, error: str = "") -> None:
        if not self.ends:  # only the first counts
            self.ends.append(how)
            self.heard.append((how, error) if error else how)


class Channel:
    """A channel that answers what it has an answer for."""

    def __init__(self, *answers: HttpAnswer | Exception, rest: bool = False) -> None:
        self._answers = list(answers)
        self.asked: list[HttpRequest] = []
        self.tap = Heard(rest=rest)

    async def answer(self, request: HttpRequest) -> HttpAnswer | None:
        answer = self._answers.pop(0) if self._answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def begin(self, request: HttpRequest) -> Heard:
        self.asked.append(request)
        return self.tap


class Pieces:
    """A body in pieces, for both kinds of clients; what it raises ends it."""

    def __init__(self, log: list[object], *pieces: bytes | BaseException) -> None:
        self.log = log
        self.pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.log.append("closed")

    async def aclose(self) -> None:
        self.close()


Handle = Callable[[Any], Any]


def client_of(name: str, handle: Handle, channel: Channel, *, blocks: bool) -> Any:
    """A tapped client whose real transport calls a function."""
    module = MODULES[name]
    if blocks:

        class Real(module.BaseTransport):  # type: ignore[misc, name-defined]
            def handle_request(self, request: Any) -> Any:
                return handle(request)

        client = module.Client(transport=Real())
    else:

        class AsyncReal(module.AsyncBaseTransport):  # type: ignore[misc, name-defined]
            async def handle_async_request(self, request: Any) -> Any:
                return handle(request)

        client = module.AsyncClient(transport=AsyncReal())
    return http_library(name).tapped(client, channel, block).client


def stream(name: str, log: list[object], *pieces: bytes | BaseException) -> Any:
    """A stream of a library, of which the log hears."""
    module = MODULES[name]

    class Stream(Pieces, module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc, name-defined]
        pass

    return Stream(log, *pieces)


def posted(client: Any, **how: Any) -> Any:
    """The whole answer, by either kind of client."""
    if hasattr(client, "aclose"):
        return asyncio.run(client.post(URL, **how))
    return client.post(URL, **how)


def taken(client: Any, count: int = 99, **how: Any) -> list[bytes]:
    """Stream an answer with either kind of client, and leave after so many pieces."""
    found: list[bytes] = []
    if not hasattr(client, "aclose"):
        with client.stream("POST", URL, **how) as response:
            for piece in response.iter_raw() if count else ():
                found.append(piece)
                if len(found) == count:
                    break
        return found

    async def take() -> None:
        async with client.stream("POST", URL, **how) as response:
            if count:
                async for piece in response.aiter_raw():
                    found.append(piece)
                    if len(found) == count:
                        return

    asyncio.run(take())
    return found


BLOCKS = pytest.mark.parametrize("blocks", [True, False], ids=("sync", "async"))
BOTH = pytest.mark.parametrize("name", MODULES)


@BOTH
@BLOCKS
def test_an_answer_passes_unchanged_and_each_piece_is_heard_first(
    name: str, *, blocks: bool
) -> None:
    """Encoded as it came, head and pieces and end; the request's body was read once."""
    channel, log = Channel(), list[object]()
    packed = gzip.compress(b"one two", mtime=0)
    sent: list[bytes] = []

    def handle(request: Any) -> Any:
        sent.append(request.content)
        body = stream(name, log, packed[:9], packed[9:])
        headers = {"content-type": "text/plain", "content-encoding": "gzip"}
        return MODULES[name].Response(200, headers=headers, stream=body)

    client = client_of(name, handle, channel, blocks=blocks)
    assert taken(client, content=b"body") == [packed[:9], packed[9:]]
    assert sent == [b"body"]
    assert [(one.body, one.url) for one in channel.asked] == [(b"body", URL)]
    heard = channel.tap.heard
    assert heard == [(200, "text/plain"), packed[:9], packed[9:], "whole"]
    assert log == ["closed"]


@BOTH
def test_an_async_body_is_sent_and_heard_whole(name: str) -> None:
    """BR-165: what a generator gives is read once, for all who want it."""
    channel, sent = Channel(), list[bytes]()

    async def body() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    def handle(request: Any) -> Any:
        sent.append(request.content)
        return MODULES[name].Response(200, content=b"{}")

    async def post() -> Any:
        client = client_of(name, handle, channel, blocks=False)
        return await client.post(URL, content=body())

    response = asyncio.run(post())
    assert (response.content, response.json()) == (b"{}", {})
    assert (sent, channel.asked[0].body) == ([b"one two"], b"one two")
    assert channel.tap.heard == [(200, None), b"{}", "whole"]


@BOTH
@BLOCKS
def test_a_stream_that_the_client_leaves_ends_there(name: str, *, blocks: bool) -> None:
    """BR-164: nothing behind it is asked for, as long as the stream may be open."""
    channel, log = Channel(), list[object]()
    body = stream(name, log, b"a", b"b", AssertionError("read on"))
    client = client_of(
        name,
        lambda _: MODULES[name].Response(200, stream=body),
        channel,
        blocks=blocks,
    )
    assert taken(client, 2) == [b"a", b"b"]
    assert channel.tap.heard == [(200, None), b"a", b"b", "closed by the client"]
    assert log == ["closed"]


@BOTH
@BLOCKS
@pytest.mark.parametrize("breaks", [False, True])
def test_the_rest_of_an_answer_is_taken_where_it_is_wanted(
    name: str, *, blocks: bool, breaks: bool
) -> None:
    """An SDK that tries again does not read the answer that said no."""
    channel, log = Channel(rest=True), list[object]()
    end = [MODULES[name].ReadError("gone")] if breaks else []
    body = stream(name, log, b"slow ", b"down", *end)
    client = client_of(
        name,
        lambda _: MODULES[name].Response(429, stream=body),
        channel,
        blocks=blocks,
    )
    assert taken(client, 0) == []
    ends = ("broken off", "ReadError: gone") if breaks else "whole"
    assert channel.tap.heard[:4] == [(429, None), b"slow ", b"down", ends]
    assert log == ["closed"]


@BOTH
@BLOCKS
def test_no_more_than_a_mebibyte_is_taken_of_it(name: str, *, blocks: bool) -> None:
    """An answer without an end does not hold the client."""
    channel = Channel(rest=True)
    body = stream(name, [], bytes(1 << 20), AssertionError("read on"))
    client = client_of(
        name,
        lambda _: MODULES[name].Response(500, stream=body),
        channel,
        blocks=blocks,
    )
    assert taken(client, 0) == []
    assert channel.tap.ends == ["closed by the client"]


@BOTH
@BLOCKS
@pytest.mark.parametrize("kind", ["ReadError", "RemoteProtocolError", "ReadTimeout"])
def test_what_breaks_a_stream_is_raised_and_heard(
    name: str, kind: str, *, blocks: bool
) -> None:
    """The very error, by its name and words."""
    channel = Channel()
    error = getattr(MODULES[name], kind)("gone")
    client = client_of(
        name,
        lambda _: MODULES[name].Response(200, stream=stream(name, [], b"a", error)),
        channel,
        blocks=blocks,
    )
    with pytest.raises(type(error)) as caught:
        taken(client)
    assert caught.value is error
    ended = ("broken off", f"{kind}: gone")
    assert channel.tap.heard[:3] == [(200, None), b"a", ended]


@BOTH
@BLOCKS
def test_no_answer_is_raised_and_heard(name: str, *, blocks: bool) -> None:
    """By the name that both libraries have, whatever a transport makes of it."""
    channel = Channel()

    class Own(MODULES[name].ConnectTimeout):  # type: ignore[misc]
        pass

    def handle(request: Any) -> Any:
        raise Own("", request=request)

    with pytest.raises(Own):
        taken(client_of(name, handle, channel, blocks=blocks))
    assert channel.tap.heard == [("no answer", "ConnectTimeout")]


@BOTH
def test_a_request_that_is_cancelled_was_left_by_the_client(name: str) -> None:
    """Before the head of the answer, and within its stream."""

    def give_up(request: Any) -> Any:
        raise asyncio.CancelledError

    early = Channel()
    with pytest.raises(asyncio.CancelledError):
        taken(client_of(name, give_up, early, blocks=False))
    assert early.tap.heard == ["closed by the client"]
    late = Channel()
    body = stream(name, [], b"a", asyncio.CancelledError())
    client = client_of(
        name, lambda _: MODULES[name].Response(200, stream=body), late, blocks=False
    )
    with pytest.raises(asyncio.CancelledError):
        taken(client)
    assert late.tap.heard == [(200, None), b"a", "closed by the client"]


@BOTH
@BLOCKS
def test_what_the_channel_answers_does_not_go_out(name: str, *, blocks: bool) -> None:
    """Nothing is heard of it, and a client that is let go is as before."""

    def handle(request: Any) -> Any:
        raise AssertionError("it went out")

    channel = Channel(answered(200, b"[1]"))
    client = client_of(name, handle, channel, blocks=blocks)
    assert posted(client).json() == [1]
    assert (channel.asked, channel.tap.heard) == ([], [])


@BLOCKS
def test_a_client_is_tapped_until_it_is_let_go(*, blocks: bool) -> None:
    """Also where it reaches some addresses by other transports; closing closes them."""
    library = http_library("httpx")
    closed: list[str] = []

    class Real(httpx.BaseTransport, httpx.AsyncBaseTransport):
        def close(self) -> None:
            closed.append("real")

        async def aclose(self) -> None:
            self.close()

    mounts: dict[str, Any] = {"https://a.example": Real(), "all://b.example": None}
    client: Any
    if blocks:
        client = httpx.Client(transport=Real(), mounts=mounts)
    else:
        client = httpx.AsyncClient(transport=Real(), mounts=mounts)
    before = client._transport, client._mounts
    tapped = library.tapped(client, Channel(), block)
    assert library.makes(client)
    assert not library.makes(library)
    assert client._transport is not before[0]
    assert [one is None for one in client._mounts.values()] == [False, True]
    if blocks:
        client.close()
    else:
        asyncio.run(client.aclose())
    assert closed == ["real", "real"]
    tapped.let_go()
    assert (client._transport, client._mounts) == before


@BOTH
@BLOCKS
def test_a_mistake_reaches_who_asked_through_an_sdk(name: str, *, blocks: bool) -> None:
    """Most SDKs would try again; what a response raises they leave alone."""
    error = UsageError("never recorded")

    def handle(request: Any) -> Any:
        raise AssertionError("it went out")

    plain = client_of(name, handle, Channel(error), blocks=blocks)
    with pytest.raises(UsageError, match="never recorded"):
        taken(plain)
    client = client_of(name, handle, Channel(error), blocks=blocks)
    response = posted(client, headers={"x-stainless-lang": "python"})
    assert response.status_code == 400
    assert response.headers["x-should-retry"] == "false"
    with pytest.raises(UsageError, match="never recorded"):
        response.raise_for_status()
    with pytest.raises(UsageError, match="never recorded"):
        assert response.is_success
