"""What may happen beside the script: the options that add choice points to a run.

A token fits only the menu that it was found with, so the menu is part of its
fingerprint and is printed as the flags of the line that repeats a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from agentsim.core import UsageError, did_you_mean
from agentsim.faults import CATALOGUE

__all__ = ["EXPLORING", "SCRIPTED", "Menu", "Policy"]

Policy = Literal["timed", "any_order"]


@dataclass(frozen=True, slots=True)
class Menu:
    """The choice points of a run.

    Attributes:
        policy: `timed`: the outside answers by virtual due time. `any_order`: in
            every order that the agent could meet, early or late against its timeouts.
        faults: Names of the faults that may strike at each operation they apply to.
        cancel: Whether the run may be cancelled from outside at any gate.
        crash: Whether the process may die at any gate; the agent then starts anew.

    Raises:
        UsageError: for an unknown policy or fault.
    """

    policy: Policy = "timed"
    faults: tuple[str, ...] = ()
    cancel: bool = False
    crash: bool = False

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise UsageError(
                f"policy: expected one of {', '.join(get_args(Policy))}, got {self.policy!r}"
            )
        given: object = self.faults
        if isinstance(given, str):
            raise UsageError(
                f"faults: expected a tuple of names, got the text {given!r}: "
                f"write ({given!r},)"
            )
        for name in self.faults:
            if name not in CATALOGUE:
                raise UsageError(
                    f"unknown fault {name!r}{did_you_mean(name, CATALOGUE)}"
                )

    @property
    def text(self) -> str:
        """The menu in one line, as traces and tokens carry it."""
        return " ".join(flag.removeprefix("--") for flag in self.flags)

    @property
    def flags(self) -> tuple[str, ...]:
        """The command line's flags that give this menu."""
        flags = [
            f"--policy={self.policy}",
            f"--faults={','.join(self.faults) or 'none'}",
        ]
        flags += ["--cancel"] if self.cancel else []
        flags += ["--crash"] if self.crash else []
        return tuple(flags)


SCRIPTED = Menu()
"""The menu of a single run: the script, on time, and only the scenario's own faults."""

EXPLORING = Menu(policy="any_order", faults=tuple(CATALOGUE), cancel=True)
"""The menu of an exploration: every order, every fault, cancellation; no crash."""
