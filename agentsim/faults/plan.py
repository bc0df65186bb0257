"""What strikes in a run: rules that always do, and rules that may.

A plan is asked at each operation. What strikes by rule is no choice; what is offered is
one, and the engine draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentsim.core import Message
from agentsim.faults.kinds import Fault, Operation
from agentsim.faults.parsing import parse_rule
from agentsim.faults.rules import FaultRule

__all__ = ["FaultPlan"]


class _Menu:
    """The offered rules, with what they come to at each kind of operation.

    Shared by all plans that offer the same: a plan is made per run, and each run meets
    the same few kinds of operations.
    """

    def __init__(self, rules: tuple[FaultRule, ...]) -> None:
        self.rules = rules
        self._attempts = frozenset(rule.attempt for rule in rules)
        self._calls_max = max((rule.fault.calls_min for rule in rules), default=0)
        self._known: dict[tuple[object, ...], tuple[Fault, ...]] = {}

    def at(self, operation: Operation, message: Message | None) -> tuple[Fault, ...]:
        # Attempts that no rule names are all alike, and so are many calls.
        attempt = operation.attempt if operation.attempt in self._attempts else 0
        calls = 0 if message is None else len(message.tool_calls)
        calls = min(calls, self._calls_max)
        key = (operation.target, operation.name, operation.writes, attempt, calls)
        menu = self._known.get(key)
        if menu is None:
            found = {
                rule.fault.name: rule.fault
                for rule in self.rules
                if rule.matches(operation, message)
            }
            menu = self._known[key] = tuple(found.values())
        return menu


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What strikes in a run, and what may be chosen to.

    Attributes:
        rules: Strike wherever they match; the first that matches wins.
        offered: May strike where they match: rules, faults, or texts of rules.

    Raises:
        UsageError: for the name of a fault that does not exist.
    """

    rules: tuple[FaultRule, ...] = ()
    offered: tuple[FaultRule | Fault | str, ...] = ()
    _menu: _Menu = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "offered", tuple(self.offered))
        object.__setattr__(self, "_menu", _menu_of(self.offered))

    def __str__(self) -> str:
        rules = "; ".join(map(str, self.rules)) or "none"
        offered = "; ".join(map(str, self._menu.rules)) or "none"
        return f"strikes: {rules} | may strike: {offered}"

    def strikes(
        self, operation: Operation, message: Message | None = None
    ) -> Fault | None:
        """The fault that strikes here by rule, or None.

        Args:
            operation: What is about to happen.
            message: The reply, where the operation is a request to the model; without
                it no fault that needs calls strikes.
        """
        for rule in self.rules:
            if rule.matches(operation, message):
                return rule.fault
        return None

    def menu(
        self, operation: Operation, message: Message | None = None
    ) -> tuple[Fault, ...]:
        """The faults that may be chosen here, each once, in the order of `offered`."""
        return self._menu.at(operation, message)

    def plain(self) -> dict[str, Any]:
        """The plan as JSON data, for digests; a fault counts by its name."""
        return {
            "rules": [rule.plain() for rule in self.rules],
            "offered": [rule.plain() for rule in self._menu.rules],
        }


@lru_cache(maxsize=64)
def _menu_of(offered: tuple[FaultRule | Fault | str, ...]) -> _Menu:
    return _Menu(tuple(parse_rule(entry) for entry in offered))
