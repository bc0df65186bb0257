"""Small helpers for error sentences that teach."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path, PurePath

__all__ = ["count_words", "did_you_mean", "place_of", "raised_words", "shown_path"]


def count_words(count: int, noun: str) -> str:
    """Say how many there are: `1 reply`, `2 replies`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


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


def place_of(error: BaseException) -> str:
    """Where a user's code raised an error: `function (file.py:12)`; empty if nowhere.

    It is the innermost function of the package that comes first outside of this one and
    asyncio; functions of libraries have other lines in other versions.
    """
    own, place = "", ""
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("agentsim", "asyncio") and own in ("", package):
            own = package
            file = PurePath(frame.f_code.co_filename).name
            place = f"{frame.f_code.co_name} ({file}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


def raised_words(error: BaseException) -> str:
    """What a user's function raised, and where; the interpreter's own words vary."""
    kind, place = type(error).__name__, place_of(error)
    return f"raised {kind} in {place}" if place else f"raised {kind}"
