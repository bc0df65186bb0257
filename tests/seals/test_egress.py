"""Nothing leaves a run: what asks for the outside is refused by name, and fails it."""

import asyncio
import contextlib
import ctypes.util
import multiprocessing
import os
import platform
import re
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import httpx2
import openai
import pytest

from agentsim import Scenario, call, run, say, tool
from agentsim.core import Env, UsageError
from agentsim.engine import Life, Refused
from tests.agents.async_function import agent as plain
from tests.engine.runs import run as live


class Listener:
    """A socket on loopback that tells how often it was connected to."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()

    def hits(self) -> int:
        count = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.accept()[0].close()
                count += 1
        return count

    def connect(self) -> None:
        socket.create_connection(("127.0.0.1", self.port)).close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Who must hear nothing."""
    made = Listener()
    yield made
    made.close()


def refused(ask: Callable[[], Any]) -> str:
    """The sentence of a run whose agent asks for something, and swallows the refusal."""

    async def agent(life: Life) -> str:
        with contextlib.suppress(BaseException):
            asked = ask()
            if asyncio.iscoroutine(asked):
                await asked
        return "done"

    with pytest.raises(UsageError) as caught:
        live(agent)
    return str(caught.value)


async def _httpx(port: int) -> None:
    async with httpx.AsyncClient() as client:
        await client.get(f"http://127.0.0.1:{port}")


async def _httpx2(port: int) -> None:
    async with httpx2.AsyncClient() as client:
        await client.get(f"http://127.0.0.1:{port}")


async def _open(port: int) -> None:
    await asyncio.open_connection("127.0.0.1", port)


def _sdk(port: int) -> None:
    with openai.OpenAI(api_key="k", base_url=f"http://127.0.0.1:{port}") as client:
        client.chat.completions.create(model="m", messages=[])


CLIENTS: dict[str, Callable[[int], Any]] = {
    "socket": lambda port: socket.create_connection(("127.0.0.1", port)),
    "connect": lambda port: socket.socket().connect(("127.0.0.1", port)),
    "urllib": lambda port: urllib.request.urlopen(f"http://127.0.0.1:{port}"),
    "asyncio": _open,
    "httpx": lambda port: httpx.get(f"http://127.0.0.1:{port}"),
    "httpx_async": _httpx,
    "httpx2": lambda port: httpx2.get(f"http://127.0.0.1:{port}"),
    "httpx2_async": _httpx2,
    "openai": _sdk,
}


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("name", CLIENTS)
def test_no_client_reaches_a_listener(name: str, listener: Listener) -> None:
    """A connection is refused with host, port and caller, whichever library asks."""
    listener.connect()
    assert listener.hits() == 1
    words = refused(lambda: CLIENTS[name](listener.port))
    assert listener.hits() == 0
    assert f"asked for a connection to 127.0.0.1:{listener.port}, but" in words
    assert re.match(r"\S+ \(test_egress\.py:\d+\) ", words)
    listener.connect()
    assert listener.hits() == 1


OTHERS: dict[str, tuple[Callable[[], Any], str]] = {
    "getaddrinfo": (
        lambda: socket.getaddrinfo("example.com", None),
        "the address of example.com",
    ),
    "gethostbyname": (
        lambda: socket.gethostbyname("example.com"),
        "the address of example.com",
    ),
    "gethostbyname_ex": (
        lambda: socket.gethostbyname_ex("example.com"),
        "the address of example.com",
    ),
    "gethostbyaddr": (
        lambda: socket.gethostbyaddr("192.0.2.1"),
        "the address of 192.0.2.1",
    ),
    "getnameinfo": (
        lambda: socket.getnameinfo(("192.0.2.1", 80), 0),
        "the name of 192.0.2.1:80",
    ),
    "by name": (
        lambda: urllib.request.urlopen("https://example.com/secret"),
        "a connection to example.com:443",
    ),
    "sendto": (
        lambda: _datagram().sendto(b"x", ("192.0.2.1", 53)),
        "a datagram to 192.0.2.1:53",
    ),
    "sendmsg": (
        lambda: _datagram().sendmsg([b"x"], [], 0, ("192.0.2.1", 53)),
        "a datagram to 192.0.2.1:53",
    ),
    "bind": (
        lambda: socket.create_server(("127.0.0.1", 80)),
        "a socket of its own at 127.0.0.1:80",
    ),
    "unix": (
        lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"),
        'a connection to the local socket "docker.sock"',
    ),
    "six": (
        lambda: socket.socket(socket.AF_INET6).connect(("::1", 80)),
        "a connection to [::1]:80",
    ),
    "subprocess": (
        lambda: subprocess.run(["/usr/bin/curl", "secret"], check=False),
        'a run of the program "curl"',
    ),
    "shell": (
        lambda: subprocess.run("KEY=secret curl secret", shell=True, check=False),
        'a run of the command "curl"',
    ),
    "popen": (lambda: os.popen("curl secret"), 'a run of the command "curl"'),
    "system": (lambda: os.system("curl secret"), 'a run of the command "curl"'),
    "posix_spawn": (
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        'a run of the program "true"',
    ),
    "exec": (
        lambda: os.execv("/bin/true", ["true"]),
        'a run of the program "true"',
    ),
    "spawn": (
        lambda: os.spawnl(os.P_WAIT, "/bin/true", "true"),
        "a copy of the process (os.fork)",
    ),
    "fork": (os.fork, "a copy of the process (os.fork)"),
    "forkpty": (os.forkpty, "a copy of the process (os.forkpty)"),
    "multiprocessing": (
        lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
        "a process of its own (multiprocessing)",
    ),
}


def _datagram() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("name", OTHERS)
def test_every_way_out_is_refused_by_name(name: str) -> None:
    """Look-ups, datagrams, servers and programs are named; arguments and paths are not."""
    ask, what = OTHERS[name]
    words = refused(ask)
    assert f"asked for {what}, but a simulation " in words
    assert "secret" not in words


def test_the_sentence_says_who_asked_for_what_and_what_to_do() -> None:
    """A connection is told with function, file and line, host and port, and a way out."""

    def fetch() -> None:
        urllib.request.urlopen("https://api.example.com/v1")

    line = fetch.__code__.co_firstlineno + 1
    assert refused(fetch) == (
        f"fetch (test_egress.py:{line}) asked for a connection to api.example.com:443, "
        "but a simulation does not reach the network: ask the model through "
        "env.openai(), env.http_client() or env.client, and let a tool of the world, "
        "or a stand-in given to tool(), answer for other services"
    )


def _catches_exceptions() -> None:
    try:
        urllib.request.urlopen("http://example.com")
    except Exception:  # noqa: BLE001 - as libraries do
        return


def _catches_everything() -> None:
    for _ in range(5):
        try:
            urllib.request.urlopen("http://example.com")
        except BaseException:  # noqa: BLE001 - as bad libraries do
            continue


def _suppresses() -> None:
    with contextlib.suppress(BaseException):
        subprocess.run(["curl"], check=False)


@pytest.mark.parametrize(
    "library", [_catches_exceptions, _catches_everything, _suppresses]
)
def test_a_tool_whose_library_swallows_fails_the_run(
    library: Callable[[], None],
) -> None:
    """A run in which a tool asked for the outside is no run, whatever was swallowed."""

    @tool
    def fetch() -> str:
        """Fetch a page."""
        library()
        return "fallback"

    scenario = Scenario(task="Go.", world=[fetch], script=[call("fetch"), say("Done.")])
    with pytest.raises(UsageError, match=rf"{library.__name__} \(test_egress\.py:"):
        run(scenario, plain)


def test_a_second_refusal_is_not_told() -> None:
    """What was asked for first is told; what follows from it is not."""

    async def agent(life: Life) -> None:
        for host in ("first.example", "second.example"):
            with contextlib.suppress(Refused):
                socket.getaddrinfo(host, None)

    with pytest.raises(UsageError, match=r"first\.example"):
        live(agent)


def test_a_thread_of_a_library_is_refused_as_well(listener: Listener) -> None:
    """Telemetry gets an error that libraries know, and the run names its thread."""
    seen: list[str] = []

    def export() -> None:
        try:
            listener.connect()
        except OSError as error:
            seen.append(type(error).__name__)

    async def agent(life: Life) -> None:
        thread = threading.Thread(target=export, name="exporter-17", daemon=True)
        thread.start()
        thread.join()

    with pytest.raises(UsageError) as caught:
        live(agent)
    assert seen == ["PermissionError"]
    assert listener.hits() == 0
    assert re.sub(r":\d+", ":N", str(caught.value)) == (
        "connect (test_egress.py:N), on the thread exporter, asked for a connection to "
        "127.0.0.1:N, but a simulation does not reach the network: switch off what the "
        "library sends on its own (tracing, telemetry) where agents are tested"
    )


def test_facts_of_the_machine_go_free() -> None:
    """What libraries ask of the machine at their first use is no way out."""
    asked: list[object] = []

    async def agent(life: Life) -> None:
        getattr(platform.processor, "cache_clear", int)()
        asked.append(platform.processor())
        asked.append(ctypes.util.find_library("c"))

    assert live(agent).ending.kind == "returned"
    assert len(asked) == 2


def test_pairs_of_sockets_go_free() -> None:
    """Two ends within the process, as event loops wake themselves with, leave nothing."""

    async def agent(life: Life) -> None:
        for end in socket.socketpair():
            end.close()

    assert live(agent).ending.kind == "returned"


def test_the_dead_are_refused_and_fail_nothing(listener: Listener) -> None:
    """What a dead agent asks for while it is buried is refused; its run stands."""
    seen: list[type[BaseException]] = []
    tasks: list[asyncio.Task[None]] = []

    async def left_over() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            try:
                listener.connect()
            except BaseException as error:
                seen.append(type(error))
                raise

    async def agent(life: Life) -> None:
        tasks.append(asyncio.create_task(left_over()))
        await asyncio.sleep(0)

    assert live(agent).ending.kind == "leak"
    assert seen == [Refused]
    assert listener.hits() == 0


def test_functions_on_threads_are_refused_as_well(listener: Listener) -> None:
    """What a run gives to a thread is its own: named like the rest, and stopped."""

    def blocking() -> str:
        for _ in range(5):
            with contextlib.suppress(BaseException):
                listener.connect()
        return "went on"

    async def agent(life: Life) -> str:
        return await asyncio.to_thread(blocking)

    with pytest.raises(UsageError) as caught:
        live(agent)
    assert listener.hits() == 0
    assert "asked for a connection to 127.0.0.1:" in str(caught.value)
    assert "on the thread" not in str(caught.value)


def test_a_synchronous_agent_is_refused_as_well(listener: Listener) -> None:
    """An agent that blocks is stopped by name, whatever it swallows."""

    def agent(env: Env) -> str:
        with contextlib.suppress(BaseException):
            subprocess.run(["curl", f"127.0.0.1:{listener.port}"], check=False)
        return "done"

    with pytest.raises(UsageError, match='asked for a run of the program "curl"'):
        run(Scenario(task="Go.", script=[say("Done.")]), agent)
    assert listener.hits() == 0


def test_the_sdk_is_refused_where_it_is_not_the_runs_own(listener: Listener) -> None:
    """A client of the SDK that an agent makes itself reaches nothing, async as well."""

    async def agent(env: Env) -> object:
        url = f"http://127.0.0.1:{listener.port}"
        async with openai.AsyncOpenAI(api_key="k", base_url=url) as client:
            return await client.chat.completions.create(model="m", messages=[])

    with pytest.raises(UsageError) as caught:
        run(Scenario(task="Go.", script=[say("Done.")]), agent)
    assert "agent (test_egress.py:" in str(caught.value)
    assert f"asked for a connection to 127.0.0.1:{listener.port}" in str(caught.value)
    assert listener.hits() == 0
