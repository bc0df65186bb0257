"""Random runs: repeatable by their seed, and not all cut short."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.engine import Seeded
from agentsim.simulation import EXPLORING, Menu, explore
from agentsim.simulation.exploring.sampling import Sampled
from tests.support.scenarios import scenario

LABELS = st.sampled_from(
    ["next model", "next check_cpu", "fault model", "fault x", "y"]
)

STEPS = st.lists(st.tuples(LABELS, st.integers(2, 40)), max_size=60)

MENUS = st.builds(
    Menu,
    st.just("any_order"),
    st.just(EXPLORING.faults),
    cancel=st.booleans(),
    crash=st.booleans(),
)


@settings(max_examples=30)
@given(seed=st.integers(), menu=MENUS, steps=STEPS, injections=st.integers(0, 3))
def test_a_draw_is_an_option_and_hangs_on_the_seed_alone(
    seed: int, menu: Menu, steps: list[tuple[str, int]], injections: int
) -> None:
    """Whatever is asked, in whichever menu, two sources of one seed answer alike."""
    first = Sampled(seed, menu, injections=injections)
    second = Sampled(seed, menu, injections=injections)
    for label, arity in steps:
        value = first.choose(label, arity)
        assert 0 <= value < arity
        assert second.choose(label, arity) == value


def test_a_run_may_be_cut_short_only_as_often_as_the_menu_lets_it() -> None:
    """What happens once is taken off the end of the options when it happened."""
    menu = Menu("any_order", cancel=True, crash=True)
    source = Sampled(8, menu, injections=1)
    left = 3
    for _ in range(400):
        value = source.choose("next model", 1 + left) if left else 0
        left -= value > 0
    assert left == 0


def cut_short(sources: list[Seeded]) -> int:
    """How many runs of 20 answers end early: by the timer (1) or a cancellation (2)."""
    return sum(any(source.choose("next x", 3) for _ in range(20)) for source in sources)


def test_fewer_runs_are_cut_short_than_by_chance_alone() -> None:
    """Where all that may deviate at a gate ends the run, many runs go on to their end."""
    menu = Menu("any_order", cancel=True)
    alike = cut_short([Seeded(seed) for seed in range(500)])
    sampled = cut_short([Sampled(seed, menu) for seed in range(500)])
    assert alike > 400
    assert 200 < sampled < 350


def test_other_orders_are_not_fewer_for_it() -> None:
    """Where answers can come in another order, they do about as often as by chance."""
    menu = Menu("any_order", cancel=True)

    def orders(sources: list[Seeded]) -> int:
        return sum(0 < source.choose("next x", 6) < 4 for source in sources)

    alike = orders([Seeded(seed) for seed in range(500)])
    assert orders([Sampled(seed, menu) for seed in range(500)]) > 0.9 * alike


@pytest.mark.slow
def test_every_fault_strikes_in_two_hundred_runs() -> None:
    """Swarms leave nothing of the menu out for long."""
    found = explore(scenario("parallel_reads"), runs=200, seed=3)
    assert found.never_struck == ()
