"""`agentsim cassette to-scenario`: a recorded session as a scenario to explore."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from agentsim.cli.common import JsonOption
from agentsim.cli.options.bundles import unbundled
from agentsim.cli.output import console, print_json, tell
from agentsim.core import UsageError
from agentsim.report import EXIT_CODES
from agentsim.simulation import RecordedStory, listed_stories, stories_of

__all__ = ["command"]


@dataclass(frozen=True)
class Wanted:
    """Which story, and what is known of its tools."""

    story: Annotated[
        int | None, typer.Option("--story", min=1, help="Which of several stories.")
    ] = None
    read_only: Annotated[
        list[str] | None,
        typer.Option(
            "--read-only",
            metavar="NAME",
            help="A tool that only reads, or a pattern such as 'get_*'; can be repeated.",
        ),
    ] = None
    confirm: Annotated[
        list[str] | None,
        typer.Option(
            "--confirm",
            metavar="NAME",
            help="A tool that a person must approve, or a pattern; can be repeated.",
        ),
    ] = None

    def chosen(self, file: Path) -> tuple[RecordedStory, ...]:
        """The stories of a cassette, or the one that is wanted."""
        found = stories_of(
            file, read_only=self.read_only or (), confirm=self.confirm or ()
        )
        if self.story is None:
            return found
        if self.story > len(found):
            raise UsageError(f"--story: {_several(file, found)}")
        return (found[self.story - 1],)


@unbundled
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A cassette.")],
    wanted: Wanted,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FILE",
            help="The scenario to write, or a folder for all stories; else it is printed.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write a recorded session as a scenario: its model scripted, its tools canned.

    Each turn of each conversation is a story of its own. Tools count as writing, and ask
    nobody, unless said otherwise: no recording tells their rights.
    """
    chosen = wanted.chosen(file)
    places = _places(file, chosen, into)
    texts = [one.yaml for one in chosen]
    for place, text in zip(places, texts, strict=True):
        if place is not None:
            _write(place, text)
    if as_json:
        rows = zip(chosen, places, texts, strict=True)
        print_json({"verdict": "holds", "stories": [_row(*one) for one in rows]})
        return EXIT_CODES["holds"]
    terminal = console()
    for one, place, text in zip(chosen, places, texts, strict=True):
        if place is None:
            tell(terminal, text.rstrip("\n"))
            continue
        tell(terminal, f"{place}: {one.title}")
        for note in one.notes:
            tell(terminal, f"  note: {note}")
    return EXIT_CODES["holds"]


def _row(one: RecordedStory, place: Path | None, text: str) -> dict[str, Any]:
    told = {"title": one.title, "notes": list(one.notes)}
    return {**told, "text": text} if place is None else {**told, "file": str(place)}


def _places(
    file: Path, chosen: tuple[RecordedStory, ...], into: Path | None
) -> list[Path | None]:
    """Where each story is written; None: it is printed."""
    if into is not None and into.is_dir():
        return [into / f"{one.scenario.name}.yaml" for one in chosen]
    if len(chosen) > 1:
        raise UsageError(
            f"{_several(file, chosen)}: choose one with --story, or name a folder that "
            "is there with --into, for all of them"
        )
    return [into]


def _several(file: Path, found: tuple[RecordedStory, ...]) -> str:
    return f"{file}: {listed_stories(found)}"


def _write(place: Path, text: str) -> None:
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{place}: this file is there already: name a new one"
        ) from None
    except (OSError, ValueError):
        raise UsageError(
            f"{place}: this file can't be written: check its folder and permissions"
        ) from None
