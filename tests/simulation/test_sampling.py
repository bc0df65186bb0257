"""Random runs: repeatable by their seed, and not all cut short."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.engine import Seeded, Series
from agentsim.faults import GROUPS
from agentsim.runtime import reference
from agentsim.simulation import EXPLORING, Menu, explore
from agentsim.simulation.exploring.sampling import Sampled
from tests.support.sampled import sampled
from tests.support.scenarios import scenario

GATE_KINDS = st.sampled_from(
    [(), ("timer",), ("timer", "cancel"), ("cancel", "inject"), ("crash",)]
)

FAULT_KINDS = st.sampled_from(
    [("raises", "hangs"), ("server_error", "arguments_cut"), ("never_answers",)]
)

MENUS = st.builds(
    Menu,
    st.just("any_order"),
    st.just(EXPLORING.faults),
    cancel=st.booleans(),
    crash=st.booleans(),
)


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, int, tuple[str, ...]]:
    """Draw a choice as the engine offers it: label, number of options, kinds."""
    if draw(st.booleans()):
        names = draw(FAULT_KINDS)
        return "fault x", 1 + len(names), names
    kinds = draw(GATE_KINDS)
    return "next model", draw(st.integers(2, 5)) + len(kinds), kinds


@settings(max_examples=30)
@given(
    seed=st.integers(),
    menu=MENUS,
    asked=st.lists(steps(), max_size=60),
    choices=st.integers(0, 30),
)
def test_a_draw_is_an_option_and_hangs_on_the_seed_alone(
    seed: int, menu: Menu, asked: list[tuple[str, int, tuple[str, ...]]], choices: int
) -> None:
    """Whatever is asked, in whichever menu, two sources of one seed answer alike."""
    first = Sampled(seed, menu, choices=choices)
    second = Sampled(seed, menu, choices=choices)
    for label, arity, kinds in asked:
        value = first.choose(label, arity, kinds)
        assert 0 <= value < arity
        assert second.choose(label, arity, kinds) == value


MENU = Menu("any_order", cancel=True)

SEQUENTIAL = ("timer", "cancel")
"""What there is beside the one answer that a sequential agent waits for."""


def cut_short(sources: list[Seeded]) -> int:
    """How many runs of 20 answers end early: by the timer or a cancellation."""
    return sum(
        any(source.choose("next x", 3, SEQUENTIAL) for _ in range(20))
        for source in sources
    )


def test_fewer_runs_are_cut_short_than_by_chance_alone() -> None:
    """Where all that may deviate at a gate ends the run, many runs go on to their end."""
    alike = cut_short([Seeded(seed) for seed in range(500)])
    sampled = cut_short([Sampled(seed, MENU, choices=20) for seed in range(500)])
    assert alike > 400
    assert 200 < sampled < 350


def test_other_orders_are_not_fewer_for_it() -> None:
    """Where answers can come in another order, they do about as often as by chance."""

    def orders(sources: list[Seeded]) -> int:
        return sum(0 < source.choose("next x", 6, SEQUENTIAL) < 4 for source in sources)

    alike = orders([Seeded(seed) for seed in range(500)])
    sampled: list[Seeded] = [Sampled(seed, MENU, choices=20) for seed in range(500)]
    assert orders(sampled) > 0.9 * alike


def test_where_anything_can_deviate_a_run_deviates() -> None:
    """A second run without deviations would show nothing that the first did not."""
    menu = Menu("any_order", faults=("own",))
    for seed in range(200):
        source = Sampled(seed, menu, choices=10)
        for _ in range(10):
            source.choose("next x", 2)
        assert source.deviations


def test_faults_of_one_family_are_no_more_likely_than_a_single_one() -> None:
    """Eleven sorts of malformed arguments strike about as often as an unknown tool."""
    names = ("unknown_tool", *GROUPS["malformed_arguments"])
    menu = Menu(faults=names)
    sources = [Sampled(seed, menu) for seed in range(2000)]
    drawn = [source.choose("fault model", 13, names) for source in sources]
    single = drawn.count(1)
    family = sum(value > 1 for value in drawn)
    assert 0.7 < single / family < 1.4


def test_runs_differ_in_the_families_that_they_enable() -> None:
    """Some runs meet one kind of trouble only, and that again and again."""
    names = ("raises", "slow", "flaky")
    alone = 0
    for seed in range(300):
        source = Sampled(seed, Menu(faults=names))
        met = {source.choose("fault x", 4, names) for _ in range(60)} - {0}
        alone += len(met) == 1
    assert alone > 50


def test_runs_without_an_exploration_are_those_that_it_counts() -> None:
    """What tests make once each is what `explore` would make of the same seed."""
    story, counted = scenario("disk_full"), list[str]()
    explore(story, runs=8, seed=3, on_run=lambda made: counted.append(made.token))
    alone = [made.token for made in sampled(story, reference, runs=8, seed=3)]
    assert alone == counted
    assert len(set(alone)) > 4


@pytest.mark.slow
def test_every_fault_strikes_in_a_thousand_runs() -> None:
    """Swarms leave nothing of the menu out for long."""
    names = ("parallel_reads", "high_cpu")
    never = {"cancel", *(rule.fault.name for rule in EXPLORING.rules)}
    none = {*GROUPS["streams"]}
    with Series():
        made = [sampled(scenario(name), reference, runs=500, seed=3) for name in names]
        for one, other in zip(*made, strict=True):
            never -= {*one.struck, *other.struck}
            if never == none:
                break
    assert never == none, "the reference runtime streams nothing"
