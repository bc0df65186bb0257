"""`agentsim cassette to-scenario`: a recorded session as a scenario file."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.simulation import load_scenario
from tests.simulation.recorded.told import DONE, TASK, pay, session
from tests.support.command import agentsim
from tests.support.sessions import answered, written


@pytest.fixture
def recorded() -> Path:
    """A cassette with one story."""
    return written(Path("rome.yaml"), *session().entries)


@pytest.fixture
def several() -> Path:
    """A cassette with two stories."""
    other = answered(9, "openai-chat", TASK, DONE)
    return written(Path("two.yaml"), *pay().entries, other)


def test_a_story_is_written_and_explored(recorded: Path) -> None:
    """The file is a scenario, and what is told of it stands in it and is printed."""
    done = agentsim("cassette", "to-scenario", "rome.yaml", "--into", "out.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        'out.yaml: conversation 1, turn 1, "Is it nicer in Rome or in Oslo?"\n'
        "  note: no recording tells the rights of tools: weather may write and ask "
        "nobody; say which only read, and which a person must approve\n"
    )
    assert load_scenario("out.yaml").name == "rome"
    found = agentsim("explore", "out.yaml", "--deviations", "1", "--faults", "none")
    assert found.code == 0
    assert agentsim("run", "rome.yaml").code == 0
    again = agentsim("cassette", "to-scenario", "rome.yaml", "--into", "out.yaml")
    assert (again.code, again.err) == (
        3,
        "agentsim: out.yaml: this file is there already: name a new one\n",
    )


def test_a_story_is_printed_with_the_rights_that_are_told(recorded: Path) -> None:
    """Without `--into` the file is what is printed."""
    done = agentsim("cassette", "to-scenario", "rome.yaml", "--read-only", "wea*")
    assert done.out.startswith("# Recorded: conversation 1, turn 1,")
    assert "category: read_only" in done.out
    Path("printed.yaml").write_text(done.out, "utf-8")
    assert load_scenario("printed.yaml").name == "rome"
    data = agentsim("cassette", "to-scenario", "rome.yaml", "--json").data
    [story] = data["stories"]
    assert story["text"].startswith("# Recorded")
    assert len(story["notes"]) == 1
    done = agentsim("cassette", "to-scenario", "rome.yaml", "--confirm", "fly")
    assert "confirm: no recorded tool fits 'fly'" in done.err


def test_of_several_stories_one_is_chosen_or_all_are_written(several: Path) -> None:
    """Nothing is thrown away in silence."""
    done = agentsim("cassette", "to-scenario", "two.yaml")
    assert done.code == 3
    assert "two.yaml: it holds 2 stories, 1: conversation 1, turn 1, " in done.err
    assert "choose one with --story" in done.err
    done = agentsim("cassette", "to-scenario", "two.yaml", "--story", "3")
    assert done.err.startswith("agentsim: --story: two.yaml: it holds 2 stories")
    data = agentsim("cassette", "to-scenario", "two.yaml", "--into", ".", "--json").data
    assert [story["file"] for story in data["stories"]] == ["two-1.yaml", "two-2.yaml"]
    assert load_scenario("two-1.yaml").task == "Pay."
    done = agentsim("cassette", "to-scenario", "two.yaml", "--story", "2")
    assert "task: Is it nicer" in done.out
    done = agentsim("run", "two.yaml")
    assert done.code == 3
    assert "agentsim cassette to-scenario two.yaml --story 1 --into FILE" in done.err


def test_what_can_not_be_written_is_told(recorded: Path) -> None:
    """A folder that is not there, and a file that is no cassette."""
    done = agentsim("cassette", "to-scenario", "rome.yaml", "--into", "no/where.yaml")
    assert (done.code, "this file can't be written" in done.err) == (3, True)
    done = agentsim("cassette", "to-scenario", "nothing.yaml")
    assert "nothing.yaml: there is no such file" in done.err
