"""What the commands share: targets, menus, and the ways to print a verdict."""

from __future__ import annotations

import importlib
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from agentsim.core import UsageError, did_you_mean
from agentsim.faults import CATALOGUE
from agentsim.invariants import Judgement
from agentsim.simulation import Menu, Run, Scenario, load_scenario
from agentsim.trace import Trace, from_jsonl

__all__ = [
    "EXIT_CODES",
    "REFERENCE",
    "SCHEMA_VERSION",
    "AgentOption",
    "CancelOption",
    "CrashOption",
    "FaultsOption",
    "JsonOption",
    "PolicyOption",
    "TargetArgument",
    "console",
    "judgements_data",
    "load_target",
    "make_menu",
    "print_json",
    "read_trace",
    "repeat_line",
]

SCHEMA_VERSION = 1

EXIT_CODES = {"holds": 0, "violated": 1, "unknown": 2, "not_applicable": 2}

REFERENCE = "agentsim.runtime:reference"

TargetArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="FILE.yaml, or module:attribute.")
]
AgentOption = Annotated[
    str,
    typer.Option("--agent", metavar="MODULE:CALLABLE", help="The agent under test."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PolicyOption = Annotated[
    str, typer.Option("--policy", help="How answers are ordered: timed or any_order.")
]
FaultsOption = Annotated[
    str,
    typer.Option(
        "--faults", help="Faults that may strike: names by comma, all, or none."
    ),
]
CancelOption = Annotated[
    bool, typer.Option("--cancel/--no-cancel", help="Cancel the run at any gate.")
]
CrashOption = Annotated[
    bool, typer.Option("--crash/--no-crash", help="Let the process die at any gate.")
]


def console() -> Console:
    """The terminal to print on; as wide as it takes where it is no terminal."""
    made = Console(highlight=False)
    if not made.is_terminal:
        made.width = max(made.width, 120)
    return made


def load_target(target: str) -> Scenario:
    """Load a scenario from a YAML file, or from `module:attribute`.

    Raises:
        UsageError: when there is none.
    """
    if ":" not in target or target.endswith((".yaml", ".yml")) or Path(target).exists():
        return load_scenario(target)
    module_name, _, name = target.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UsageError(
            f"can't import {module_name!r} of the scenario {target!r}"
        ) from error
    found = getattr(module, name, None)
    if not isinstance(found, Scenario):
        raise UsageError(f"{target!r} is no Scenario, nor is there a file of that name")
    return found


def read_trace(path: Path) -> Trace:
    """Read a trace file.

    Raises:
        UsageError: when it can't be read, or is no trace.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: this is no file that can be read") from error
    return from_jsonl(content, str(path))


def make_menu(policy: str, faults: str, *, cancel: bool, crash: bool) -> Menu:
    """Build a menu from the options of a command.

    Raises:
        UsageError: for an unknown policy or fault.
    """
    if faults == "all":
        names = tuple(CATALOGUE)
    elif faults in ("none", ""):
        names = ()
    else:
        names = tuple(name.strip() for name in faults.split(","))
    for name in names:
        if name not in CATALOGUE:
            raise UsageError(
                f"--faults: unknown fault {name!r}{did_you_mean(name, CATALOGUE)}"
            )
    return Menu(policy, names, cancel, crash)  # type: ignore[arg-type]


def repeat_line(target: str, agent: str, made: Run) -> str:
    """The command that repeats a run; what is as by default is left out."""
    words = ["agentsim", "replay", target, made.token]
    if agent != REFERENCE:
        words += ["--agent", agent]
    return shlex.join([*words, *made.menu.flags])


def judgements_data(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Judgements as data: id to status, evidence and violations."""
    return {
        entry.id: {
            "status": entry.status,
            "evidence": entry.evidence,
            **({"why": entry.why} if entry.why else {}),
            **(
                {
                    "violations": [
                        {
                            "words": violation.words,
                            "expected": violation.expected,
                            "found": violation.found,
                            "events": list(violation.events),
                        }
                        for violation in entry.violations
                    ]
                }
                if entry.violations
                else {}
            ),
        }
        for entry in judgements
    }


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; text of the agent may hold lone surrogates, so in ASCII."""
    typer.echo(json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2))
