"""What came of a comparison, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from agentsim.cli.common import replay_line
from agentsim.cli.determinism.comparing import (
    PROBED_RUNS,
    PROBES,
    Cause,
    Compared,
    Divergence,
)
from agentsim.cli.determinism.processes import Asked

__all__ = ["comparison_data", "comparison_lines"]

HINTS: dict[Cause, str] = {
    "addresses": (
        "memory addresses make the difference: the agent goes by the order of a set of "
        "objects, by id(), or by a repr with an address; go through a list or a dict, or "
        "sort by a field"
    ),
    "hash seed": (
        "only the hash seed differs: the agent goes by the order of a set of strings, or "
        "by hash(); go through a list or a dict, or use sorted()"
    ),
    "outside": (
        "not even the same process gives it twice: a clock or chance that no simulation "
        "seals (of a library in C, a file), a memory address, or a stray "
        "thread"
    ),
    "state": (
        "something in the agent survives a run: a variable of a module or a class, a "
        "cache, a default argument, a client shared by all runs; make it in the agent, or "
        "give a factory"
    ),
}
"""What makes the difference -> where to look for it, and what to do."""


def comparison_lines(made: Compared, asked: Asked) -> Iterator[str]:
    """A comparison, line by line."""
    found = made.divergence
    what = f"{made.scenario} on {made.agent}"
    count = len(made.settings)
    if found is None:
        yield (
            f"{what}: one trace each. {made.runs} runs in each of {count} processes, "
            f"each made again from its token; the first {min(made.runs, PROBED_RUNS)} of "
            f"them in {PROBES} more processes, with other hash seeds"
        )
        settings = "; ".join(map(str, made.settings))
        yield f"The processes: {settings}"
    else:
        yield f"{what}: not repeatable. Run {found.run} gave two traces"
        yield f"  {_sides(found)}"
        yield f"  {found.words}"
        yield f"Hint: {HINTS[found.cause]}"
        yield f"Repeat it: {_repeat(made, asked, found)}"
    yield _pinned(made)
    if made.ended is not None:
        yield f"The run without deviations ended {made.ended}: only so far is it compared"
    if made.cold is not None and found is None:
        yield (
            "The first run of a process is another than the same run later, and does not "
            f"count, as in explore: {made.cold}"
        )


def comparison_data(made: Compared, asked: Asked) -> dict[str, Any]:
    """A comparison as data for `--json`."""
    found = made.divergence
    return {
        "verdict": "holds" if found is None else "violated",
        "scenario": made.scenario,
        "agent": made.agent,
        "flags": list(made.flags),
        "runs": made.runs,
        "processes": list(map(asdict, made.settings)),
        "pinned": made.pinned,
        "cold": made.cold,
        "ended": made.ended,
        "divergence": None
        if found is None
        else {
            "run": found.run,
            "token": found.token,
            "sides": list(map(asdict, found.sides)),
            "words": found.words,
            "cause": found.cause,
            "hint": HINTS[found.cause],
            "repeat": _repeat(made, asked, found),
        },
    }


def _sides(found: Divergence) -> str:
    one, two = found.sides
    if one == two:
        return f"the run against its repetition from the token ({one}):"
    return f"{one}, against {two}:"


def _repeat(made: Compared, asked: Asked, found: Divergence) -> str:
    return replay_line(asked.target, asked.agent, found.token, made.flags)


def _pinned(made: Compared) -> str:
    needs = made.divergence is not None and made.divergence.cause == "hash seed"
    if made.pinned is None:
        words = "PYTHONHASHSEED is not set here, so that each process has another one"
        return f"{words}: set it to 0 to pin what differs" if needs else words
    words = f"PYTHONHASHSEED={made.pinned} is set here, which pins the order of sets of"
    return f"{words} strings in your runs" + (", and hides what differs" * needs)
