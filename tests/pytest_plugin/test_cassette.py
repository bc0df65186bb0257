"""The fixture `cassette`: a recording of its own for each test, and what is told of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import load_cassette
from agentsim.cassettes.tape import MODES
from agentsim.pytest_plugin.cassettes.naming import NAME_BYTES_MAX, file_name
from agentsim.pytest_plugin.cassettes.telling import LINES_MAX, cassette_lines
from agentsim.pytest_plugin.cassettes.use import mode_of
from agentsim.pytest_plugin.options import RECORD_MODES, Settings
from tests.support.command import agentsim
from tests.support.inner import pytest_here

ASK = '''
import json

from agentsim.cassettes import RecordedRequest


def ask(cassette, text, system="You help.", model="gpt-5"):
    """Ask as a client does; what is live answers in capitals."""
    said = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    body = json.dumps({"model": model, "messages": said})
    request = RecordedRequest(url="https://api.example/v1/chat/completions", body=body)
    found = cassette.tape.answer(request, "openai-chat")
    if found is not None:
        return found.answer.body
    taking = cassette.tape.begin(request, "openai-chat")
    taking.head(200, {})
    taking.body(text.upper().encode())
    taking.end()
    return text.upper()
'''

TESTS = """
import os

import pytest
from asking import ask

SAID = os.environ.get("SAID", "hello")
SYSTEM = os.environ.get("SYSTEM", "You help.")


def test_one(cassette):
    assert ask(cassette, "hello") == "HELLO"
    assert os.environ.get("FAILS") is None


class TestMany:
    @pytest.mark.parametrize("word", ["a/b", "c"])
    def test_words(self, cassette, word):
        ask(cassette, word)


def test_swallows(cassette):
    for text in (SAID, "bye"):
        try:
            ask(cassette, text, SYSTEM)
        except Exception:
            pass
"""

RECORD = "--agentsim-record=record-missing"


def project(folder: Path, tests: str = TESTS) -> Path:
    """Write a project whose tests are in one file."""
    (folder / "asking.py").write_text(ASK, "utf-8")
    (folder / "conftest.py").write_text(
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\n", "utf-8"
    )
    (folder / "test_it.py").write_text(tests, "utf-8")
    return folder


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A project whose cassettes are recorded."""
    assert pytest_here(project(tmp_path), RECORD).code == 0
    return tmp_path


def told(out: str) -> list[str]:
    """The lines of the summary that are about cassettes."""
    return [line for line in out.splitlines() if line.startswith("agentsim: ")]


def files(folder: Path) -> list[str]:
    """The cassettes of a project."""
    return sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*.yaml*")
    )


def test_the_modes_are_those_of_a_tape() -> None:
    """The options know the modes without loading anything."""
    assert RECORD_MODES == MODES


def test_each_test_has_a_cassette_named_after_it(recorded: Path) -> None:
    """Its path is made of file, class, name and parameters; it says whose it is."""
    names = ("TestMany.test_words-a-b", "TestMany.test_words-c", "test_one")
    assert files(recorded) == [
        f"cassettes/test_it/{name}.yaml" for name in (*names, "test_swallows")
    ]
    first = load_cassette(recorded / "cassettes/test_it/TestMany.test_words-a-b.yaml")
    assert first.header.owner == "test_it.py::TestMany::test_words[a/b]"


def test_what_was_recorded_is_replayed_and_counted(recorded: Path) -> None:
    """Nothing is live any more; one line tells of all, and -v of each test."""
    done = pytest_here(recorded)
    assert done.code == 0
    assert told(done.out) == [
        "agentsim: cassettes (replay): 4 tests, 5 hits, 0 misses, 0 live, 0 untouched"
    ]
    done = pytest_here(recorded, "-v", "-k", "words", RECORD)
    assert "agentsim: cassettes: record-missing (--agentsim-record)" in done.out
    assert "agentsim:   test_it.py::TestMany::test_words[c]: record-missing: 1 hit" in (
        told(done.out)
    )


def test_without_a_cassette_a_test_fails_at_once(tmp_path: Path) -> None:
    """The sentence has the line that records it, and no frame of ours."""
    done = pytest_here(project(tmp_path), "-k", "words and c")
    assert (
        f"{tmp_path}/cassettes/test_it/TestMany.test_words-c.yaml: there is no such "
        "cassette: record it with `pytest 'test_it.py::TestMany::test_words[c]' "
        "--agentsim-record=record-missing`, which asks the real services" in done.out
    )
    assert (done.code, "use.py" in done.out) == (1, False)


def test_a_miss_that_was_swallowed_fails_the_test(recorded: Path) -> None:
    """With its text, the line that records again, and what had changed in the summary."""
    done = pytest_here(recorded, SYSTEM="You hinder.")
    assert done.code == 1
    assert "1 failed, 3 passed" in done.out
    assert done.out.count("was never recorded: the nearest is exchange") == 2
    assert "-content: You help.\n    +content: You hinder." in done.out
    line = "pytest test_it.py::test_swallows --agentsim-record=refresh"
    assert f"Record again: {line}" in done.out
    said = "replay: 2 misses, 2 untouched; changed: the system prompt"
    assert told(done.out)[1:] == [f"agentsim:   test_it.py::test_swallows: {said}"]


def test_a_miss_beside_another_failure_is_told(tmp_path: Path) -> None:
    """The failure of the test stays first; below it stands what was not recorded."""
    tests = TESTS.replace("            pass", "            assert SAID == 'hello'")
    assert pytest_here(project(tmp_path, tests), RECORD).code == 0
    done = pytest_here(tmp_path, "-k", "swallows", SAID="hi")
    assert re.search(
        r"assert 'hi' == 'hello'(.|\n)*and beside this failure: ", done.out
    )
    assert done.out.count("was never recorded") == 2  # as the cause too


def test_a_failing_test_keeps_its_old_cassette(recorded: Path) -> None:
    """What was recorded anew stands beside it, and takes its place when the test passes."""
    path = recorded / "cassettes/test_it/test_one.yaml"
    before = path.read_bytes()
    words = ("-k", "one", "--agentsim-record=record")
    done = pytest_here(recorded, *words, FAILS="1")
    assert done.code == 1
    assert "it failed: what it recorded is in test_one.yaml.new" in done.out
    assert path.read_bytes() == before
    assert [name for name in files(recorded) if name.endswith(".new")] == [
        "cassettes/test_it/test_one.yaml.new"
    ]
    path.write_bytes(before + b"# by hand\n")
    assert pytest_here(recorded, *words).code == 0
    assert b"# by hand" not in path.read_bytes()
    assert not [name for name in files(recorded) if name.endswith(".new")]


def test_two_tests_for_one_file_are_an_error_at_collection(tmp_path: Path) -> None:
    """Names that come to the same one are refused, in letters of other cases too."""
    tests = TESTS.replace('"a/b", "c"', '"a/b", "a b", "A-b"')
    done = pytest_here(project(tmp_path, tests), RECORD)
    assert done.code == 2
    assert "Interrupted: 2 errors during collection" in done.out
    assert (
        "test_it.py::TestMany::test_words[a b] and test_it.py::TestMany::test_words[a/b] "
        f"would use the same cassette, {tmp_path}/cassettes/test_it/TestMany.test_words-"
        "a-b.yaml: give one of them another name" in done.out
    )


def test_a_cassette_of_another_test_is_refused(recorded: Path) -> None:
    """A file that was moved to the name of another test says whose it is."""
    folder = recorded / "cassettes/test_it"
    (folder / "test_one.yaml").replace(folder / "test_swallows.yaml")
    done = pytest_here(recorded, "-k", "swallows")
    assert "was recorded for test_it.py::test_one, not for" in done.out


@pytest.mark.parametrize(
    ("flag", "marker", "ci", "mode"),
    [
        (None, None, "", "replay"),
        (None, "record", "", "record"),
        (None, "record", "false", "record"),
        (None, "record", "true", "replay"),
        (None, "replay", "true", "replay"),
        ("record-missing", "record", "true", "record-missing"),
        ("record", None, "1", "record"),
        ("replay", "record", "", "replay"),
        ("refresh", "replay", "", "refresh"),
    ],
)
def test_there_is_one_mode(
    monkeypatch: pytest.MonkeyPatch,
    flag: str | None,
    marker: str | None,
    ci: str,
    mode: str,
) -> None:
    """The command line goes before the marker, which records nothing where CI is set."""
    monkeypatch.setenv("CI", ci)
    declared = {} if marker is None else {"mode": marker}
    found = mode_of(declared, Settings(record=flag))
    ignored = flag is None and marker == "record" and ci == "true"
    assert (found.mode, bool(found.note)) == (mode, ignored)


def test_the_mode_of_a_marker_counts_but_in_ci(tmp_path: Path) -> None:
    """It records as the marker says; where that is not done, the summary says why."""
    mark = "import pytest\n@pytest.mark.agentsim_cassette(mode='record')\n"
    project(tmp_path, f"{mark}def test_it(cassette): pass\n")
    assert "cassettes (record): 1 test, 0 hits" in pytest_here(tmp_path).out
    done = pytest_here(tmp_path, CI="true")
    assert "replay: nothing was asked for; it replays, though its marker" in done.out


@settings(max_examples=40)
@given(st.text("a\u00e4_.:[]/ \n-", max_size=300))
def test_every_name_of_a_test_makes_a_file_name(inside: str) -> None:
    """It has letters, digits and `_.-` only, fits, and is the same each time."""
    name = file_name(inside)
    assert re.fullmatch(r"[\w.-]*", name)
    assert len(name.encode()) <= NAME_BYTES_MAX + len("-12345678")
    assert name == file_name(inside)


def test_long_names_that_differ_at_their_ends_stay_apart() -> None:
    """What is cut off counts in what stands for it."""
    assert file_name("a" * 200) != file_name("a" * 199 + "b")


def test_only_so_many_odd_tests_are_told() -> None:
    """The others are counted; -v tells of all."""
    quiet = {"mode": "replay", "hits": 1, "misses": 0, "live": 0, "untouched": []}
    use = {**quiet, "untouched": [1], "changes": [], "notes": []}
    uses = {f"test_{number}": use for number in range(LINES_MAX + 2)}
    lines = [*cassette_lines(uses, verbose=False)]
    assert len(lines) == LINES_MAX + 2
    assert lines[-1] == "agentsim:   and 2 more tests: -v tells them all"
    assert len([*cassette_lines(uses, verbose=True)]) == LINES_MAX + 3


def test_wrong_words_are_refused(tmp_path: Path) -> None:
    """A mode, a field or a path that is none is named, with what there is."""
    done = pytest_here(project(tmp_path), "--agentsim-record=replya")
    assert done.code == 4
    assert "--agentsim-record: expected one of replay, record, record-" in done.out
    marks = ('mod="x"', 'mode="x"', "3", '"a", "b"')
    tests = "import pytest\n" + "".join(
        f"@pytest.mark.agentsim_cassette({mark})\ndef test_{n}(): pass\n"
        for n, mark in enumerate(marks)
    )
    done = pytest_here(project(tmp_path, tests))
    assert "4 errors" in done.out
    assert "mark.agentsim_cassette has no field 'mod'; did you mean 'mode'?" in done.out
    assert "mark.agentsim_cassette, mode: expected one of replay, rec" in done.out
    assert "mark.agentsim_cassette, path: expected a path, got 3" in done.out
    assert "mark.agentsim_cassette takes a path, and all else by name" in done.out


MARKED = """
import pytest
from asking import ask

pytestmark = pytest.mark.agentsim_cassette(redact="secret [a-z]+", volatile=[r"#[0-9]+"])


@pytest.mark.agentsim_cassette("shared.yaml", secrets=["open"], allow_hosts="x")
@pytest.mark.parametrize("number", [1, 2])
def test_shared(cassette, number):
    assert ask(cassette, f"secret word, open #{number}").startswith("SECRET WORD")


@pytest.mark.agentsim_cassette(fail_unused=True)
def test_unused(cassette, request):
    if request.config.option.agentsim_record:
        ask(cassette, "a")
        ask(cassette, "b")
    ask(cassette, "b")
"""


def test_markers_add_up(tmp_path: Path) -> None:
    """Patterns of all markers count; a file that one names has no owner and may be shared."""
    project(tmp_path, MARKED)
    done = pytest_here(tmp_path, RECORD)
    assert done.code == 0
    assert "test_shared[2]: record-missing: 1 hit" not in done.out  # nothing odd
    text = (tmp_path / "shared.yaml").read_text("utf-8")
    assert ("secret word" in text, "open #1" in text, "owner" in text) == (False,) * 3
    assert len(load_cassette(tmp_path / "shared.yaml").exchanges) == 1
    done = pytest_here(tmp_path)
    assert "test_unused.yaml: these entries were not asked for: 1, 3" in done.out
    assert "1 failed, 2 passed" in done.out
    done = pytest_here(tmp_path, "--agentsim-record=record", "-k", "shared")
    assert "2 tests use this cassette, and each would replace what" in done.out


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
    done = pytest_here(recorded)
    assert (done.code, len(told(done.out))) == (0, 2)
    assert re.search(r"recorded \d+ days ago, more than 30", told(done.out)[1])
    done = pytest_here(recorded, "--agentsim-fail-old")
    assert "1 failed, 3 passed" in done.out
    assert re.search(r"E .*test_one.yaml: its cassette was recorded \d+ days", done.out)
    done = pytest_here(recorded, "--agentsim-record=refresh")
    assert "cassettes (refresh): 4 tests, 4 hits, 0 misses, 1 live, 0" in done.out
    assert len(told(pytest_here(recorded).out)) == 1


def test_all_cassettes_can_be_in_one_folder(tmp_path: Path) -> None:
    """The folder has a place for each file of tests, seen from pytest's root."""
    project(tmp_path)
    deep = tmp_path / "deep" / ("d" * 80)
    deep.mkdir(parents=True)
    name = f"test_{'long' * 60}"
    (deep / "test_other.py").write_text(f"def {name}(cassette): pass\n", "utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nagentsim_cassette_dir = recordings\n", "utf-8"
    )
    assert pytest_here(tmp_path, RECORD).code == 0
    found = files(tmp_path)
    assert "recordings/test_it/test_one.yaml" in found
    [long] = [one for one in found if "other" in one]
    assert re.fullmatch(
        rf"recordings/deep/d+/test_other/{name[:150]}-[0-9a-f]+.yaml", long
    )
    assert load_cassette(tmp_path / long).header.owner.startswith("deep/d")
    assert pytest_here(tmp_path).code == 0
    assert agentsim("cassette", "check", str(tmp_path)).code == 0


OWN = """
import pytest


@pytest.fixture
def cassette():
    return "mine"


@pytest.mark.parametrize("word", ["a b", "a/b"])
def test_own(cassette, word):
    assert cassette == "mine"
"""


def test_a_fixture_of_that_name_is_let_be(tmp_path: Path) -> None:
    """A project with a fixture `cassette` of its own notices nothing."""
    done = pytest_here(project(tmp_path, OWN))
    assert (done.code, told(done.out)) == (0, [])
    assert not (tmp_path / ".agentsim").exists()


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
    assert pytest_here(tmp_path, RECORD).code == 0
    assert "1 test, 1 hit, 0 misses" in pytest_here(tmp_path).out
    (tmp_path / "test_it.py").write_text(tests.replace("'a'", "'b'"), "utf-8")
    assert "1 failed" in pytest_here(tmp_path).out


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
    done = pytest_here(tmp_path, *with_anyio, "--agentsim-record=record")
    assert done.code == 0, done.out
    assert "a replay gives results as JSON has them, of where" in done.out
    done = pytest_here(tmp_path, *with_anyio)
    assert done.code == 0, done.out
    assert "3 tests, 3 hits, 0 misses, 0 live, 0 untouched" in done.out


def test_what_runs_saw_is_what_check_lists(recorded: Path) -> None:
    """A changed prompt, a test that is gone, and one that was only renamed by a parameter."""
    pytest_here(recorded, SYSTEM="You hinder.")
    tests = TESTS.replace("def test_one", "def test_won").replace('"c"', '"d"')
    (recorded / "test_it.py").write_text(tests, "utf-8")
    pytest_here(recorded, "--collect-only")
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
    done = pytest_here(recorded)
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
    assert pytest_here(tmp_path, RECORD, "--agentsim-no-network").code == 0
    for flags in ([], ["--agentsim-no-network"]):
        done = pytest_here(tmp_path, *flags)
        assert (done.code, "1 failed" in done.out) == (1, True)
        assert "asked for a connection to 192.0.2.1:9" in done.out


def test_clients_that_nobody_sees_are_a_note(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written in C and loaded is told once in all, and fails no test."""
    monkeypatch.setitem(sys.modules, "pycurl", None)
    done = pytest_here(recorded)
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
    assert pytest_here(tmp_path, RECORD).code == 0
    done = pytest_here(tmp_path)
    assert (done.code, len(told(done.out))) == (0, 1)
