"""The same runs in several processes, side by side: where the first two part, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentsim.cli.determinism.processes import (
    Asked,
    Line,
    Setting,
    children,
    pinned_seed,
)
from agentsim.core import RequestSent, ToolStarted, UsageError
from agentsim.trace import diff, from_jsonl

__all__ = ["Cause", "Compared", "Divergence", "compare"]

Cause = Literal["addresses", "hash seed", "outside", "state"]
"""What alone makes the difference; `outside` is anything but the other three."""

PROBES, PROBED_RUNS = 6, 5
"""Processes that come on top, with a few runs each: of two strings in a set every other
hash seed gives the same order, so that two processes alone would often agree."""

_COMPARED = ("error", "token", "choices", "words", "trace")


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first run that was not the same everywhere.

    Attributes:
        run: Its number, 0-based.
        token: Its token; in the first of the processes, where they differ in it.
        sides: The two processes; the same one twice, where it did not repeat the run
            from its token.
        words: The first event that differs, and what each side has there.
    """

    run: int
    token: str
    sides: tuple[Setting, Setting]
    words: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a comparison.

    Attributes:
        scenario: Its name.
        agent: Its name.
        flags: The options of the command line that give the menu of the runs.
        runs: How many were made in each process.
        settings: Those of the processes.
        pinned: The hash seed of the user's own runs, or None.
        cold: Where the first run of a process, which does not count, parts from the
            same run made later; None where it does not.
        ended: How the run without deviations ended, where it did not return.
    """

    scenario: str
    agent: str
    flags: tuple[str, ...]
    runs: int
    settings: tuple[Setting, ...]
    pinned: int | None
    cold: str | None
    ended: str | None
    divergence: Divergence | None


def compare(asked: Asked, processes: int) -> Compared:
    """Make the same runs in so many processes, up to the first that differs.

    Raises:
        UsageError: scenario or agent can't be run, in each process alike.
        InternalError: a bug of ours.
    """
    pinned = pinned_seed()
    base = Setting(pinned or 0, 0)
    settings = tuple(base.other(number) for number in range(processes))
    found: Divergence | None = None
    first: list[Line] = []
    with children(asked, settings) as started:
        head, *_ = [child.next() for child in started]
        for number in range(asked.runs):
            lines = [child.next() for child in started]
            if number < PROBED_RUNS:
                first.append(lines[0])
            if (parted := _parted(lines)) is not None:
                found = _divergence(asked, settings, number, lines, parted)
                break
            if (error := lines[0]["error"]) is not None:
                raise UsageError(error)
    if found is None:
        probes = [base.other(processes + number) for number in range(PROBES)]
        found = _probed(asked, base, probes, first)
    cold, ended = first[0].get("cold"), first[0].get("ended")
    return Compared(
        head["scenario"],
        head["agent"],
        tuple(head["flags"]),
        asked.runs,
        settings,
        pinned,
        cold,
        ended,
        found,
    )


def _probed(
    asked: Asked, base: Setting, probes: Sequence[Setting], first: Sequence[Line]
) -> Divergence | None:
    """Make the first runs in more processes, one after the other."""
    few = Asked(asked.target, asked.agent, len(first))
    for probe in probes:
        with children(few, [probe]) as (child,):
            child.next()
            for number, line in enumerate(first):
                lines = line, child.next()
                if (parted := _parted(lines)) is not None:
                    return _divergence(asked, (base, probe), number, lines, parted)
    return None


def _parted(lines: Sequence[Line]) -> tuple[int, int, str] | None:
    """The two processes that part in a run, or one of them from itself, and where."""
    for number, line in enumerate(lines):
        if (again := line.get("again")) is not None:
            return number, number, again["words"]
        difference = _difference(lines[0], line)
        if difference is not None:
            return 0, number, difference
    return None


def _difference(one: Line, two: Line) -> str | None:
    if _same(one, two):
        return None
    errors = one["error"], two["error"]
    if errors != (None, None):
        told = [
            "it could be made" if e is None else f"it could not: {e}" for e in errors
        ]
        return " against ".join(told)
    if one["trace"] != two["trace"]:
        parted = diff(from_jsonl(one["trace"]), from_jsonl(two["trace"]))
        return parted or "the traces differ in how a character is written"
    pairs = zip(one["choices"], two["choices"], strict=False)
    for number, (mine, other) in enumerate(pairs):
        if mine != other:
            return (
                f"the events are the same, but choice {number} is {mine[0]!r} with "
                f"{mine[1]} options against {other[0]!r} with {other[1]}"
            )
    counts = len(one["choices"]), len(two["choices"])
    return (
        f"the events are the same, but the choices are {counts[0]} against {counts[1]}"
    )


def _same(one: Line, two: Line) -> bool:
    return all(one.get(name) == two.get(name) for name in _COMPARED)


def _divergence(
    asked: Asked,
    settings: Sequence[Setting],
    run: int,
    lines: Sequence[Line],
    parted: tuple[int, int, str],
) -> Divergence:
    one, two, words = parted
    token = next(line["token"] for line in lines if line["error"] is None)
    other = lines[one]["again"] if one == two else lines[two]
    other_setting = settings[two] if one != two else settings[one].other(1)
    cause = _cause(asked, run, lines[one], settings[one], other_setting)
    if cause == "outside" and _reordered(lines[one].get("trace"), other.get("trace")):
        cause = "addresses"  # which are never quite the same, even in the same setting
    return Divergence(run, token, (settings[one], settings[two]), words, cause)


def _cause(
    asked: Asked, run: int, line: Line, setting: Setting, other: Setting
) -> Cause:
    """Change one thing at a time, and see what makes the run another."""
    trials: tuple[tuple[Cause, Setting], ...] = (
        ("outside", setting),
        ("addresses", Setting(setting.hash_seed, other.heap)),
        ("hash seed", Setting(other.hash_seed, setting.heap)),
    )
    for cause, trial in trials:
        if _differs(asked, trial, run, line):
            return cause
    return "state"


def _differs(asked: Asked, setting: Setting, run: int, line: Line) -> bool:
    """Whether a process with this setting makes another run of that number."""
    with children(Asked(asked.target, asked.agent, run + 1), [setting]) as (child,):
        try:
            *_, again = [child.next() for _ in range(run + 2)]
        except UsageError:
            return True  # it can't even be run there
    return not _same(line, again)


def _reordered(one: str | None, two: str | None) -> bool:
    """Whether two runs part in the order of what they do, and not in what they do."""
    if one is None or two is None:
        return False
    mine, other = _done(one), _done(two)
    for first, second in zip(mine, other, strict=False):
        if first != second:
            return first in other and second in mine
    return False


def _done(trace: str) -> list[tuple[str, Any]]:
    """The calls of tools, and the tools that a model is given, in their order."""
    done: list[tuple[str, Any]] = []
    for event in from_jsonl(trace).events:
        if isinstance(event, ToolStarted):
            done.append((event.name, event.arguments))
        elif isinstance(event, RequestSent):
            done += [(tool.name, None) for tool in event.tools]
    return done
