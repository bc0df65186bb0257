"""Where faults strike: rules that always do, and faults that may.

A plan is asked at each operation. What strikes by rule is no choice; what is offered is
one, and the engine draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentsim.core import Message, UsageError, did_you_mean
from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.kinds import Fault, Operation

__all__ = ["FaultPlan", "FaultRule", "check_rules", "fault_named"]


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A fault and the operations that it strikes.

    Attributes:
        fault: The fault; `fault_named` finds it by its name.
        name: Of the tool; None for every tool. For faults of the model it stays None.
        attempt: The n-th operation of that name only, 1-based; None for every one.

    Raises:
        UsageError: for a tool named for a fault of the model, or an attempt below 1.
    """

    fault: Fault
    name: str | None = None
    attempt: int | None = None

    def __post_init__(self) -> None:
        if self.fault.target == "model" and self.name is not None:
            raise UsageError(
                f"fault {self.fault.name!r} strikes the model: it takes no tool, "
                f"got {self.name!r}"
            )
        attempt = self.attempt
        if attempt is not None and (type(attempt) is not int or attempt < 1):
            raise UsageError(
                f"fault {self.fault.name!r}: attempt counts from 1, got {attempt!r}"
            )

    def __str__(self) -> str:
        where = self.name or (
            "any tool" if self.fault.target == "tool" else "the model"
        )
        which = "" if self.attempt is None else f", attempt {self.attempt}"
        return f"{self.fault.name} on {where}{which}"

    def matches(self, operation: Operation, message: Message | None = None) -> bool:
        """Whether the rule strikes this operation, or this reply of the model."""
        fault = self.fault
        return (
            fault.applies_to(operation)
            and (self.name is None or self.name == operation.name)
            and (self.attempt is None or self.attempt == operation.attempt)
            and _calls(message) >= fault.calls_min
        )

    def plain(self) -> dict[str, Any]:
        """The rule as JSON data, which `parse_rule` reads."""
        data: dict[str, Any] = {"fault": self.fault.name}
        if self.name is not None:
            data["tool"] = self.name
        if self.attempt is not None:
            data["attempt"] = self.attempt
        return data


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
        calls = min(_calls(message), self._calls_max)
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
        offered: May strike where they match: rules, faults, or names of faults.

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


def fault_named(name: str) -> Fault:
    """The fault of the catalogue with this name.

    Raises:
        UsageError: when there is none, with those that exist.
    """
    fault = CATALOGUE.get(name)
    if fault is None:
        raise UsageError(
            f"unknown fault {name!r} (there are {', '.join(CATALOGUE)})"
            f"{did_you_mean(name, CATALOGUE)}"
        )
    return fault


def check_rules(rules: Iterable[FaultRule], tools: Mapping[str, bool]) -> None:
    """Raise `UsageError` for a rule that can never strike in a world.

    Args:
        rules: The rules to check.
        tools: Name of each tool -> whether it writes.
    """
    for rule in rules:
        if rule.name is None:
            continue
        if rule.name not in tools:
            raise UsageError(
                f"fault {rule.fault.name!r}: unknown tool {rule.name!r}"
                f"{did_you_mean(rule.name, tools)}"
            )
        if rule.fault.needs_write and not tools[rule.name]:
            raise UsageError(
                f"fault {rule.fault.name!r} strikes writes only, "
                f"and {rule.name!r} only reads"
            )


@lru_cache(maxsize=64)
def _menu_of(offered: tuple[FaultRule | Fault | str, ...]) -> _Menu:
    return _Menu(tuple(map(_as_rule, offered)))


def _as_rule(offered: FaultRule | Fault | str) -> FaultRule:
    if isinstance(offered, FaultRule):
        return offered
    return FaultRule(fault_named(offered) if isinstance(offered, str) else offered)


def _calls(message: Message | None) -> int:
    return 0 if message is None else len(message.tool_calls)
