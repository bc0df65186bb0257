"""Deviations that are asked for while a run goes on: each strikes as soon as it can."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.core import UsageError
from agentsim.engine import Choices
from agentsim.faults import CATALOGUE, FaultPlan, FaultRule, parse_offered

__all__ = ["Deviations", "read_deviations"]


class Deviations(Choices):
    """Takes the dull option but where a deviation that was asked for is on offer.

    Args:
        attempt: The number of the operation at hand.

    Attributes:
        pending: What was asked for and did not strike yet, in order.
    """

    __slots__ = ("_attempt", "pending")

    def __init__(self, attempt: Callable[[], int]) -> None:
        super().__init__()
        self._attempt = attempt
        self.pending: list[FaultRule] = []

    def draw(self, position: int, label: str, arity: int) -> int:  # noqa: ARG002
        """Take the first deviation that was asked for and is among the options."""
        for rule in self.pending:
            due = rule.attempt in (None, self._attempt())
            if due and rule.fault.name in self.kinds:
                self.pending.remove(rule)
                place = list(self.kinds).index(rule.fault.name)
                return arity - len(self.kinds) + place
        return 0

    def plan(self, rules: tuple[FaultRule, ...]) -> FaultPlan:
        """A plan of a scenario's own rules that offers what is pending.

        Of two forms of one fault the last is offered, and the first is to strike.
        """
        return FaultPlan(offered=tuple(reversed(self.pending))).striking(rules)


def read_deviations(given: object) -> list[FaultRule]:
    """Read the deviations to make, in order: rules of faults that strike the model.

    Raises:
        UsageError: for what is no list of them, and for a fault that strikes a tool or a
            person: those are in the program itself.
    """
    if not isinstance(given, list) or not all(isinstance(e, str) for e in given):
        raise UsageError(
            'deviations: expected a list of texts, such as ["rate_limited", '
            '"connection_lost@3"]'
        )
    rules = [
        rule
        for number, text in enumerate(given)
        for rule in parse_offered(text, f"deviations[{number}]")
    ]
    for rule in rules:
        if rule.fault.target != "model":
            raise UsageError(
                f"deviations: {rule.text} strikes a tool or a person, and those are in "
                f"your program; there are: {', '.join(_of_model())}"
            )
    return rules


def _of_model() -> list[str]:
    return [name for name, fault in CATALOGUE.items() if fault.target == "model"]
