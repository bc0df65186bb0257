"""What is true of all invariants: no false alarm, total, deterministic, linear."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import MISSING, fields, replace
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    EVENT_KINDS,
    Event,
    Limits,
    LoopRules,
    Message,
    MessageView,
    Rights,
    ToolCall,
    ToolDef,
    Usage,
)
from agentsim.invariants import INVARIANTS, Facts, judge
from agentsim.trace import Header, ToolFacts, Trace, from_jsonl, to_jsonl
from tests.invariants.correct_loop import Habits, Reply, Step, live
from tests.invariants.support import Run, call, check, confirmed, read, write
from tests.support.effort import calls_made
from tests.support.examples import examples
from tests.trace.strategies import limits as any_limits
from tests.trace.strategies import loops as any_loops
from tests.trace.strategies import of_type

QUIET = ("delta", "checkpoint", "escalated", "tool_progress", "retry", "injected")
"""Kinds that no invariant reads, of which one or two would do."""

TOOLS = (read("look"), read("count", parallel=False), write("note"), confirmed("pay"))

arguments = st.sampled_from(["{}", "", '{"n":1}', '{"n": 1}', '{"n":', "[]", '{"n":2}'])
names = st.sampled_from(["look", "look", "count", "note", "pay", "lok"])
calls = st.lists(st.tuples(names, arguments), max_size=3).map(tuple)
replies = st.builds(
    Reply,
    calls=calls,
    text=st.sampled_from(["", "", "done", "task complete"]),
    stop=st.sampled_from([None, None, None, None, "pause_turn", "max_tokens"]),
    tokens=st.integers(0, 40),
    seconds=st.sampled_from([0, 0, 0, 1, 5, 10]),
    empty=st.booleans(),
    fails=st.booleans(),
    breaks=st.booleans(),
)
steps = st.builds(
    Step,
    output=st.sampled_from(["ok", "ok", "same", "new"]),
    fails=st.booleans(),
    lost=st.booleans(),
    again=st.booleans(),
    approved=st.booleans(),
    reason=st.sampled_from([None, "no"]),
    seconds=st.sampled_from([0, 0, 0, 1, 10]),
)
tight = st.builds(
    Limits,
    max_iterations=st.sampled_from([None, 1, 3, 10]),
    deadline_s=st.sampled_from([None, 5.0, 10.0, 3600.0]),
    token_budget=st.sampled_from([None, 40, 100]),
)


habits = st.builds(Habits, *[st.booleans()] * 5)
loop_rules = st.sampled_from([LoopRules(), LoopRules(2, 4), LoopRules(2, 10)])
# Most matter where a response asks for the same thing again and again.
alike = st.tuples(names, arguments).flatmap(
    lambda one: st.lists(st.just(one) | st.tuples(names, arguments), max_size=4)
)
correct_runs = st.builds(
    live,
    st.just(TOOLS),
    st.lists(replies | st.builds(Reply, calls=alike.map(tuple)), max_size=6),
    st.lists(steps, max_size=8),
    tight,
    rules=loop_rules,
    habits=habits,
)


def raises_no_alarm(trace: Trace) -> None:
    """Judge a correct run."""
    for judgement in judge(trace):
        check(trace, judgement)
        assert judgement.status != "violated", judgement


@given(correct_runs)
@examples(8)
def test_a_correct_run_violates_nothing(trace: Trace) -> None:
    """Whatever the model says and the tools do, a correct loop raises no alarm."""
    raises_no_alarm(trace)


@pytest.mark.slow
@given(correct_runs)
@examples(200)
def test_a_correct_run_violates_nothing_at_length(trace: Trace) -> None:
    """The same over many runs."""
    raises_no_alarm(trace)


@given(replies, st.lists(steps, max_size=2), st.integers(3, 9))
@examples(20)
def test_a_correct_run_in_a_loop_violates_nothing(
    said: Reply, done: list[Step], times: int
) -> None:
    """The same response again and again is blocked and ended, and raises no alarm."""
    trace = live(TOOLS, [said] * times, done * times, Limits(max_iterations=12))
    for judgement in judge(trace):
        assert judgement.status != "violated", judgement


def test_correct_runs_are_evidence_of_every_invariant() -> None:
    """The loop of these tests can put each invariant to the test that it is meant for."""
    shy = Reply(calls=(("pay", "{}"),))
    again = [Reply(calls=(("look", "{}"), ("note", "{}"), ("lok", "{}")))] * 8
    broken = replace(shy, breaks=True)
    found = judge(live(TOOLS, [broken, *again], [], Limits(max_iterations=20)))
    held = {entry.id for entry in found if entry.status == "holds"}
    limited = {"limit-exact", "budget-counted-once", "deadline-kept", "cut-calls-told"}
    never = {"reads-bounded", "cancellation-kept"}  # nothing overlaps, nobody cancels
    assert {entry.id for entry in found} - held == limited | never
    late = [Step(seconds=10)]
    for limits, steps in (
        (Limits(max_iterations=2), []),
        (Limits(token_budget=1), []),
        (Limits(deadline_s=5.0), late),
    ):
        found = judge(live(TOOLS, again, steps, limits))
        limited -= {entry.id for entry in found if entry.status == "holds"}
    assert not limited


def test_a_life_in_which_all_went_well_is_judged_as_any_other() -> None:
    """The look that most lives are judged by finds what a look at each call finds."""
    asked = [Reply(calls=((name, '{"n":2}'),)) for name in ("look", "note", "pay")]
    facts = Facts(live(TOOLS, [*asked, Reply(text="done")], [], Limits()))
    assert [life.smooth for life in facts.lives] == [True]
    at_a_look = [entry.check(facts) for entry in INVARIANTS.all]
    facts.memory.clear()
    facts.lives[0].smooth = False
    assert at_a_look == [entry.check(facts) for entry in INVARIANTS.all]


@pytest.mark.parametrize(
    ("wanted", "given", "smooth"),
    [
        ('{"n":2}', {"n": 2}, True),
        ('{"n":1}', {"n": True}, False),
        ('{"n":2}', {"n": 2, "m": 2}, False),
        ('{"n":2}', {}, False),
    ],
)
def test_a_life_with_other_arguments_is_no_smooth_one(
    wanted: str, given: dict[str, Any], *, smooth: bool
) -> None:
    """Not one call may have run with other arguments than the model's."""
    run = Run(tools=TOOLS)
    run.asks(call("look", wanted))
    run.runs("look", **given)
    run.answers("ok")
    run.says("done")
    assert Facts(run.ends()).lives[0].smooth == smooth


# Few names and numbers, so that generated events meet one another.
small_ids = st.sampled_from(["", "a", "b"])
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=st.sampled_from(["", "x", "Error: loop detected: look"]),
    tool_calls=st.lists(
        st.builds(ToolCall, small_ids, names, arguments), max_size=2
    ).map(tuple),
    tool_call_id=st.none() | small_ids,
    is_error=st.booleans(),
)
LISTS = st.shared(st.lists(st.lists(messages, max_size=5), min_size=2, max_size=2))
CLOSE: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(1, 3),
    "operation": st.integers(1, 3),
    "question": st.integers(1, 2),
    "life": st.integers(1, 2),
    "at_ns": st.integers(0, 3),
    "name": names,
    "message": messages,
    "arguments": st.sampled_from([{}, {"n": 1}, {"confirmed_by": "ann"}]),
    "usage": st.none() | st.builds(Usage, st.integers(-5, 90), st.integers(0, 9)),
    "status": st.sampled_from([None, "done", "loop", "deadline", "waiting_human", "x"]),
    "who": st.sampled_from(["boundary", "boundary", "world", "runtime"]),
    "tools": st.sampled_from([(), tuple(facts.definition for facts in TOOLS)]),
    "stop_reason": st.sampled_from(
        ["end_turn", "pause_turn", "tool_use", "max_tokens", "refusal"]
    ),
    "text": st.sampled_from(["", "x"]),
    "replaced": st.sampled_from([(), (("a", "b"),)]),
    "ending": st.sampled_from(["returned", "returned", "leak", "raised", "crashed"]),
    "iterations": st.none() | st.integers(0, 3),
    "call_id": st.none() | small_ids,
    "confirmed_by": st.sampled_from([None, "", "ann"]),
    "output": st.sampled_from(["", "x"]),
    "rule": st.sampled_from([None, "orphan"]),
    "error": st.sampled_from(["", "x"]),
    "fault": st.sampled_from(["hangs", "slow"]),
    "limits": st.none(),
    "loop": st.none(),
}


def meeting(kind: str) -> st.SearchStrategy[Event]:
    """Events of a kind whose numbers and names collide with those of others."""
    cls = EVENT_KINDS[kind]
    hints = get_type_hints(cls)
    parts = {
        field.name: CLOSE.get(field.name, of_type(hints[field.name]))
        for field in fields(cls)
        if field.name in CLOSE or field.default is MISSING or field.name == "history"
    }
    for name in ("messages", "history"):
        if name in parts:
            parts[name] = st.builds(
                lambda lists, which, cut: MessageView(
                    lists[which], max(0, len(lists[which]) - cut)
                ),
                LISTS,
                st.integers(0, 1),
                st.integers(0, 5),
            )
    if kind == "outcome":
        parts["tools"] = st.none() | st.lists(names, max_size=3).map(tuple)
    if kind == "tool_end":
        parts["ending"] = st.sampled_from(["ok", "error", "unknown"])
    if kind == "request_failed":
        parts["status"] = st.sampled_from([None, 400, 500])
    return st.builds(cls, **parts)


odd_events = st.lists(
    st.one_of([meeting(kind) for kind in EVENT_KINDS if kind not in QUIET]), max_size=12
)


def judge_all(
    events: list[Event], limits: Limits | None, loop: LoopRules | None
) -> None:
    """Judge twice, and check what is true of every judgement."""
    trace = Trace(Header(tools=TOOLS, limits=limits, loop=loop), events)
    found = judge(trace)
    for judgement in found:
        check(trace, judgement)
    assert judge(Trace(trace.header, deepcopy(events))) == found


@given(odd_events, st.none() | any_limits, st.none() | any_loops)
@examples(6)
def test_every_invariant_is_total(
    events: list[Event], limits: Limits | None, loop: LoopRules | None
) -> None:
    """No sequence of events makes an invariant fail, and each says what it must."""
    judge_all(events, limits, loop)


edits = st.lists(
    st.tuples(
        st.sampled_from(["drop", "again", "move", "cut", "alter", "whose", "late"]),
        st.integers(0, 60),
        st.integers(0, 60),
    ),
    min_size=1,
    max_size=4,
)


def damage(events: list[Event], edit: tuple[str, int, int]) -> None:
    """Change one thing in a run."""
    what, at, to = edit
    at, to = at % len(events), to % len(events)
    event = events[at]
    view = getattr(event, "messages", None) or getattr(event, "history", None)
    if what == "drop" and len(events) > 1:
        del events[at]
    elif what == "again":
        events.insert(to, deepcopy(event))
    elif what == "move":
        events.insert(to, events.pop(at))
    elif what == "whose":
        event.life = 2 if to % 2 else 1
    elif what == "late":
        event.at_ns += 10**10
    elif view:
        items = list(view)
        if what == "cut":
            del items[to % len(items)]
        else:
            items.insert(to % len(items), items[at % len(items)])
        name = "messages" if hasattr(event, "messages") else "history"
        setattr(event, name, MessageView(items, len(items)))


def judge_damaged(
    trace: Trace, damages: list[tuple[str, int, int]], limits: Limits
) -> None:
    """Judge a run after it was damaged."""
    events = deepcopy(list(trace.events))
    for edit in damages:
        damage(events, edit)
    judge_all(events, limits, trace.header.loop)


@given(st.lists(replies, max_size=4), st.lists(steps, max_size=3), tight, edits)
@examples(12)
def test_a_damaged_run_is_judged_too(
    said: list[Reply],
    done: list[Step],
    limits: Limits,
    damages: list[tuple[str, int, int]],
) -> None:
    """Whatever is dropped, repeated, moved or altered in a run, it can be judged."""
    judge_damaged(live(TOOLS, said, done, limits), damages, limits)


@pytest.mark.slow
@given(correct_runs, edits, tight)
@examples(140)
def test_a_damaged_run_is_judged_too_at_length(
    trace: Trace, damages: list[tuple[str, int, int]], limits: Limits
) -> None:
    """The same over many runs."""
    judge_damaged(trace, damages, limits)


def test_a_trace_from_a_file_is_judged_alike() -> None:
    """Writing and reading a trace changes no judgement."""
    said = [Reply(calls=(("look", "{}"), ("pay", '{"n":1}'))), Reply(text="so")]
    trace = live(TOOLS, said, [], Limits())
    assert judge(from_jsonl(to_jsonl(trace))) == judge(trace)


def long_run(turns: int) -> Trace:
    """A run of many turns, each with a call that is new."""
    run = Run(TOOLS, limits=Limits(max_iterations=None, token_budget=10**9))
    for number in range(turns):
        run.asks(call("look", f'{{"n":{number}}}'))
        run.runs("look", n=number)
        run.answers("ok")
    run.says()
    return run.ends()


def test_judging_grows_linearly() -> None:
    """Twice the turns are judged with about twice the calls of functions."""

    def calls_of(turns: int) -> int:
        trace = long_run(turns)
        judge(trace)
        return calls_made(lambda: judge(trace))

    assert calls_of(80) < 2.2 * calls_of(40)


@pytest.mark.parametrize("volatile", [(), (r"\d+",)])
def test_facts_are_read_from_the_outside_alone(volatile: tuple[str, ...]) -> None:
    """A trace and the same without the runtime's own events give the same facts."""
    tool = ToolFacts.of(ToolDef("look"), Rights(volatile=volatile))
    run = Run([tool])
    run.looks("1")
    run.says()
    trace = run.ends()
    noisy = list(trace.events)
    for event in trace.events:
        noisy.append(deepcopy(event))
        noisy[-1].who = "runtime"
    assert judge(Trace(trace.header, noisy)) == judge(trace)
    assert len(Facts(Trace(trace.header, noisy)).lives) == 1
