"""Which cassettes are stale, unused or orphaned, told without running anything."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentsim.cassettes import (
    CassetteHeader,
    CassetteWriter,
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.staleness import (
    CheckedCassette,
    NotedUse,
    check_cassettes,
    file_digest,
    load_notes,
    update_notes,
)
from agentsim.cassettes.staleness.owners import find_owner
from agentsim.core import CassetteError, UsageError

NOW = datetime(2026, 11, 30, tzinfo=UTC)

TESTS = """
import sys
from unittest import mock as test_imported

class Base:
    def test_inherited(self): ...

class TestPay(Base):
    def test_once(self): ...
    class TestInner:
        async def test_deep(self): ...

class TestElsewhere(test_imported.Other):
    pass

@test_imported.patch("x")
class TestDecorated: ...

class TestRound(object, TestPay, Base): ...

test_typed: object = None

if sys.platform != "win32":
    try:
        def test_unix(): ...
    except ImportError:
        test_made = lambda: None

match sys.platform:
    case "linux":
        def test_matched(): ...
"""


def cassette(path: Path, owner: str = "", recorded_at: str = "2026-11-01") -> Path:
    """Write a cassette of two exchanges and a call."""
    header = CassetteHeader(owner=owner, recorded_at=recorded_at)
    with CassetteWriter(path, header) as writer:
        for number in (1, 3):
            writer.add(RecordedExchange(number, RecordedRequest(), RecordedAnswer()))
        writer.add(RecordedTool(2, "look"))
    return path


def told(checked: CheckedCassette) -> dict[str, str]:
    """What is wrong with a cassette, by kind."""
    return {finding.kind: finding.words for finding in checked.findings}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a file of tests, and the cassette of one of them."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_pay.py").write_text(TESTS, "utf-8")
    cassette(tmp_path / "tests/cassettes/test_pay/once.yaml", "test_pay.py::test_unix")
    return tmp_path


@pytest.mark.parametrize(
    "inside",
    [
        "TestPay::test_once",
        "TestPay::test_inherited[a::b]",
        "TestPay::TestInner::test_deep",
        "TestElsewhere::test_it",
        "TestDecorated::test_it",
        "TestRound::test_once",
        "test_typed",
        "test_unix[1]",
        "test_made",
        "test_matched",
        "test_imported",
    ],
)
def test_a_test_is_found_by_its_syntax(project: Path, inside: str) -> None:
    """In classes, bases and branches; where something else defines it, it may be there."""
    owner = find_owner(project / "tests/cassettes/a.yaml", f"test_pay.py::{inside}")
    assert (owner.file, owner.gone) == (project / "tests/test_pay.py", "")


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("test_pay.py::test_gone[1]", "test_pay.py has no test_gone any more"),
        ("test_pay.py::TestPay::test_gone", "test_pay.py has no TestPay.test_gone any"),
        ("test_pay.py::TestRound::test_gone", "has no TestRound.test_gone any more"),
        ("test_pay.py::test_unix::test_in", "test_pay.py has no test_unix.test_in any"),
        ("test_old.py::test_unix", "there is no test_old.py above it any more"),
    ],
)
def test_a_test_that_is_gone_leaves_an_orphan(
    project: Path, name: str, gone: str
) -> None:
    """A cassette whose test's file or function is not there any more is orphaned."""
    cassette(project / "tests/cassettes/test_pay/gone.yaml", name)
    (project.parent / "test_old.py").touch()  # above the project, so none of it
    gone_one, other = check_cassettes([project], NOW)
    assert gone in told(gone_one)["orphaned"]
    assert "change `owner` in its header" in told(gone_one)["orphaned"]
    assert told(other) == {}


def test_what_is_no_python_file_is_only_looked_for(project: Path) -> None:
    """Of tests in other files, and of an owner that names no place, the file has to be there."""
    (project / "story.md").touch()
    for owner in ("story.md::line 3", "tests/test_pay.py"):
        assert find_owner(project / "a.yaml", owner).gone == ""


def test_what_is_no_python_does_not_make_orphans(project: Path) -> None:
    """A file of tests that can't be read is told, and says nothing of its tests."""
    (project / "tests" / "test_pay.py").write_text("def", "utf-8")
    [checked] = check_cassettes([project], NOW)
    assert checked.findings == ()
    assert "test_pay.py is no Python that can be read" in checked.unknown[0]


def test_age_counts_only_when_asked_for(project: Path) -> None:
    """A cassette is old by the date of its header; without one that can't be told."""
    undated = cassette(project / "undated.yaml", recorded_at="")
    assert [told(one) for one in check_cassettes([project], NOW)] == [{}, {}]
    dated, other = check_cassettes([project / "tests", undated], NOW, 28.5)
    assert told(dated) == {"old": "recorded 29 days ago"}
    assert dated.age_days == 29
    assert other.age_days is None
    assert other.unknown[0] == "how old it is: its header has no `recorded_at`"


def test_what_cannot_be_read_is_told(project: Path) -> None:
    """A broken cassette, one that was cut, and one that never took its place are listed."""
    whole = project / "tests/cassettes/test_pay/once.yaml"
    text = whole.read_text("utf-8")
    (project / "a.yaml").write_text(text + "---\nkind: exch", "utf-8")
    (project / "b.yaml").write_text(text.replace("number: 1", "number: x"), "utf-8")
    (project / "c.yaml.new").write_text(text, "utf-8")
    (project / "other.yaml").write_text("jobs: []\n", "utf-8")
    (project / ".hidden").mkdir()
    (project / ".hidden" / "d.yaml").write_text(text, "utf-8")
    (project / "pipe.yaml").symlink_to(project / "nowhere.yaml")
    assert file_digest(project / "pipe.yaml") == ""
    found = {one.file.name: one for one in check_cassettes([project], NOW)}
    assert list(found) == ["a.yaml", "b.yaml", "c.yaml.new", "once.yaml"]
    assert "14 bytes of a document" in told(found["a.yaml"])["unfinished"]
    assert told(found["b.yaml"])["unreadable"].startswith("8: number: expected")
    assert "did not take the place" in told(found["c.yaml.new"])["unfinished"]
    with pytest.raises(UsageError, match="no such file or folder"):
        check_cassettes([project / "nowhere"], NOW)


NAME = "tests/cassettes/test_pay/once.yaml"
TEST = "tests/test_pay.py::test_unix"


def noted(project: Path, use: NotedUse | None, **asking: str) -> CheckedCassette:
    """The cassette of the project, after a run that noted this."""
    uses = {} if use is None else {TEST: use}
    update_notes(project, asking or {TEST: NAME}, uses, ["tests"])
    [checked] = check_cassettes([project], NOW)
    return checked


def test_what_changed_is_told_apart(project: Path) -> None:
    """Model, prompt, tools and anything else have names of their own; in replay they count."""
    digest = file_digest(project / NAME)
    kinds = ("model", "prompt", "tools", "conversation")
    changes = tuple((kind, f"the {kind}") for kind in kinds)
    use = NotedUse(passed=False, digest=digest, misses=1, changes=changes)
    checked = noted(project, use)
    differed = "when its test last ran, this differed: the"
    assert told(checked) == {
        "model": f"{differed} model",
        "prompt": f"{differed} prompt",
        "tools": f"{differed} tools",
        "request": f"{differed} conversation",
    }
    assert checked.stale
    assert checked.tests == ((project / "tests/test_pay.py", "test_unix"),)
    use = NotedUse(passed=False, digest=digest, misses=1)
    words = "its test last made a call that is not in it"
    assert told(noted(project, use)) == {"request": words}
    use = NotedUse("record-missing", digest=digest, misses=1, changes=changes)
    assert told(noted(project, use)) == {}


def test_what_nobody_asked_for_is_told(project: Path) -> None:
    """Entries that all tests of a cassette left out, if they passed with it as it is."""
    digest = file_digest(project / NAME)
    use = NotedUse(digest=digest, untouched=(2, 3))
    words = "2 of its 3 entries were not asked for: call 2 of look, exchange 3"
    assert told(noted(project, use)) == {"untouched": words}
    assert told(noted(project, NotedUse(passed=False, digest=digest))) == {}
    other = noted(project, NotedUse(digest="other", untouched=(2, 3)))
    assert told(other) == {}
    assert "did not run with it" in other.unknown[0]
    second = NotedUse(digest=digest, untouched=(1, 2))
    asking = {TEST: NAME, f"{TEST}[2]": NAME}
    update_notes(project, asking, {TEST: use, f"{TEST}[2]": second})
    [checked] = check_cassettes([project], NOW)
    assert "1 of its 3 entries were not asked for: call 2" in told(checked)["untouched"]


def test_unused_is_told_only_once_all_tests_are_known(project: Path) -> None:
    """A cassette that no test asks for is unused, when a run collected all of them."""
    [checked] = check_cassettes([project], NOW)
    assert checked.unknown == ("who asks for it: no run of all its tests is noted",)
    update_notes(project, {"tests/test_b.py::test_b": "b.yaml"}, {})
    [checked] = check_cassettes([project], NOW)
    assert told(checked) == {}
    update_notes(project, {"tests/test_b.py::test_b": "b.yaml"}, {}, ["tests"])
    ownerless = cassette(project / "tests" / "a.yaml")
    unknown, unused = check_cassettes([project], NOW)
    assert told(unused) == {
        "unused": "no test asks for it; it was recorded for test_pay.py::test_unix"
    }
    assert (unknown.file, told(unknown)) == (ownerless, {})
    assert "it has no owner" in unknown.unknown[0]


def test_notes_of_runs_come_together(tmp_path: Path) -> None:
    """What a run did not collect stays noted; what it did and is gone, goes."""
    one, two = NotedUse(hits=1, changes=(("model", "x"),)), NotedUse(hits=2)
    update_notes(tmp_path, {}, {})
    assert load_notes(tmp_path) is None  # nothing to note, so no file
    update_notes(tmp_path, {"a/x.py::a": "a", "b.py::b": "b"}, {"a/x.py::a": one})
    update_notes(tmp_path, {"b.py::b": "b"}, {"b.py::b": two}, ["b.py"])
    update_notes(tmp_path, {"b.py::b": "b"}, {})
    notes = load_notes(tmp_path)
    assert notes is not None
    assert {name: test.use for name, test in notes.tests.items()} == {
        "a/x.py::a": one,
        "b.py::b": two,
    }
    assert (notes.knows_all("b.py"), notes.knows_all("a/x.py")) == (True, False)
    update_notes(tmp_path, {"b.py::b": "c"}, {}, ["."])
    notes = load_notes(tmp_path)
    assert notes is not None
    assert notes.whole == (".",)
    assert {name: test.use for name, test in notes.tests.items()} == {"b.py::b": None}
    assert (tmp_path / ".agentsim" / ".gitignore").read_text("utf-8") == "*\n"


def test_sessions_that_end_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each writes all it knows, after the other."""

    def end(number: int) -> None:
        update_notes(tmp_path, {f"t.py::{number}": f"{number}"}, {})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(end, range(24)))
    notes = load_notes(tmp_path)
    assert notes is not None
    assert len(notes.tests) == 24


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"agentsim_cassette_notes": 2, "whole": [], "tests": {}}',
        '{"agentsim_cassette_notes": 1, "whole": [], "tests": {"a": {}}}',
        '{"agentsim_cassette_notes": 1, "whole": [], "tests": {"a": {"use": {}}}}',
    ],
)
def test_notes_that_cannot_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    """The sentence says what to do; nothing overwrites what may be somebody else's."""
    path = tmp_path / ".agentsim" / "cassettes.json"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    for act in (load_notes, lambda root: update_notes(root, {"a": "b"}, {})):
        with pytest.raises(CassetteError, match="delete the file, and run pytest"):
            act(tmp_path)
    assert path.read_text("utf-8") == text


def test_notes_can_be_read_by_people(tmp_path: Path) -> None:
    """They are JSON, one value a line, in the order of the tests."""
    use = NotedUse(hits=3, untouched=(2,))
    update_notes(tmp_path, {"t.py::b": "b", "t.py::a": "a"}, {"t.py::b": use}, ["t.py"])
    text = (tmp_path / ".agentsim" / "cassettes.json").read_text("utf-8")
    data = json.loads(text)
    assert list(data["tests"]) == ["t.py::a", "t.py::b"]
    assert data["tests"]["t.py::b"]["use"]["untouched"] == [2]
    assert '"whole": [\n  "t.py"\n ]' in text
