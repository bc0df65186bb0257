"""What odd agents leave: texts of their own kind, coroutines, and work for their burial."""

from __future__ import annotations

import asyncio

import pytest

from agentsim.core import Env, Finished, RunResult, Usage, UsageError, user
from agentsim.faults import raises
from agentsim.simulation import Menu, run
from tests.simulation.fakes import ask, reading, silent


class Shouted(str):
    """A text with habits of its own, as of a template engine."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise RuntimeError("not even shown")

    def __format__(self, _: str) -> str:
        return self.upper()


@pytest.mark.parametrize("kind", [None, Finished, RunResult])
def test_a_text_of_a_class_of_its_own_is_a_text(kind: type | None) -> None:
    """What a class of the agent's makes of a text is neither asked nor shown."""
    told = Shouted("nothing done")

    async def agent(env: Env) -> object:
        if kind is None:
            return told
        if kind is Finished:
            return Finished("done", told)
        return RunResult("done", told, None, 0, Usage(), (Shouted("a"),), [user("x")])

    outcome = run(silent(expect={"output": "something"}), agent).outcome
    assert outcome.output is not None
    assert type(outcome.output) is str
    assert {type(name) for name in outcome.tools or ()} <= {str}
    assert outcome.output == "nothing done"


def test_a_coroutine_that_nobody_awaits_is_no_answer() -> None:
    """An agent that forgot to await is told so, and Python warns of nothing."""

    async def agent(env: Env) -> object:
        return ask(env)

    with pytest.raises(UsageError, match="returned the coroutine ask, which nobody"):
        run(silent(), agent)


def test_what_the_dead_do_meets_nothing() -> None:
    """A fault that would strike in the clean-up of a dead agent was not met by the run."""

    async def agent(env: Env) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await env.tools[0].run({})

    made = run(reading(faults=[raises("check_disk")]), agent)
    assert made.outcome.ending == "deadlock"
    assert (made.struck, made.unmet_rules) == ((), ("raises on check_disk",))


def test_a_dead_agent_that_asks_for_ever_is_let_go_of() -> None:
    """Where faults are chosen, too, the dead come as far as a gate, and wait there."""
    refused: list[str] = []

    async def agent(env: Env) -> None:
        while True:
            try:
                await asyncio.sleep(1)
                await asyncio.Event().wait()
            except BaseException:  # noqa: BLE001 - as bad agents do
                while True:
                    try:
                        await ask(env)
                    except BaseException as error:  # noqa: BLE001
                        refused.append(type(error).__name__)

    made = run(
        reading(), agent, menu=Menu("any_order", faults=("raises", "server_error"))
    )
    assert made.outcome.ending == "deadlock"
    assert refused.count("Fenced") == 3
