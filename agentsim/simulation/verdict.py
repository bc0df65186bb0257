"""The verdict on one run: all judgements, and what they come to (design 2.7)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agentsim.invariants import Judgement, Status, overall

__all__ = ["Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """All judgements on one run.

    Attributes:
        judgements: One per invariant, and the scenario's own expectation last where it
            was judged.
        unmet: What the user named and the run never met, such as a fault.
    """

    judgements: tuple[Judgement, ...]
    unmet: tuple[str, ...] = ()
    named: Collection[str] = ()

    @property
    def status(self) -> Status:
        """Violated if any is; else unknown if something named met no evidence."""
        status = overall(self.judgements, named=self.named)
        return "unknown" if status == "holds" and self.unmet else status

    @property
    def violated(self) -> tuple[Judgement, ...]:
        """The judgements that found a violation."""
        return tuple(entry for entry in self.judgements if entry.status == "violated")
