"""The invariant of what the model learns of calls that were cut off (spec R3.9)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agentsim.core import Message
from agentsim.invariants.checks.timing import UNCERTAIN, is_uncertain
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    quoted,
    rule,
)
from agentsim.invariants.subjects import Asked, Life, Turn

__all__ = ["cut_calls_told"]

CUT = ("deadline", "cancelled")
"""Statuses of runs that were ended while something was under way."""

ENDED = (*CUT, "loop", "token_budget", "failed")
"""Statuses of runs that may leave calls which never started."""

NOT_RUN = ("not executed", "never started", "not started", "was not run", "not run")
"""What the report of a call may say that never ran."""

OPEN = ("outcome unknown", "outcome is unknown", "may have", "might have")
"""What is true only of a call that ran."""


@invariant(
    "cut-calls-told",
    "A call that was cut off is told as what it was: a write under way as unknown, one "
    "that never started as not executed.",
    rationale="Told that a payment was not made, the model makes it again; told that it "
    "may have been made, it looks first.",
    spec=("R3.9", "R6.3", "R10.5"),
    exemptions=(
        "Results that no history shows.",
        "A block of the loop detection, which stands in place of any result.",
        (
            "One of several equal calls, where another failed and is told as unknown: it may "
            "have been run once more."
        ),
        "Reads: whether one that was cut off had ended is the same to everybody.",
        (
            "The first call of a response that did not come to its end: it may have been "
            "about to start, and may be told as unknown."
        ),
        (
            "The words: of a write under way one of "
            f"{', '.join(UNCERTAIN)} is enough, or those of the tool itself."
        ),
        (
            "A write whose answer was lost while the run went on, or that its agent gave "
            "up waiting for: only the claim that it was not executed is a breach."
        ),
    ),
    needs_inside=True,
)
def cut_calls_told(facts: Facts) -> Ruling:
    """Compare the results of calls with how far their tools came."""
    writes = facts.tools.writing
    if not writes:
        return not_applicable("no tool of the run writes")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        # All but the last responses of a run were answered in the usual way.
        if life.status not in ENDED and (life.smooth or not _lost_a_write(life)):
            continue
        for turn in life.turns:
            for asked, behind in _with_place(turn):
                result = asked.result
                if result is None or asked.blocked or asked.guessed:
                    continue
                if _is_repeat(turn, asked):
                    continue
                if asked.call.name in writes:
                    found = list(_told(life, turn, asked, result, behind=behind))
                    evidence += len(found)
                    violations += [entry for entry in found if entry is not None]
    return rule(evidence, violations, "no write and no waiting call was cut off")


def _lost_a_write(life: Life) -> bool:
    for operation in life.operations:
        end = operation.end
        if operation.writes and (end is None or end.ending in ("unknown", "cancelled")):
            return True
    return False


def _with_place(turn: Turn) -> Iterator[tuple[Asked, bool]]:
    """Each call, and whether it stands behind one that did not come to its end.

    The first of those may have been about to start: its agent need not know that it did
    not. Those behind it were never touched.
    """
    behind = False
    for asked in turn.asked:
        yield asked, behind
        last = asked.last
        if last is None:
            behind = behind or _could_run(asked)
        elif last.end is None or last.end.ending == "cancelled":
            behind = True


def _is_repeat(turn: Turn, asked: Asked) -> bool:
    """Whether what ran for a call may be an equal call, run again after it had failed.

    Nothing tells the two apart but the result of the other, which says that it was cut.
    """
    return asked.last is not None and any(
        other.call.name == asked.call.name
        and other.call.arguments == asked.call.arguments
        and other.last is not None
        and other.last.end is not None
        and other.last.end.ending == "error"
        and other.result is not None
        and is_uncertain(other.result.content.lower())
        for other in turn.asked
        if other is not asked
    )


def _told(
    life: Life, turn: Turn, asked: Asked, result: Message, *, behind: bool
) -> Iterator[Violation | None]:
    """One entry where a write was cut off: what is wrong with its result, or None."""
    last, denied = asked.last, _says(NOT_RUN, result.content)
    if last is None:
        if life.status in ENDED and _could_run(asked) and result.is_error:
            claimed = behind and not denied and _says(OPEN, result.content)
            if claimed or denied:
                yield _never_ran(turn, asked, result) if claimed else None
        return
    ending = last.end.ending if last.end is not None else "cancelled"
    if ending == "cancelled" and life.status in CUT:
        text = result.content.lower()
        words = last.end.output if last.end is not None else ""
        told = is_uncertain(text) or (words and words.lower() in text)
        yield None if result.is_error and told else _under_way(turn, asked, result)
    elif ending != "error" and (ending == "unknown" or denied):
        wrong = denied and result.is_error and not is_uncertain(result.content)
        yield _under_way(turn, asked, result) if wrong else None


@lru_cache(maxsize=64)
def _says(some: tuple[str, ...], content: str) -> bool:
    """Whether a result has any of these words; results come again from run to run."""
    text = content.lower()
    return any(words in text for words in some)


def _could_run(asked: Asked) -> bool:
    """Whether nothing but the end of the run kept a call from running."""
    return asked.declined is None and arguments_of(asked.call.arguments) is not None


def _never_ran(turn: Turn, asked: Asked, result: Message) -> Violation:
    return Violation(
        f"{asked.call.name} never started, and the model is told that it may have run",
        "a result that says that it was not executed",
        quoted(result.content),
        _places(turn, asked),
    )


def _under_way(turn: Turn, asked: Asked, result: Message) -> Violation:
    return Violation(
        f"{asked.call.name} had started, and the model is not told that its outcome is "
        "unknown",
        "a result flagged as an error that says so",
        quoted(result.content),
        _places(turn, asked),
    )


def _places(turn: Turn, asked: Asked) -> tuple[int, ...]:
    started = None if asked.last is None else asked.last.start_at
    ended = None if asked.last is None else asked.last.end_at
    places = (turn.response_at, started, ended, turn.shown_at)
    return tuple(at for at in places if at is not None)
