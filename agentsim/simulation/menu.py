"""What may happen beside the script: the options that add choice points to a run.

A token fits only the menu that it was found with, so the menu is part of its
fingerprint and is printed as the flags of the line that repeats a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from agentsim.core import UsageError
from agentsim.faults import Fault, FaultPlan, FaultRule, folded, parse_offered

__all__ = ["EXPLORING", "SCRIPTED", "Menu", "Policy"]

Policy = Literal["timed", "any_order"]


@dataclass(frozen=True, slots=True)
class Menu:
    """The choice points of a run.

    Attributes:
        policy: `timed`: the outside answers by virtual due time. `any_order`: in
            every order that the agent could meet, early or late against its timeouts.
        faults: What may strike at each operation it applies to: names of faults or of
            groups, texts of rules such as `answer_lost:create_payment`, faults or
            rules; kept as rules, each once.
        cancel: Whether the run may be cancelled from outside at any gate.
        crash: Whether the process may die at any gate; the agent then starts anew.
        plan: The faults as a plan.
        text: The menu in one line, as traces and reports carry it.

    Raises:
        UsageError: for an unknown policy or fault.
    """

    policy: Policy = "timed"
    faults: Sequence[FaultRule | Fault | str] = ()
    cancel: bool = False
    crash: bool = False
    plan: FaultPlan = field(init=False, repr=False, compare=False)
    text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise UsageError(
                f"policy: expected one of {', '.join(get_args(Policy))}, got {self.policy!r}"
            )
        plan = _plan(self.faults)
        object.__setattr__(self, "faults", plan.offered)
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "text", _line(self.flags))

    def __repr__(self) -> str:
        given = [
            f"policy={self.policy!r}",
            f"faults={self._texts!r}",
        ]
        given += ["cancel=True"] if self.cancel else []
        given += ["crash=True"] if self.crash else []
        return f"Menu({', '.join(given)})"

    @property
    def rules(self) -> tuple[FaultRule, ...]:
        """The faults, as the rules that they are kept as."""
        return cast(tuple[FaultRule, ...], self.faults)

    @property
    def bound(self) -> str:
        """The menu with each fault by its own name: what a token is bound to."""
        return _line(self._flags([rule.text for rule in self.rules]))

    @property
    def _texts(self) -> tuple[str, ...]:
        return tuple(folded([rule.text for rule in self.rules]))

    @property
    def flags(self) -> tuple[str, ...]:
        """The command line's flags that give this menu."""
        return self._flags(self._texts)

    def _flags(self, faults: Sequence[str]) -> tuple[str, ...]:
        flags = [f"--policy={self.policy}", f"--faults={','.join(faults) or 'none'}"]
        flags += ["--cancel"] if self.cancel else []
        flags += ["--crash"] if self.crash else []
        return tuple(flags)


def _line(flags: Sequence[str]) -> str:
    return " ".join(flag.removeprefix("--") for flag in flags)


def _plan(given: object) -> FaultPlan:
    if isinstance(given, str) or not isinstance(given, Iterable):
        if isinstance(given, FaultRule):
            given = given.text
        elif isinstance(given, Fault):
            given = given.name
        example = repr(given) if isinstance(given, str) else "'slow'"
        raise UsageError(
            f"faults: expected a list of faults, got {given!r}: write [{example}]"
        )
    rules = [rule for entry in given for rule in parse_offered(entry, "faults")]
    return FaultPlan(offered=tuple(rules))


SCRIPTED = Menu()
"""The menu of a single run: the script, on time, and only the scenario's own faults."""

EXPLORING = Menu(policy="any_order", faults=("own",), cancel=True)
"""The menu of an exploration: every order, every fault of ours, cancellation; no crash."""
