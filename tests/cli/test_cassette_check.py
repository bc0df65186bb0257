"""`agentsim cassette check` on a project, without running its tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.cassettes import CassetteHeader, CassetteWriter
from agentsim.cassettes.staleness import NotedUse, file_digest, update_notes
from tests.support.command import agentsim

TESTS = "def test_prompt(): ...\ndef test_unused(): ...\ndef test_shared(): ...\n"

PROMPT = "tests/test_it.py::test_prompt[a b]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the working directory, with something of each kind."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TESTS, "utf-8")
    for name in ("prompt", "unused", "shared", "gone"):
        owner = f"test_it.py::test_{name}" * (name != "shared")
        write(tmp_path / f"tests/cassettes/test_it/{name}.yaml", owner)
    (tmp_path / "tests" / "cut.yaml").write_text("---\nagentsim_cassette: 1\n", "utf-8")
    return tmp_path


def write(path: Path, owner: str) -> None:
    """Write an empty cassette of the year 2000."""
    CassetteWriter(path, CassetteHeader(recorded_at="2000-01-01", owner=owner)).close()


def note(project: Path) -> None:
    """Note a run in which one test missed, and two shared a cassette."""
    files = "tests/cassettes/test_it"
    asking = {PROMPT: f"{files}/prompt.yaml"}
    asking |= {f"tests/test_it.py::test_{n}": f"{files}/shared.yaml" for n in "ab"}
    digest = file_digest(project / files / "prompt.yaml")
    use = NotedUse(passed=False, digest=digest, changes=(("prompt", "the prompt"),))
    update_notes(project, asking, {PROMPT: use}, ["tests"])


def test_what_is_wrong_is_listed(project: Path, snapshot: SnapshotAssertion) -> None:
    """Each finding is a line; the last one records exactly the stale ones again."""
    before = agentsim("cassette", "check", "tests")
    assert (before.code, before.err) == (1, "")
    assert before.out == snapshot
    note(project)
    done = agentsim("cassette", "check", "--max-age", "30")
    assert (done.code, done.err) == (1, "")
    days = done.out.partition("recorded ")[2].split()[0]
    assert int(days) > 9_000
    assert done.out.replace(days, "N") == snapshot


def test_the_verdict_is_the_exit_code(project: Path) -> None:
    """0 when nothing is wrong, 1 when something is, 2 when that can't be told, 3 for misuse."""
    note(project)
    data = agentsim("cassette", "check", "--json").data
    assert data["verdict"] == "violated"
    assert data["refresh"].startswith("pytest 'tests/test_it.py::test_prompt[a b]' --")
    [row] = [row for row in data["cassettes"] if row["file"].endswith("prompt.yaml")]
    assert row.pop("age_days") > 9_000
    assert row == {
        "file": "tests/cassettes/test_it/prompt.yaml",
        "owner": "test_it.py::test_prompt",
        "recorded_at": "2000-01-01",
        "exchanges": 0,
        "tests": [PROMPT],
        "findings": [
            {
                "kind": "prompt",
                "words": "when its test last ran, this differed: the prompt",
            }
        ],
        "unknown": [],
    }
    shared = "tests/cassettes/test_it/shared.yaml"
    assert agentsim("cassette", "check", shared).code == 2
    digest = file_digest(project / shared)
    use = NotedUse(digest=digest)
    tests = [f"tests/test_it.py::test_{name}" for name in "ab"]
    update_notes(project, dict.fromkeys(tests, shared), dict.fromkeys(tests, use))
    done = agentsim("cassette", "check", shared)
    assert (done.code, done.out) == (0, "holds. 1 cassette.\n")
    assert agentsim("cassette", "check", "nowhere").code == 3
    (project / "empty").mkdir()
    assert agentsim("cassette", "check", "empty", "--refresh").code == 0


def test_notes_that_cannot_be_read_are_one_sentence(project: Path) -> None:
    """Broken notes are told as misuse, and nothing is guessed."""
    note(project)
    (project / ".agentsim" / "cassettes.json").write_text("{", "utf-8")
    done = agentsim("cassette", "check")
    assert done.code == 3
    assert "these are no notes of which test used which cassette" in done.err
