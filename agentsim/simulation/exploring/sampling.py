"""Random choices for exploring: runs that go on, and runs that are cut short.

Drawn alike, most deviations would end the run: of the options at a gate, cancellation
and the early deadline are often all that there are, and a few faults are never got
over. So each run draws, by its seed, how willing it is to be cut short, and which of
the faults it enables (swarm testing): runs with few kinds of trouble get further.
"""

from __future__ import annotations

from agentsim.engine import Seeded
from agentsim.simulation.menu import Menu

__all__ = ["Sampled"]

TEMPERS = (0.05, 0.15, 0.35, 0.6)
"""Probabilities of a deviation; one for each run."""

CUTS = (0.02, 0.1, 0.4, 1.0)
"""Probabilities that a deviation which may end the run is accepted; one for each run."""

FAULTS_ENABLED = 0.6
"""How likely each kind of fault is enabled in a run."""

FAULTS_MAX = 16


class Sampled(Seeded):
    """The choices of one random run of an exploration, all by its seed.

    What an option is can be told from the label and the number of options: at a gate
    the last ones are those of the menu that are left (cancel, crash, injected messages)
    and before them stands the next timer, if there is one; taken for a timer, the last
    of several answers that are due comes early a little less often.
    """

    __slots__ = ("_cut", "_enabled", "_extras")

    def __init__(self, seed: int, menu: Menu, *, injections: int = 0) -> None:
        super().__init__(seed)
        chance = self._random
        self.probability = TEMPERS[int(chance() * len(TEMPERS))]
        self._cut = CUTS[int(chance() * len(CUTS))]
        self._enabled = {
            target: [chance() < FAULTS_ENABLED for _ in range(FAULTS_MAX)]
            for target in ("model", "tool")
        }
        self._extras = ["cut"] * menu.cancel + ["cut"] * menu.crash
        self._extras += ["injected"] * injections

    def draw(self, position: int, label: str, arity: int) -> int:
        """Deviate with the probability in force, to an option that the run allows."""
        value = super().draw(position, label, arity)
        if value == 0:
            return 0
        if label.startswith("fault "):
            return self._fault(value, label, arity)
        if label.startswith("next "):
            return self._next(value, arity)
        return value

    def _fault(self, value: int, label: str, arity: int) -> int:
        """Take another fault where this one is not enabled, and none if all are not."""
        enabled = self._enabled["model" if label == "fault model" else "tool"]
        options = [n for n in range(1, arity) if enabled[n % FAULTS_MAX]]
        if not options or value in options:
            return value if options else 0
        return options[value % len(options)]

    def _next(self, value: int, arity: int) -> int:
        """Accept what may end the run only so often; else another order, if any."""
        extras = self._extras
        answers = arity - len(extras)
        if value < answers - 1:
            return value
        extra = value - answers
        if extra >= 0 and extras[extra] == "injected":
            del extras[extra]
            return value
        if self._random() < self._cut:
            if extra >= 0:
                del extras[extra]
            return value
        # Of the answers that wait, the last may be the timer: leave it out.
        return 1 + int(self._random() * (answers - 2)) if answers > 2 else 0
