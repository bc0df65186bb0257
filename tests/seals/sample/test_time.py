"""Tests of a user that read the real clock, or freeze it themselves, beside simulations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from time import monotonic

import freezegun
import pytest
import time_machine
from agents import (  # type: ignore[import-not-found]  # of the project's own
    Blocking,
    Measuring,
)

from agentsim import reference, say
from agentsim.pytest_plugin import Sim

TASK = "Is the server well?"


def wait_in_real_time() -> None:
    """Poll the clock until a deadline, as tests do."""
    started, wall = time.perf_counter(), time.time()
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    end = monotonic() + 0.01
    while monotonic() < end:
        time.sleep(0.001)
    assert 0.03 <= time.perf_counter() - started < 10
    assert 0.02 <= time.time() - wall < 10


def test_a_deadline_in_real_time_ends() -> None:
    """In a test that simulates nothing."""
    wait_in_real_time()


def test_a_deadline_in_real_time_ends_around_a_simulation(asked: Sim) -> None:
    """Before and after one."""
    wait_in_real_time()
    asked.run(reference, TASK)
    wait_in_real_time()


def test_the_wall_clock_flows_around_a_simulation(asked: Sim) -> None:
    """An hour of a run takes no hour, and leads to no other date."""
    before, today = time.time(), datetime.now(UTC)
    asked.run(Measuring(), TASK)
    assert 0 <= time.time() - before < 10
    assert 0 <= (datetime.now(UTC) - today).total_seconds() < 10


def test_an_agent_sees_all_clocks_move_together(asked: Sim) -> None:
    """Wall clock, monotonic clock and performance counter show the run's time."""
    agent = Measuring()
    asked.run(agent, TASK)
    agent.check()


def test_a_blocking_agent_sees_the_same(sim: Sim) -> None:
    """On a thread of its own, with a sleep that blocks it, in no real time."""
    sim.script(say("All is well."))
    agent = Blocking()
    started = time.perf_counter()
    sim.run(agent, TASK)
    agent.check()
    assert time.perf_counter() - started < 10


# ------------------------------------------------------------------------ own freezegun


@freezegun.freeze_time("2012-01-14 12:00:01")
def test_a_frozen_test_may_simulate(asked: Sim) -> None:
    """By the decorator: the run has its time, and the test keeps its own."""
    assert datetime.now(UTC).year == 2012
    agent = Measuring()
    asked.run(agent, TASK)
    agent.check()
    assert datetime.now(UTC) == datetime(2012, 1, 14, 12, 0, 1, tzinfo=UTC)
    assert time.time() == 1326542401.0
    assert time.monotonic() == monotonic() == 1326542401.0


def test_a_freeze_around_a_simulation_may_tick(asked: Sim) -> None:
    """By the context manager, moved before, between and after runs."""
    with freezegun.freeze_time("2012-01-14") as frozen:
        frozen.tick(60)
        agent = Measuring()
        asked.run(agent, TASK)
        frozen.tick(60)
        asked.run(agent, TASK)
        agent.check()
        assert datetime.now(UTC) == datetime(2012, 1, 14, 0, 2, tzinfo=UTC)
    wait_in_real_time()


@pytest.fixture
def frozen() -> Iterator[object]:
    """A frozen clock for a whole test."""
    with freezegun.freeze_time("1999-12-31") as clock:
        yield clock


@pytest.mark.usefixtures("frozen")
def test_a_frozen_fixture_may_be_there(sim: Sim) -> None:
    """By a fixture, and with an agent that blocks a thread."""
    sim.script(say("All is well."))
    agent = Blocking()
    sim.run(agent, TASK)
    agent.check()
    assert datetime.now(UTC).year == 1999


def test_a_simulation_between_freezes_leaves_no_trace(asked: Sim) -> None:
    """After a freeze and a run the classes are those of the standard library."""
    with freezegun.freeze_time("2012-01-14"):
        pass
    asked.run(reference, TASK)
    assert type(datetime.now(UTC)) is datetime
    assert datetime.__module__ == "datetime"
    with freezegun.freeze_time("2012-01-14"):
        assert time.monotonic() == monotonic() == 1326499200.0


# --------------------------------------------------------------------- own time-machine


@time_machine.travel("2012-01-14T12:00:01+00:00", tick=False)
def test_a_traveller_may_simulate(asked: Sim) -> None:
    """By the decorator."""
    agent = Measuring()
    asked.run(agent, TASK)
    agent.check()
    assert datetime.now(UTC) == datetime(2012, 1, 14, 12, 0, 1, tzinfo=UTC)


def test_a_journey_may_be_moved_around_a_simulation(asked: Sim) -> None:
    """By the context manager."""
    with time_machine.travel(1_000_000, tick=False) as traveller:
        agent = Measuring()
        asked.run(agent, TASK)
        traveller.shift(60)
        asked.run(agent, TASK)
        agent.check()
        assert time.time() == 1_000_060
    wait_in_real_time()


def test_the_fixture_of_time_machine_may_be_there(
    asked: Sim, time_machine: time_machine.TimeMachineFixture
) -> None:
    """By the fixture that its plugin gives."""
    time_machine.move_to(1_000_000, tick=False)
    agent = Measuring()
    asked.run(agent, TASK)
    agent.check()
    assert time.time() == 1_000_000
