"""What was met beside a run stands in its notes, and changes neither verdict nor trace."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from agentsim import Scenario, explore, run, say
from agentsim.core import Env
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.strays import UNSEEN
from tests.agents.async_function import agent as plain
from tests.agents.sync_function import agent as synchronous
from tests.support.command import agentsim

STORY = Scenario(task="Greet.", script=[say("Hello.")])


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set at the end of the test, for the threads that wait for it."""
    event = threading.Event()
    yield event
    event.set()


def test_a_thread_that_goes_on_is_noted(over: threading.Event) -> None:
    """A library's thread is told with who started it, without its number."""

    def start_exporter() -> None:
        threading.Thread(target=over.wait, name="exporter-12", daemon=True).start()

    async def agent(env: Env) -> object:
        start_exporter()
        return await plain(env)

    made = run(STORY, agent)
    line = start_exporter.__code__.co_firstlineno + 1
    words = (
        f"the thread exporter, started by start_exporter (test_strays.py:{line}), goes "
        "on after the agent's end"
    )
    assert made.notes == (words,)
    assert made.verdict.status == "holds"
    assert made.trace.events == run(STORY, plain).trace.events


def test_a_thread_that_ends_is_not_noted() -> None:
    """What a run started and ended is its own affair."""

    async def agent(env: Env) -> object:
        threading.Thread(target=int, daemon=True).start()
        return await plain(env)

    assert run(STORY, agent).notes == ()


def test_threads_of_the_run_itself_are_not_noted() -> None:
    """The thread of a synchronous agent is ours, and no stray."""
    made = run(STORY, synchronous)
    assert (made.verdict.status, made.notes) == ("holds", ())


def test_a_run_says_which_client_it_does_not_see(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loaded client written in C is noted by its name, once."""
    for module in UNSEEN:
        monkeypatch.setitem(sys.modules, module, ModuleType(module))
    clients = list(dict.fromkeys(UNSEEN.values()))
    notes = run(STORY, plain).notes
    assert [note.split(" is loaded")[0] for note in notes] == clients


def test_an_exploration_tells_each_note_once(over: threading.Event) -> None:
    """The notes of all runs stand together, in the order in which they came."""

    async def agent(env: Env) -> object:
        threading.Thread(target=over.wait, name="exporter", daemon=True).start()
        return await plain(env)

    found = explore(STORY, agent, runs=3)
    assert [note.split(",")[0] for note in found.notes] == ["the thread exporter"]
    assert found.status == "holds"


def test_a_thread_from_before_goes_free_and_is_noted() -> None:
    """What was there before any simulation is let through, and told with what it asked."""
    ask, done = threading.Event(), threading.Event()

    def look() -> None:
        ask.wait()
        socket.getaddrinfo("127.0.0.1", 80)
        done.set()

    old = threading.Thread(target=look, name="debugger-1", daemon=True)
    old.start()
    HOOK.install()
    assert HOOK._before is not None
    HOOK._before.add(old)  # as if the hook had not been there yet

    async def agent(env: Env) -> object:
        ask.set()
        old.join()
        return await plain(env)

    made = run(STORY, agent)
    assert done.is_set()
    words = (
        "the thread debugger, which was there before the first simulation, asked for a "
        "connection to 127.0.0.1:80 while a run was on, and was let through"
    )
    assert made.notes == (words,)
    assert made.verdict.status == "holds"


AGENT = """
import threading

from agentsim import reference


async def traced(env):
    threading.Thread(target=threading.Event().wait, name="exporter-1", daemon=True).start()
    return await reference(env)
"""

NOTE = "the thread exporter, started by traced (tracing.py:8), goes on after the agent's end"


@pytest.mark.slow  # it starts a process for each
@pytest.mark.parametrize("command", ["run", "replay", "explore"])
def test_the_commands_print_the_notes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was met stands in the text and in the data of each command that runs agents."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tracing.py").write_text(AGENT, "utf-8")
    (tmp_path / "hello.yaml").write_text(
        "name: hello\ntask: Greet.\nscript:\n  - {say: Hello.}\n", "utf-8"
    )
    words = ["hello.yaml", "--agent", "tracing:traced"]
    if command == "replay":
        made = agentsim("run", *words, "--json")
        words.insert(1, json.loads(made.out)["token"])
    if command == "explore":
        words += ["--deviations", "0"]
    assert agentsim(command, *words).out.count(f"Note: {NOTE}.") == 1
    assert json.loads(agentsim(command, *words, "--json").out)["notes"] == [NOTE]
