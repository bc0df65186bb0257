"""Options that several commands have in common, each bundle a dataclass of its own.

typer reads the parameters of a function as the options of its command, and knows no
bundles. `unbundled` gives it the fields of each dataclass in the place of the dataclass.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from agentsim.cli.common import (
    REFERENCE,
    JsonOption,
    RuntimeOption,
    load_target,
    make_menu,
)
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.options.places import check_place
from agentsim.simulation import Menu, Scenario, import_agent

__all__ = ["ExploringMenu", "Output", "ReplayedMenu", "Subject", "unbundled"]

_Policy = Annotated[
    str, Option("--policy", says="How answers are ordered: timed or any_order.")
]
_Faults = Annotated[
    str,
    Option(
        "--faults",
        says="Faults that may strike, by comma: NAME[:TOOL][@ATTEMPT], a group such as "
        "own, all, or none.",
    ),
]
_Cancel = Annotated[
    bool, Option("--cancel/--no-cancel", says="Cancel the run at any gate.")
]
_Crash = Annotated[
    bool, Option("--crash/--no-crash", says="Let the process die at any gate.")
]


@dataclass(frozen=True)
class Subject:
    """What is run: a scenario, and the agent in it."""

    scenario: Annotated[
        str,
        Argument(metavar="SCENARIO", says="FILE.yaml, or module:attribute."),
    ]
    agent: Annotated[
        str,
        Option("--agent", metavar="MODULE:CALLABLE", says="The agent under test."),
    ] = REFERENCE

    def load(self) -> tuple[Scenario, Callable[..., Any]]:
        """Import both.

        Raises:
            UsageError: when one is not there, or is none.
        """
        return load_target(self.scenario), import_agent(self.agent)


@dataclass(frozen=True)
class ReplayedMenu:
    """What may happen beside the script; by default nothing, as in a single run."""

    policy: _Policy = "timed"
    faults: _Faults = "none"
    cancel: _Cancel = False
    crash: _Crash = False

    @property
    def menu(self) -> Menu:
        """The menu.

        Raises:
            UsageError: for an unknown policy or fault.
        """
        return make_menu(self.policy, self.faults, cancel=self.cancel, crash=self.crash)


@dataclass(frozen=True)
class ExploringMenu(ReplayedMenu):
    """The same options; by default every order, every fault, and cancellation."""

    policy: _Policy = "any_order"
    faults: _Faults = "all"
    cancel: _Cancel = True


@dataclass(frozen=True)
class Output:
    """How one run is told."""

    trace: Annotated[
        Path | None,
        Option("--trace", metavar="FILE", says="Write the trace as JSON Lines."),
    ] = None
    runtime_events: RuntimeOption = False
    as_json: JsonOption = False

    def check(self, read: str) -> None:
        """Find out before the run whether its trace can be written.

        Raises:
            UsageError: when it can't be, or would take the place of what is read.
        """
        if self.trace is not None:
            check_place(self.trace, "--trace", read)


def unbundled(command: Callable[..., int]) -> Callable[..., int]:
    """Let typer see the fields of a command's dataclasses as its parameters."""
    signature = inspect.signature(command, eval_str=True)
    flat: list[inspect.Parameter] = []
    bundles: dict[str, tuple[type[Any], list[str]]] = {}
    for name, parameter in signature.parameters.items():
        bundle = parameter.annotation
        if not is_dataclass(bundle):
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        assert isinstance(bundle, type)
        own = list(_parameters(bundle))
        bundles[name] = bundle, [entry.name for entry in own]
        flat += own

    @functools.wraps(command)
    def call(**values: Any) -> int:
        for name, (bundle, names) in bundles.items():
            values[name] = bundle(**{one: values.pop(one) for one in names})
        return command(**values)

    vars(call)["__signature__"] = signature.replace(parameters=flat)
    call.__annotations__ = {entry.name: entry.annotation for entry in flat}
    return call


def _parameters(bundle: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in fields(bundle)
    ]
