"""Scenarios and runs can be written as Python that says the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    Decision,
    Env,
    InvariantViolation,
    Message,
    ToolCall,
    Usage,
    assistant,
    tool_result,
    user,
)
from agentsim.engine import Replay
from agentsim.faults import (
    Fault,
    FaultRule,
    answer_lost,
    fault_named,
    rate_limited,
    slow,
    stream_cut,
    stream_ends_early,
)
from agentsim.providers import Reply, by, call, forever, pick, say, together
from agentsim.report import invariant_sentence
from agentsim.simulation import (
    SCRIPTED,
    Menu,
    regression_test,
    run,
    source_of,
)
from agentsim.simulation.source.names import Names
from agentsim.world import Cpu, Disk, Files, Human
from tests.invariants.support import call as other_call
from tests.simulation.fakes import ask, obedient, reading
from tests.support.scenarios import NAMES, scenario


def made(source: str) -> dict[str, Any]:
    """What a piece of source defines."""
    names: dict[str, Any] = {"__name__": "pasted"}
    exec(compile(source, "pasted", "exec"), names)
    return names


def numbered(n: int) -> Reply:
    """The n-th answer."""
    return call("read_file", path=f"{n}.txt")


def chosen(_request: object) -> Reply:
    """Always the same."""
    return say("x")


def never(_history: object) -> bool:
    """Never stop."""
    return False


VARIED: dict[str, Any] = {
    "replies": {
        "script": [
            call("check_disk").but(arguments='{"a": NaN}', text='Say "no".'),
            call("check_disk").but(arguments="[]", id="x"),
            call("check_disk").but(arguments='{"from": 1, "a b": 2}'),
            call("check_disk", host="é\ud800\n'"),
            call("check_disk", a=1.5, b=[1, {"c": None}], d=True, e=2**70),
            together(call("check_disk"), call("clean_logs").but(text="Two.")),
            together(call("check_disk"), call("check_disk"), text="x").but(
                stop_reason="stop", latency_s=2.0, usage=None
            ),
            say("No.", stop_reason=None).but(refusal="I will not."),
            say("", stop_reason="max_tokens", usage=Usage(1, 2, 3), latency_s=0.5),
            Reply("x", blocks=({"type": "thinking", "signature": "s"},)),
            forever(call("check_disk"), say("x"), by(chosen)),
        ]
    },
    "policy": {"script": [pick(call("check_disk"), say("x"), at_most=3)]},
    "functions": {
        "script": [by(chosen), forever(numbered)],
        "world": [Files()],
        "stop": never,
    },
    "faults": {
        "faults": [
            slow("check_disk", attempt=2),
            answer_lost(),
            rate_limited(attempt=1, retry_after_s=30),
            stream_cut(attempt=2, at="end"),
            stream_ends_early(at=3),
            FaultRule(fault_named("raises")),
            FaultRule(Fault("own", "tool", "it is late", delay_s=3.0)),
        ]
    },
    "world": {
        "world": [Disk(used="95%", logs="20 GB"), Cpu(processes=()), Files({"a": "b"})],
        "tools": ["check_disk", "clean_logs"],
        "human": Human(decisions=(Decision(approved=False, reason="no"),)),
        "seed": 3,
    },
    "nobody": {"human": None, "expect": {"status": "done", "tools": ["check_disk"]}},
    "history": {
        "history": [
            user("Hello."),
            assistant("", ToolCall("1", "check_disk")),
            tool_result("1", "Error: no", is_error=True),
            assistant("It can't be told."),
            Message("assistant", "Hm.", blocks=({"type": "x"},)),
        ],
        "exact": False,
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_of_a_file_reads_back_from_its_source(name: str) -> None:
    """Running the source of a scenario gives an equal one."""
    again = made(source_of(scenario(name)))["scenario"]
    assert again == scenario(name)
    assert again.digest == scenario(name).digest


@pytest.mark.parametrize("name", VARIED)
def test_a_scenario_of_python_reads_back_from_its_source(name: str) -> None:
    """Whatever a scenario is made of, its source says the same."""
    told = reading(**VARIED[name])
    again = made(source_of(told))["scenario"]
    assert again == told
    assert again.digest == told.digest


def test_a_snapshot_of_a_world_reads_back_from_its_source() -> None:
    """A session goes on from a snapshot, which is a part of the source."""
    told = reading(start=run(reading()).world.snapshot())
    assert made(source_of(told))["scenario"] == told


def test_the_source_is_for_people(snapshot: SnapshotAssertion) -> None:
    """Short parts stand on one line, longer ones on several."""
    assert source_of(reading(**VARIED["replies"])) == snapshot


def test_what_cannot_be_imported_is_said() -> None:
    """A function inside another one gets a name, and a comment asks to put it in."""

    def stop(history: object) -> bool:
        return False

    source = source_of(reading(stop=stop, script=[by(lambda request: say("x"))]))
    here = f"{__name__}:test_what_cannot_be_imported_is_said.<locals>"
    assert source.splitlines()[:2] == [
        f"# lambda_ can't be imported: put in {here}.<lambda> here.",
        f"# stop can't be imported: put in {here}.stop here.",
    ]
    assert "stop=stop," in source


def test_equal_names_of_different_modules_do_not_collide() -> None:
    """A name that is taken already is imported under another one."""
    names = Names()
    assert [names.of(call), names.of(other_call), names.of(call)] == [
        "call",
        "call_2",
        "call",
    ]
    assert list(names.lines()) == [
        "from agentsim import call",
        "from tests.invariants.support import call as call_2",
    ]


async def forgetful(env: Env) -> str:
    """Answer nothing that the model asks for, and ask again."""
    first = await ask(env)
    await ask(env, first.message)
    return "done"


@pytest.mark.parametrize(
    ("menu", "deviations"),
    [
        (SCRIPTED, {}),
        (Menu("any_order", ("unknown_tool@1",), cancel=True), {0: 1}),
        (Menu("any_order", (slow(), "hangs"), crash=True), {0: 1}),
    ],
)
def test_the_test_of_a_run_fails_as_the_run_did(
    menu: Menu, deviations: dict[int, int]
) -> None:
    """Pasted and run, it finds the same violations, with the same words."""
    found = run(reading(exact=False), forgetful, menu=menu, choices=Replay(deviations))
    with pytest.raises(InvariantViolation) as first:
        found.expect_holds()
    names = made(regression_test(found, forgetful))
    with pytest.raises(InvariantViolation) as again:
        names[f"test_{found.verdict.violated[0].id.replace('-', '_')}"]()
    assert str(again.value) == str(first.value)


def test_the_test_is_named_after_the_failure_that_it_is_for() -> None:
    """A run may violate others too, which are listed before."""
    found = run(reading(exact=False), forgetful)
    assert len(found.verdict.violated) > 1
    for entry in found.verdict.violated:
        source = regression_test(found, forgetful, invariant=entry.id)
        assert f"def test_{entry.id.replace('-', '_')}()" in source
        assert invariant_sentence(entry.id) in source


def decorated(
    function: Callable[[Env], Awaitable[object]],
) -> Callable[[Env], Awaitable[object]]:
    """A decorator as people write them."""

    async def agent(env: Env) -> object:
        return await function(env)

    return agent


@decorated
async def by_a_decorator(env: Env) -> object:
    """Stands under its own name, and is called `agent` by the interpreter."""
    return await forgetful(env)


by_a_lambda = lambda env: forgetful(env)  # noqa: E731, PLW0108 the subject


@pytest.mark.parametrize("name", ["by_a_decorator", "by_a_lambda"])
def test_what_a_module_holds_is_imported_under_the_name_it_has_there(name: str) -> None:
    """What made it may have given it another."""
    names = Names()
    assert names.of(globals()[name]) == name
    assert [*names.lines()] == [f"from {__name__} import {name}"]
    assert not names.missing


class Counting:
    """An agent that gives up answering after its first run."""

    def __init__(self) -> None:
        self.runs = 0

    async def __call__(self, env: Env) -> object:
        self.runs += 1
        return await (obedient(env) if self.runs == 1 else forgetful(env))


def test_the_test_of_a_session_repeats_all_its_runs(
    snapshot: SnapshotAssertion,
) -> None:
    """An agent that keeps a state is made once, and run as often as it was."""
    agent = Counting()
    runs = [run(reading(exact=False), agent) for _ in range(2)]
    source = regression_test(runs, agent, make=Counting)
    assert source == snapshot
    with pytest.raises(InvariantViolation, match="every-call-answered"):
        made(source)["test_every_call_answered"]()
