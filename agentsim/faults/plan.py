"""What strikes in a run: rules that always do, and rules that may.

A plan is asked at each operation. What strikes by rule is no choice; what is offered is
one, and the engine draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Self

from agentsim.core import Message, UsageError
from agentsim.faults.groups import family_of
from agentsim.faults.kinds import Fault, Operation, Target
from agentsim.faults.parsing import parse_offered, parse_rules
from agentsim.faults.rules import FaultRule

__all__ = ["FaultPlan", "Offer"]

Offered = FaultRule | Fault | str


class Offer(NamedTuple):
    """What may strike one operation.

    Attributes:
        faults: Each once, in the order in which they are offered.
        options: The choice in words; the first is that nothing strikes.
        names: Those of the faults.
    """

    faults: tuple[Fault, ...]
    options: tuple[str, ...]
    names: tuple[str, ...]


class _Menu:
    """The offered rules, with what they come to at each kind of operation.

    Shared by all plans that offer the same: a plan is made per run, and each run meets
    the same few kinds of operations.
    """

    def __init__(self, rules: tuple[FaultRule, ...]) -> None:
        self.rules = rules
        self._attempts = frozenset(rule.attempt for rule in rules)
        self._calls_max = max((rule.fault.calls_min for rule in rules), default=0)
        self.can_be_stale = any(rule.fault.answer == "outdated" for rule in rules)
        self.names_tools = any(rule.name is not None for rule in rules)
        self.rare = frozenset(r.fault.name for r in rules if r.fault.rare)
        self.rare_targets = frozenset(r.fault.target for r in rules if r.fault.rare)
        self.families = tuple(dict.fromkeys(family_of(r.fault.name) for r in rules))
        self._known: dict[tuple[object, ...], Offer] = {}

    def at(self, operation: Operation, message: Message | None) -> Offer:
        # Attempts that no rule names are all alike, and so are many calls.
        attempt = operation.attempt if operation.attempt in self._attempts else 0
        calls = 0 if message is None else len(message.tool_calls)
        calls = min(calls, self._calls_max)
        target, name = operation.target, operation.name
        how = (operation.writes, operation.outdated, operation.carried)
        key = (target, name, how, attempt, calls)
        offer = self._known.get(key)
        if offer is None:
            matching = [rule for rule in self.rules if rule.matches(operation, message)]
            offer = self._known[key] = _offer(operation, matching)
        return offer


def _offer(operation: Operation, rules: Iterable[FaultRule]) -> Offer:
    faults = {rule.fault.name: rule.fault for rule in rules}
    struck = "the person" if operation.target == "human" else operation.name
    options = ("no fault", *(f"{name} strikes {struck}" for name in faults))
    return Offer(tuple(faults.values()), options, tuple(faults))


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What strikes in a run, and what may be chosen to: data, compared by value.

    Attributes:
        rules: Strike wherever they match; the first that matches wins.
        offered: May strike where they match, as rules; given as rules, faults, texts
            of rules, or names of groups.

    Raises:
        UsageError: for the name of a fault that does not exist.
    """

    rules: tuple[FaultRule, ...] = ()
    offered: tuple[Offered, ...] = ()
    _menu: _Menu = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        menu = _menu_of(tuple(self.offered))
        object.__setattr__(self, "rules", parse_rules(tuple(self.rules), "rules"))
        object.__setattr__(self, "offered", menu.rules)
        object.__setattr__(self, "_menu", menu)

    def __str__(self) -> str:
        rules = "; ".join(map(str, self.rules)) or "none"
        offered = "; ".join(map(str, self._menu.rules)) or "none"
        return f"strikes: {rules} | may strike: {offered}"

    def __repr__(self) -> str:
        rules = tuple(rule.text for rule in self.rules)
        offered = tuple(rule.text for rule in self._menu.rules)
        return f"FaultPlan(rules={rules!r}, offered={offered!r})"

    def strikes(
        self, operation: Operation, message: Message | None = None
    ) -> Fault | None:
        """The fault that strikes here by rule, or None.

        One that lasts for some operations begins at the first, or at its `attempt`.

        Args:
            operation: What is about to happen.
            message: The reply, where the operation is a request to the model; without
                it no fault that needs calls strikes.
        """
        for rule in self.rules:
            if rule.matches(operation, message) and (
                rule.fault.lasts in (1, None)
                or operation.attempt == (rule.attempt or 1)
            ):
                return rule.fault
        return None

    def menu(self, operation: Operation, message: Message | None = None) -> Offer:
        """The faults that may be chosen here."""
        return self._menu.at(operation, message)

    @property
    def can_be_stale(self) -> bool:
        """Whether a read may be answered as before: answers must be kept for that."""
        own = any(rule.fault.answer == "outdated" for rule in self.rules)
        return own or self._menu.can_be_stale

    @property
    def names_tools(self) -> bool:
        """Whether any of the faults that are offered is one of a tool by name."""
        return self._menu.names_tools

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the faults that are offered."""
        return self._menu.families

    @property
    def rare(self) -> frozenset[str]:
        """Names of the faults that are offered and end most runs."""
        return self._menu.rare

    @property
    def rare_targets(self) -> frozenset[Target]:
        """What the faults strike that end most runs."""
        return self._menu.rare_targets

    def plain(self) -> dict[str, Any]:
        """The plan as JSON data, which `from_plain` reads; a fault is told by name."""
        return {
            "rules": [rule.plain() for rule in self.rules],
            "offered": [rule.plain() for rule in self._menu.rules],
        }

    @classmethod
    def from_plain(cls, data: object) -> Self:
        """Read a plan from plain data, such as YAML: `rules`, `offered`, or both.

        Raises:
            UsageError: naming the place and what was expected there.
        """
        if not isinstance(data, dict):
            raise UsageError("plan: expected a mapping with rules, offered, or both")
        for name in data:
            if name not in ("rules", "offered"):
                raise UsageError(
                    f"plan: unknown field {name!r} (there are rules, offered)"
                )
        offered = parse_rules(data.get("offered", ()), "plan.offered", groups=True)
        return cls(parse_rules(data.get("rules", ()), "plan.rules"), offered)

    def striking(self, rules: Iterable[FaultRule]) -> FaultPlan:
        """A plan that offers the same and has other rules; made without looking at them.

        A run is made with each: what is offered is long, and is not read anew.
        """
        rules = tuple(rules)
        if rules == self.rules:
            return self
        plan = object.__new__(FaultPlan)
        object.__setattr__(plan, "rules", rules)
        object.__setattr__(plan, "offered", self.offered)
        object.__setattr__(plan, "_menu", self._menu)
        return plan

    def smaller(self) -> Iterator[FaultPlan]:
        """Plans that do less, simplest first: for shrinking.

        First parts of the rules are left out, the larger the sooner; then what is
        offered is left out in the same way.
        """
        for rules in _without(self.rules):
            yield FaultPlan(rules, self.offered)
        for offered in _without(self._menu.rules):
            yield FaultPlan(self.rules, offered)


def _without(rules: tuple[FaultRule, ...]) -> Iterator[tuple[FaultRule, ...]]:
    size = len(rules)
    while size >= 1:
        for start in range(0, len(rules), size):
            yield rules[:start] + rules[start + size :]
        size //= 2


@lru_cache(maxsize=64)
def _menu_of(offered: tuple[Offered, ...]) -> _Menu:
    rules = (rule for entry in offered for rule in parse_offered(entry, "offered"))
    return _Menu(tuple(dict.fromkeys(rules)))
