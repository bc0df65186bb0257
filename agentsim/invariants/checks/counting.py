"""How often each call and each text was answered alike: counted once, as R5 says.

What is found is sorted by what it breaks: a block or an end that is missing, and a
block that nothing explains.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agentsim.core import CallKey, LoopRules, LoopWindow, key_signature
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of, call_key_of
from agentsim.invariants.registry import Violation, quoted
from agentsim.invariants.subjects import BLOCK, Asked, Life, Operation, Turn
from agentsim.invariants.toolset import same_arguments

__all__ = ["LoopEnd", "Walk", "walk_of"]

ORDERLY = ("done", "stopped", "max_iterations", "loop")
"""Statuses of runs that answered all calls of their last response in the usual way."""


@dataclass(slots=True)
class LoopEnd:
    """What repeats often enough to end the run.

    Attributes:
        at: Index of the event at which it shows.
        words: What repeats, and how often, as the beginning of a sentence.
        of_calls: Whether calls repeat; else texts.
    """

    life: Life
    turn: Turn
    at: int
    words: str
    of_calls: bool = True


@dataclass(slots=True)
class Walk:
    """What counting the calls and texts of a run found.

    Attributes:
        blocks_due: How often a block was due.
        missing: Where one is missing, or did not keep a write from running.
        chances: How often something that is no loop could have been taken for one.
        false: Where that was done.
        ends: What ends a run, at most one per life.
        uncounted: Numbers of lives whose calls could not all be counted.
    """

    blocks_due: int = 0
    missing: list[Violation] = field(default_factory=list)
    chances: int = 0
    false: list[Violation] = field(default_factory=list)
    ends: list[LoopEnd] = field(default_factory=list)
    uncounted: list[int] = field(default_factory=list)


def walk_of(facts: Facts) -> Walk:
    """Count the calls and texts of all lives, once for all invariants."""
    walk = facts.memory.get("loops")
    if not isinstance(walk, Walk):
        walk = facts.memory["loops"] = Walk()
        rules = facts.header.loop
        if rules is not None:
            for life in facts.lives:
                _count_life(facts, life, rules, walk)
    return walk


def _count_life(facts: Facts, life: Life, rules: LoopRules, walk: Walk) -> None:
    found = len(walk.ends)
    if _worth_counting(facts, life, rules, walk):
        counter = _Counter(facts, rules, walk)
        if not counter.count(life):
            walk.uncounted.append(life.number)
    texts = _text_end(life, rules)
    if texts is not None:
        ends = [*walk.ends[found:], texts]
        walk.ends[found:] = [min(ends, key=lambda end: end.at)]


def _text_end(life: Life, rules: LoopRules) -> LoopEnd | None:
    """The answer without calls whose text came often enough to end the run (R5.6)."""
    if len(life.main.turns) < rules.end_at:
        return None
    window = LoopWindow(rules)
    for turn in life.main.turns:
        text = turn.response.message.content
        paused = turn.response.stop_reason == "pause_turn" and not turn.asked
        if not (paused and text and turn.consumed) or turn.operations:
            continue
        count = window.add(text, ("", ""), writes=False)
        if count >= rules.end_at:
            words = f"the text {quoted(text)} came {count} times"
            return LoopEnd(life, turn, turn.response_at, words, of_calls=False)
    return None


def _worth_counting(facts: Facts, life: Life, rules: LoopRules, walk: Walk) -> bool:
    """Whether any call had its result often enough, or any block or end is seen.

    Most runs never come near a loop, and signatures are dear.
    """
    if life.status == "loop":
        return True
    calls = [asked for turn in life.main.turns for asked in turn.asked]
    if not life.smooth and any(asked.blocked for asked in calls):
        return True
    others = len({asked.call.name for asked in calls}) - 1
    if len(calls) - others < rules.block_at:
        return False  # no tool was called often enough
    repeated: dict[CallKey, list[Asked]] = {}
    for asked in calls:
        repeated.setdefault(call_key_of(asked.call), []).append(asked)
    often = [alike for alike in repeated.values() if len(alike) >= rules.block_at]
    for alike in often:
        results = Counter(_masked(facts, asked, asked.last) for asked in alike)
        if max(results.values()) >= rules.block_at:
            return True
    # The same question with other answers, each time: no loop, and none seen.
    walk.chances += len(often)
    return False


def _masked(facts: Facts, asked: Asked, last: Operation | None) -> str | None:
    """The raw result of a call without its volatile parts, or None if unseen."""
    raw = _raw(asked, last)
    rights = facts.rights.get(asked.call.name)
    if raw is None or rights is None or not rights.volatile:
        return raw
    return rights.mask(raw)


class _Counter:
    """Counts the answered calls of one life as R5 says."""

    def __init__(self, facts: Facts, rules: LoopRules, walk: Walk) -> None:
        self._facts = facts
        self._rules = rules
        self._window = LoopWindow(rules)
        self._walk = walk
        self._times: dict[CallKey, int] = {}
        self._moved: dict[Asked, Operation] = {}
        self._signs: dict[tuple[CallKey, str | None], str] = {}

    def count(self, life: Life) -> bool:
        """Walk over the life until its loop ends it, or its answers do.

        Returns:
            False where it could not be told what became of a call.
        """
        for turn in life.main.turns:
            if not turn.consumed:
                continue
            last = turn.shown_at is not None and turn.shown_at == life.outcome_at
            if last and life.status not in (None, *ORDERLY):
                return True
            for asked in turn.asked:
                number = self._take(turn, asked)
                if number is None:
                    return False
                if number >= self._rules.end_at:
                    self._end(life, turn, asked, number)
                    return True
        return True

    def _end(self, life: Life, turn: Turn, asked: Asked, count: int) -> None:
        self._walk.blocks_due += 1
        at = _answered_at(turn, asked)
        words = f"{asked.call.name} was called {count} times with the same result"
        self._walk.ends.append(LoopEnd(life, turn, at, words))

    def _take(self, turn: Turn, asked: Asked) -> int | None:
        """Count one call; None where the run was cut off before its answer.

        Also where it can't be told which of several results a block stands for, or
        whose a run is: then the rest of the life can't be counted.
        """
        if asked.guessed:
            return None
        rights = self._facts.rights.get(asked.call.name)
        writes = rights is not None and not rights.read_only
        key = call_key_of(asked.call)
        blocking = self._window.blocking(key) if writes else None
        last = self._last(turn, asked, blocked=blocking is not None)
        if last is not None and (last.end is None or last.end.ending == "cancelled"):
            return None
        if last is not None and blocking is not None:
            self._ran_blocked(asked, last)
        elif blocking is not None:
            self._asked_blocked(turn, asked)
        failed = last is None or last.end is None or last.end.ending != "ok"
        if asked.result is not None and asked.result.is_error and not asked.blocked:
            failed = True  # its output was none that could be passed on: no progress
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
            self._walk.chances += 1
            self._walk.false.append(self._too_early(turn, asked, 1))
            return 0
        self._signs[key, _refusal(asked)] = sign
        count = self._window.add(sign, key, writes=writes, failed=failed)
        self._times[key] = self._times.get(key, 0) + 1
        self._judge(turn, asked, count)
        return count

    def _last(self, turn: Turn, asked: Asked, *, blocked: bool) -> Operation | None:
        """The run of a call; a later one like it may own it, where this was refused.

        Blocks in place of the results of both do not tell which of them ran.
        """
        last = self._moved.pop(asked, asked.last)
        if last is None or not (blocked and asked.blocked):
            return last
        key = call_key_of(asked.call)
        for other in turn.asked[turn.asked.index(asked) + 1 :]:
            free = other.last is None and not other.declined
            if (
                free
                and other.blocked
                and other not in self._moved
                and call_key_of(other.call) == key
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
            self._walk.blocks_due += 1
            if not blocked:
                self._walk.missing.append(_unblocked(turn, asked, count))
        elif blocked:
            self._walk.chances += 1
            self._walk.false.append(self._too_early(turn, asked, count))
        elif self._times[call_key_of(asked.call)] >= self._rules.block_at:
            self._walk.chances += 1

    def _too_early(self, turn: Turn, asked: Asked, count: int) -> Violation:
        return Violation(
            f"{asked.call.name} is blocked as a loop and is none",
            f"a block from {self._rules.block_at} times the same result on",
            f"a block at {count}",
            _places(turn, asked),
        )

    def _ran_blocked(self, asked: Asked, last: Operation) -> None:
        self._walk.blocks_due += 1
        self._walk.missing.append(
            Violation(
                f"{asked.call.name} ran although it was blocked as a loop",
                "a refusal before confirmation and execution",
                "a run that took effect" if last.effects else "a run",
                (last.start_at, *last.effects_at[:1]),
            )
        )

    def _asked_blocked(self, turn: Turn, asked: Asked) -> None:
        """A blocked write is refused before anybody is asked about it (R5.5)."""
        key = call_key_of(asked.call)
        wanted = arguments_of(asked.call.arguments)
        if wanted is None or sum(call_key_of(a.call) == key for a in turn.asked) > 1:
            return
        for question in turn.questions:
            same = same_arguments(question.ask.arguments, wanted)
            if question.ask.name == asked.call.name and same:
                self._walk.blocks_due += 1
                self._walk.missing.append(
                    Violation(
                        f"a person is asked about {asked.call.name}, which is blocked "
                        "as a loop",
                        "a refusal before confirmation and execution",
                        "a question",
                        (turn.response_at, question.ask_at),
                    )
                )
                return


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
