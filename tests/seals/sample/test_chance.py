"""Chance of a user's own beside simulations."""

from __future__ import annotations

import random
import secrets
import uuid
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentsim import Env, reference, say
from agentsim.pytest_plugin import Sim
from agentsim.testing import simulations
from agentsim.testing.simulation import Simulation

TASK = "Is the server well?"


async def drawing(env: Env) -> object:
    """Draw from all that there is, and tell the model nothing of it."""
    print(random.random(), secrets.token_hex(4), uuid.uuid4())  # noqa: T201
    return await reference(env)


def test_an_own_seed_governs_what_follows(asked: Sim) -> None:
    """The sequence after a simulation is the one that the seed gives."""
    random.seed(1234)
    expected = Random(1234)
    assert random.random() == expected.random()
    asked.run(drawing, TASK)
    assert random.random() == expected.random()
    assert random.sample(range(100), 5) == expected.sample(range(100), 5)


def test_an_agent_draws_the_same_each_time(sim: Sim) -> None:
    """Ids and random numbers are the same in all runs, whatever is drawn outside."""
    drawn: list[tuple[float, str, str]] = []

    async def agent(env: Env) -> object:
        drawn.append((random.random(), secrets.token_hex(8), str(uuid.uuid4())))
        return await reference(env)

    sim.script(say("All is well."))
    for seed in range(3):
        random.seed(seed)
        sim.run(agent, TASK)
    assert len(set(drawn)) == 1


def test_ids_outside_of_runs_do_not_repeat(asked: Sim) -> None:
    """What a test draws itself is chance."""
    ids = {uuid.uuid4()}
    for _ in range(3):
        asked.run(drawing, TASK)
        ids |= {uuid.uuid4()}
    assert len(ids) == 4


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(simulation=simulations(), number=st.integers())
def test_property_tests_simulate(simulation: Simulation, number: int) -> None:
    """Hypothesis draws simulations, and `random` as it seeded it."""
    random.seed(number)
    expected = random.random()
    random.seed(number)
    simulation.run(drawing)
    assert random.random() == expected
