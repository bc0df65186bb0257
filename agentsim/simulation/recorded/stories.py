"""Scenarios out of cassettes: one story for each turn of each conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from textwrap import wrap

from agentsim.cassettes import Cassette, load_cassette
from agentsim.cassettes.conversations import conversations_of
from agentsim.core import ScenarioError, UsageError
from agentsim.report import printable
from agentsim.simulation.files.writing import scenario_yaml
from agentsim.simulation.recorded.telling import tell_turn
from agentsim.simulation.recorded.tools import Rights, tool_names
from agentsim.simulation.recorded.turns import Turn, turns_of
from agentsim.simulation.scenario import Scenario

__all__ = ["RecordedStory", "listed_stories", "scenario_of", "stories_of"]

WIDTH = 88

TITLE_MAX = 60
"""Characters of the task that a title shows."""


@dataclass(frozen=True, slots=True)
class RecordedStory:
    """One turn of a recorded conversation as a scenario.

    Attributes:
        title: Which it is, and how its task begins.
        notes: What of it was not recorded, or is not as it was: sentences.
    """

    title: str
    scenario: Scenario
    notes: tuple[str, ...] = ()

    @property
    def yaml(self) -> str:
        """The scenario as a file, with the notes as comments at its top.

        Raises:
            ScenarioError: when a file can't say all of it.
        """
        notes = (f"{note[0].upper()}{note[1:]}." for note in self.notes)
        told = [f"Recorded: {self.title}.", *notes]
        lines = [
            line
            for words in told
            for line in wrap(
                printable(words),
                WIDTH,
                initial_indent="# ",
                subsequent_indent="#   ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        ]
        return "\n".join([*lines, scenario_yaml(self.scenario)])


def scenario_of(
    cassette: Cassette | Path | str,
    *,
    story: int | None = None,
    read_only: Sequence[str] = (),
    confirm: Sequence[str] = (),
) -> Scenario:
    """Make the scenario of a recorded session: its model is scripted, its tools canned.

    Args:
        cassette: Read, or the path of its file.
        story: Which of several, 1-based; see `stories_of`.
        read_only: Names of the tools that only read, or patterns such as `get_*`. No
            recording tells the rights of tools: all others count as writing.
        confirm: The same of the tools that a person must approve; no others ask.

    Raises:
        CassetteError: when it can't be read.
        ScenarioError: when it holds none, or several and none was chosen.
    """
    found = stories_of(cassette, read_only=read_only, confirm=confirm)
    if story is None and len(found) == 1:
        return found[0].scenario
    if story is not None and 1 <= story <= len(found):
        return found[story - 1].scenario
    name = cassette.name if isinstance(cassette, Cassette) else str(cassette)
    if story is not None:
        raise ScenarioError(f"{name}: has no story {story}: {listed_stories(found)}")
    raise ScenarioError(
        f"{name}: write one of its stories as a scenario, `agentsim cassette to-scenario "
        f"{name} --story 1 --into FILE`, or `scenario_of(..., story=1)` in Python: "
        f"{listed_stories(found)}"
    )


def listed_stories(found: Sequence[RecordedStory]) -> str:
    """The stories of a cassette in one line."""
    titles = "; ".join(f"{n}: {one.title}" for n, one in enumerate(found, 1))
    return f"it holds {len(found)} stories, {titles}"


def stories_of(
    cassette: Cassette | Path | str,
    *,
    read_only: Sequence[str] = (),
    confirm: Sequence[str] = (),
) -> tuple[RecordedStory, ...]:
    """Make the scenarios of a recorded session, one for each turn of a conversation.

    Args:
        cassette: Read, or the path of its file.
        read_only: As of `scenario_of`.
        confirm: As of `scenario_of`.

    Raises:
        CassetteError: when it can't be read.
        ScenarioError: when no answer of a model is in it, or it can't be told so.
    """
    if not isinstance(cassette, Cassette):
        cassette = load_cassette(cassette)
    turns = [
        (number, turn)
        for number, one in enumerate(conversations_of(cassette), 1)
        for turn in turns_of(one)
    ]
    if not turns:
        raise ScenarioError(
            f"{cassette.name}: no task of a user with an answer of a model is in it: "
            "record a session of a wire that is known"
        )
    rights = Rights(read_only, confirm)
    rights.check([name for _, turn in turns for name in tool_names(turn)])
    stem = PurePath(cassette.name).stem
    found = []
    for place, (number, turn) in enumerate(turns, 1):
        name = stem if len(turns) == 1 else f"{stem}-{place}"
        try:
            scenario, notes = tell_turn(turn, cassette.tools, rights, name)
        except UsageError as error:
            where = f"{cassette.name}: {_title(number, turn)}"
            raise ScenarioError(f"{where}: {error}") from None
        notes = (*notes, *_left_out(cassette, [turn for _, turn in turns]))
        found.append(RecordedStory(_title(number, turn), scenario, notes))
    return tuple(found)


def _left_out(cassette: Cassette, turns: Sequence[Turn]) -> list[str]:
    """What of a cassette is in no story."""
    told = {
        one.exchange.number for turn in turns for one in (*turn.heard, *turn.failed)
    }
    numbers = [one.number for one in cassette.exchanges if one.number not in told]
    if not numbers:
        return []
    listed = ", ".join(map(str, numbers))
    return [f"of the cassette this is in no story: exchange {listed}"]


def _title(conversation: int, turn: Turn) -> str:
    words = " ".join(turn.task.content.split())
    if len(words) > TITLE_MAX:
        words = words[:TITLE_MAX] + "..."
    return f'conversation {conversation}, turn {turn.number}, "{words}"'
