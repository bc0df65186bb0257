"""`agentsim cassette import`: recordings of other tools as a cassette."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from agentsim.cassettes import Imported, import_recordings
from agentsim.cassettes.importing import KINDS
from agentsim.cli.common import JsonOption
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import console, print_json, tell
from agentsim.report import EXIT_CODES

__all__ = ["command"]


def command(
    files: Annotated[list[Path], Argument(metavar="FILE...", says="What to import.")],
    into: Annotated[
        Path,
        Option("--into", metavar="FILE", says="The cassette to import into."),
    ],
    kind: Annotated[
        str,
        Option(
            "--from",
            metavar="KIND",
            says=f"What the files are, if not as found: {', '.join(KINDS)}.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Make a cassette of recordings of other tools.

    What a file is, is found by its contents; docs/reference/recordings.md tells what is
    read of each kind. Secrets are replaced, and what is left out is told.
    """
    imported = import_recordings(files, into, kind=kind)
    if as_json:
        print_json(
            {
                "verdict": "holds",
                "file": str(into),
                "exchanges": sum(one.exchanges for one in imported),
                "tools": sum(one.tools for one in imported),
                "files": [_data(one) for one in imported],
            }
        )
        return EXIT_CODES["holds"]
    terminal = console()
    for one in imported:
        for note in one.notes:
            tell(terminal, f"{one.file}: note: {note}")
        counts = f"{one.exchanges} exchanges and {one.tools} calls of tools"
        tell(terminal, f"{into}: {counts}, imported from {one.file} ({one.kind})")
    return EXIT_CODES["holds"]


def _data(one: Imported) -> dict[str, Any]:
    return {
        "file": str(one.file),
        "kind": one.kind,
        "exchanges": one.exchanges,
        "tools": one.tools,
        "notes": list(one.notes),
    }
