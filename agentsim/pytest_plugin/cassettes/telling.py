"""What a session says of its cassettes at its end: one line in all, and what is odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["cassette_lines", "use_words"]

LINES_MAX = 20
"""Tests that are told of where nobody asked for more with -v."""

COUNTED = ("hits", "misses", "live", "untouched")

SINGLE = {"hits": "hit", "misses": "miss"}


def cassette_lines(
    uses: Mapping[str, Mapping[str, Any]], *, verbose: bool
) -> Iterator[str]:
    """A line for each mode, and one for each test that was not answered all through.

    Args:
        uses: Id of a test -> what its report tells of its cassette.
        verbose: Whether to tell of all tests.
    """
    for mode in dict.fromkeys(use["mode"] for use in uses.values()):
        same = [use for use in uses.values() if use["mode"] == mode]
        tests = f"{len(same)} test{'s' * (len(same) != 1)}"
        counts = {name: sum(_count(use, name) for use in same) for name in COUNTED}
        yield f"agentsim: cassettes ({mode}): {tests}, {_counted(counts)}"
    told = [test for test in uses if verbose or _is_odd(uses[test])]
    shown = told if verbose else told[:LINES_MAX]
    for test in shown:
        yield f"agentsim:   {test}: {'; '.join(_words(uses[test]))}"
    if len(told) > len(shown):
        yield f"agentsim:   and {len(told) - len(shown)} more tests: -v tells them all"


def use_words(use: Mapping[str, Any]) -> str:
    """What a test made of its cassette, in a few words."""
    counts = {name: count for name in COUNTED if (count := _count(use, name))}
    return f"{use['mode']}: {_counted(counts) or 'nothing was asked for'}"


def _words(use: Mapping[str, Any]) -> Iterator[str]:
    yield use_words(use)
    changed = dict.fromkeys(where for _, where in use["changes"])
    if changed and use["mode"] == "replay":
        yield f"changed: {', '.join(changed)}"
    yield from use["notes"]


def _is_odd(use: Mapping[str, Any]) -> bool:
    asked = use["mode"] == "replay"
    odd = use["misses"] or use["live"] or use["untouched"] if asked else use["live"]
    return bool(odd or use["notes"])


def _count(use: Mapping[str, Any], name: str) -> int:
    value = use[name]
    return value if isinstance(value, int) else len(value)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count} {SINGLE.get(name, name) if count == 1 else name}"
        for name, count in counts.items()
    )
