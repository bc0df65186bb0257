"""`agentsim list`: what there is to name: invariants, faults, mutants, tools, events."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

from agentsim.cli.common import JsonOption
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import console, print_json, tell
from agentsim.core import EVENT_KINDS, UsageError, did_you_mean
from agentsim.faults import CATALOGUE
from agentsim.invariants import INVARIANTS
from agentsim.mutants import MUTANTS
from agentsim.simulation import scenario_schema
from agentsim.world import SPECS, tools_of_part

__all__ = ["KINDS", "command"]

Row = dict[str, str]


def _invariants() -> list[Row]:
    return [
        {"name": entry.id, "says": entry.sentence, "spec": ", ".join(entry.spec)}
        for entry in INVARIANTS.values()
    ]


def _faults() -> list[Row]:
    return [
        {"name": entry.name, "strikes": entry.target, "says": entry.sentence}
        for entry in CATALOGUE.values()
    ]


def _mutants() -> list[Row]:
    return [
        {
            "name": f"agentsim.mutants:{entry.name}",
            "caught by": entry.invariant,
            "in": entry.scenario,
            "says": entry.sentence,
        }
        for entry in MUTANTS.values()
    ]


def _tools() -> list[Row]:
    return [
        {
            "name": tool.name,
            "category": tool.rights.category,
            "confirms": "confirms" if tool.rights.confirms else "does not confirm",
            "says": tool.definition.description,
        }
        for kind in SPECS
        for tool in tools_of_part(kind)
    ]


def _events() -> list[Row]:
    return [
        {"name": kind, "says": (event.__doc__ or "").splitlines()[0]}
        for kind, event in EVENT_KINDS.items()
    ]


KINDS: dict[str, Callable[[], list[Row]]] = {
    "invariants": _invariants,
    "faults": _faults,
    "mutants": _mutants,
    "tools": _tools,
    "events": _events,
}


def command(
    kind: Annotated[
        str | None, Argument(metavar="[KIND]", says=f"One of {', '.join(KINDS)}.")
    ] = None,
    as_json: JsonOption = False,
    schema: Annotated[
        bool, Option("--schema", says="Print the JSON Schema of scenario files.")
    ] = False,
) -> int:
    """List what can be named on the command line and in scenarios."""
    if schema:
        tell(console(), json.dumps(scenario_schema(), indent=2))
        return 0
    if kind is not None and kind not in KINDS:
        raise UsageError(
            f"list: expected one of {', '.join(KINDS)}, got {kind!r}{did_you_mean(kind, KINDS)}"
        )
    tables = {name: rows() for name, rows in KINDS.items() if kind in (None, name)}
    if as_json:
        print_json({"verdict": "holds", **tables})
    else:
        for name, rows in tables.items():
            _print(name, rows)
    return 0


def _print(name: str, rows: list[Row]) -> None:
    terminal = console()
    tell(terminal, f"{name}:")
    for row in rows:
        first, *others = row.values()
        tell(terminal, f"  {first}")
        tell(terminal, f"      {' · '.join(others)}")
