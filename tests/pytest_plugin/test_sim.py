"""A simulation that is set up step by step: what is set, what goes on, what is refused."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator

import pytest

from agentsim.core import Env, InvariantViolation, Limits, Request, UsageError
from agentsim.faults import raises
from agentsim.providers import Reply, Script, by, call, say
from agentsim.pytest_plugin import Sim
from agentsim.runtime import reference
from agentsim.simulation import Scenario, run
from agentsim.world import Disk, Files, Human

TASK = "The server is out of space. Sort it out."


@pytest.fixture
def full() -> Sim:
    """A full disk, and a model that cleans it."""
    sim = Sim()
    sim.world.disk.fill("95%")
    sim.script(call("check_disk"), call("clean_logs"), say("Freed 20 GB."))
    return sim


async def tells_tools(env: Env) -> str:
    """Say which tools there are."""
    return " ".join(tool.name for tool in env.tools)


def test_its_text_counts_its_runs(full: Sim) -> None:
    """One run is no runs."""
    assert repr(full) == "<Sim: 0 runs>"
    full.run(reference, "Clean up.")
    assert repr(full) == "<Sim: 1 run>"


# --------------------------------------------------------------------------- the world


def test_a_run_begins_in_the_world_as_it_was_set_up(full: Sim) -> None:
    """What the test did to the live world is there, and what the run did is seen."""
    disk = full.world.disk
    made = full.run(reference, TASK)
    assert "Disk: 95% used" in str(made.trace.events)
    assert disk.used_percent == full.world.disk.used_percent == 40
    assert made.world.disk.used_percent == 40
    made.expect_holds()


def test_the_world_goes_on_from_run_to_run(full: Sim) -> None:
    """The next run finds what the one before left, until the test changes it."""
    full.run(reference, TASK)
    full.world.disk.fill("60%")
    second = full.run(reference, TASK)
    assert "Disk: 60% used" in str(second.trace.events)
    assert [one.run for one in full.recorded][1] is second
    assert len(full.world.ledger) == 2


def test_a_recorded_run_repeats_as_it_was(full: Sim) -> None:
    """Its scenario begins where the run began, whatever happened since."""
    first = full.run(reference, TASK)
    full.run(reference, TASK)
    again = run(full.recorded[0].scenario, reference)
    assert again.trace.digest() == first.trace.digest()


def test_parts_are_added_and_replaced_and_the_others_stay() -> None:
    """A part of the same kind begins anew, every other keeps its state."""
    sim = Sim(world=[Disk(), Files({"a": "b"})])
    sim.world.files.contents["c"] = "d"
    sim.add(Disk(used="70%"))
    assert sim.world.disk.used_percent == 70
    assert sim.world.files.contents == {"a": "b", "c": "d"}


def test_a_whole_scenario_brings_its_own_world(full: Sim) -> None:
    """It is run as it is, and the world that goes on is its own."""
    scenario = Scenario(
        "Look.", [call("check_disk"), say("Seen.")], world=[Disk(used="70%")]
    )
    made = full.run(reference, scenario)
    assert made.scenario == scenario
    assert full.world.disk.used_percent == 70
    assert "cpu" not in repr(full.world)


# ------------------------------------------------------------------------- what is set


def test_tools_are_named_or_added(full: Sim) -> None:
    """Names make the list of those that the agent gets."""
    full.script()
    full.tools("check_disk", "clean_logs")
    assert full.run(tells_tools, "Which?").value == "check_disk clean_logs"


def test_limits_faults_and_person_are_set(full: Sim) -> None:
    """Each is given whole or by its fields, and holds for the runs that follow."""
    full.limits(max_iterations=2)
    full.human(approves=False, reason="Not today.")
    full.script(call("check_disk"), call("clean_logs"))
    made = full.run(reference, TASK)
    assert made.outcome.status == "max_iterations"
    assert "declined: Not today." in str(made.value)
    full.script(call("check_disk"), call("clean_logs"), say("Freed 20 GB."))
    full.limits(Limits(max_iterations=9))
    full.human(None)
    full.faults(raises("check_disk"))
    made = full.run(reference, TASK)
    assert made.struck == ("raises",)
    assert made.scenario.human is None
    full.faults()
    full.human(Human(name="ann"))
    assert full.run(reference, TASK).struck == ()


def test_a_script_may_be_a_policy() -> None:
    """A function of the request answers as well as replies in order."""

    def answers(request: Request) -> Reply:
        return say(f"{len(request.messages)} messages")

    for script in ([by(answers)], [Script([say("2 messages")])]):
        sim = Sim(world=[])
        sim.script(*script)
        assert sim.run(reference, "Count.").outcome.output == "2 messages"


def test_fields_of_one_run_are_for_that_run(full: Sim) -> None:
    """Any field of a scenario can be given with the task."""
    made = full.run(reference, TASK, prompt="Be brief.", world=[Disk(logs="20%")])
    assert made.scenario.prompt == "Be brief."
    assert "Disk: 40% used" in str(made.trace.events)
    assert full.scenario(TASK).prompt is None


def ping(host: str) -> str:
    """Ping a host."""
    return host


def test_what_is_wrong_is_said() -> None:
    """A run without a script, an unknown field, a person told twice, a bare function."""
    sim = Sim()
    with pytest.raises(UsageError, match=r"the function ping: write tool\(ping\)"):
        sim.tools(ping)  # type: ignore[arg-type]
    assert [tool for tool in sim.world.tools if tool.name == "ping"] == []
    with pytest.raises(UsageError, match="say first what the model answers"):
        sim.run(reference, TASK)
    sim.script(say("Done."))
    with pytest.raises(UsageError, match=r"no field 'promt'; did you mean 'prompt'"):
        sim.run(reference, TASK, promt="x")
    with pytest.raises(UsageError, match="expected a Human, None, or fields"):
        sim.human()
    with pytest.raises(UsageError, match="expected a Human, None, or fields"):
        sim.human(None, approves=False)


def test_outside_of_pytest_a_run_is_judged_by_hand(full: Sim) -> None:
    """A notebook has no end of a test: there `expect_holds` tells what is wrong."""

    async def careless(env: Env) -> None:
        await next(t for t in env.tools if t.name == "clean_logs").run({})

    full.script()
    with pytest.raises(InvariantViolation, match="confirmed-before-effect"):
        full.run(careless, TASK).expect_holds()


# ----------------------------------------------------------------- inside a running loop

TENANT: contextvars.ContextVar[str] = contextvars.ContextVar("tenant")


def test_a_run_inside_a_loop_is_the_same_and_leaves_the_loop_as_it_was(
    full: Sim,
) -> None:
    """Outer tasks, timers and generators stand still meanwhile, and then go on."""
    plain = Sim()
    plain.world.disk.fill("95%")
    plain.script(call("check_disk"), call("clean_logs"), say("Freed 20 GB."))
    expected = plain.run(reference, TASK).trace.digest()

    async def ticks(seen: list[str]) -> AsyncIterator[int]:
        for number in range(3):
            seen.append(f"tick {number}")
            await asyncio.sleep(0)
            yield number

    async def beside(seen: list[str]) -> None:
        async for _ in ticks(seen):
            pass

    async def test() -> None:
        seen: list[str] = []
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        other = loop.create_task(beside(seen))
        loop.call_soon(seen.append, "callback")
        made = await full.arun(reference, TASK)
        assert seen == []
        assert made.trace.digest() == expected
        assert asyncio.get_running_loop() is loop
        assert asyncio.current_task() is task
        assert asyncio.all_tasks() == {task, other}
        async with asyncio.timeout(5):
            await other
        assert seen == ["tick 0", "callback", "tick 1", "tick 2"]
        await asyncio.sleep(0.001)

    asyncio.run(test())


def test_the_agent_of_an_inner_run_sees_its_own_loop_and_the_tests_context(
    full: Sim,
) -> None:
    """Context variables of the test are there; its tasks are not."""

    async def agent(env: Env) -> str:
        tasks = [task.get_name() for task in asyncio.all_tasks()]
        return f"{TENANT.get()} {tasks} {len(env.tools) > 0}"

    async def test() -> None:
        TENANT.set("acme")
        full.script()
        made = await full.arun(agent, TASK)
        assert made.value == "acme ['main'] True"

    asyncio.run(test())
