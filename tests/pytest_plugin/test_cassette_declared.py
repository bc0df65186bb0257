"""Which cassette a test has, and how it is used: by names, markers and options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import load_cassette
from agentsim.cassettes.tape import MODES
from agentsim.pytest_plugin.cassettes.naming import NAME_BYTES_MAX, file_name
from agentsim.pytest_plugin.cassettes.use import mode_of
from agentsim.pytest_plugin.options import RECORD_MODES, Settings
from tests.pytest_plugin.cassettes import RECORD, TESTS, files, project, told
from tests.support.command import agentsim
from tests.support.inner import run_here


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


def test_two_tests_for_one_file_are_an_error_at_collection(tmp_path: Path) -> None:
    """Names that come to the same one are refused, in letters of other cases too."""
    tests = TESTS.replace('"a/b", "c"', '"a/b", "a b", "A-b"')
    done = run_here(project(tmp_path, tests), RECORD)
    assert done.code == 2
    assert "Interrupted: 2 errors during collection" in done.out
    assert (
        "test_it.py::TestMany::test_words[a b] and test_it.py::TestMany::test_words[a/b] "
        "would use the same cassette, cassettes/test_it/TestMany.test_words-"
        "a-b.yaml: give one of them another name" in done.out
    )


def test_a_cassette_of_another_test_is_refused(recorded: Path) -> None:
    """A file that was moved to the name of another test says whose it is."""
    folder = recorded / "cassettes/test_it"
    (folder / "test_one.yaml").replace(folder / "test_swallows.yaml")
    done = run_here(recorded, "-k", "swallows")
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
    assert "cassettes (record): 1 test, 0 hits" in run_here(tmp_path).out
    done = run_here(tmp_path, CI="true")
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


def test_wrong_words_are_refused(tmp_path: Path) -> None:
    """A mode, a field or a path that is none is named, with what there is."""
    done = run_here(project(tmp_path), "--agentsim-record=replya")
    assert done.code == 4
    assert "--agentsim-record: expected one of replay, record, record-" in done.out
    marks = ('mod="x"', 'mode="x"', "3", '"a", "b"', "redact=[3]")
    ages = ('max_age="x"', "max_age=True", "max_age=-1", "timed=1")
    tests = "import pytest\n" + "".join(
        f"@pytest.mark.agentsim_cassette({mark})\ndef test_{n}(): pass\n"
        for n, mark in enumerate((*marks, *ages))
    )
    done = run_here(project(tmp_path, tests))
    assert "9 errors" in done.out
    assert "redact: expected a text or a list of them, got 3" in done.out
    assert done.out.count("max_age: expected days from 0 on, got ") >= 3
    assert "timed: expected True or False, got 1" in done.out
    assert "mark.agentsim_cassette has no field 'mod'; did you mean 'mode'?" in done.out
    assert "mark.agentsim_cassette, mode: expected one of replay, rec" in done.out
    assert "mark.agentsim_cassette, path: expected a path, got 3" in done.out
    assert "mark.agentsim_cassette takes a path, and all else by name" in done.out


MARKED = """
import pytest
from asking import ask

pytestmark = pytest.mark.agentsim_cassette(redact="secret [a-z]+", volatile=[r"#[0-9]+"])


@pytest.mark.agentsim_cassette("shared.yaml", secrets=["open", None], allow_hosts="x")
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
    done = run_here(tmp_path, RECORD)
    assert done.code == 0
    assert "test_shared[2]: record-missing: 1 hit" not in done.out  # nothing odd
    text = (tmp_path / "shared.yaml").read_text("utf-8")
    assert ("secret word" in text, "open #1" in text, "owner" in text) == (False,) * 3
    assert len(load_cassette(tmp_path / "shared.yaml").exchanges) == 1
    done = run_here(tmp_path)
    assert "test_unused.yaml: these entries were not asked for: 1, 3" in done.out
    assert "1 failed, 2 passed" in done.out
    done = run_here(tmp_path, "--agentsim-record=record", "-k", "shared")
    assert "2 tests use this cassette, and each would replace what" in done.out


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
    assert run_here(tmp_path, RECORD).code == 0
    found = files(tmp_path)
    assert "recordings/test_it/test_one.yaml" in found
    [long] = [one for one in found if "other" in one]
    assert re.fullmatch(
        rf"recordings/deep/d+/test_other/{name[:150]}-[0-9a-f]+.yaml", long
    )
    assert load_cassette(tmp_path / long).header.owner.startswith("deep/d")
    assert run_here(tmp_path).code == 0
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


DIRECT = """
import pytest


@pytest.mark.parametrize("cassette", ["a b", "a/b"])
def test_direct(cassette):
    assert cassette.startswith("a")
"""


def test_a_fixture_of_that_name_is_let_be(tmp_path: Path) -> None:
    """A project with a fixture or a parameter `cassette` of its own notices nothing."""
    (tmp_path / "test_direct.py").write_text(DIRECT, "utf-8")
    done = run_here(project(tmp_path, OWN))
    assert (done.code, told(done.out)) == (0, [])
    assert not (tmp_path / ".agentsim").exists()
