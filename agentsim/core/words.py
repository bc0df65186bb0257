"""Small helpers for error sentences that teach."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

__all__ = ["did_you_mean", "shown_path"]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """End of a sentence that proposes the known name nearest to `word`, or nothing.

    Args:
        word: What was written.
        known: The names that exist; their order does not matter.

    Returns:
        `"; did you mean 'name'?"`, or the empty text when no name is near.
    """
    names = sorted(known)
    near = [name for name in names if name.casefold() == word.casefold()]
    near = near or get_close_matches(word, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def shown_path(path: Path) -> str:
    """A path as people know it: seen from the working directory if it is below that."""
    try:
        here = Path.cwd()
    except OSError:  # it was deleted
        return str(path)
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
