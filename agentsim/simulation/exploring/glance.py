"""What an exploration counts of a run: a run that is made elsewhere sends no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from agentsim.simulation.exploring.findings import kinds_violated
from agentsim.simulation.run import Run

__all__ = ["Glance"]


class Glance(NamedTuple):
    """A run at a glance: plain data, and little of it.

    Attributes:
        ending: Its status, or how it ended where it has none.
        deviations: Position -> value, of the choices that were not dull.
        arities: How many options each choice had.
        kinds: Invariant and kind of each violation, each once, in order.
        struck: Names of faults, `cancel`, `crash`.
        met: All that it met of what may be named.
        unmet_rules: The scenario's own faults that never struck.
        notes: What was met and not refused.
        parts: Where it parts from a second run of the same choices; None if it does not,
            or nobody looked.
    """

    ending: str
    deviations: Mapping[int, int]
    arities: Sequence[int]
    kinds: tuple[tuple[str, str], ...]
    struck: tuple[str, ...]
    met: tuple[str, ...]
    unmet_rules: tuple[str, ...]
    notes: tuple[str, ...]
    parts: str | None = None

    @classmethod
    def of(cls, made: Run) -> Self:
        """Look at a run."""
        outcome, choices, violated = made.outcome, made.choices, made.verdict.violated
        kinds: tuple[tuple[str, str], ...] = ()
        if violated:
            kinds = tuple(
                (judgement.id, kind)
                for judgement in violated
                for kind in kinds_violated(judgement, made)
            )
        return cls(
            outcome.status if outcome.status is not None else outcome.ending,
            choices.deviations,
            choices.arities,
            kinds,
            made.struck,
            tuple(made.met),
            made.unmet_rules,
            made.notes,
        )

    def is_like(self, other: Glance) -> bool:
        """Whether both are of runs that went alike, as far as a glance shows."""
        return self[:2] == other[:2] and self.kinds == other.kinds
