"""While a cassette is replayed nothing leaves the process: a listener sees nobody."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import http.server
import os
import socket
import sys
import threading
import types
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Client
from multiprocessing.connection import Listener as ProcessListener
from pathlib import Path
from typing import Any

import httpcore2
import httpx
import httpx2
import openai
import pytest

from agentsim.cassettes import CassetteWriter
from agentsim.cassettes.deck import Deck, UnseenClientWarning
from agentsim.core import CassetteBypassed, CassetteError, CassetteMiss, UsageError
from agentsim.engine import NoNetwork
from agentsim.simulation import Scenario, run
from tests.cassettes.deck.services import CHAT


class Listener:
    """Something that listens on this machine, and must see nobody."""

    def __init__(self, server: socket.socket) -> None:
        server.setblocking(False)
        self._server = server
        self.host, self.port = server.getsockname()[:2]
        self.url = f"http://{self.host}:{self.port}/v1"

    @property
    def has_seen(self) -> bool:
        try:
            self._server.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def listener() -> Iterator[Listener]:
    """One whose queue is looked into."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Listener(server)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """One that holds nothing."""
    path = tmp_path / "a.yaml"
    CassetteWriter(path).close()
    return path


def _raw(at: Listener) -> None:
    with socket.socket() as one:
        one.connect((at.host, at.port))


def _datagram(at: Listener) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"hello", (at.host, at.port))


def _in_thread(at: Listener) -> None:
    thread = threading.Thread(target=_swallowing, args=(_raw, at))
    thread.start()
    thread.join()


async def _streams(at: Listener) -> None:
    await asyncio.open_connection(at.host, at.port)


def _own_sdk(at: Listener) -> None:
    with openai.OpenAI(base_url=at.url, api_key="k") as client:
        client.models.list()


async def _own_async_sdk(at: Listener) -> None:
    async with openai.AsyncOpenAI(base_url=at.url, api_key="k") as client:
        await client.models.list()


def _httpx(at: Listener) -> None:
    httpx.get(at.url)


def _in_pool(at: Listener) -> None:
    asyncio.run(asyncio.to_thread(_raw, at))


def _swallowing(way: Callable[[Listener], Any], at: Listener) -> None:
    with contextlib.suppress(BaseException):
        way(at)


WAYS: dict[str, Callable[[Listener], Any]] = {
    "raw": _raw,
    "datagram": _datagram,
    "thread": _in_thread,
    "pool": _in_pool,
    "asyncio": lambda at: asyncio.run(_streams(at)),
    "urllib": lambda at: urllib.request.urlopen(at.url, timeout=1),
    "httpx": _httpx,
    "sdk": _own_sdk,
    "async sdk": lambda at: asyncio.run(_own_async_sdk(at)),
}


@pytest.mark.parametrize("swallows", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_by_any_way(
    listener: Listener, cassette: Path, way: str, *, swallows: bool
) -> None:
    """It is an error at once, and at the end of the block whatever became of that."""
    go = partial(_swallowing, WAYS[way]) if swallows else WAYS[way]
    with pytest.raises(CassetteBypassed) as caught, Deck(cassette):
        go(listener)
    assert not listener.has_seen
    words = str(caught.value)
    assert f"{listener.host}:{listener.port}, but {cassette} is replayed" in words
    assert "(test_guard.py:" in words


def test_a_lookup_is_refused_too(cassette: Path) -> None:
    """Names of other machines are not asked for."""
    with (
        pytest.raises(CassetteBypassed, match=r"to example\.com:80, but"),
        Deck(cassette),
    ):
        socket.create_connection(("example.com", 80))


def test_a_missing_cassette_is_an_error_before_anything_is_asked(
    listener: Listener, tmp_path: Path
) -> None:
    """The block does not begin."""
    with (
        pytest.raises(CassetteError, match=r"none\.yaml"),
        Deck(tmp_path / "none.yaml"),
    ):
        raise AssertionError("it began")
    assert not listener.has_seen


class Broken(httpx2.Client):
    """A client that goes its own way."""

    def _transport_for_url(self, url: Any) -> Any:  # noqa: ANN401
        return httpx2.HTTPTransport()


class Newer(openai.OpenAI):
    """An SDK that asks for more than the one of the recording did."""

    def models_of_tomorrow(self) -> object:
        return self.post("/models/search", cast_to=object, body={"by": "name"})


class Elsewhere(openai.OpenAI):
    """An SDK that speaks through no HTTP library that is known here."""

    def request(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401
        return urllib.request.urlopen(str(self.base_url), timeout=1)


@pytest.mark.parametrize(
    ("http", "sdk", "error"),
    [
        (Broken, openai.OpenAI, CassetteBypassed),
        (httpx2.Client, openai.OpenAI, CassetteMiss),
        (httpx2.Client, Newer, CassetteMiss),
        (httpx2.Client, Elsewhere, CassetteBypassed),
    ],
)
def test_other_clients_and_other_sdks_are_an_error_and_no_connection(
    listener: Listener,
    cassette: Path,
    http: type[httpx2.Client],
    sdk: type[openai.OpenAI],
    error: type[Exception],
) -> None:
    """A broken client, and an SDK that is other than the recorded one."""
    with http() as client, pytest.raises(error), Deck(cassette) as deck:
        _asks(deck, sdk(base_url=listener.url, api_key="k", http_client=client), client)
    assert not listener.has_seen


def _asks(deck: Deck, sdk: Any, client: httpx2.Client) -> None:  # noqa: ANN401
    deck.attach(client)
    if isinstance(sdk, Newer):
        sdk.models_of_tomorrow()
    sdk.models.list()


def test_what_is_let_through_goes_out(listener: Listener, cassette: Path) -> None:
    """A host with its port, and no other port."""
    with Deck(cassette, allow_hosts=[f"localhost:{listener.port}"]):
        _raw(listener)
    assert listener.has_seen
    with (
        pytest.raises(CassetteBypassed),
        Deck(cassette, allow_hosts=[f"localhost:{listener.port + 1}"]),
    ):
        _raw(listener)
    assert not listener.has_seen


def test_loops_and_local_pairs_are_let_be(cassette: Path) -> None:
    """What stays within the process is nobody's connection."""
    with Deck(cassette):
        asyncio.run(asyncio.sleep(0))
        one, two = socket.socketpair()
        one.sendall(b"x")
        assert two.recv(1) == b"x"
        socket.send_fds(one, [b"y"], [two.fileno()])  # sends without an address
        one.close()
        two.close()


def test_processes_of_the_program_reach_each_other(
    cassette: Path, tmp_path: Path
) -> None:
    """By the local sockets of `multiprocessing`; who only names one so is refused."""
    with Deck(cassette), ProcessListener(family="AF_UNIX") as ours:
        Client(ours.address).close()
    folder = tmp_path / "pymp-other"
    folder.mkdir()
    path = os.path.relpath(folder / "listener-1")
    with (
        socket.socket(socket.AF_UNIX) as other,
        pytest.raises(CassetteBypassed, match="listener-1"),
        Deck(cassette),
    ):
        other.connect(path)


@pytest.mark.parametrize("first", ["outer", "inner"])
def test_of_two_decks_each_holds_until_its_end(
    listener: Listener, cassette: Path, tmp_path: Path, first: str
) -> None:
    """In whatever order they end, and what one lets through the other may refuse."""
    other = tmp_path / "b.yaml"
    CassetteWriter(other).close()
    free = Deck(other, allow_hosts=["127.0.0.1"])
    with contextlib.ExitStack() as outer, contextlib.ExitStack() as inner:
        decks = {"outer": outer, "inner": inner}
        outer.enter_context(pytest.raises(CassetteBypassed, match=r"a\.yaml is"))
        outer.enter_context(Deck(cassette))
        inner.enter_context(free)
        _swallowing(_raw, listener)
        if first == "inner":
            inner.close()
            _swallowing(_raw, listener)
        decks[first].close()
    assert not listener.has_seen
    _raw(listener)
    assert listener.has_seen


def test_an_attempt_beside_another_failure_is_a_note(
    listener: Listener, cassette: Path
) -> None:
    """The failure of the test stays what it was."""
    with pytest.raises(ZeroDivisionError) as caught, Deck(cassette):
        _failing_after(listener)
    (note,) = caught.value.__notes__
    assert note.startswith("and beside this failure: ")
    assert f"127.0.0.1:{listener.port}" in note


def _failing_after(at: Listener) -> None:
    _swallowing(_raw, at)
    raise ZeroDivisionError


def _skipping_after(at: Listener) -> None:
    _swallowing(_raw, at)
    pytest.skip("no network here")


def test_a_test_that_skips_after_an_attempt_fails(
    listener: Listener, cassette: Path
) -> None:
    """Else it would never be seen to want the network."""
    with pytest.raises(CassetteBypassed), Deck(cassette):
        _skipping_after(listener)


def test_a_simulation_inside_is_sealed_as_ever(
    listener: Listener, cassette: Path
) -> None:
    """Its own guard tells of what its agent asks for."""

    async def agent(env: Any) -> None:  # noqa: ANN401
        _raw(listener)

    words = "a simulation does not reach the network"
    with Deck(cassette), pytest.raises(UsageError, match=words):
        run(Scenario("Go.", []), agent=agent)
    assert not listener.has_seen


def test_a_guard_around_a_deck_holds_in_it(listener: Listener, cassette: Path) -> None:
    """As that of --agentsim-no-network, which lets this machine through."""
    off = NoNetwork((), error=KeyError, advice="off")
    with off, Deck(cassette, allow_hosts=["192.0.2.1", "127.0.0.1"]):
        _raw(listener)
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
            pytest.raises(KeyError),
        ):
            one.connect(("192.0.2.1", 9))


@pytest.mark.parametrize("mode", ["record", "record-missing", "refresh"])
def test_only_replay_holds_it(listener: Listener, tmp_path: Path, mode: Any) -> None:  # noqa: ANN401
    """What is recorded goes out."""
    with Deck(tmp_path / "new.yaml", mode):
        _raw(listener)
    assert listener.has_seen


def test_clients_written_in_c_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, cassette: Path
) -> None:
    """They go past what Python sees."""
    monkeypatch.setitem(sys.modules, "pycurl", types.ModuleType("pycurl"))
    words = "pycurl is loaded, written in C"
    with pytest.warns(UnseenClientWarning, match=words) as caught, Deck(cassette):
        pass
    assert caught[0].filename == __file__


def test_a_client_of_a_deck_asks_for_nothing_in_a_replay(
    listener: Listener, cassette: Path
) -> None:
    """Not even where nothing was recorded, and its answer is a miss at once."""
    with (
        pytest.raises(CassetteMiss, match="nothing was recorded"),
        Deck(cassette) as deck,
    ):
        deck.openai_sync(base_url=listener.url).chat.completions.create(**CHAT)
    assert not listener.has_seen


class Counting(http.server.BaseHTTPRequestHandler):
    """A service on this machine that keeps connections open."""

    protocol_version = "HTTP/1.1"
    asked: list[str] = []  # noqa: RUF012 - one for all connections

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[str]:
    """The address of one that runs."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    Counting.asked.clear()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def _ask_over(kept: http.client.HTTPConnection) -> None:
    kept.request("GET", "/")
    kept.getresponse().read()


def test_a_connection_from_before_the_block_is_not_used(
    service: str, cassette: Path
) -> None:
    """A client keeps it for its next request; afterwards it may, and in no second deck."""
    kept = http.client.HTTPConnection(service.split("/")[2])
    library = httpcore2.HTTP11Connection.handle_request
    with httpx.Client() as one, httpx2.Client() as two, contextlib.closing(kept):
        asks: list[Callable[[], object]] = [
            lambda: one.get(service),
            lambda: two.get(service),
            partial(_ask_over, kept),
        ]
        for ask in asks:
            ask()
            with pytest.raises(CassetteBypassed, match=r"127\.0\.0\.1"), Deck(cassette):
                ask()
        assert len(Counting.asked) == 3
        with Deck(cassette, allow_hosts=["127.0.0.1"]):
            asks[0]()
        with httpx.Client() as fresh:
            fresh.get(service)
    assert len(Counting.asked) == 5
    assert httpcore2.HTTP11Connection.handle_request is library


def test_an_async_connection_from_before_the_block_is_not_used(
    service: str, cassette: Path
) -> None:
    """The same in async functions."""

    async def session() -> None:
        async with httpx2.AsyncClient() as client:
            await client.get(service)
            with pytest.raises(CassetteBypassed):
                await asks(client)

    async def asks(client: httpx2.AsyncClient) -> None:
        with Deck(cassette):
            await client.get(service)

    asyncio.run(session())
    assert len(Counting.asked) == 1


def test_connections_of_aiohttp_are_among_them(
    monkeypatch: pytest.MonkeyPatch, cassette: Path
) -> None:
    """It is not installed here: a class as it has one stands in."""

    class ClientRequest:
        url = httpx2.URL("http://192.0.2.1:80")
        sent = 0

        async def send(self, connection: object) -> None:
            self.sent += 1

    module = types.ModuleType("aiohttp.client_reqrep")
    vars(module)["ClientRequest"] = ClientRequest
    monkeypatch.setitem(sys.modules, "aiohttp.client_reqrep", module)
    request = ClientRequest()
    with pytest.raises(CassetteBypassed, match=r"192\.0\.2\.1"), Deck(cassette):
        asyncio.run(request.send(None))
    asyncio.run(request.send(None))
    assert request.sent == 1
