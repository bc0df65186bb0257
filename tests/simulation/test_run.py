"""One run tells how the agent ended, whatever it did, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    Env,
    Finished,
    InternalError,
    InvariantViolation,
    Limits,
    Message,
    RunResult,
    ToolFailed,
    UnscriptedRequest,
    Usage,
    UsageError,
    user,
)
from agentsim.engine import Replay
from agentsim.faults import FaultRule, answer_lost, raises, same_call_forever
from agentsim.invariants import Judgement
from agentsim.providers import Reply, call, forever, say
from agentsim.runtime import reference
from agentsim.simulation import Menu, Run, Scenario, explore, run
from agentsim.simulation.outside import stage
from agentsim.trace import to_jsonl
from tests.simulation.fakes import (
    ask,
    idle,
    obedient,
    reading,
    silent,
    waits_for_ever,
    writing,
)

Agent = Callable[[Env], Awaitable[object]]

ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


def judged(made: Run, identifier: str) -> Judgement:
    """The judgement of one id."""
    return next(entry for entry in made.verdict.judgements if entry.id == identifier)


# ------------------------------------------------------------------------ how it ended


async def raises_key_error(env: Env) -> None:
    """Raise what the interpreter raises."""
    raise KeyError("disk")


async def raises_with_an_address(env: Env) -> None:
    """Raise words that hold a memory address."""
    raise ValueError(f"no such thing: {object()!r}")


async def raises_without_words(env: Env) -> None:
    """Raise an exception without words."""
    raise ValueError


async def raises_a_long_text(env: Env) -> None:
    """Raise words that fill a page."""
    raise ValueError("x" * 5_000)


async def raises_what_a_tool_said(env: Env) -> None:
    """Raise an error of the simulated outside."""
    raise ToolFailed("the disk is broken")


async def exits(env: Env) -> None:
    """Ask the interpreter to exit."""
    raise SystemExit(3)


async def cancels_itself(env: Env) -> None:
    """Raise a cancellation that nobody asked for."""
    raise asyncio.CancelledError


async def fails_in_a_group(env: Env) -> None:
    """Fail in five tasks of a group."""
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(raises_key_error(env))


async def fails_in_groups(env: Env) -> None:
    """Raise a group in a group."""
    raise ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError("deep")])])


async def fails_in_a_library(env: Env) -> None:
    """Fail inside of the standard library."""
    re.compile(None)  # type: ignore[call-overload]


async def leaves_a_task(env: Env) -> RunResult:
    """Return while a task is alive."""
    task = asyncio.create_task(asyncio.sleep(1_000_000), name="heartbeat")
    result = await reference(env)
    assert not task.done()
    return result


async def spins(env: Env) -> None:
    """Go round without letting time pass."""
    while True:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def sleeps_for_ever(env: Env) -> None:
    """Let time pass and do nothing."""
    while True:  # noqa: ASYNC110
        await asyncio.sleep(1)


async def asks_for_ever(env: Env) -> None:
    """Ask the same thing again and again."""
    while True:
        await ask(env)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let agents that go on for ever be found out soon."""
    for name in ("GATES_MAX", "GATES_ENDLESS_MAX", "TIMERS_MAX", "STEPS_MAX"):
        monkeypatch.setattr(stage, name, 50)
    monkeypatch.setattr(stage, "GATES_PER_ITERATION", 1)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "agent",
    [
        raises_key_error,
        raises_with_an_address,
        raises_without_words,
        raises_a_long_text,
        raises_what_a_tool_said,
        exits,
        cancels_itself,
        fails_in_a_group,
        fails_in_groups,
        leaves_a_task,
        waits_for_ever,
        spins,
        sleeps_for_ever,
        asks_for_ever,
        idle,
    ],
)
def test_an_odd_ending_is_told_in_the_outcome(
    agent: Agent, snapshot: SnapshotAssertion
) -> None:
    """Kind and words say what happened and where, the same in each run."""
    scenario = reading(script=[forever(call("check_disk"))])
    first, again = run(scenario, agent), run(scenario, agent)
    outcome = first.outcome
    told = re.sub(r"\.py:\d+", ".py:N", f"{outcome.ending}: {outcome.error}")
    assert first.trace.digest() == again.trace.digest()
    assert ADDRESS.search(to_jsonl(first.trace)) is None
    assert told == snapshot


def asks_up_to(iterations: int) -> Agent:
    """An agent with a limit of its own, which it may promise or not."""

    async def agent(env: Env) -> Finished:
        for _ in range(iterations):
            await ask(env)
        return Finished("max_iterations")

    return agent


@pytest.mark.parametrize(
    ("agent", "allowed", "ending"),
    [
        (asks_for_ever, 10, "livelock: too many gates opened (200)"),
        (asks_for_ever, None, "livelock: too many gates opened (200)"),
        (asks_up_to(150), 10, "returned: None"),
        (asks_up_to(300), 10, "livelock: too many gates opened (200)"),
        (asks_up_to(300), 300, "returned: None"),
    ],
)
@pytest.mark.parametrize("by_fault", [True, False])
def test_a_model_that_never_ends_is_asked_as_often_as_a_limit_allows(
    agent: Agent, allowed: int | None, ending: str, *, by_fault: bool
) -> None:
    """Two hundred answers show that an agent goes on for ever, or more by its limit."""
    limits, look = Limits(max_iterations=allowed), call("check_disk")
    faults = ["same_call_forever@1"] if by_fault else []
    script = [look if by_fault else forever(look)]
    scenario = reading(script=script, faults=faults, limits=limits)
    outcome = run(scenario, agent).outcome
    assert f"{outcome.ending}: {outcome.error}".startswith(ending)


def test_the_place_of_an_error_is_in_the_agents_own_package() -> None:
    """Where a library raises, the function of the agent that called it is named."""
    error = run(silent(), fails_in_a_library).outcome.error
    assert error is not None
    assert "in fails_in_a_library (test_run.py:" in error


def test_the_place_of_an_error_is_in_the_loop_and_not_where_it_is_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test binds a loop of another package in two lines: its lines are what to look at."""
    loop = (
        "import json\n\n\n"
        "async def loop(env):\n"
        "    await env.tools[0]()\n"
        "    return json.loads('{')\n"
    )
    (tmp_path / "a_loop_elsewhere.py").write_text(loop, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    elsewhere = importlib.import_module("a_loop_elsewhere")

    async def agent(env: Env) -> object:
        return await elsewhere.loop(env)

    error = run(silent(), agent).outcome.error
    assert error is not None
    assert error.endswith(", in loop (a_loop_elsewhere.py:6)")


def test_a_result_of_another_kind_leaves_no_trace() -> None:
    """An object that only has an address ends the run `returned` and without output."""

    async def agent(env: Env) -> object:
        return object()

    first, again = run(silent(), agent), run(silent(), agent)
    assert (first.outcome.ending, first.outcome.status) == ("returned", None)
    assert first.outcome.output is None
    assert first.value is not None
    assert first.trace.digest() == again.trace.digest()


def test_a_text_is_the_output() -> None:
    """An agent that returns a text has that output and no status."""
    outcome = run(silent(), idle).outcome
    assert (outcome.output, outcome.status) == ("nothing done", None)


GOOD: dict[str, Any] = {
    "status": "done",
    "output": None,
    "error": None,
    "iterations": 0,
    "usage": Usage(),
    "tools": (),
    "history": [user("x")],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", 3),
        ("output", object()),
        ("error", ValueError("x")),
        ("iterations", "five"),
        ("iterations", True),
        ("usage", None),
        ("tools", "check_disk"),
        ("tools", [None]),
        ("history", None),
        ("history", [{"role": "user"}]),
    ],
)
def test_a_field_of_a_wrong_type_is_refused(field: str, value: object) -> None:
    """A `RunResult` that no trace could carry is the fault of who wrote the agent."""

    async def agent(env: Env) -> RunResult:
        return RunResult(**{**GOOD, field: value})

    with pytest.raises(UsageError, match=f"a RunResult whose {field} is a "):
        run(silent(), agent)


def test_lists_are_taken_for_tuples() -> None:
    """A history and tools in lists are as good as a view and a tuple."""

    async def agent(env: Env) -> RunResult:
        return RunResult(**{**GOOD, "tools": ["a"], "history": [user("x")]})

    outcome = run(silent(), agent).outcome
    assert outcome.tools == ("a",)
    assert outcome.history == [user("x")]


def test_a_cancelled_run_leaves_its_history_in_the_outcome() -> None:
    """What the runtime said as it went stands in for the result, and is judged."""
    menu = Menu(cancel=True)
    made = run(reading(), menu=menu, choices=Replay({1: 1}))
    outcome = made.outcome
    assert (outcome.ending, outcome.status) == ("cancelled", "cancelled")
    assert (outcome.iterations, outcome.tools) == (1, ("check_disk",))
    assert outcome.history is not None
    assert [message.role for message in outcome.history][-2:] == ["assistant", "tool"]
    assert judged(made, "every-call-answered").status == "holds"


def test_a_cancelled_agent_without_a_runtime_leaves_no_history() -> None:
    """Where nobody reports a result, the outcome has none."""
    menu = Menu(cancel=True)
    made = run(reading(), obedient, menu=menu, choices=Replay({0: 1}))
    assert (made.outcome.ending, made.outcome.history) == ("cancelled", None)


def test_only_the_last_life_speaks_for_a_cancelled_run() -> None:
    """What an earlier life reported is not taken for the history of the last."""
    lives: list[int] = []

    async def agent(env: Env) -> object:
        lives.append(0)
        return await (reference(env) if len(lives) == 1 else obedient(env))

    menu = Menu(cancel=True, crash=True)
    made = run(reading(), agent, menu=menu, choices=Replay({0: 2, 1: 1}))
    assert made.struck == ("cancel", "crash")
    assert (made.outcome.life, made.outcome.history) == (2, None)


# --------------------------------------------------------------- scripts that run out


@pytest.mark.parametrize("caught", [Exception, BaseException])
def test_no_agent_can_go_on_when_the_script_ran_out(
    caught: type[BaseException],
) -> None:
    """One that catches everything and asks again for ever ends the run all the same."""
    seen: list[BaseException] = []

    async def agent(env: Env) -> None:
        while True:
            try:
                await ask(env)
            except caught as error:
                seen.append(error)

    with pytest.raises(UnscriptedRequest, match="the script ran out"):
        run(silent(), agent)
    assert not [error for error in seen if isinstance(error, UsageError)]


def test_a_function_of_the_script_that_raises_is_told() -> None:
    """A mistake in the script ends the run with its sentence, deviations or not."""

    def fails(n: int) -> Reply:
        raise ValueError("no")

    scenario = reading(script=[forever(fails)])
    for choices in (Replay({}), Replay({0: 1})):
        with pytest.raises(UsageError, match="raised ValueError"):
            run(scenario, menu=Menu(faults=("raises",)), choices=choices)


async def asks_four_times(env: Env) -> str:
    """Ask four times, whatever the answers are."""
    messages: list[Message] = []
    for _ in range(4):
        messages.append((await ask(env, *messages)).message)
    return messages[-1].content


def test_a_script_that_deviations_used_up_is_closed_softly() -> None:
    """The model ends the conversation where the run is another than the script's."""
    pause = "pause_turn"
    scenario = Scenario("t", [say(t, stop_reason=pause) for t in ("one", "two")])
    with pytest.raises(UnscriptedRequest):
        run(scenario, asks_four_times)
    menu = Menu(crash=True)
    made = run(scenario, asks_four_times, menu=menu, choices=Replay({0: 1}))
    assert made.value == "The script of this simulation has ended."


def test_a_model_that_is_stuck_by_rule_needs_no_script() -> None:
    """The scenario's own `same_call_forever` takes the place of what was scripted."""
    scenario = reading(faults=[same_call_forever()])
    made = run(scenario)
    assert made.outcome.status == "loop"
    assert made.verdict.status == "holds"


def test_an_unused_script_is_told_when_nothing_else_is_wrong() -> None:
    """Without a violation the script is at fault; with one, the agent is."""
    with pytest.raises(UnscriptedRequest, match="never asked for"):
        run(reading(), idle)
    made = run(reading(expect={"tools": ["check_disk"]}), idle)
    assert [entry.id for entry in made.verdict.violated] == ["expected"]
    assert run(reading(), raises_key_error).verdict.status == "violated"


# ------------------------------------------------------------------ nothing left behind


def test_the_agent_is_closed_whatever_ends_the_run() -> None:
    """Also when a run fails, its tasks get to clean up before `run` returns."""
    closed: list[str] = []

    async def agent(env: Env) -> None:
        try:
            await ask(env)
        finally:
            closed.append("closed")

    with pytest.raises(UnscriptedRequest):
        run(silent(), agent)
    assert closed == ["closed"]


def test_the_keyboard_stops_a_run() -> None:
    """Ctrl-C in an agent's code is no ending of the agent."""

    async def agent(env: Env) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(silent(), agent)


@pytest.mark.parametrize(
    "how", ["returns", "waits for ever"], ids=["returned", "deadlock"]
)
def test_an_exception_that_nobody_took_is_a_violation(how: str) -> None:
    """A task that fails unseen is told, though the run looks fine."""

    async def agent(env: Env) -> None:
        task = asyncio.create_task(raises_key_error(env))
        await asyncio.sleep(1)
        assert task.done()
        if how != "returns":
            await waits_for_ever(env)

    made = run(silent(), agent)
    found = judged(made, "no-lost-errors")
    assert (found.status, found.evidence) == ("violated", 1)
    assert "KeyError" in found.violations[0].found
    assert "no-lost-errors is violated: No exception is lost" in made.failure_text("")


def test_an_agent_that_looks_at_its_tasks_loses_no_error() -> None:
    """An awaited failure is the agent's own affair: there is nothing to judge."""

    async def agent(env: Env) -> str:
        await asyncio.gather(raises_key_error(env), return_exceptions=True)
        return "fine"

    ids = [entry.id for entry in run(silent(), agent).verdict.judgements]
    assert "no-lost-errors" not in ids


def test_who_died_did_not_lose_errors() -> None:
    """A crash comes before the agent can look: that is not held against it."""

    async def agent(env: Env) -> str:
        async def fails() -> None:
            raise ValueError

        task = asyncio.create_task(fails())
        await asyncio.sleep(1)
        response = await ask(env)
        await asyncio.wait([task])
        assert task.exception()
        return response.message.content

    scenario = Scenario("t", [say("Done.")])
    made = run(scenario, agent, menu=Menu(crash=True), choices=Replay({0: 1}))
    assert made.struck == ("crash",)
    assert made.verdict.status == "holds", made.failure_text("")


def test_a_judge_that_fails_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in an invariant is told as an internal error, with its words."""
    from agentsim.simulation import verdict

    def fails(trace: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(verdict, "judge", fails)
    with pytest.raises(InternalError, match="ZeroDivisionError: by zero"):
        run(silent(), idle)


def test_a_trace_that_cannot_be_judged_is_the_users_affair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an invariant says in words of ours passes as it is."""
    from agentsim.simulation import verdict

    def refuses(trace: object) -> None:
        raise UsageError("no")

    monkeypatch.setattr(verdict, "judge", refuses)
    with pytest.raises(UsageError, match="no"):
        run(silent(), idle)


# --------------------------------------------------------------------- what must be met


def test_what_is_named_must_be_met() -> None:
    """Without evidence on what was named the verdict is unknown, and says of what."""
    named = ("cancel", "answer_lost", "writes-alone", "every-call-answered")
    made = run(reading(), named=named)
    assert made.verdict.status == "unknown"
    assert made.verdict.unmet == ("cancel", "answer_lost", "writes-alone")
    with pytest.raises(InvariantViolation, match="never met: cancel, answer_lost"):
        made.expect_holds()
    assert run(reading(), named=["every-call-answered"]).verdict.status == "holds"


def test_an_unknown_name_is_refused() -> None:
    """A name that nothing has is a mistake, with the nearest one proposed."""
    with pytest.raises(UsageError, match="did you mean 'answer_lost'"):
        run(reading(), named=["answer_lots"])


@pytest.mark.parametrize(
    ("rule", "met"),
    [
        (raises("check_disk"), True),
        (raises(), True),
        (raises("check_disk", attempt=1), True),
        (raises("check_disk", attempt=2), False),
        (raises("clean_logs"), False),
        (answer_lost(), False),
    ],
    ids=str,
)
def test_a_fault_of_the_scenario_must_strike(rule: FaultRule, met: bool) -> None:
    """A fault by rule is named by the user: if it never strikes the verdict is open."""
    made = run(reading(faults=[rule]))
    assert made.unmet_rules == (() if met else (str(rule),))
    assert made.verdict.status == ("holds" if met else "unknown")


def test_of_two_rules_for_one_operation_the_second_is_told_as_unmet() -> None:
    """The first rule that matches strikes, so that one behind it never does."""
    made = run(writing(faults=[raises("write_file"), answer_lost("write_file")]))
    assert made.unmet_rules == ("answer_lost on write_file",)


def test_a_violation_goes_before_what_was_not_met() -> None:
    """A run that violates something is violated, whatever it met."""
    made = run(reading(), raises_key_error, named=["cancel"])
    assert made.verdict.status == "violated"


# ------------------------------------------------------------------- how it is repeated


def test_the_failure_text_ends_with_the_call_that_repeats_it(
    snapshot: SnapshotAssertion,
) -> None:
    """`expect_holds` raises the whole story, down to a call that can be pasted."""
    scenario = reading(expect={"output": "Half", "effects": {"clean_logs": 1}})
    with pytest.raises(InvariantViolation) as caught:
        run(scenario).expect_holds()
    assert str(caught.value) == snapshot
    menu = Menu("any_order", ("raises",), cancel=True)
    with pytest.raises(InvariantViolation) as caught:
        run(scenario, raises_key_error, menu=menu).expect_holds()
    assert repr(menu) in str(caught.value)


def test_a_run_that_holds_is_returned() -> None:
    """`expect_holds` gives the run back, to go on with."""
    made = run(reading())
    assert made.expect_holds() is made


def test_a_run_and_an_exploration_are_told_in_a_line() -> None:
    """What a notebook or a debugger shows of them is their verdict, not their fields."""
    assert repr(run(reading())) == (
        "<Run of reading: holds; agentsim.runtime:reference ended done, "
        "2.200 virtual seconds>"
    )
    assert repr(explore(reading(), deviations=0)) == (
        "<Exploration of reading: holds; 1 runs of agentsim.runtime:reference, "
        "0 violated>"
    )
