"""Which call a run of a tool serves, and which one a person declined.

What surrounds an agent sees a tool's name and arguments, and seldom the call. Where
several calls of one response are alike, the results that the model got decide: a run
belongs to the call whose result tells of it, and only where none does, to the first in
order. So an alarm that rests on a match is raised only if no other match would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, reduce
from itertools import pairwise
from operator import itemgetter
from typing import Any

from agentsim.core import (
    CallKey,
    ConfirmationAsked,
    InvalidArguments,
    ToolCall,
    ToolStarted,
    call_key,
    parse_arguments,
)
from agentsim.invariants.subjects import Asked, Life, Operation, Question, Turn
from agentsim.invariants.toolset import APPROVER, same_arguments, without_approver

__all__ = [
    "arguments_of",
    "call_key_of",
    "explains",
    "give_to_shown",
    "is_as_asked",
    "is_smooth",
    "reads_anew",
    "served",
    "settle",
]

EXACT, TELLING, PLAIN, FLAGGED, REPLACED, UNSEEN, UNFIT = range(7)
"""How well a result fits a run of a tool or a refusal, best first.

It is the same text, or has it in it; it is an answer or an error as it should be; a
block stands in its place; no history shows it; it is an answer to what failed, or an
error where nothing did.
"""

SURE = TELLING
"""Up to this fit a result itself tells that it is the right one."""


@lru_cache(maxsize=1024)
def arguments_of(text: str) -> Mapping[str, Any] | None:
    """The arguments that the model wrote, or None where they are invalid (R3.5).

    The value is kept and shared: it must not be changed.
    """
    try:
        return parse_arguments(text)
    except InvalidArguments:
        return None


@lru_cache(maxsize=1024)
def _exact_arguments_of(text: str) -> Mapping[str, Any] | None:
    """`arguments_of`, where only the same JSON is equal to them; else None."""
    arguments = arguments_of(text)
    return arguments if _is_exact(arguments) else None


def _is_exact(value: object) -> bool:
    """Whether a value of JSON is equal to no other one: True is 1, and False 0."""
    if isinstance(value, dict):
        return all(map(_is_exact, value.values()))
    if isinstance(value, list):
        return all(map(_is_exact, value))
    return value not in (0, 1)


def is_as_asked(call: ToolCall, told: ToolStarted | ConfirmationAsked) -> bool:
    """Whether name and arguments are those of a call, as can be told by a look.

    No more is added than an approver. False says nothing: a closer look may find that
    they are the same.
    """
    if call.name != told.name:
        return False
    wanted, given = _exact_arguments_of(call.arguments), told.arguments
    if APPROVER in given and wanted is not None and APPROVER not in wanted:
        given = without_approver(given)
    return wanted == given


def call_key_of(call: ToolCall) -> CallKey:
    """What makes two calls the same request: name and canonical arguments."""
    return _known_key(call.name, call.arguments)


_known_key = lru_cache(maxsize=1024)(call_key)


def served(turn: Turn, start: ToolStarted) -> Asked | None:
    """The call of a turn that a tool's start serves, as far as can be told at once.

    By id, else by name and arguments. Among equal calls the first that nothing served
    yet counts, then one whose last run did not end well: a retry. A call with other
    arguments serves where no equal one is, since whether arguments are changed on the
    way is another question. Where there was a choice, `turn.unsure` asks for `settle`.
    """
    if start.call_id is not None:
        named = [asked for asked in turn.asked if asked.call.id == start.call_id]
        turn.unsure = turn.unsure or len(named) != 1
        if named:
            return named[0]
    named = [asked for asked in turn.asked if asked.call.name == start.name]
    if len(named) > 1:
        named = [entry for entry in named if _is_equal(entry, start.arguments)] or named
        turn.unsure = turn.unsure or len(named) > 1
    for asked in named:
        if not asked.operations:
            return asked
    for asked in named:
        if _failed(asked.operations[-1], start):
            return asked
    return None


def explains(turn: Turn, told: ToolStarted | ConfirmationAsked) -> bool:
    """Whether a call of a turn that nothing served yet asks for just this."""
    return any(
        asked.call.name == told.name
        and not asked.operations
        and told.call_id in (None, asked.call.id)
        and _is_equal(asked, told.arguments)
        for asked in turn.asked
    )


def reads_anew(turn: Turn, operation: Operation) -> bool:
    """Whether a new life reads what no call that is still open from the old one asks for."""
    rights, named = operation.rights, operation.start.call_id is not None
    reads = rights is not None and rights.read_only and not named
    return reads and not _equal(turn, operation)


def _is_equal(asked: Asked, arguments: Mapping[str, Any]) -> bool:
    wanted = arguments_of(asked.call.arguments)
    return wanted is not None and same_arguments(wanted, arguments)


def _failed(operation: Operation, later: ToolStarted) -> bool:
    """Whether a run did not end well, or died with the process before a later one."""
    if operation.end is None:
        return operation.start.life < later.life
    return operation.end.ending != "ok"


# ------------------------------------------------- with the results that the model got


def is_smooth(life: Life) -> bool:
    """Whether all calls of a life went as `Life.smooth` says."""
    runs = 0
    for turn in life.turns:
        calls = turn.asked
        if len(turn.operations) != len(calls):
            return False
        runs += len(calls)
        for asked in calls:
            result = asked.result
            if result is None or result.is_error or not asked.operations:
                return False
            run = asked.operations[0]
            start, end = run.start, run.end
            if end is None or end.ending != "ok" or end.output != result.content:
                return False
            if run.rights is None or not run.wanted or start.life != life.number:
                return False
            call = asked.call
            same = _exact_arguments_of(call.arguments) == start.arguments
            if not ((same and call.name == start.name) or is_as_asked(call, start)):
                return False
    return runs == len(life.operations)


_Event = Operation | Question
"""What befalls a call: a run of its tool, or a refusal of a person."""


def settle(turn: Turn) -> None:
    """Give the runs and refusals of a turn to its calls, once the results are known.

    A call that was declined gets a run only if no other call can explain it.
    """
    declined = [q for q in turn.questions if q.answer is not None and not q.approved]
    if not (turn.unsure or declined):
        return
    for asked in turn.asked:
        asked.operations, asked.declined = [], None
    alike: dict[tuple[int, ...], list[_Event]] = {}
    events: list[_Event] = [*turn.operations, *declined]
    for event in sorted(events, key=_begins_at):
        asked_by_id = _named(turn, event)
        if asked_by_id is None:
            alike.setdefault(_equal(turn, event), []).append(event)
        else:
            _give(event, asked_by_id)
    others = alike.pop((), [])
    for places, events in alike.items():
        _divide(events, [turn.asked[place] for place in places])
    for event in others:
        if isinstance(event, Operation):
            _divide([event], _of_name(turn, event))


def _equal(turn: Turn, event: _Event) -> tuple[int, ...]:
    """Places of the calls with the name and the arguments of an event."""
    told = _told(event)
    return tuple(
        place
        for place, asked in enumerate(turn.asked)
        if asked.call.name == told.name and _is_equal(asked, told.arguments)
    )


def _of_name(turn: Turn, operation: Operation) -> list[Asked]:
    """The calls of a run's tool; those that can't run come last."""
    found = [a for a in turn.asked if a.call.name == operation.start.name]
    return sorted(found, key=lambda asked: arguments_of(asked.call.arguments) is None)


def _divide(events: list[_Event], calls: list[Asked]) -> None:
    left = [e for e in _share(events, calls) if isinstance(e, Operation)]
    for operation in left:
        _repeat(operation, calls)
    if len(calls) > 1 and (left or _may_hide_retries(events, calls)):
        for asked in calls:
            asked.guessed = asked.last is None or _fit(asked.last, asked) > SURE


def _may_hide_retries(events: list[_Event], calls: list[Asked]) -> bool:
    """Whether as many calls may have been refused as runs were repeated.

    Only a write is refused because of a loop, and a block hides that.
    """
    runs = [event for event in events if isinstance(event, Operation)]
    if not any(asked.blocked for asked in calls) or not any(r.writes for r in runs):
        return False
    return any(_is_retry(*pair) for pair in pairwise(runs))


def _begins_at(event: _Event) -> int:
    return event.start_at if isinstance(event, Operation) else event.ask_at


def _told(event: _Event) -> ToolStarted | ConfirmationAsked:
    return event.start if isinstance(event, Operation) else event.ask


def give_to_shown(life: Life) -> None:
    """Give runs of calls that no history tells of to equal calls whose results are shown.

    Of several conversations a run is first taken for one of the call that came first. A
    conversation that goes no further, such as one that was to summarize, may have asked
    for the same and run nothing.
    """
    for turn in life.turns:
        for asked in turn.asked if turn.shown_at is None else ():
            for operation in [*asked.operations]:
                other = _shown_twin(life, turn, operation)
                if other is not None:
                    asked.operations.remove(operation)
                    turn.operations.remove(operation)
                    _give(operation, other[1])
                    other[0].operations.append(operation)
                    operation.response_at = other[0].response_at


def _shown_twin(
    life: Life, turn: Turn, operation: Operation
) -> tuple[Turn, Asked] | None:
    """A call of another conversation that asks for a run too, was answered and has none."""
    at = operation.start_at
    for talk in life.conversations:
        before = [other for other in talk.turns if other.response_at < at]
        if not before or turn in talk.turns:
            continue
        for asked in before[-1].asked:
            open_call = not asked.operations and asked.result is not None
            named = asked.call.name == operation.start.name
            if open_call and named and _is_equal(asked, operation.start.arguments):
                return before[-1], asked
    return None


def _named(turn: Turn, event: _Event) -> Asked | None:
    """The call whose id the witness knows: that of the history, else the model's."""
    told = _told(event)
    if not told.call_id:
        return None
    echo = turn.echo.tool_calls if turn.echo is not None else ()
    for calls in (echo, [asked.call for asked in turn.asked]):
        for asked, call in zip(turn.asked, calls, strict=False):
            if call.id == told.call_id and asked.call.name == told.name:
                return asked
    return None


def _give(event: _Event, asked: Asked) -> None:
    if isinstance(event, Operation):
        asked.operations.append(event)
        asked.operations.sort(key=_begins_at)
    else:
        asked.declined = event


PAIRED, PASSED, ALONE = range(3)
"""Whether an event goes to a call, passes it by, or stays without any."""

_Pair = tuple[_Event, Asked]

_Cost = tuple[int, int, int, int]
"""What speaks against a match, worst first: runs that no retry explains; results that
contradict theirs, or are answers without a run; what is not told; runs without a call."""


def _share(events: list[_Event], calls: list[Asked]) -> list[_Event]:
    """Give each event to a call of its own, and return those that are left.

    Calls have their turns in order; so the best match that keeps the order is taken,
    unless the results are better explained by one that does not.
    """
    free = [asked for asked in calls if not asked.operations and not asked.declined]
    ways = (_in_order(events, free), _by_fit(events, free))
    given = min(ways, key=lambda pairs: _cost(pairs, events, free)[:-1])
    for event, asked in given:
        _give(event, asked)
    taken = [event for event, _asked in given]
    return [event for event in events if event not in taken]


def _cost(pairs: list[_Pair], events: list[_Event], free: list[Asked]) -> _Cost:
    paired = [event for event, _asked in pairs]
    called = [asked for _event, asked in pairs]
    steps = [_paired(*pair) for pair in pairs]
    steps += [_passed(asked) for asked in free if asked not in called]
    steps += [_alone(event, events) for event in events if event not in paired]
    return reduce(_plus, steps, (0, 0, 0, 0))


def _plus(one: _Cost, other: _Cost) -> _Cost:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def _paired(event: _Event, asked: Asked) -> _Cost:
    fit = _fit(event, asked)
    return 0, int(fit == UNFIT), int(fit > SURE), 0


def _passed(asked: Asked) -> _Cost:
    answered = asked.result is not None and not asked.result.is_error
    return 0, int(answered), 0, 0


def _alone(event: _Event, events: list[_Event]) -> _Cost:
    repeated = (
        isinstance(event, Operation) and _fails(event) and event is not events[-1]
    )
    return int(not repeated), 0, 1, 1


def _in_order(events: list[_Event], free: list[Asked]) -> list[_Pair]:
    """The best match among those in which both come in their order."""
    best: list[_Cost] = [(0, 0, 0, 0)]
    for asked in reversed(free):
        best.insert(0, _plus(best[0], _passed(asked)))
    steps: list[list[int]] = []
    for event in reversed(events):
        alone = _alone(event, events)
        behind, best = best, [*best[:-1], _plus(best[-1], alone)]
        step = [ALONE] * len(best)
        for place in reversed(range(len(free))):
            asked = free[place]
            ways = (
                (_plus(behind[place + 1], _paired(event, asked)), PAIRED),
                (_plus(best[place + 1], _passed(asked)), PASSED),
                (_plus(behind[place], alone), ALONE),
            )
            best[place], step[place] = min(ways, key=itemgetter(0))
        steps.insert(0, step)
    return _traced(events, free, steps)


def _traced(
    events: list[_Event], free: list[Asked], steps: list[list[int]]
) -> list[_Pair]:
    found: list[_Pair] = []
    row = place = 0
    while row < len(events) and place < len(free):
        step = steps[row][place]
        if step == PAIRED:
            found.append((events[row], free[place]))
        row += step != PASSED
        place += step != ALONE
    return found


def _by_fit(events: list[_Event], free: list[Asked]) -> list[_Pair]:
    """A match in any order, best fit first; among equal fits the first call."""
    found: list[_Pair] = []
    left, calls = events, list(free)
    for fit in range(UNFIT + 1):
        unmatched: list[_Event] = []
        for event in left:
            fitting = next((a for a in calls if _fit(event, a) == fit), None)
            if fitting is None:
                unmatched.append(event)
            else:
                found.append((event, fitting))
                calls.remove(fitting)
        left = unmatched
    return found


def _fit(event: _Event, asked: Asked) -> int:
    result = asked.result
    if result is None:
        return UNSEEN
    if asked.blocked:
        return REPLACED
    fails = _fails(event)
    if result.is_error != fails:
        return UNFIT
    words = _words(event)
    if result.content in (words, f"Error: {words}"):
        return EXACT
    if words and words in result.content:
        return TELLING
    return FLAGGED if fails else PLAIN


def _fails(event: _Event) -> bool:
    """Whether the model should be told of an error."""
    if isinstance(event, Operation):
        return event.end is None or event.end.ending != "ok"
    return True


def _words(event: _Event) -> str:
    """The text that a result would have, or have in it; empty where none is known."""
    if isinstance(event, Operation):
        return event.end.output if event.end is not None else ""
    reason = event.answer.reason if event.answer is not None else None
    return reason or ""


def _repeat(operation: Operation, calls: list[Asked]) -> None:
    """Take a run that is left over for another attempt at a call, where one fits.

    A call that was declined and has no run comes last: it should not have run at all.
    """
    found: Asked | None = None
    best = 2 * UNFIT + 2
    for asked in calls:
        attempts = sorted([*asked.operations, operation], key=_begins_at)
        if all(_is_retry(*pair) for pair in pairwise(attempts)):
            fit = _fit(attempts[-1], asked)
            fit += 0 if asked.operations else UNFIT + 1
            if fit < best:
                found, best = asked, fit
    if found is not None:
        _give(operation, found)


def _is_retry(first: Operation, second: Operation) -> bool:
    """Whether the second began after the first had failed."""
    over = first.end_at is None or first.end_at < second.start_at
    return over and _failed(first, second.start)
