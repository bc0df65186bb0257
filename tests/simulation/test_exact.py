"""An exhaustive exploration makes each run within its bound once, under every option."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentsim.core import Injected
from agentsim.engine import Choices
from agentsim.runtime import reference
from agentsim.simulation import Menu, Scenario, explore, run
from tests.simulation.fakes import reading, writing

Key = tuple[tuple[int, int], ...]


class Path(Choices):
    """Takes a given value at each choice, and the dull one after the last."""

    def __init__(self, values: tuple[int, ...]) -> None:
        super().__init__()
        self._values = values

    def draw(self, position: int, label: str, arity: int) -> int:
        return self._values[position] if position < len(self._values) else 0


def brute_force(story: Scenario, menu: Menu, bound: int) -> Iterator[Key]:
    """Walk the tree of choices, prefix by prefix, knowing nothing of the enumeration."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        prefix = waiting.pop()
        choices = Path(prefix)
        run(story, reference, menu=menu, choices=choices)
        yield tuple(sorted(choices.deviations.items()))
        if len(choices.deviations) >= bound:
            continue
        for position in range(len(prefix), len(choices.arities)):
            zeros = (0,) * (position - len(prefix))
            others = range(1, choices.arities[position])
            waiting.extend((*prefix, *zeros, value) for value in others)


ORDERS = Menu("any_order")
FAULTS = Menu(faults=("raises", "slow", "arguments_cut"))
CUTS = Menu(cancel=True, crash=True)
ALL = Menu("any_order", ("raises", "unknown_tool"), cancel=True, crash=True)


@pytest.mark.parametrize(
    ("story", "menu", "bound"),
    [
        (reading(), ORDERS, 3),
        (reading(), FAULTS, 2),
        (writing(), FAULTS, 2),
        (reading(), CUTS, 2),
        (writing(), Menu(crash=True), 2),
        (reading(inject=[Injected("more", "And?")]), ORDERS, 2),
        (reading(inject=[Injected("a", "A"), Injected("b", "B")]), Menu(), 3),
        (reading(inject=[Injected("more", "And?")]), ALL, 1),
        pytest.param(reading(), ALL, 2, marks=pytest.mark.slow),
    ],
    ids=lambda value: value.name if isinstance(value, Scenario) else str(value),
)
def test_every_run_within_the_bound_is_made_once(
    story: Scenario, menu: Menu, bound: int
) -> None:
    """The runs are those that brute force finds, for faults, cuts, orders, injections."""
    made: list[Key] = []
    found = explore(
        story,
        deviations=bound,
        menu=menu,
        on_run=lambda one: made.append(tuple(sorted(one.choices.deviations.items()))),
    )
    expected = sorted(brute_force(story, menu, bound))
    assert sorted(made) == expected
    assert (found.runs, found.complete) == (len(expected), True)
    assert found.deviations_left == (0, True)
    assert sum(found.endings.values()) == found.runs
