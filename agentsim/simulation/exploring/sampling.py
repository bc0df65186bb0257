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
from typing import TypeVar

from agentsim.engine import Seeded
from agentsim.faults import family_of
from agentsim.simulation.menu import Menu

__all__ = ["Sampled"]

T = TypeVar("T")

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
            places = self._places(kinds, first, cutting=True)
            if places:
                self._cut_at = -1
                return self._by_family(kinds, first, places)
        if super().draw(position, label, arity) == 0:
            if self.deviations or position < self._due:
                return 0
            cut = position >= self._last and self._random() < CUT_WILD
        else:
            cut = self._wild > 0 and self._random() < self._wild
        places = [*range(1, first), *self._places(kinds, first, cutting=False)]
        if cut:
            places += self._places(kinds, first, cutting=True)
        return self._by_family(kinds, first, places) if places else 0

    def _places(self, kinds: Sequence[str], first: int, *, cutting: bool) -> list[int]:
        """The options that the run allows: those that may cut it short, or the others."""
        enabled = self._enabled
        return [
            first + place
            for place, family in _sorted(tuple(kinds), self._rare)[cutting]
            if enabled.get(family, True)
        ]

    def _by_family(self, kinds: Sequence[str], first: int, places: list[int]) -> int:
        """One of the options; of much the same ones all together are as likely as one."""
        families: dict[object, list[int]] = {}
        for place in places:
            family = place if place < first else family_of(kinds[place - first])
            families.setdefault(family, []).append(place)
        return _one(_one(list(families.values()), self._random), self._random)


@lru_cache(maxsize=1024)
def _sorted(
    kinds: tuple[str, ...], rare: frozenset[str]
) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
    """Places and families of the options that let a run go on, and of those that cut it."""
    going_on: list[tuple[int, str]] = []
    cutting: list[tuple[int, str]] = []
    for place, kind in enumerate(kinds):
        cuts = kind in rare or kind in CUTTING
        (cutting if cuts else going_on).append((place, family_of(kind)))
    return going_on, cutting


def _cutting(menu: Menu, drawn: float) -> str:
    """How the label of the choice begins at which a run is cut short."""
    targets = menu.plan.rare_targets
    if drawn < CUT_BY_MODEL and "model" in targets:
        return "fault model"
    return "fault " if drawn < CUT_BY_OTHERS and targets else "next "


def _one(options: Sequence[T], chance: Callable[[], float]) -> T:
    return options[int(chance() * len(options))]
