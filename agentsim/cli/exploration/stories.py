"""The shortest story of a failure, as a scenario file that can be kept and replayed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentsim.cli.common import repeat_line
from agentsim.cli.options.places import check_place as check_file
from agentsim.cli.options.places import not_written
from agentsim.core import ScenarioError, UsageError
from agentsim.report import invariant_sentence, printable
from agentsim.simulation import (
    RUNS_INDEPENDENT,
    Exploration,
    Failure,
    Run,
    scenario_yaml,
)

__all__ = ["check_place", "save_failure", "story_data", "story_lines"]

SUFFIXES = (".yaml", ".yml")

HEAD_MAX = 20_000
"""Characters in which the head of a saved failure ends."""

REPEAT = "# Repeat it: "

PLACE = "FILE.yaml"
"""What stands for the file in a line that repeats a story which is not saved yet."""


def check_place(path: Path, read: str) -> None:
    """Find out before a long exploration whether its failure can be saved.

    Args:
        read: The scenario that is explored.

    Raises:
        UsageError: when no scenario file can be there, or one is that was not written
            for a failure.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(f"--save-failure: expected FILE.yaml, got {str(path)!r}")
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"--save-failure: no file can be at {path}")
    check_file(path, "--save-failure", read)
    if path.exists() and not _is_saved(path):
        raise UsageError(
            f"--save-failure: {path} is there, and is no failure that was saved: name "
            "another file"
        )


def _is_saved(path: Path) -> bool:
    """Whether a file is one that may be written again: its head has the line to repeat."""
    try:
        with path.open(encoding="utf-8") as file:
            head = file.read(HEAD_MAX)
    except (OSError, ValueError):
        return False
    return not head or any(line.startswith(REPEAT) for line in head.splitlines())


def save_failure(found: Exploration, path: Path, agent: str) -> str:
    """Write the story of the first failure that has one; say in words what became of it."""
    for failure in found.failures:
        if failure.story is None or failure.invariant == RUNS_INDEPENDENT:
            continue
        try:
            story = _written(failure.story, failure)
        except ScenarioError as error:
            return f"Not saved: {error}."
        head = "".join(f"# {printable(line)}\n" for line in _head(failure, path, agent))
        unwritten = not_written(path, "--save-failure", head + story)
        if unwritten is not None:
            return f"Not saved: {unwritten}."
        return f"Saved: {path} shows {failure.invariant}."
    return "Not saved: there is no failure that a file could show."


def story_lines(failure: Failure, agent: str) -> Iterator[str]:
    """The shortest story and the line that repeats it, where it is another than the run's."""
    story = failure.story
    if story is None or story.scenario.digest == failure.run.scenario.digest:
        return
    try:
        text = _written(story, failure)
    except ScenarioError:
        yield "The shortest story that shows it, as a test:"
        yield ""
        yield from (f"  {line}".rstrip() for line in failure.test.splitlines())
        return
    yield f"The shortest story that shows it, as {PLACE} (--save-failure writes it):"
    yield ""
    yield from (f"  {line}" for line in text.splitlines())
    yield ""
    yield f"Repeat the story: {repeat_line(PLACE, agent, story)}"


def story_data(failure: Failure, agent: str) -> dict[str, Any] | None:
    """The shortest story as data; None for what has none."""
    story = failure.story
    if story is None:
        return None
    try:
        text = _written(story, failure)
    except ScenarioError:
        text = None
    return {
        "yaml": text,
        "test": failure.test,
        "menu": story.menu.text,
        "token": story.token,
        "deviations": list(story.words),
        "trace_digest": story.trace.digest(),
        "repeat": None if text is None else repeat_line(PLACE, agent, story),
    }


def _written(story: Run, failure: Failure) -> str:
    """The story as a file that finds by itself what its failure needs.

    Raises:
        ScenarioError: when a file can't say all of it.
    """
    return scenario_yaml(
        story.scenario, menu=story.menu, invariants=[failure.invariant]
    )


def _head(failure: Failure, path: Path, agent: str) -> Iterator[str]:
    story = failure.story
    assert story is not None
    first = next(e for e in story.verdict.violated if e.id == failure.invariant)
    yield f"{failure.invariant}: {invariant_sentence(failure.invariant)}"
    yield f"{first.violations[0].words}; expected: {first.violations[0].expected}"
    yield f"What was not as usual: {'; '.join(story.words) or 'nothing'}"
    yield f"Repeat it: {repeat_line(str(path), agent, story)}"
