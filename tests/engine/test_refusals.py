"""The real outside is refused by name, whatever the agent swallows."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.engine import Life, Refused
from agentsim.engine.refusals import REFUSED_METHODS
from tests.engine.runs import run

ASKED: dict[str, Callable[[], Awaitable[Any]]] = {
    "the address of localhost": lambda: asyncio.get_running_loop().getaddrinfo(
        "localhost", None
    ),
    "a connection to localhost:80": lambda: asyncio.open_connection("localhost", 80),
    "a socket of its own at localhost:0": lambda: asyncio.start_server(
        print, "localhost", 0
    ),
    'a run of the program "true"': lambda: asyncio.create_subprocess_exec("true"),
    'a run of the command "true"': lambda: asyncio.create_subprocess_shell("true -x"),
}


async def lookup() -> object:
    """Ask for what a simulation does not have."""
    return await asyncio.get_running_loop().getaddrinfo("localhost", None)


@pytest.mark.parametrize("what", ASKED)
def test_a_swallowed_refusal_still_fails_the_run(what: str) -> None:
    """An agent that catches everything and goes on ends as a usage error."""

    async def tool(life: Life) -> str:
        for _ in range(5):
            try:
                await ASKED[what]()
            except Exception:  # noqa: BLE001 - as agents do
                return "fell back"
            except BaseException:  # noqa: BLE001 - as bad agents do
                await asyncio.sleep(0)
        return "went on"

    with pytest.raises(UsageError) as caught:
        run(tool)
    words = str(caught.value)
    assert what in words
    assert " simulation" in words
    assert "(test_refusals.py:" in words


def test_the_caller_is_named() -> None:
    """The sentence names function, file and line that asked, not asyncio or us."""

    async def my_tool(life: Life) -> None:
        await lookup()

    line = lookup.__code__.co_firstlineno + 2
    with pytest.raises(UsageError) as caught:
        run(my_tool)
    assert str(caught.value) == (
        f"lookup (test_refusals.py:{line}) asked for the address of localhost, but a "
        "simulation does not reach the network: ask the model through env.openai(), "
        "env.http_client() or env.client, and let a tool of the world, or a stand-in "
        "given to tool(), answer for other services"
    )


@pytest.mark.parametrize("name", REFUSED_METHODS)
def test_every_listed_method_is_refused(name: str) -> None:
    """Each method that needs the outside raises, with its name, when it is called."""
    caught: list[str] = []

    async def main(life: Life) -> None:
        try:
            getattr(asyncio.get_running_loop(), name)()
        except Refused as error:
            caught.append(str(error))

    with pytest.raises(UsageError) as raised:
        run(main)
    assert caught == [str(raised.value)]
    assert f"asked for {name}, but" in caught[0]


def test_all_of_asyncios_outside_is_covered() -> None:
    """No method that a stock loop adds to the base for the outside is left out."""
    ours = {*REFUSED_METHODS, "run_in_executor"}
    loop = asyncio.new_event_loop()
    base = {
        name
        for name in dir(asyncio.AbstractEventLoop)
        if name.split("_")[0] in {"sock", "connect", "subprocess", "add", "remove"}
    }
    loop.close()
    assert base <= ours


def test_an_agent_that_never_stops_asking_is_stopped() -> None:
    """A loop that asks on and on, swallowing all, gives the thread back."""

    async def main(life: Life) -> None:
        while True:
            try:
                await lookup()
            except BaseException:  # noqa: BLE001 - as bad agents do
                continue

    with pytest.raises(UsageError, match="asked for the address of localhost"):
        run(main)


def test_nothing_runs_after_a_refusal() -> None:
    """The run ends at once: tasks that were ready do not act any more."""
    seen: list[str] = []

    async def other() -> None:
        seen.append("acted")

    async def main(life: Life) -> None:
        task = asyncio.create_task(other())
        try:
            await lookup()
        finally:
            await task

    with pytest.raises(UsageError, match="address of localhost"):
        run(main)
    assert seen == []


def test_a_refusal_wins_over_an_exit() -> None:
    """An agent that exits because it was refused is told of as refused."""

    async def helper() -> None:
        try:
            await lookup()
        finally:
            raise SystemExit(1)

    async def main(life: Life) -> None:
        await asyncio.create_task(helper())

    with pytest.raises(UsageError, match="address of localhost"):
        run(main)


def test_the_first_refusal_is_the_one_told() -> None:
    """What was asked for first explains the run; later ones follow from it."""

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        try:
            loop.stop()
        except Refused:
            await lookup()

    with pytest.raises(UsageError, match="has no control of the event loop"):
        run(main)


def test_a_refusal_while_finishing_counts() -> None:
    """Clean-up code after the agent's end is held to the same."""

    async def helper() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await lookup()

    async def main(life: Life) -> str:
        task = asyncio.create_task(helper())
        await asyncio.sleep(0)
        task.cancel()
        return "done"

    with pytest.raises(UsageError, match="address of localhost"):
        run(main)


def test_another_thread_may_not_schedule() -> None:
    """A thread that the agent started can't reach into the simulation unseen."""

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        seen: list[type[BaseException]] = []

        def work() -> None:
            try:
                loop.call_soon_threadsafe(print)
            except Refused as error:
                seen.append(type(error))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()
        assert seen == [Refused]

    with pytest.raises(UsageError, match="call_soon_threadsafe from another thread"):
        run(main)


def test_a_caller_out_of_sight_is_said_to_be() -> None:
    """When no frame of the user's is on the stack the sentence says so."""

    async def main(life: Life) -> None:
        with socket.socket() as one:
            asyncio.get_running_loop().call_soon(
                asyncio.get_running_loop().add_reader, one, print
            )
            await life.gate("model")

    with pytest.raises(UsageError) as caught:
        run(main)
    assert "asked for add_reader, but pipes" in str(caught.value)
