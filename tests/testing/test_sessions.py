"""Sessions of several turns: nothing is found in a right agent, and bugs in wrong ones."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from agentsim.core import (
    Env,
    InvariantViolation,
    Message,
    Request,
    Response,
    RunResult,
    UsageError,
    tool_result,
)
from agentsim.engine import Series
from agentsim.faults import slow
from agentsim.providers import Script, call, say
from agentsim.runtime import reference
from agentsim.testing import SessionMachine, session_machine
from agentsim.world import Disk, Files

SESSIONS = settings(max_examples=40, stateful_step_count=12, database=None)


class Remembering:
    """An agent with a memory of its own, that works like the reference in each turn."""

    mends = True

    def __init__(self) -> None:
        self.said: tuple[Message, ...] = ()
        self.sent: tuple[Message, ...] = ()

    async def __call__(self, env: Env) -> RunResult:
        try:
            around: Any = Around(env, self)
            result = await reference(around)
        except asyncio.CancelledError:
            if not self.mends:
                closed = tool_result("call_1", "Error: cancelled", is_error=True)
                self.said = (*self.sent, closed)
            raise
        self.said = tuple(result.history)[1:]
        return result


class Spoilt(Remembering):
    """One that closes the first call of a cancelled turn, whether it is open or not."""

    mends = False


class Around:
    """An environment with the memory of an agent, which sees what is said."""

    def __init__(self, env: Env, agent: Remembering) -> None:
        self._env = env
        self._agent = agent
        self.history = agent.said
        self.client = self

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._env, name)

    async def complete(self, request: Request) -> Response:
        response: Response = await self._env.client.complete(request)
        self._agent.sent = (*request.messages[1:], response.message)
        return response


def found_in(machine: type[SessionMachine], **changes: Any) -> InvariantViolation:
    """What Hypothesis finds in the sessions of a machine."""
    with Series(), pytest.raises(InvariantViolation) as found:
        run_state_machine_as_test(machine, settings=settings(SESSIONS, **changes))
    return found.value


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine",
    [session_machine(reference), session_machine(make=Remembering)],
)
def test_a_right_agent_holds_in_every_session(machine: type[SessionMachine]) -> None:
    """Whatever ended a turn, the next one goes on from it."""
    with Series():
        run_state_machine_as_test(machine, settings=SESSIONS)


@pytest.mark.slow
def test_a_memory_spoilt_by_a_cancelled_turn_is_found() -> None:
    """The next request is refused; the session is printed as a test that shows it."""
    error = found_in(session_machine(make=Spoilt), max_examples=300)
    assert "provider-accepts is violated" in str(error)
    source = error.__notes__[0]
    assert any("state.cancel(gate=" in note for note in error.__notes__)
    names: dict[str, Any] = {}
    exec(source.partition("As a test of its own:")[2], names)
    with pytest.raises(InvariantViolation) as again:
        next(own for name, own in names.items() if name.startswith("test_"))()
    assert str(again.value) == str(error)


def turn(machine: SessionMachine, *entries: Any) -> None:
    """Let the model say this, and the user something."""
    machine.model_says(Script(entries))
    machine.user_says("Sort it out.")


def test_a_turn_goes_on_from_world_and_conversation_of_the_one_before() -> None:
    """What was written is still there, and what was said stands before the task."""
    machine = session_machine(reference, world=[Files()])()
    turn(machine, call("write_file", path="a", content="b"), say("Written."))
    turn(machine, call("read_file", path="a"), say("Read."))
    first, second = machine.runs
    assert second.scenario.history == tuple(first.outcome.history or ())[1:]
    assert [m.content for m in machine.history if m.role == "tool"][-1] == "b"
    assert second.world.ledger[0].arguments == {"path": "a", "content": "b"}


def test_an_agent_that_keeps_a_state_is_made_once_and_after_a_crash() -> None:
    """One instance serves all turns; what dies has forgotten everything."""
    made: list[Remembering] = []

    def make() -> Remembering:
        made.append(Remembering())
        return made[-1]

    machine = session_machine(make=make, world=[Disk()])()
    turn(machine, call("check_disk"), say("Half full."))
    turn(machine, say("As before."))
    assert len(made) == 1
    machine.crash(0)
    turn(machine, say("Anew."))
    assert len(made) == 2
    assert [message.role for message in made[1].said] == ["user", "assistant"]


def test_faults_and_orders_are_for_one_turn() -> None:
    """What was said to happen in a turn happens in that turn only."""
    machine = session_machine(reference, world=[Disk()])()
    machine.fault(slow("check_disk"))
    machine.disorder({0: 1})
    turn(machine, call("check_disk"), say("Half full."))
    turn(machine, call("check_disk"), say("Half full."))
    assert [len(run.scenario.faults) for run in machine.runs] == [1, 0]
    assert [bool(run.choices.deviations) for run in machine.runs] == [True, False]


def test_a_session_ends_with_a_turn_that_tries_its_history() -> None:
    """So the last of the turns is followed by one, too."""
    machine = session_machine(reference)()
    machine.teardown()
    assert machine.runs == []
    turn(machine, call("check_disk"), say("Half full."))
    machine.teardown()
    assert len(machine.runs) == 2


@pytest.mark.parametrize("given", [{}, {"agent": reference, "make": Remembering}])
def test_one_agent_is_asked_for(given: dict[str, Any]) -> None:
    """An agent and what makes one are alternatives."""
    with pytest.raises(UsageError, match="give either an agent, or make="):
        session_machine(**given)
