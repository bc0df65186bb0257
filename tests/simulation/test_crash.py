"""A crash is a power cut: nothing of the dead incarnation goes on."""

from __future__ import annotations

import pytest

from agentsim.core import Crashed, IncarnationStarted
from agentsim.engine import Replay
from agentsim.simulation import Menu, Run, explore, run
from tests.support.scenarios import NAMES, scenario

CRASHES = Menu("timed", (), cancel=False, crash=True)


def gates(name: str) -> int:
    """How many gates the calm run of a scenario passes."""
    return len(run(scenario(name), menu=CRASHES).choices.arities)


@pytest.mark.parametrize("gate", range(gates("high_cpu")))
def test_nothing_of_a_dead_incarnation_appears_after_a_crash_at_any_gate(
    gate: int,
) -> None:
    """After the crash each event is of the second life, which does the whole task."""
    made = run(scenario("high_cpu"), menu=CRASHES, choices=Replay({gate: 1}))
    events = made.trace.events
    crash = next(n for n, event in enumerate(events) if isinstance(event, Crashed))
    assert all(event.life == 1 for event in events[: crash + 1])
    assert all(event.life == 2 for event in events[crash + 1 :])
    assert isinstance(events[crash + 1], IncarnationStarted)
    assert made.outcome.status == "done"
    assert made.verdict.status == "holds", made.failure_text("")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_crash_at_every_gate_of_every_scenario_is_clean(name: str) -> None:
    """Whatever the gate, lives are told apart and the reference runtime breaks no rule."""

    def lives_in_order(made: Run) -> None:
        lives = [event.life for event in made.trace.events]
        assert lives == sorted(lives)

    found = explore(scenario(name), menu=CRASHES, deviations=1, on_run=lives_in_order)
    assert found.complete
    assert found.status == "holds", [
        bad.failure_text("") for bad in found.violations.values()
    ]
