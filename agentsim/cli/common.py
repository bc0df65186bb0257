"""What the commands share: targets, menus, and the line that repeats a run."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from agentsim.cli.options.declared import Option
from agentsim.core import UsageError
from agentsim.faults import parse_option
from agentsim.simulation import (
    Menu,
    Scenario,
    import_target,
    load_scenario,
    to_write,
)

if TYPE_CHECKING:
    from agentsim.simulation import Run
    from agentsim.trace import Trace

__all__ = [
    "REFERENCE",
    "JsonOption",
    "RuntimeOption",
    "load_target",
    "make_menu",
    "read_trace",
    "repeat_line",
    "replay_line",
]

TRACE_BYTES_MAX = 512 << 20

REFERENCE = "agentsim.runtime:reference"

RuntimeOption = Annotated[
    bool,
    Option("--runtime-events", says="Show what the runtime says of itself too."),
]
JsonOption = Annotated[bool, Option("--json", says="Print one JSON object.")]


def load_target(target: str) -> Scenario:
    """Load a scenario from a YAML file, or from `module:attribute`.

    Raises:
        UsageError: when there is none.
    """
    meant = _meant(target)
    if meant:
        raise UsageError(
            f"scenario: expected FILE.yaml or module:attribute, got {target!r}: write "
            f"{meant}"
        )
    if ":" not in target or target.endswith((".yaml", ".yml")) or Path(target).exists():
        return load_scenario(target)
    found = import_target(target, "scenario")
    if not isinstance(found, Scenario):
        raise UsageError(
            f"scenario: {target!r} is no Scenario but a {type(found).__name__}"
        )
    return found


def _meant(target: str) -> str:
    """What to write for a target that names a module's file, or lacks the colon."""
    if target.endswith(".py"):
        return to_write(target, "NAME") + "; NAME is that of the scenario there"
    *names, last = target.split(".")
    if Path(target).exists() or not all(map(str.isidentifier, (*names, last))):
        return ""
    if Path(*names, f"{last}.py").is_file():
        return f"{target}:NAME; NAME is that of the scenario there"
    there = names and Path(*names[:-1], f"{names[-1]}.py").is_file()
    return f"{'.'.join(names)}:{last}" if there else ""


def read_trace(path: Path) -> Trace:
    """Read a trace file.

    Raises:
        UsageError: when it can't be read, or is no trace.
    """
    from agentsim.trace import from_jsonl

    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: this is no regular file")
    try:
        if path.stat().st_size > TRACE_BYTES_MAX:
            raise UsageError(f"{path}: longer than {TRACE_BYTES_MAX >> 20} MiB")
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
    rules = parse_option(faults, "--faults")
    return Menu(policy, rules, cancel, crash)  # type: ignore[arg-type]


def repeat_line(target: str, agent: str, made: Run) -> str:
    """The command that repeats a run; what is as by default is left out."""
    return replay_line(target, agent, made.token, made.menu.flags)


def replay_line(target: str, agent: str, token: str, flags: Sequence[str]) -> str:
    """The same of a run of which only the token and the flags of its menu are left."""
    words = [_own_name(), "replay", target, token]
    if agent != REFERENCE:
        words += ["--agent", agent]
    return shlex.join([*words, *flags])


def _own_name() -> str:
    """How this command is called here: by its path where it is not found by its name."""
    called = Path(sys.argv[0])
    on_path = shutil.which("agentsim") is not None
    return "agentsim" if on_path or called.name != "agentsim" else str(called)
