"""The fixture `cassette`: what is recorded, replayed, judged and told of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from agentsim.pytest_plugin.cassettes.telling import LINES_MAX, cassette_lines
from tests.pytest_plugin.cassettes import RECORD, TESTS, files, project, told
from tests.support.command import agentsim
from tests.support.inner import run_here


def test_what_was_recorded_is_replayed_and_counted(recorded: Path) -> None:
    """Nothing is live any more; one line tells of all, and -v of each test."""
    done = run_here(recorded)
    assert done.code == 0
    assert told(done.out) == [
        "agentsim: cassettes (replay): 4 tests, 5 hits, 0 misses, 0 live, 0 untouched"
    ]
    done = run_here(recorded, "-v", "-k", "words", RECORD)
    assert "agentsim: cassettes: record-missing (--agentsim-record)" in done.out
    assert "agentsim:   test_it.py::TestMany::test_words[c]: record-missing: 1 hit" in (
        told(done.out)
    )


def test_without_a_cassette_a_test_fails_at_once(tmp_path: Path) -> None:
    """The sentence has the line that records it, and no frame of ours."""
    done = run_here(project(tmp_path), "-k", "words and c")
    assert (
        "Error: cassettes/test_it/TestMany.test_words-c.yaml: there is no such "
        "cassette: record it with `pytest 'test_it.py::TestMany::test_words[c]' "
        "--agentsim-record=record-missing`, which asks the real services" in done.out
    )
    assert (done.code, "use.py" in done.out) == (1, False)


def test_a_miss_that_was_swallowed_fails_the_test(recorded: Path) -> None:
    """With its text, the line that records again, and what had changed in the summary."""
    done = run_here(recorded, SYSTEM="You hinder.")
    assert done.code == 1
    assert "1 failed, 3 passed" in done.out
    assert done.out.count("; record again if that is wanted") == 2
    assert "-content: You help.\n    +content: You hinder." in done.out
    line = "pytest test_it.py::test_swallows --agentsim-record=refresh"
    assert f"Record again: {line}" in done.out
    said = "replay: 2 misses, 2 untouched; changed: the system prompt"
    assert told(done.out)[1:] == [f"agentsim:   test_it.py::test_swallows: {said}"]


def test_a_miss_beside_another_failure_is_told(tmp_path: Path) -> None:
    """The failure of the test stays first; below it stands what was not recorded."""
    tests = f"{TESTS}    assert SAID == 'hello'\n"
    assert run_here(project(tmp_path, tests), RECORD).code == 0
    done = run_here(tmp_path, "-k", "swallows", SAID="hi")
    assert re.search(
        r"assert 'hi' == 'hello'(.|\n)*and beside this failure: ", done.out
    )
    assert done.out.count("was never recorded") == 1


@pytest.mark.parametrize(
    "instead",
    [
        "assert SAID == 'hello'",
        "raise RuntimeError('it failed') from error",
        "raise ExceptionGroup('several', [error]) from None",
    ],
)
def test_a_miss_behind_another_failure_is_told_once(
    tmp_path: Path, instead: str
) -> None:
    """Where pytest shows it as what the failure came from, it is not told below again."""
    taken = f"Exception as error:\n            {instead}"
    tests = TESTS.replace("Exception:\n            pass", taken)
    assert run_here(project(tmp_path, tests), RECORD).code == 0
    done = run_here(tmp_path, "-k", "swallows", SAID="hi")
    assert done.out.count("; record again if that is wanted") == 1
    assert "agentsim/cassettes" not in done.out
    line = "pytest test_it.py::test_swallows --agentsim-record=refresh"
    assert f"Record again: {line}" in done.out


SDK = """
from asking import ask


def create(cassette, text):
    return ask(cassette, text)
"""

THROUGH = """
import asyncio
import sdk


async def agent(cassette):
    return sdk.create(cassette, "hello")


def test_it(cassette):
    asyncio.run(agent(cassette))
"""


@pytest.mark.parametrize("home", ["", "src"])
def test_a_miss_shows_the_frames_of_the_project_alone(
    tmp_path: Path, home: str
) -> None:
    """Not those of installed packages and of Python, but of the project where it is one."""
    project(tmp_path, THROUGH)
    folder = tmp_path / "venv/site-packages"
    folder.mkdir(parents=True)
    (folder / "sdk.py").write_text(SDK, "utf-8")
    with (tmp_path / "conftest.py").open("a") as file:
        file.write(f"sys.path.insert(0, {str(folder)!r})\n")
    (tmp_path / "cassettes/test_it").mkdir(parents=True)
    empty = "agentsim_cassette: 1\ncomplete: true\n"
    (tmp_path / "cassettes/test_it/test_it.yaml").write_text(empty, "utf-8")
    if home:
        (tmp_path / home / "sdk").mkdir(parents=True)
    done = run_here(tmp_path)
    shown = (
        "asyncio.run(agent",
        "sdk.create(",
        "return ask(",
        "tape.answer(",
        "runners.py",
    )
    assert [words in done.out for words in shown] == [
        True,
        True,
        bool(home),
        True,
        False,
    ]
    assert "CassetteMiss: cassettes/test_it/test_it.yaml: " in done.out
    assert "runners.py" in run_here(tmp_path, "--full-trace").out


BUG = """
import asyncio

from agentsim.core import InternalError


async def agent():
    raise InternalError("a bug")


def test_it():
    asyncio.run(agent())
"""


def test_a_bug_of_ours_shows_all_frames(tmp_path: Path) -> None:
    """Who reports it has all that we need."""
    assert "runners.py" in run_here(project(tmp_path, BUG)).out


def test_a_failing_test_keeps_its_old_cassette(recorded: Path) -> None:
    """What was recorded anew stands beside it, and takes its place when the test passes."""
    path = recorded / "cassettes/test_it/test_one.yaml"
    before = path.read_bytes()
    words = ("-k", "one", "--agentsim-record=record")
    done = run_here(recorded, *words, FAILS="1")
    assert done.code == 1
    assert "it failed: what it recorded is in test_one.yaml.new" in done.out
    assert path.read_bytes() == before
    assert [name for name in files(recorded) if name.endswith(".new")] == [
        "cassettes/test_it/test_one.yaml.new"
    ]
    path.write_bytes(before + b"# by hand\n")
    assert run_here(recorded, *words).code == 0
    assert b"# by hand" not in path.read_bytes()
    assert not [name for name in files(recorded) if name.endswith(".new")]


def test_only_so_many_odd_tests_are_told() -> None:
    """The others are counted; -v tells of all."""
    quiet = {"mode": "replay", "hits": 1, "misses": 0, "live": 0, "untouched": []}
    use = {**quiet, "untouched": [1], "changes": [], "notes": []}
    uses = {f"test_{number}": use for number in range(LINES_MAX + 2)}
    lines = [*cassette_lines(uses, verbose=False)]
    assert len(lines) == LINES_MAX + 2
    assert lines[-1] == "agentsim:   and 2 more tests: -v tells them all"
    assert len([*cassette_lines(uses, verbose=True)]) == LINES_MAX + 3


def test_age_is_told_and_fails_only_where_asked(recorded: Path) -> None:
    """What is older than allowed is in the summary; a refresh records it again."""
    path = recorded / "cassettes/test_it/test_one.yaml"
    text = re.sub(
        r"recorded_at: .*", "recorded_at: 2001-01-01T00:00:00Z", path.read_text()
    )
    path.write_text(text, "utf-8")
    (recorded / "pytest.ini").write_text(
        "[pytest]\nagentsim_cassette_max_age = 30\n", "utf-8"
    )
    done = run_here(recorded)
    assert (done.code, len(told(done.out))) == (0, 2)
    assert re.search(r"recorded \d+ days ago, more than 30", told(done.out)[1])
    done = run_here(recorded, "--agentsim-fail-old")
    assert "1 failed, 3 passed" in done.out
    assert re.search(r"E .*test_one.yaml: its cassette was recorded \d+ days", done.out)
    done = run_here(recorded, "--agentsim-record=refresh")
    assert "cassettes (refresh): 4 tests, 4 hits, 0 misses, 1 live, 0" in done.out
    assert len(told(run_here(recorded).out)) == 1


ASYNC = """
import asyncio
import inspect

import pytest
from asking import ask


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        asyncio.run(pyfuncitem.obj(**arguments))
        return True
"""


def test_an_async_test_needs_no_loop_for_it(tmp_path: Path) -> None:
    """The fixture is made before whatever loop the test runs on, and closed after it."""
    tests = (
        "from asking import ask\nasync def test_it(cassette):\n    ask(cassette, 'a')\n"
    )
    project(tmp_path, tests)
    with (tmp_path / "conftest.py").open("a") as file:
        file.write(ASYNC)
    assert run_here(tmp_path, RECORD).code == 0
    assert "1 test, 1 hit, 0 misses" in run_here(tmp_path).out
    (tmp_path / "test_it.py").write_text(tests.replace("'a'", "'b'"), "utf-8")
    assert "1 failed" in run_here(tmp_path).out


CLIENTS = """
import asyncio
from pathlib import Path

import httpx2
import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


def answered(request):
    message = {"role": "assistant", "content": "Yes."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5"}
    return httpx2.Response(200, json={**body, "choices": [choice]})


async def ask(cassette):
    live = {}
    if cassette.mode != "replay":
        transport = httpx2.MockTransport(answered)
        live = {"http_client": httpx2.AsyncClient(transport=transport), "api_key": "k"}
    async with cassette.openai(**live) as client:
        said = [{"role": "user", "content": "Well?"}]
        answer = await client.chat.completions.create(model="gpt-5", messages=said)
    assert answer.choices[0].message.content == "Yes."


@pytest.mark.anyio
async def test_on_a_loop_of_anyio(cassette):
    await ask(cassette)


def test_on_a_loop_of_its_own(cassette):
    asyncio.run(ask(cassette))


def test_tools(cassette):
    def where(name):
        assert cassette.mode != "replay"
        return {Path(name)}

    (tool,) = cassette.tools([where])
    assert set(map(str, tool("a"))) == {"a"}
"""


def test_clients_of_an_sdk_and_tools_are_recorded(tmp_path: Path) -> None:
    """On whatever loop a test runs; a type that JSON has not is told where it is recorded."""
    project(tmp_path, CLIENTS)
    with_anyio = ("-p", "anyio.pytest_plugin")
    done = run_here(tmp_path, *with_anyio, "--agentsim-record=record")
    assert done.code == 0, done.out
    assert "a replay gives results as JSON has them, of where" in done.out
    done = run_here(tmp_path, *with_anyio)
    assert done.code == 0, done.out
    assert "3 tests, 3 hits, 0 misses, 0 live, 0 untouched" in done.out


def test_what_runs_saw_is_what_check_lists(recorded: Path) -> None:
    """A changed prompt, a test that is gone, and one that was only renamed by a parameter."""
    run_here(recorded, SYSTEM="You hinder.")
    tests = TESTS.replace("def test_one", "def test_won").replace('"c"', '"d"')
    (recorded / "test_it.py").write_text(tests, "utf-8")
    run_here(recorded, "--collect-only")
    data = agentsim("cassette", "check", str(recorded), "--json").data
    found = {
        Path(row["file"]).name: [one["kind"] for one in row["findings"]]
        for row in data["cassettes"]
    }
    assert found == {
        "TestMany.test_words-a-b.yaml": [],
        "TestMany.test_words-c.yaml": ["unused"],
        "test_one.yaml": ["orphaned"],
        "test_swallows.yaml": ["prompt"],
    }
    assert "test_it.py::test_swallows --agentsim-record=refresh" in data["refresh"]


def test_notes_that_cannot_be_written_do_not_fail_the_tests(recorded: Path) -> None:
    """The summary says why; what is there is left alone."""
    path = recorded / ".agentsim" / "cassettes.json"
    path.write_text("{", "utf-8")
    done = run_here(recorded)
    assert done.code == 0
    assert "these are no notes of which test used which cassette" in done.out
    assert path.read_text("utf-8") == "{"


NETWORK = """
import socket

import pytest


def test_it(cassette):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pass
"""


def test_recording_may_reach_the_network(tmp_path: Path) -> None:
    """Who asks for a recording need not allow the network too; a replay never reaches it."""
    project(tmp_path, NETWORK)
    assert run_here(tmp_path, RECORD, "--agentsim-no-network").code == 0
    for flags in ([], ["--agentsim-no-network"]):
        done = run_here(tmp_path, *flags)
        assert (done.code, "1 failed" in done.out) == (1, True)
        assert "asked for a connection to 192.0.2.1:9" in done.out


def test_clients_that_nobody_sees_are_a_note(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written in C and loaded is told once in all, and fails no test."""
    monkeypatch.setitem(sys.modules, "pycurl", None)
    done = run_here(recorded)
    assert done.code == 0
    [note] = [line for line in told(done.out) if "note" in line]
    assert note.startswith("agentsim: note: pycurl is loaded, written in C: what such")


BOTH = """
from agentsim import call, reference, say


def test_it(sim, cassette):
    sim.script(call("check_disk"), say("Half full."))
    sim.run(reference, "Look.")
"""


def test_a_test_may_simulate_and_replay(tmp_path: Path) -> None:
    """Runs are judged, and the cassette is, in one test."""
    project(tmp_path, BOTH)
    assert run_here(tmp_path, RECORD).code == 0
    done = run_here(tmp_path)
    assert (done.code, len(told(done.out))) == (0, 1)
