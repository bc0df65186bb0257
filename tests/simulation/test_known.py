"""Known failures come first, are kept whatever happens beside, and lie about nothing."""

from __future__ import annotations

import json
import os
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import Env, ToolFailed
from agentsim.runtime import reference
from agentsim.simulation import (
    Exploration,
    KnownFailure,
    KnownFailures,
    Menu,
    Scenario,
    explore,
)
from tests.simulation.fakes import obedient, reading

MENU = Menu(faults=("raises", "slow"))

MENDED = [False]


async def agent(env: Env) -> object:
    """Fail where a tool does, until it is mended."""
    try:
        return await obedient(env)
    except ToolFailed:
        return "a tool failed" if MENDED[0] else f"failed {1 // 0}"


@pytest.fixture(autouse=True)
def broken() -> None:
    """The agent is broken when a test begins."""
    MENDED[0] = False


def explored(
    folder: Path, story: Scenario | None = None, *, deviations: int = 1
) -> Exploration:
    """An exploration that keeps its failures in a folder."""
    story = reading() if story is None else story
    return explore(story, agent, deviations=deviations, menu=MENU, known=folder)


def the_file(folder: Path) -> Path:
    """The one file of known failures."""
    (path,) = folder.glob("*.json")
    return path


def entry(number: int = 0) -> KnownFailure:
    """An entry that nothing has."""
    return KnownFailure("ends", "the run does not end", f"{number}:1~abcd", ("slow",))


def store(folder: Path, story: Scenario | None = None) -> KnownFailures:
    """The store of the agent in a story."""
    story = reading() if story is None else story
    return KnownFailures(folder, story, "mine:agent", MENU)


def test_a_failure_is_kept_and_comes_first(tmp_path: Path) -> None:
    """The next exploration shows it though it makes no run that does."""
    first = explored(tmp_path)
    assert (first.known is not None, first.violated_runs) == (True, 1)
    again = explored(tmp_path, deviations=0)
    assert (again.runs, again.violated_runs, again.complete) == (1, 0, True)
    assert again.status == "violated"
    (failure,) = again.failures
    assert (failure.known, failure.runs) == (True, 0)
    assert failure.run.token == first.failures[0].run.token
    assert again.known is not None
    assert [one.token for one in again.known.failing] == [failure.run.token]


def test_what_is_mended_is_told_and_removed(tmp_path: Path) -> None:
    """With the last known failure its file goes."""
    explored(tmp_path)
    MENDED[0] = True
    found = explored(tmp_path)
    assert found.status == "holds"
    assert found.known is not None
    assert [one.invariant for one in found.known.mended] == ["result-always"]
    assert not list(tmp_path.glob("*.json"))
    later = explored(tmp_path)
    assert later.known is not None
    assert later.known.replayed == ()


def test_what_no_longer_fits_is_told_and_dropped(tmp_path: Path) -> None:
    """The token of a story that was changed since can't be replayed."""
    explored(tmp_path)
    found = explored(tmp_path, reading(task="How empty is the disk?"), deviations=0)
    assert found.known is not None
    assert [one.invariant for one in found.known.dropped] == ["result-always"]
    assert found.status == "holds"
    assert not list(tmp_path.glob("*.json"))


def test_other_stories_agents_and_menus_have_other_files(tmp_path: Path) -> None:
    """What is known of one is no news of another."""
    explored(tmp_path)
    explore(
        reading(), agent, deviations=1, menu=Menu(faults=("raises",)), known=tmp_path
    )
    explored(tmp_path, reading(name="another"))
    assert len(list(tmp_path.glob("*.json"))) == 3


def test_the_file_is_readable_and_ignored_by_git(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """It says what failed how; the folder holds nothing that belongs into a repository."""
    explored(tmp_path / "kept")
    assert (tmp_path / "kept" / ".gitignore").read_text("utf-8") == "*\n"
    text = the_file(tmp_path / "kept").read_text("utf-8")
    assert re.sub(r"py:\d+", "py:N", text) == snapshot


def test_nothing_is_written_where_nothing_fails(tmp_path: Path) -> None:
    """An agent that holds leaves no folder behind."""
    explore(reading(), deviations=0, menu=MENU, known=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_failure_that_does_not_repeat_is_not_kept(tmp_path: Path) -> None:
    """There is no token that could show it."""
    runs: list[int] = []

    async def counting(env: Env) -> object:
        runs.append(0)
        return "else" if len(runs) % 2 else await reference(env)

    found = explore(reading(), counting, deviations=0, menu=MENU, known=tmp_path)
    assert "runs-independent" in found.violations
    texts = [path.read_text("utf-8") for path in tmp_path.glob("*.json")]
    assert not any("runs-independent" in text for text in texts)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        bytes(range(256)),
        b'{"agentsim_known_failures": 2}',
        b'{"agentsim_known_failures": 1, "scenario": "other"}',
        b"[" * 100_000,
    ],
)
def test_a_file_that_is_not_ours_is_told_and_left_alone(
    content: bytes, tmp_path: Path
) -> None:
    """It neither stops an exploration nor is lost by it."""
    explored(tmp_path)
    path = the_file(tmp_path)
    path.write_bytes(content)
    found = explored(tmp_path)
    assert found.known is not None
    (note,) = found.known.notes
    assert note.endswith("is no file of known failures of this run: left alone")
    assert path.read_bytes() == content


@pytest.mark.parametrize("device", ["/dev/zero", "a pipe"])
def test_what_would_be_read_for_ever_is_left_alone(tmp_path: Path, device: str) -> None:
    """A device or a pipe in the place of the file is no file of ours."""
    mine = store(tmp_path)
    if device == "a pipe":
        os.mkfifo(mine.path)
    else:
        mine.path.symlink_to(device)
    assert mine.load() == ()
    mine.update([], [entry()])
    assert mine.notes == [
        f"{mine.path} is no file of known failures of this run: left alone"
    ]


def test_a_lock_that_leads_elsewhere_empties_nothing(tmp_path: Path) -> None:
    """What a link in the folder points to keeps what it holds."""
    other = tmp_path / "other.txt"
    other.write_text("precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".lock").symlink_to(other)
    store(tmp_path / "folder").update([], [entry()])
    assert other.read_text() == "precious"


def test_no_more_is_replayed_than_is_kept(tmp_path: Path) -> None:
    """A file that something else made long does not make the exploration long."""
    mine = store(tmp_path)
    mine.update([], [entry()])
    data = json.loads(mine.path.read_text())
    failures = data["failures"]
    data["failures"] = [{**failures[0], "token": f"{n}:1~abcd"} for n in range(30)] * 2
    mine.path.write_text(json.dumps(data))
    assert mine.load() == tuple(entry(number) for number in range(10, 30))


def test_an_entry_that_is_none_makes_a_file_not_ours(tmp_path: Path) -> None:
    """A token of another form, or a field too many, is no entry of ours."""
    kept = store(tmp_path)
    kept.update((), [entry()])
    data = json.loads(kept.path.read_text("utf-8"))
    for change in ({"token": "x"}, {"more": 1}, {"kind": 3}, {"deviations": 3}):
        bad = {**data, "failures": [{**data["failures"][0], **change}]}
        kept.path.write_text(json.dumps(bad), "utf-8")
        assert store(tmp_path).load() == ()


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    """The exploration has its result all the same."""
    (tmp_path / "kept").write_text("a file", "utf-8")
    found = explored(tmp_path / "kept")
    assert found.status == "violated"
    assert found.known is not None
    assert any(note.startswith("can't keep known") for note in found.known.notes)


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    """At most twenty are kept, and that some are dropped is told."""
    kept = store(tmp_path)
    kept.update((), map(entry, range(25)))
    assert [one.token for one in kept.load()] == [f"{n}:1~abcd" for n in range(5, 25)]
    assert kept.notes == ["5 known failures are over 20: dropped"]


def test_what_others_write_meanwhile_stays(tmp_path: Path) -> None:
    """Stores that add and remove at the same time lose nothing of each other."""
    store(tmp_path).update((), [entry(100)])

    def add(number: int) -> None:
        mine = store(tmp_path)
        before = mine.load()
        mine.update([one for one in before if one == entry(100)], [entry(number)])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tokens = sorted(one.token for one in store(tmp_path).load())
    assert tokens == sorted(entry(number).token for number in range(12))
    assert not list(tmp_path.glob("*.new"))


def test_the_same_failure_is_kept_once(tmp_path: Path) -> None:
    """Whoever finds it again only confirms it."""
    for _ in range(2):
        explored(tmp_path)
        store(tmp_path).update((), [entry(), entry()])
    assert store(tmp_path).load() == (entry(),)
    kinds = json.loads(min(tmp_path.glob("reading-agent-*.json")).read_text("utf-8"))
    assert len(kinds["failures"]) == 1
    assert replace(entry(), kind="x") != entry()
