"""Clients of httpx2 and httpx, async and sync, that a service in process answers."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Literal

import httpx
import httpx2
import pytest

from agentsim.core import UsageError
from agentsim.providers.transports import (
    HttpRequest,
    NoAnswer,
    answered_in_process,
    http_library,
)
from agentsim.providers.transports.exchange import Reason
from agentsim.providers.wires import HttpAnswer, Pieces
from tests.providers.transports.fakes import FakeService, answered, block

URL = "https://api.openai.com/v1/chat/completions?a=b"

MODULES: dict[str, Any] = {"httpx2": httpx2, "httpx": httpx}


Response = httpx2.Response
"""That of either library."""


def post_async(service: FakeService, name: str) -> Response:
    """Post with the async client of a library."""

    async def post() -> Response:
        async with http_library(name).client(service.answer) as client:
            response: Response = await client.post(URL, content=b"body", timeout=7)
            return response

    return asyncio.run(post())


def post_sync(service: FakeService, name: str) -> Response:
    """Post with the blocking client of a library."""
    with http_library(name).sync_client(service.answer, block) as client:
        response: Response = client.post(URL, content=b"body", timeout=7)
        return response


EVERY = pytest.mark.parametrize("post", [post_async, post_sync])
BOTH = pytest.mark.parametrize("name", MODULES)
Post = Callable[[FakeService, str], Response]


@EVERY
@BOTH
def test_a_request_reaches_the_service_and_its_answer_the_client(
    post: Post, name: str
) -> None:
    """All that it says arrives, and its patience; status, headers and body come back."""
    service = FakeService(answered(429, b'{"no": 1}', retry_after="3"))
    response = post(service, name)
    (asked,) = service.asked
    assert asked == HttpRequest(
        "POST",
        "api.openai.com",
        "/v1/chat/completions",
        b"body",
        7,
        asked.headers,
        "a=b",
        URL,
    )
    assert asked.headers["content-length"] == "4"
    assert isinstance(response, MODULES[name].Response)
    assert (response.status_code, response.json()) == (429, {"no": 1})
    assert response.headers["content-type"] == "application/json"
    assert response.headers["retry-after"] == "3"
    assert response.http_version == "HTTP/1.1"


@EVERY
@BOTH
@pytest.mark.parametrize("reason", ["ConnectError", "ReadError", "ReadTimeout"])
def test_no_answer_is_the_error_of_the_library(
    post: Post, name: str, reason: Literal["ConnectError", "ReadError", "ReadTimeout"]
) -> None:
    """The SDK sees the class, the words and the request that it knows."""
    with pytest.raises(getattr(MODULES[name], reason), match="gone") as caught:
        post(FakeService(NoAnswer("gone", reason)), name)
    assert str(caught.value.request.url) == URL
    assert caught.value.__cause__ is None


def streamed(*steps: bytes | NoAnswer | Callable[[], Awaitable[None]]) -> HttpAnswer:
    """An answer of such pieces, of which some must be waited for."""

    def come() -> Iterator[bytes | Callable[[], Awaitable[None]]]:
        for step in steps:
            if isinstance(step, NoAnswer):
                raise step
            yield step

    return HttpAnswer(200, {"content-type": "text/event-stream"}, pieces=Pieces(come()))


def take_async(answer: HttpAnswer, name: str, count: int = 99) -> list[bytes]:
    """Stream with the async client of a library, and leave after so many pieces."""
    taken: list[bytes] = []

    async def take() -> None:
        service = FakeService(answer)
        async with (
            http_library(name).client(service.answer) as client,
            client.stream("POST", URL) as response,
        ):
            assert response.headers["content-type"] == "text/event-stream"
            async for piece in response.aiter_raw():
                taken.append(piece)
                if len(taken) == count:
                    return

    asyncio.run(take())
    return taken


def take_sync(answer: HttpAnswer, name: str, count: int = 99) -> list[bytes]:
    """Stream with the blocking client of a library."""
    taken: list[bytes] = []
    with (
        http_library(name).sync_client(FakeService(answer).answer, block) as client,
        client.stream("POST", URL) as response,
    ):
        for piece in response.iter_raw():
            taken.append(piece)
            if len(taken) == count:
                break
    return taken


TAKING = pytest.mark.parametrize("take", [take_async, take_sync])
Take = Callable[..., list[bytes]]


@TAKING
@BOTH
def test_a_stream_comes_as_it_is_taken(take: Take, name: str) -> None:
    """Piece by piece, also where one must be waited for."""
    waited: list[int] = []

    async def wait() -> None:
        waited.append(1)

    assert take(streamed(b"a", wait, b"b"), name) == [b"a", b"b"]
    assert waited == [1]


@TAKING
@BOTH
def test_a_stream_that_is_left_is_closed(take: Take, name: str) -> None:
    """What comes later was never taken."""
    answer = streamed(b"a", b"b", b"c")
    assert take(answer, name, 1) == [b"a"]
    assert answer.pieces is not None
    assert answer.pieces.take(block) is None


@TAKING
@BOTH
@pytest.mark.parametrize("reason", ["RemoteProtocolError", "ReadTimeout"])
def test_a_stream_that_is_lost_is_the_error_of_the_library(
    take: Take, name: str, reason: Reason
) -> None:
    """It comes behind what came before."""
    with pytest.raises(getattr(MODULES[name], reason), match="gone") as caught:
        take(streamed(b"a", NoAnswer("gone", reason)), name)
    assert str(caught.value.request.url) == URL


@EVERY
@BOTH
def test_a_stream_can_be_read_whole(post: Post, name: str) -> None:
    """As any other answer."""
    assert post(FakeService(streamed(b"a", b"b")), name).content == b"ab"


@BOTH
def test_a_client_that_nobody_closes_says_nothing(name: str) -> None:
    """There is no connection to lose: warnings are errors here."""
    service = FakeService(answered())

    async def post() -> int:
        client = http_library(name).client(service.answer)
        return int((await client.post(URL)).status_code)

    assert asyncio.run(post()) == 200
    http_library(name).sync_client(service.answer, block)
    gc.collect()


@BOTH
def test_the_environment_has_no_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the machine takes no request away."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert post_async(FakeService(answered()), name).status_code == 200
    assert post_sync(FakeService(answered()), name).status_code == 200


def test_the_library_is_that_of_the_installed_sdk() -> None:
    """The OpenAI SDK of today speaks through httpx2, and each is made once."""
    assert http_library().name == "httpx2"
    assert http_library("httpx") is http_library("httpx")


def test_without_an_sdk_the_newest_library_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """httpx2 before httpx, and a sentence where neither is installed."""
    find = http_library.__wrapped__
    monkeypatch.setitem(sys.modules, "openai", None)
    assert find().name == "httpx2"
    monkeypatch.setitem(sys.modules, "httpx2", None)
    assert find().name == "httpx"
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(UsageError, match="neither httpx2 nor httpx is installed here"):
        find()


def test_a_library_must_be_known_and_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which there are, or what to install."""
    with pytest.raises(UsageError, match="one of httpx2, httpx, got 'requests'"):
        http_library("requests")
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(UsageError, match="httpx is not installed here: pip install"):
        http_library.__wrapped__("httpx")


def test_only_clients_of_ours_are_answered_in_process() -> None:
    """A client that would reach the network is told apart."""
    service = FakeService()
    assert answered_in_process(http_library("httpx").client(service.answer))
    assert answered_in_process(http_library().sync_client(service.answer, block))
    with httpx2.Client(transport=httpx2.BaseTransport()) as client:
        assert not answered_in_process(client)
    assert not answered_in_process("client")
