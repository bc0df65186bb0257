"""Small helpers for error sentences that teach."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from math import inf
from pathlib import Path, PurePath
from sys import float_info
from sysconfig import get_path

__all__ = [
    "COUNT_MAX",
    "NUMBER_MAX",
    "count_words",
    "did_you_mean",
    "named_error",
    "number_fault",
    "place_of",
    "raised_words",
    "shown_path",
]

COUNT_MAX = 2**63 - 1
"""The most that is counted of anything: what other programs read as a whole number."""


NUMBER_MAX = 10**300
"""The greatest number that anything is given: a longer one no float can hold."""


def count_words(count: int, noun: str) -> str:
    """Say how many there are: `1 reply`, `2 replies`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


def number_fault(
    value: object, least: float = 0, *, whole: bool = False, most: float | None = None
) -> str:
    """What keeps a value from being a number in bounds; empty if nothing does.

    Args:
        whole: Whether it must be an integer. True and False are answers, no numbers.
        most: The greatest; by default what can be counted, or a float can hold.
    """
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or (whole and isinstance(value, float))
    ):
        got = value if isinstance(value, bool | float) else type(value).__name__
        return f"expected a {'whole ' if whole else ''}number, got {got}"
    if isinstance(value, float) and not -inf < value < inf:
        return f"expected {least:g} or more and finite, got {value}"
    if value < least:
        return f"expected {least:g} or more, got {_shown(value)}"
    if most is None:
        most = COUNT_MAX if whole else float_info.max
    if value > most:
        bound = f"{most:g}" if most > COUNT_MAX else most
        return f"expected {bound} or less, got {_shown(value)}"
    return ""


def _shown(number: float) -> str:
    """A number in few characters; a long one is not written out."""
    if not isinstance(number, int):
        return f"{number:g}"
    return (
        str(number) if abs(number) <= COUNT_MAX else "a number of more than 18 digits"
    )


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

    It is the innermost function that is neither of a library nor of Python, whose lines
    are others in other versions. The package that comes first outside of this one and
    asyncio counts as the user's too, wherever it is installed.
    """
    own, place = "", ""
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        name = traceback.tb_frame.f_globals.get("__name__", "")
        package = str(name).partition(".")[0]
        if package not in ("agentsim", "asyncio"):
            own = own or package
            if package == own or not _is_installed(code.co_filename):
                file = PurePath(code.co_filename).name
                place = f"{code.co_name} ({file}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


_PACKAGES = frozenset(("site-packages", "dist-packages"))
"""Folders that packages are installed in."""

_PYTHON = tuple(PurePath(get_path(name)) for name in ("stdlib", "platstdlib"))
"""Folders of the standard library."""


def _is_installed(file: str) -> bool:
    """Whether code is of an installed package, or of Python itself."""
    path = PurePath(file)
    if not _PACKAGES.isdisjoint(path.parts) or file.startswith("<frozen "):
        return True
    return any(path.is_relative_to(folder) for folder in _PYTHON)


def raised_words(error: BaseException) -> str:
    """What a user's function raised, and where; the interpreter's own words vary."""
    kind, place = type(error).__name__, place_of(error)
    return f"raised {kind} in {place}" if place else f"raised {kind}"


def named_error(error: BaseException) -> str:
    """An error of a user's code by its class and, in one line, what it says of itself.

    For who calls us only: what Python itself says is other in other versions.
    """
    kind = type(error).__name__
    try:
        words = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - one that can't even say what it is
        return kind
    return f"{kind}: {words}" if words else kind
