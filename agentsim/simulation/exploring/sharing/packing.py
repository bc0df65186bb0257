"""What a new process is to run, as bytes: functions and classes by their names.

Faults and invariants of one's own are known only where the modules were imported that add
them. So these modules go along, and the other process is asked for what it knows.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from io import BytesIO
from typing import Any

from agentsim.core import UsageError, named_error
from agentsim.faults import CATALOGUE, Fault
from agentsim.invariants import INVARIANTS
from agentsim.simulation.agents import agent_name
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario

__all__ = ["Job", "packed", "unpacked"]

OURS = "agentsim."

_importing: list[object] = []
"""The job that modules are imported for just now: they may start no workers then."""


@dataclass(frozen=True, slots=True)
class Job:
    """What all runs of an exploration have in common."""

    scenario: Scenario
    agent: Callable[..., Any]
    menu: Menu


def packed(job: Job, why: str) -> bytes:
    """The job as bytes.

    Args:
        why: Why no copy of this process can do it, which would need no bytes.

    Raises:
        UsageError: when an agent or a scenario can't be known by another process.
    """
    if _importing:
        raise UsageError(
            "workers: a worker imports this module too, and would start workers of its "
            'own: put what explores below `if __name__ == "__main__":`'
        )
    name = agent_name(job.agent)
    parts = {f"the agent {name}": job.agent, "the scenario": job.scenario}
    parts["the menu"] = job.menu
    found = []
    for what, part in parts.items():
        try:
            found.append(_dumped(part))
            if part is job.agent and name.startswith("__main__:"):
                raise pickle.PicklingError
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(
                f"workers: another process can't import {what}, or a function in it: "
                "let all of it stand at the top of a module, or leave workers at 1 "
                f"(a copy of this process would have it, but {why})"
            ) from error
    return pickle.dumps((tuple(dict.fromkeys(_modules())), (*INVARIANTS,), found))


def unpacked(data: bytes) -> Job:
    """The job out of its bytes.

    Raises:
        UsageError: when a module can't be imported, or does not bring what it did.
    """
    modules, invariants, parts = pickle.loads(data)  # noqa: S301 - our parent's
    _importing.append(modules)
    try:
        for name in modules:
            importlib.import_module(name)
        agent, scenario, menu = map(pickle.loads, parts)
    except Exception as error:
        raise UsageError(
            f"workers: importing what is run in another process raised "
            f"{named_error(error)}; see that its modules can be imported by their names, "
            "or leave workers at 1"
        ) from error
    finally:
        _importing.clear()
    unknown = [name for name in invariants if name not in INVARIANTS]
    if unknown:
        raise UsageError(
            f"workers: another process does not know the invariant {unknown[0]!r}: add it "
            "at the top of the module that has its check, or leave workers at 1"
        )
    return Job(scenario, agent, menu)


def _modules() -> Iterator[str]:
    """The modules that add faults and invariants here."""
    for fault in CATALOGUE.values():
        for function in (fault.tamper, fault.garble):
            module = getattr(function, "__module__", OURS)
            if not module.startswith(OURS):
                yield module
    for invariant in INVARIANTS.values():
        if not invariant.check.__module__.startswith(OURS):
            yield invariant.check.__module__


class _Pickler(pickle.Pickler):
    """Leaves out what is only derived, and names the faults of the catalogue."""

    def reducer_override(self, obj: object) -> Any:  # noqa: ANN401 - as pickle has it
        if isinstance(obj, Fault) and CATALOGUE.get(obj.name) is obj:
            return _fault, (obj.name,)
        if type(obj) is Scenario:
            values = {one.name: getattr(obj, one.name) for one in fields(obj)}
            return _scenario, (values,)
        if isinstance(obj, Menu):
            return Menu, (obj.policy, obj.faults, obj.cancel, obj.crash)
        return NotImplemented


def _fault(name: str) -> Fault:
    return CATALOGUE.find(name)


def _scenario(values: dict[str, Any]) -> Scenario:
    return Scenario(**values)


def _dumped(value: object) -> bytes:
    kept = BytesIO()
    _Pickler(kept, pickle.HIGHEST_PROTOCOL).dump(value)
    return kept.getvalue()
