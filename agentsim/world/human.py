"""The person who approves what an agent wants to do (spec R1.10, R4.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentsim.core import Decision, Question, UsageError, number_fault

__all__ = ["Human", "Person"]


@dataclass(frozen=True, slots=True)
class Human:
    """How a person decides; by default they approve everything.

    Attributes:
        approves: What they decide where nothing else says it.
        name: Their id, which an approval carries; None: approvals carry none, and are
            no approvals (R1.10).
        reason: What they say to a refusal.
        latency_s: Virtual seconds that they take.
        decisions: What they decide first, question by question; an approval without
            an id gets their name.
        refuses: Tools that they decline from then on, whatever `approves` says.

    Raises:
        UsageError: for a negative latency.
    """

    approves: bool = True
    name: str | None = "operator-1"
    reason: str | None = None
    latency_s: float = 30.0
    decisions: tuple[Decision, ...] = ()
    refuses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if fault := number_fault(self.latency_s):
            raise UsageError(f"latency_s: {fault}")

    def build(self) -> Person:
        """Make the person for one run."""
        return Person(self)


class Person:
    """A person in one run; they outlive a crash of the agent.

    Attributes:
        asked: How many questions they have answered.
    """

    __slots__ = ("asked", "spec")

    def __init__(self, spec: Human) -> None:
        self.spec = spec
        self.asked = 0

    @property
    def latency_s(self) -> float:
        """Virtual seconds that they take to answer."""
        return self.spec.latency_s

    def decide(self, question: Question) -> Decision:
        """Answer a question."""
        spec, turn = self.spec, self.asked
        self.asked += 1
        if turn < len(spec.decisions):
            decision = spec.decisions[turn]
            if decision.approved and decision.confirmed_by is None:
                decision = replace(decision, confirmed_by=spec.name)
            return decision
        if spec.approves and question.name not in spec.refuses:
            return Decision(approved=True, confirmed_by=spec.name)
        return Decision(approved=False, reason=spec.reason)
