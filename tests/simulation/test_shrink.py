"""Shrinking keeps the violation and gives up all else that it can."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim import mutants
from agentsim.core import Env, HeldForEver, RunResult, ToolFailed, UsageError
from agentsim.engine import Replay, Seeded
from agentsim.runtime import reference
from agentsim.simulation import EXPLORING, Menu, Run, run
from agentsim.simulation.exploring.shrink import Tries, shrink
from tests.simulation.fakes import obedient, reading
from tests.support.scenarios import scenario

EVERYTHING = Menu(EXPLORING.policy, EXPLORING.faults, cancel=True, crash=True)


def violates(made: Run, invariant: str) -> bool:
    """Whether a run violates an invariant."""
    return any(entry.id == invariant for entry in made.verdict.violated)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_a_shrunk_run_is_a_least_one(seed: int) -> None:
    """It has no more deviations, and without any one of them all is well."""
    story = scenario("high_cpu")
    agent, invariant = mutants.unknown_tool_kills_loop, "result-always"
    choices = Seeded(seed, 0.4)
    bad = run(story, agent, menu=EVERYTHING, choices=choices)
    if not violates(bad, invariant):
        return
    least = shrink(bad, Tries(agent, invariant))
    assert violates(least, invariant)
    kept = least.choices.deviations
    assert len(kept) <= len(bad.choices.deviations)
    for position in kept:
        fewer = {at: value for at, value in kept.items() if at != position}
        try:
            tried = run(story, agent, menu=EVERYTHING, choices=Replay(fewer))
        except UsageError:
            continue
        assert not violates(tried, invariant)


def test_another_violation_is_not_taken_for_it() -> None:
    """The shrunk run violates what the first did, though a smaller one violates else."""

    async def agent(env: Env) -> RunResult:
        made = await obedient(env)
        return RunResult("failed", None, None, 0, made.usage, made.tools, made.history)

    menu = Menu(faults=("raises",), cancel=True)
    bad = run(reading(), agent, menu=menu, choices=Replay({1: 1}))
    assert violates(bad, "errors-visible") or violates(bad, "result-always")
    for entry in bad.verdict.violated:
        assert violates(shrink(bad, Tries(agent, entry.id)), entry.id)


def test_what_cannot_be_left_out_stays() -> None:
    """A deviation that others hang on is kept, though leaving it out is no run at all."""
    raised: list[str] = []

    async def agent(env: Env) -> object:
        try:
            return await obedient(env)
        except ToolFailed as error:
            raised.append(str(error))
            return await reference(env)

    menu = Menu(faults=("raises",))
    calm = run(reading(), agent, menu=menu)
    longer = run(reading(), agent, menu=menu, choices=Replay({0: 1}))
    assert len(longer.choices.arities) > len(calm.choices.arities)
    with pytest.raises(UsageError):
        run(reading(), agent, menu=menu, choices=Replay({1: 1}))
    wild = run(reading(), agent, menu=menu, choices=Replay({0: 1, 1: 1}))
    assert raised
    least = shrink(wild, Tries(agent, "none"))
    assert least is wild


def test_a_run_without_deviations_is_the_least() -> None:
    """There is nothing to leave out."""

    async def agent(env: Env) -> None:
        raise ValueError

    bad = run(reading(), agent)
    assert shrink(bad, Tries(agent, "result-always")) is bad


def test_who_goes_on_for_ever_is_run_once_only() -> None:
    """Each such run takes half a real minute: what was found until then is the least."""
    runs: list[int] = []

    async def agent(env: Env) -> None:
        runs.append(0)
        try:
            await env.tools[0].run({})
        except ToolFailed:
            raise ValueError from None
        raise HeldForEver("it is in agent")

    menu = Menu(faults=("raises",))
    bad = run(reading(), agent, menu=menu, choices=Replay({0: 1}))
    runs.clear()
    tries = Tries(agent, "result-always")
    assert shrink(bad, tries) is bad
    assert (len(runs), tries.left) == (1, 0)
