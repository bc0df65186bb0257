"""What an invariant is, and what a judge says of one run (design 2.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentsim.core import UsageError

if TYPE_CHECKING:  # the index of a trace is dear to import, and only checks need it
    from agentsim.invariants.facts import Facts

__all__ = [
    "Check",
    "Invariant",
    "Judgement",
    "Ruling",
    "VerdictStatus",
    "Violation",
    "invariant",
    "not_applicable",
    "quoted",
    "quoted_apart",
    "rule",
]

QUOTED = 60
"""Characters of a text that a violation shows."""

TAKEN = ("cancel", "crash", "expected", "runs-independent", "no-lost-errors")
"""Names of what a run is judged by, or asked to meet, beside all invariants."""

_NAME = re.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*")

VerdictStatus = Literal["holds", "violated", "unknown", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where an invariant does not hold.

    Attributes:
        words: What is wrong, in one sentence.
        expected: What should be there.
        found: What is there.
        events: Indexes of the few events of the trace that show it.
    """

    words: str
    expected: str
    found: str
    events: tuple[int, ...]


class Judgement(NamedTuple):
    """What an invariant says of one run.

    Attributes:
        status: `unknown` when the run held no evidence, `not_applicable` when its
            subject does not exist here or the agent promised nothing.
        evidence: How often the run put the invariant to the test.
        why: Why it is unknown or not applicable; else empty.
    """

    id: str
    status: VerdictStatus
    evidence: int
    violations: tuple[Violation, ...]
    why: str


Ruling = tuple[VerdictStatus, int, tuple[Violation, ...], str]
"""A judgement without the name of its invariant: status, evidence, violations, why."""

Check = Callable[["Facts"], Ruling]


def rule(evidence: int, violations: Sequence[Violation], nothing: str) -> Ruling:
    """Violated if there are violations, unknown without evidence, else it holds.

    Args:
        nothing: Why there is no evidence, as a sentence without its full stop.
    """
    if violations:
        return "violated", max(evidence, 1), tuple(violations), ""
    if evidence:
        return "holds", evidence, (), ""
    return "unknown", 0, (), nothing


def not_applicable(why: str) -> Ruling:
    """The subject of the invariant does not exist in this run."""
    return "not_applicable", 0, (), why


@dataclass(frozen=True, slots=True, eq=False)
class Invariant:
    """A rule that a run keeps, with what a reader needs to believe it.

    Each is equal to itself alone.

    Attributes:
        id: Public name, in words joined by hyphens.
        sentence: The rule.
        rationale: Why breaking it hurts.
        spec: Numbers of the specification that it stands for.
        exemptions: What looks like a breach and is none.
        check: A pure function of the facts of a trace.
        needs_inside: Whether it takes witnesses of what the agent does beside asking the
            model: of its tools, the person, its end. It is not applicable where only
            the wire was seen.
    """

    id: str
    sentence: str
    rationale: str
    spec: tuple[str, ...]
    exemptions: tuple[str, ...]
    check: Check
    needs_inside: bool = False


def invariant(
    name: str,
    sentence: str,
    *,
    rationale: str,
    spec: Sequence[str] = (),
    exemptions: Sequence[str] = (),
    needs_inside: bool = False,
) -> Callable[[Check], Invariant]:
    """Make an invariant of a check.

    `INVARIANTS.add`, as a decorator on top of this one, has it judged with all others;
    `judge(trace, extra=[...])` judges one trace by it.

    Args:
        needs_inside: See `Invariant`.

    Raises:
        UsageError: for a name that an option or a report could not tell from others.
    """
    if not _NAME.fullmatch(name) or name in TAKEN:
        raise UsageError(
            f"invariant {name!r}: a name has small letters and digits, joined by hyphens, "
            f"and is none of {', '.join(TAKEN)}"
        )

    def make(check: Check) -> Invariant:
        return Invariant(
            name,
            sentence,
            rationale,
            tuple(spec),
            tuple(exemptions),
            check,
            needs_inside,
        )

    return make


def quoted(text: str, start: int = 0) -> str:
    """A piece of a text for a person, in ASCII and quotes, with dots where it is cut."""
    stop = start + QUOTED
    begin = "..." if start else ""
    end = "..." if len(text) > stop else ""
    return ascii(f"{begin}{text[start:stop]}{end}")


def quoted_apart(one: str, other: str) -> tuple[str, str]:
    """Two texts that differ, each cut so that the first difference is seen."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    differs = next((at for at, (a, b) in pairs if a != b), shorter)
    start = max(0, differs - QUOTED // 3)
    return quoted(one, start), quoted(other, start)
