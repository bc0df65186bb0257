"""The invariant of what reaches the model of the runs of its calls (spec R3.2, R4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import Message
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of, call_key_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Asked, Life, Operation, Turn
from agentsim.invariants.toolset import same_arguments
from agentsim.invariants.wording import is_gone, telling_words

__all__ = ["results_as_returned"]

SHORT = 200
"""Characters up to which nobody has a reason to store an output elsewhere."""

TELLING_WORDS = 3
"""How many words an output has that can't be lost by a change of its form."""

SPOILING = ("", "normal", "outdated")
"""Answers of a fault that may spoil an output: an agent may take such a one as an error."""


@invariant(
    "results-as-returned",
    "A call's result is what its own tool returned.",
    rationale="A model that gets the output of another call, or nothing, or a mere "
    "notice that the tool ran, acts on a world that it has not seen; one that is told of "
    "a write that was never made tells the user so.",
    spec=("R3.2", "R3.4", "R4.3"),
    exemptions=(
        "Blocks, and whatever the model is told of a tool that failed.",
        (
            "An output in another form, shortened, masked, or with words around it: a "
            "result is wrong if it is empty, if it is the whole output of another run of a "
            "tool and nothing of its own, or if a text of at most 200 characters and at "
            "least three words is gone without one word left."
        ),
        (
            "An error in place of an output that a fault may have spoilt, of a call that "
            "was made before, or at a deadline or a cancellation; any other may not take "
            "such a text away either."
        ),
        "Calls of one response that are alike: their results tell which of them ran.",
        (
            "A read that no run of a tool answers, such as one from a cache: nobody can see "
            "whether a write in between changed what it shows. Only one that is older than "
            "what another run of the same read returned behind an effect is known to be "
            "stale; a rule for tools that you know is [one of your "
            "own](../how-to/own-invariants.md#no-answer-from-before-a-write)."
        ),
    ),
    needs_inside=True,
)
def results_as_returned(facts: Facts) -> Ruling:
    """Compare the result of each call with the output of the run that served it."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        if life.smooth:
            evidence += len(life.operations)
            continue
        for turn in life.turns:
            for asked in turn.asked:
                result, last = asked.result, asked.last
                if result is not None and not asked.guessed:
                    if last is not None and _is_told(last, result):
                        evidence += 1
                        continue
                    if last is None:
                        found = _made_up(facts, life, turn, asked, result)
                    elif result.is_error:
                        found = _refused(facts, life, turn, asked, last)
                    else:
                        found = _other(life, turn, asked, last)
                    judged = [*found]
                    evidence += len(judged)
                    violations += [entry for entry in judged if entry is not None]
    return rule(evidence, violations, "no result of a tool that ran well was shown")


def _is_told(last: Operation, result: Message) -> bool:
    """Whether a result is literally what the tool returned: the usual case."""
    end = last.end
    return (
        end is not None
        and end.ending == "ok"
        and not result.is_error
        and result.content == end.output
    )


_Found = Iterator[Violation | None]
"""One entry where there is something to judge: what is wrong, or None."""


def _made_up(
    facts: Facts, life: Life, turn: Turn, asked: Asked, result: Message
) -> _Found:
    """A write that never ran, and is told as if it had; or a read that is out of date."""
    rights = facts.rights.get(asked.call.name)
    if rights is None or result.is_error or asked.declined:
        return
    if arguments_of(asked.call.arguments) is None or _recovered(facts, turn):
        return
    if rights.read_only:
        yield from _stale(facts, life, turn, asked, result)
        return
    yield Violation(
        f"{asked.call.name} never ran, and the model gets a result as if it had",
        f"a run of {asked.call.name}, or a result flagged as an error",
        quoted(result.content) if result.content else "an empty result",
        _shown(turn, turn.response_at),
    )


def _stale(
    facts: Facts, life: Life, turn: Turn, asked: Asked, result: Message
) -> _Found:
    """A read from memory: what is remembered must be the last that was seen."""
    wanted = arguments_of(asked.call.arguments) or {}
    alike = [
        run
        for run in life.operations
        if run.start.name == asked.call.name
        and run.end is not None
        and run.end.ending == "ok"
        and same_arguments(wanted, run.start.arguments)
    ]
    seen = [run for run in alike if _ended_at(run) < turn.response_at]
    if len(seen) < 2 or _may_be_spoilt(facts, asked.call.name):
        return
    told, last = result.content.strip(), max(seen, key=_ended_at)
    old = [run for run in alike if _output(run) == told]
    before = max(map(_ended_at, old), default=turn.response_at)
    if before >= _ended_at(last):  # that one, a run meanwhile, or something else
        yield None
        return
    effects = [at for run in life.operations for at in run.effects_at]
    written = [at for at in effects if before < at < last.start_at]
    if written:
        was, now = quoted_apart(_output(last) or "", told)
        words = (
            f"{asked.call.name} is answered with what it had returned before a write"
        )
        yield Violation(
            words, was, now, (before, written[-1], *_shown(turn, last.end_at))
        )


def _ended_at(run: Operation) -> int:
    return run.end_at or 0


def _recovered(facts: Facts, turn: Turn) -> bool:
    return any(turn.response_at < at for at, _event in facts.recovered)


def _refused(
    facts: Facts, life: Life, turn: Turn, asked: Asked, last: Operation
) -> _Found:
    """A call whose tool ran well, or could have, and that is told as failed."""
    result = asked.result
    if last.end is None or asked.blocked or result is None:
        return
    if life.status in ("deadline", "cancelled") and turn.last:
        return
    name, told = asked.call.name, quoted(result.content)
    if last.end.ending == "cancelled":
        sibling = _fell_with(facts, turn, last)
        if sibling is not None:
            words = f"{name} was cut off because {sibling.start.name} beside it failed"
            places = (sibling.end_at or 0, *_shown(turn, last.end_at))
            yield Violation(words, f"a run of {name} to its end", told, places)
        return
    if last.end.ending != "ok" or _may_be_spoilt(facts, name):
        return
    if _was_made_before(life, turn, asked):
        return
    own = last.end.output.strip()
    if _is_telling(own):
        gone = is_gone(own, result.content)
        words = f"{name} ran well, and the model is told that it failed"
        shown = _shown(turn, last.end_at)
        yield Violation(words, quoted(own), told, shown) if gone else None


def _was_made_before(life: Life, turn: Turn, asked: Asked) -> bool:
    """Whether an earlier response of the life made the same call."""
    key = call_key_of(asked.call)
    before = life.turns[: life.turns.index(turn)]
    return any(call_key_of(a.call) == key for other in before for a in other.asked)


def _fell_with(facts: Facts, turn: Turn, last: Operation) -> Operation | None:
    """The run beside a cut one whose failure came directly before the cut."""
    at = last.end_at or 0
    fallen = {run.end_at: run for run in turn.operations}
    while at > 0:
        at -= 1
        before = fallen.get(at)
        if before is None or before.end is None or last.end is None:
            return None
        if facts.events[at].at_ns != last.end.at_ns or before not in last.beside + [
            run for run in turn.operations if last in run.beside
        ]:
            return None
        if before.end.ending != "cancelled":
            return before if before.end.ending != "ok" else None
    return None


def _may_be_spoilt(facts: Facts, name: str) -> bool:
    return any(
        fault.target == name and fault.answer in SPOILING for fault in facts.faults
    )


def _other(life: Life, turn: Turn, asked: Asked, last: Operation) -> _Found:
    """A result that is not what the tool returned."""
    result, end = asked.result, last.end
    if result is None or end is None or end.ending != "ok":
        return
    change = _unlike(life, asked, end.output.strip(), result.content.strip())
    if change is None:
        yield None
    else:
        yield Violation(*change, _shown(turn, last.end_at))


Change = tuple[str, str, str]
"""What is wrong, what was expected, and what was found."""


def _unlike(life: Life, asked: Asked, own: str, told: str) -> Change | None:
    """What is wrong with a result that is not literally the output of its run."""
    if not own or (told and (told in own or own in told)):
        return None
    name, was, now = asked.call.name, *quoted_apart(own, told)
    if not told:
        return f"the output of {name} does not reach the model", was, "an empty result"
    runs = [run for run in life.operations if run.end is not None]
    if any(_output(run) == told for run in asked.operations):
        return None
    other = next((run for run in runs if _output(run) == told), None)
    if other is not None:
        words = f"a call of {name} got what another run of {other.start.name} returned"
        return words, was, now
    if _is_telling(own) and is_gone(own, told):
        return f"nothing of what {name} returned reaches the model", was, now
    return None


def _output(run: Operation) -> str | None:
    return run.end.output.strip() if run.end is not None else None


def _is_telling(output: str) -> bool:
    """Whether an output is a short text with words that another form of it keeps."""
    if len(output) > SHORT or not output.isprintable():
        return False
    return len(telling_words(output)) >= TELLING_WORDS


def _shown(turn: Turn, at: int | None) -> tuple[int, ...]:
    return tuple(place for place in (at, turn.shown_at) if place is not None)
