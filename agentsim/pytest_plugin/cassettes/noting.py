"""What a session notes of its cassettes, for `agentsim cassette check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsim.cassettes.staleness import NotedUse, update_notes
from agentsim.core import CassetteError

__all__ = ["note_session"]


def note_session(
    root: Path,
    asking: Mapping[str, str],
    uses: Mapping[str, Mapping[str, Any]],
    whole: Sequence[str],
) -> str:
    """Write the notes of a session.

    Returns:
        Why they can't be written, in a sentence; empty otherwise.
    """
    try:
        update_notes(
            root, asking, {test: _use(use) for test, use in uses.items()}, whole
        )
    except CassetteError as error:
        return str(error)
    return ""


def _use(use: Mapping[str, Any]) -> NotedUse:
    return NotedUse(
        use["mode"],
        use["passed"],
        use["digest"],
        use["hits"],
        use["misses"],
        use["live"],
        tuple(use["untouched"]),
        tuple((kind, where) for kind, where in use["changes"]),
    )
