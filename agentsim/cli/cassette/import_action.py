"""`agentsim cassette import`: recordings of other tools as a cassette."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentsim.cassettes import import_recording
from agentsim.cli.common import JsonOption
from agentsim.cli.output import console, print_json, tell
from agentsim.report import EXIT_CODES

__all__ = ["command"]


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to import.")],
    into: Annotated[
        Path,
        typer.Option("--into", metavar="FILE", help="The cassette to import into."),
    ],
    as_json: JsonOption = False,
) -> int:
    """Make a cassette of a recording of another tool.

    One recording of vcrpy or pytest-recording (YAML), or exchanges as JSON lines
    (`.jsonl`). Secrets are replaced.
    """
    count = import_recording(file, into)
    if as_json:
        print_json({"verdict": "holds", "file": str(into), "exchanges": count})
    else:
        tell(console(), f"{into}: {count} exchanges, imported from {file}")
    return EXIT_CODES["holds"]
