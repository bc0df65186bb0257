"""Invariants of loop detection, for agents that declare one (spec R5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from agentsim.core import CallKey, LoopRules, LoopWindow, call_key, key_signature
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    quoted,
    rule,
)
from agentsim.invariants.subjects import BLOCK, Asked, Life, Operation, Turn

__all__ = ["LoopEnd", "loop_blocked", "loop_ends", "loop_terminal"]

NO_PROMISE = "the agent does not declare a loop detection"

ORDERLY = ("done", "stopped", "max_iterations", "loop")
"""Statuses of runs that answered all calls of their last response in the usual way."""

INTERRUPTED = ("deadline", "cancelled", "failed")
"""Statuses of runs that something else ended at the same time."""


@dataclass(slots=True)
class LoopEnd:
    """The call whose count ends the run."""

    life: Life
    turn: Turn
    asked: Asked
    at: int
    count: int


@dataclass(slots=True)
class _Walk:
    """What counting the calls of a run found."""

    evidence: int = 0
    violations: list[Violation] = field(default_factory=list)
    ends: list[LoopEnd] = field(default_factory=list)


@invariant(
    "loop-blocked",
    "The third identical signature is answered with a block.",
    rationale="A model that gets the same answer again has no reason to change its "
    "mind; the block tells it so while there is still budget left.",
    spec=("R5.1", "R5.2", "R5.3", "R5.4", "R5.5"),
    exemptions=(
        (
            "Agents that do not declare a loop detection. Those that do answer with the "
            "text of the specification, which begins with Error: loop detected."
        ),
        "The last response of a run that was cut off: its results say so.",
        "Results that no history shows.",
        (
            "A block that may stand for either of several results, or repeated runs of "
            "calls that are alike: from there on the calls are not counted."
        ),
    ),
)
def loop_blocked(facts: Facts) -> Ruling:
    """Count every answered call, and compare its result with what its count asks for."""
    if facts.header.loop is None:
        return not_applicable(NO_PROMISE)
    walk = _walk(facts)
    return rule(walk.evidence, walk.violations, "no call was repeated often enough")


@invariant(
    "loop-terminal",
    "The sixth identical signature ends the run.",
    rationale="A model that goes on through a block will go on until the limit; a loop "
    "is a reason of its own, which the caller should hear.",
    spec=("R5.2", "R5.4", "R6.1"),
    exemptions=(
        "Agents that do not declare a loop detection.",
        "A deadline, a cancellation or a failure at the same time: its status counts.",
        "Repeated text answers (R5.6) are not counted here.",
    ),
)
def loop_terminal(facts: Facts) -> Ruling:
    """Look for what comes after the call whose count ends the run."""
    if facts.header.loop is None:
        return not_applicable(NO_PROMISE)
    ends = loop_ends(facts)
    violations: list[Violation] = []
    for end in ends:
        violations.extend(_goes_on(end))
    return rule(len(ends), violations, "no call was repeated often enough")


def loop_ends(facts: Facts) -> list[LoopEnd]:
    """The calls whose counts end a run, at most one per life."""
    return _walk(facts).ends


def _goes_on(end: LoopEnd) -> Iterator[Violation]:
    life, name = end.life, end.asked.call.name
    words = f"{name} was called {end.count} times with the same result"
    for at, request in life.requests:
        if at > end.turn.response_at:
            yield Violation(
                f"{words}, and the run goes on",
                "no request after it",
                f"request {request.number}",
                (end.at, at),
            )
            return
    status = life.status
    if status not in (None, "loop", *INTERRUPTED) and life.outcome_at is not None:
        yield Violation(
            f"{words}, and the run ends as {status}",
            "status loop",
            f"status {status}",
            (end.at, life.outcome_at),
        )


def _walk(facts: Facts) -> _Walk:
    """Count the calls of all lives, once for both invariants."""
    walk = facts.memory.get("loops")
    if not isinstance(walk, _Walk):
        walk = facts.memory["loops"] = _Walk()
        rules = facts.header.loop
        if rules is not None:
            for life in facts.lives:
                if _worth_counting(facts, life, rules):
                    _Counter(facts, rules, walk).count(life)
    return walk


def _worth_counting(facts: Facts, life: Life, rules: LoopRules) -> bool:
    """Whether any call had its result often enough, or any block is seen.

    Most runs never come near a loop, and signatures are dear.
    """
    times: dict[tuple[CallKey, str | None], int] = {}
    for turn in life.turns:
        for asked in turn.asked:
            if asked.blocked:
                return True
            same = (_key(asked), _masked(facts, asked, asked.last))
            times[same] = count = times.get(same, 0) + 1
            if count >= rules.block_at:
                return True
    return False


_known_key = lru_cache(maxsize=1024)(call_key)


def _key(asked: Asked) -> CallKey:
    return _known_key(asked.call.name, asked.call.arguments)


def _masked(facts: Facts, asked: Asked, last: Operation | None) -> str | None:
    """The raw result of a call without its volatile parts, or None if unseen."""
    raw = _raw(asked, last)
    rights = facts.rights.get(asked.call.name)
    if raw is None or rights is None or not rights.volatile:
        return raw
    return rights.mask(raw)


class _Counter:
    """Counts the answered calls of one life as R5 says."""

    def __init__(self, facts: Facts, rules: LoopRules, walk: _Walk) -> None:
        self._facts = facts
        self._rules = rules
        self._window = LoopWindow(rules)
        self._walk = walk
        self._moved: dict[Asked, Operation] = {}
        self._signs: dict[tuple[CallKey, str | None], str] = {}

    def count(self, life: Life) -> None:
        """Walk over the life until its loop ends it, or its answers do."""
        for turn in life.turns:
            if not turn.consumed:
                continue
            last = turn.shown_at is not None and turn.shown_at == life.outcome_at
            if last and life.status not in (None, *ORDERLY):
                return
            for asked in turn.asked:
                number = self._take(turn, asked)
                if number is None:
                    return
                if number >= self._rules.end_at:
                    self._end(life, turn, asked, number)
                    return

    def _end(self, life: Life, turn: Turn, asked: Asked, count: int) -> None:
        self._walk.evidence += 1
        at = _answered_at(turn, asked)
        self._walk.ends.append(LoopEnd(life, turn, asked, at, count))

    def _take(self, turn: Turn, asked: Asked) -> int | None:
        """Count one call; None where the run was cut off before its answer.

        Also where it can't be told which of several results a block stands for, or
        whose a run is: then the rest of the life can't be counted.
        """
        if asked.guessed:
            return None
        rights = self._facts.rights.get(asked.call.name)
        writes = rights is not None and not rights.read_only
        key = _key(asked)
        blocking = self._window.blocking(key) if writes else None
        last = self._last(turn, asked, blocked=blocking is not None)
        if last is not None and (last.end is None or last.end.ending == "cancelled"):
            return None
        if last is not None and blocking is not None:
            self._ran_blocked(asked, last)
        failed = last is None or last.end is None or last.end.ending != "ok"
        sign: str | None = blocking if last is None else None
        if sign is None:
            raw = _masked(self._facts, asked, last)
            if raw is None and asked.result is None:
                return None
            known = [] if raw is None else [key_signature(key, raw)]
            signs = known or self._unseen(key, asked)
            if len(signs) > 1:
                return None
            sign = signs[0] if signs else None
        if sign is None:
            self._walk.evidence += 1
            self._walk.violations.append(self._too_early(turn, asked, 1))
            return 0
        self._signs[key, _refusal(asked)] = sign
        count = self._window.add(sign, key, writes=writes, failed=failed)
        self._judge(turn, asked, count)
        return count

    def _last(self, turn: Turn, asked: Asked, *, blocked: bool) -> Operation | None:
        """The run of a call; a later one like it may own it, where this was refused.

        Blocks in place of the results of both do not tell which of them ran.
        """
        last = self._moved.pop(asked, asked.last)
        if last is None or not (blocked and asked.blocked):
            return last
        key = _key(asked)
        for other in turn.asked[turn.asked.index(asked) + 1 :]:
            free = other.last is None and not other.declined
            if (
                free
                and other.blocked
                and other not in self._moved
                and _key(other) == key
            ):
                self._moved[other] = last
                return None
        return last

    def _unseen(self, key: CallKey, asked: Asked) -> list[str]:
        """Signatures that a call may have that did not run and shows only a block.

        That of the last call with the same fate; where there was none, those of this
        key that explain the block.
        """
        sign = self._signs.get((key, _refusal(asked)))
        if sign is not None:
            return [sign]
        known = dict.fromkeys(
            one for (of, _why), one in self._signs.items() if of == key
        )
        due = self._rules.block_at - 1
        return [one for one in known if self._window.count(one) >= due]

    def _judge(self, turn: Turn, asked: Asked, count: int) -> None:
        result = asked.result
        if result is None or count >= self._rules.end_at:
            return
        blocked = asked.blocked
        if count >= self._rules.block_at:
            self._walk.evidence += 1
            if not blocked:
                self._walk.violations.append(_unblocked(turn, asked, count))
        elif blocked:
            self._walk.evidence += 1
            self._walk.violations.append(self._too_early(turn, asked, count))

    def _too_early(self, turn: Turn, asked: Asked, count: int) -> Violation:
        return Violation(
            f"{asked.call.name} is blocked as a loop and is none",
            f"a block from {self._rules.block_at} times the same result on",
            f"a block at {count}",
            _places(turn, asked),
        )

    def _ran_blocked(self, asked: Asked, last: Operation) -> None:
        self._walk.evidence += 1
        self._walk.violations.append(
            Violation(
                f"{asked.call.name} ran although it was blocked as a loop",
                "a refusal before confirmation and execution",
                "a run that took effect" if last.effects else "a run",
                (last.start_at, *last.effects_at[:1]),
            )
        )


def _answered_at(turn: Turn, asked: Asked) -> int:
    """When a call is answered: behind its runs and those of the calls before it.

    A call that did not run is refused when its turn comes, which nobody sees.
    """
    places = [turn.response_at]
    for entry in turn.asked[: turn.asked.index(asked) + 1]:
        for operation in entry.operations:
            at = operation.end_at
            places.append(operation.start_at if at is None else at)
    return max(places)


def _refusal(asked: Asked) -> str | None:
    """How a person declined a call, or None: what was declined alike had one result."""
    question = asked.declined
    if question is None or question.answer is None or asked.operations:
        return None
    return f"{question.answer.approved} {question.answer.reason}"


def _unblocked(turn: Turn, asked: Asked, count: int) -> Violation:
    text = asked.result.content if asked.result is not None else ""
    words = f"{asked.call.name} gave the same result {count} times and is not blocked"
    found = quoted(text)
    if text.startswith(BLOCK):
        words = f"the block of {asked.call.name} is not flagged as an error"
        found += " without the flag"
    expected = f"a result flagged as an error that begins with {BLOCK}"
    return Violation(words, expected, found, _places(turn, asked))


def _places(turn: Turn, asked: Asked) -> tuple[int, ...]:
    middle = None if asked.last is None else asked.last.end_at
    return tuple(
        at for at in (turn.response_at, middle, turn.shown_at) if at is not None
    )


def _raw(asked: Asked, last: Operation | None) -> str | None:
    """The result before any replacement; None where only a replacement can be seen.

    A tool's failure is told by its own words, since its result may be replaced too.
    """
    if last is not None and last.end is not None:
        failed = last.end.ending != "ok"
        return f"Error: {last.end.output}" if failed else last.end.output
    if asked.result is None or asked.blocked:
        return None
    return asked.result.content
