"""Which modules bring what is named by its name: faults, invariants, parts of a world.

Whoever reads a scenario or a test that names an own fault has to import the module that
adds it first: a file says so in `uses`, a test imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentsim.faults import CATALOGUE
from agentsim.invariants import INVARIANTS
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario
from agentsim.world import SPECS

__all__ = ["additions"]


def additions(
    scenario: Scenario,
    menu: Menu | None = None,
    invariants: Iterable[str] = (),
    *,
    parts: bool = True,
) -> dict[str, list[str]]:
    """The modules, each with the names that it adds; what agentsim has needs none.

    Args:
        scenario: Whose faults and parts are named.
        menu: Whose faults are, too.
        invariants: Those that must be judged.
        parts: Whether the parts of the world are named, and not imported.
    """
    found: dict[str, list[str]] = {}
    for module, name in _named(scenario, menu, invariants, parts=parts):
        if module is not None and name not in found.setdefault(module, []):
            found[module].append(name)
    return found


def _named(
    scenario: Scenario, menu: Menu | None, invariants: Iterable[str], *, parts: bool
) -> Iterator[tuple[str | None, str]]:
    if parts:
        for spec in scenario.world:
            kind = getattr(spec, "kind", "")
            yield SPECS.added_by(kind), kind
    for rule in (*scenario.rules, *(() if menu is None else menu.rules)):
        yield CATALOGUE.added_by(rule.fault.name), rule.fault.name
    for name in invariants:
        yield INVARIANTS.added_by(name), name
