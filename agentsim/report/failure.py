"""The failure text: what is wrong, where it shows, how it came to be, how to repeat it.

In this order: the invariant in one sentence, the few events that violate it on a
timeline, what was expected and found, the deviations in words, what the agent printed,
and the one line that repeats the run (design 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from agentsim.invariants import INVARIANTS, Judgement, Violation
from agentsim.report.kinds import violation_kind
from agentsim.report.timeline import Line, timeline
from agentsim.report.words import printable
from agentsim.trace import Trace

__all__ = ["failure_text", "invariant_sentence", "row", "unmet_text"]

VIOLATIONS_SHOWN = 3
"""Kinds of violation that are told for one invariant, each by its first violation."""

PRINTED_HEAD, PRINTED_TAIL = 5, 25
"""Lines that are told of what the agent printed, of its beginning and of its end."""

PRINTED_WIDTH = 200
"""Characters of a line that are told."""

FACT_HEAD, FACT_TAIL = 1_500, 500
"""Characters that are told of what was expected, and found, at both of its ends."""

_SENTENCES = {
    "expected": "The run is as its scenario expects.",
    "no-lost-errors": "No exception is lost in a task or callback that nobody looks at.",
    "runs-independent": "A second run with the same choices gives the same trace.",
}
"""What is judged beside the invariants, by those who make the runs."""


def failure_text(
    trace: Trace,
    judgements: Sequence[Judgement],
    *,
    deviations: Sequence[str] = (),
    printed: str = "",
    repeat: str | None = None,
    elsewhere: Collection[str] = (),
) -> str:
    """Tell every violated judgement of a run.

    Args:
        elsewhere: Invariants that the same report tells by another run: named only.
        deviations: The deviations of the run in words.
        printed: What the agent printed and logged.
        repeat: The line that repeats the run, or None for a trace that was recorded
            elsewhere, of which the deviations are not known either.
    """
    told = [entry for entry in judgements if entry.id not in elsewhere]
    lines = list(_lines(trace, told))
    again = [entry.id for entry in judgements if entry.id in elsewhere]
    if again:
        lines += [f"Violated too, and shown by another run: {', '.join(again)}", ""]
    if repeat is not None:
        lines.append("What was not as usual: " + ("; ".join(deviations) or "nothing"))
        lines += _printed(printed)
        lines.append(f"Repeat it: {repeat}")
    return "\n".join(lines)


def unmet_text(names: Sequence[str]) -> str:
    """Tell that the verdict is unknown, since what was named was never met."""
    return (
        f"unknown: never met: {', '.join(names)}\n"
        "  What is named has to happen at least once, else nothing was tested with it: "
        "let the story come to it, or leave it out."
    )


def invariant_sentence(identifier: str) -> str:
    """The sentence of an invariant, or of what else a run is judged by."""
    found = INVARIANTS.get(identifier)
    return found.sentence if found is not None else _SENTENCES.get(identifier, "")


def _printed(text: str) -> Iterator[str]:
    """What the agent printed, line by line; the middle of a long text is left out."""
    lines = text.splitlines()
    if not lines:
        return
    yield "The agent printed:"
    left_out = len(lines) - PRINTED_HEAD - PRINTED_TAIL
    for number, line in enumerate(lines):
        if left_out > 1 and number == PRINTED_HEAD:
            yield f"  ⋮ {left_out} lines are left out here"
        if left_out <= 1 or not PRINTED_HEAD <= number < PRINTED_HEAD + left_out:
            cut = line if len(line) <= PRINTED_WIDTH else f"{line[:PRINTED_WIDTH]}…"
            yield f"  | {printable(cut)}"


def _lines(trace: Trace, judgements: Sequence[Judgement]) -> Iterator[str]:
    lines = timeline(trace)
    for judgement in judgements:
        if judgement.status != "violated":
            continue
        yield f"{judgement.id} is violated: {invariant_sentence(judgement.id)}"
        kinds: dict[str, Violation] = {}
        for violation in judgement.violations:
            kinds.setdefault(violation_kind(violation), violation)
        shown = list(kinds.values())[:VIOLATIONS_SHOWN]
        for violation in shown:
            yield from _violation(lines, violation)
        more = len(judgement.violations) - len(shown)
        if more > 0:
            yield f"  and {more} more of this kind"
        yield ""


def _violation(lines: Sequence[Line], violation: Violation) -> Iterator[str]:
    yield f"  {_fact(violation.words)}"
    yield from (f"  {row}" for row in _excerpt(lines, violation.events))
    yield f"    expected: {_fact(violation.expected)}"
    yield f"    found:    {_fact(violation.found)}"


def _fact(text: str) -> str:
    """What was expected or found; of a text as long as a file, both of its ends."""
    left_out = len(text) - FACT_HEAD - FACT_TAIL
    if left_out <= 0:
        return printable(text)
    head, tail = printable(text[:FACT_HEAD]), printable(text[-FACT_TAIL:])
    return f"{head} … {left_out} characters are left out here … {tail}"


def _excerpt(lines: Sequence[Line], events: Sequence[int]) -> Iterator[str]:
    """The marked events, each with the event before it; dots stand for what is left out."""
    last: int | None = None
    for number, line in enumerate(lines):
        if not any(near.index in events for near in lines[number : number + 2]):
            continue
        if last is not None and number != last + 1:
            yield "      ⋮"
        yield row(replace(line, marked=line.index in events))
        last = number


def row(line: Line) -> str:
    """One line of a timeline as plain text."""
    mark = "✗" if line.marked else " "
    lanes = f"{line.lanes} " if line.lanes else ""
    return f"  {mark} {line.at:>11}  {line.actor:<7} {lanes}{line.words}"
