"""What a command writes takes the place of nothing that is needed, and is no condition."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentsim.cli.exploration.stories import check_place
from agentsim.cli.options.places import not_written, trace_not_written
from agentsim.core import ToolStarted, UsageError
from agentsim.trace import Header, Trace
from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

BROKEN = ("--agent", "agentsim.mutants:unknown_tool_kills_loop", "--no-known")
FINDS = (*BROKEN, "--deviations", "1", "--faults", "unknown_tool")


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario of the person's own, in the current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(FOLDER / "high_cpu.yaml", "mine.yaml")
    return Path("mine.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "mine.yaml", *FINDS, "--save-failure", "./mine.yaml"),
        (
            "explore",
            str(FOLDER / "high_cpu.yaml"),
            *FINDS,
            "--save-failure",
            "mine.yaml",
        ),
        ("run", "mine.yaml", "--trace", "mine.yaml"),
        ("replay", "mine.yaml", "~0000", "--trace", "mine.yaml"),
        ("serve", "mine.yaml", "--trace", "mine.yaml"),
    ],
)
def test_no_scenario_is_written_over(words: tuple[str, ...], story: Path) -> None:
    """Neither the one that is read nor another: it is told before anything runs."""
    before = story.read_bytes()
    done = agentsim(*words)
    assert (done.code, done.out) == (3, "")
    assert "mine.yaml is " in done.err
    assert story.read_bytes() == before


def test_a_saved_failure_may_be_saved_again(story: Path) -> None:
    """The next exploration writes its own over it, as a job in CI does."""
    for _ in range(2):
        done = agentsim("explore", str(story), *FINDS, "--save-failure", "bad.yaml")
        assert (done.code, done.out.count("Saved: bad.yaml shows ")) == (1, 1)
    with pytest.raises(UsageError, match="the file that is read"):
        check_place(Path("bad.yaml"), "bad.yaml")


def test_what_was_found_is_told_though_a_file_can_not_be_written(
    tmp_path: Path,
) -> None:
    """The sentence is given back, and not raised over what there is to say."""
    folder = tmp_path / "folder"
    folder.mkdir()
    assert (
        not_written(folder, "--trace", "")
        == f"--trace: can't write {folder}: Is a directory"
    )
    odd = Trace(Header(), [ToolStarted(1, "wait", {"seconds": float("nan")})])
    words = trace_not_written(tmp_path / "trace", odd)
    assert words is not None
    assert "NaN and Infinity are not JSON" in words


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_hides_no_verdict() -> None:
    """The run is told, then what kept its trace from being written."""
    done = agentsim(
        "run", str(FOLDER / "high_cpu.yaml"), "--trace", "/dev/full", "--json"
    )
    assert (done.code, done.data["verdict"]) == (3, "holds")
    assert (
        done.err
        == "agentsim: --trace: can't write /dev/full: No space left on device\n"
    )
