"""Random choices for exploring: runs that go on, and runs that are cut short.

Drawn alike, most deviations would end the run: of the options at a gate, cancellation
and the early deadline are often all that there are, and many faults are never got over.
So by its seed a run is not cut short at all, or once at a place of its own, or wherever
it comes to it. Which kinds of faults are enabled in it is drawn too (swarm testing):
runs with few kinds of trouble get further, and meet the rest of the scenario with them.
Faults are drawn by family first: eleven sorts of malformed arguments are not eleven
times as likely as an unknown tool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, TypeVar

from agentsim.engine import Seeded
from agentsim.faults import family_of
from agentsim.simulation.menu import Menu

__all__ = ["Sampled"]

T = TypeVar("T")

Which = Literal["going on", "cutting", "any"]

TEMPERS = (0.05, 0.15, 0.35, 0.6)
"""Probabilities of a deviation; one for each run."""

SHARES = (0.15, 0.4, 0.7, 1.0)
"""Shares of the families of faults that are enabled; one for each run."""

CUT_NEVER, CUT_ONCE = 0.4, 0.85
"""How many runs are never cut short, and how many at most at their own place."""

CUT_BY_MODEL, CUT_BY_OTHERS = 0.45, 0.65
"""How many of those with a place of their own are cut short by a fault of the model
there, and how many by a fault at all; the others are by the clock or from outside."""

CUT_WILD = 0.3
"""Probability that any other run accepts a deviation which may cut it short."""

CUTTING = ("timer", "cancel", "crash")

CHOICES = 20
"""Choices that a run makes, where nothing is known of the scenario."""


class Sampled(Seeded):
    """The choices of one random run of an exploration, all by its seed.

    Args:
        menu: That of the run.
        choices: How many choices a run of the scenario makes, as far as is known. One
            of the first so many is made to deviate if none did by itself: another run
            without deviations would show nothing new.
    """

    __slots__ = (
        "_cut_at",
        "_cut_at_label",
        "_due",
        "_enabled",
        "_last",
        "_rare",
        "_wild",
    )

    def __init__(self, seed: int, menu: Menu, *, choices: int = CHOICES) -> None:
        super().__init__(seed)
        chance = self._random
        self.probability = _one(TEMPERS, chance)
        self._last = max(choices, 1) - 1
        self._due = int(chance() * choices)
        kind = chance()
        self._cut_at = int(chance() * choices) if CUT_NEVER <= kind < CUT_ONCE else -1
        self._cut_at_label = _cutting(menu, chance())
        self._wild = CUT_WILD if kind >= CUT_ONCE else 0.0
        share = _one(SHARES, chance)
        self._rare = menu.plan.rare
        self._enabled = {family: chance() < share for family in menu.plan.families}

    def draw(self, position: int, label: str, arity: int) -> int:
        """Deviate with the probability in force, to an option that the run allows."""
        kinds = self.kinds
        first = arity - len(kinds)
        if 0 <= self._cut_at <= position and label.startswith(self._cut_at_label):
            places = self._allowed(kinds, "cutting")
            if places:
                self._cut_at = -1
                return first + _one(_one(places, self._random), self._random)
        chance = self._random
        if chance() >= self.probability:
            if self.deviations or position < self._due:
                return 0
            cut = position >= self._last and chance() < CUT_WILD
        else:
            chance()  # the option that `Seeded` takes: seeds give the runs they gave
            cut = self._wild > 0 and chance() < self._wild
        places = [(option - first,) for option in range(1, first)]
        places += self._allowed(kinds, "any" if cut else "going on")
        return first + _one(_one(places, self._random), self._random) if places else 0

    def _allowed(self, kinds: Sequence[str], which: Which) -> list[tuple[int, ...]]:
        """The places of the options that the run allows, by family.

        Of much the same options all together are as likely as another one alone.
        """
        enabled = self._enabled
        return [
            places
            for family, places in _families(tuple(kinds), self._rare, which)
            if enabled.get(family, True)
        ]


@lru_cache(maxsize=1024)
def _families(
    kinds: tuple[str, ...], rare: frozenset[str], which: Which
) -> Sequence[tuple[str, tuple[int, ...]]]:
    """The families of options, with their places: those that let a run go on first."""
    going_on: list[int] = []
    cutting: list[int] = []
    for place, kind in enumerate(kinds):
        (cutting if kind in rare or kind in CUTTING else going_on).append(place)
    places = {"going on": going_on, "cutting": cutting, "any": going_on + cutting}
    families: dict[str, list[int]] = {}
    for place in places[which]:
        families.setdefault(family_of(kinds[place]), []).append(place)
    return [(family, tuple(found)) for family, found in families.items()]


def _cutting(menu: Menu, drawn: float) -> str:
    """How the label of the choice begins at which a run is cut short."""
    targets = menu.plan.rare_targets
    if drawn < CUT_BY_MODEL and "model" in targets:
        return "fault model"
    return "fault " if drawn < CUT_BY_OTHERS and targets else "next "


def _one(options: Sequence[T], chance: Callable[[], float]) -> T:
    return options[int(chance() * len(options))]
