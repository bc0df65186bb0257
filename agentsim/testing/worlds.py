"""Worlds as Hypothesis draws them: some parts, each in a state of its own (spec T4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.world import (
    Cpu,
    Database,
    Disk,
    Files,
    Payments,
    Process,
    Search,
    Service,
    Services,
    Spec,
)

__all__ = ["Part", "devops", "worlds"]

Part: TypeAlias = "type[Any] | Spec | st.SearchStrategy[Any]"
"""A class of specs, whose states are drawn; one spec; or a strategy of your own."""

_LOGS = ("started", "out of memory")

_STATES: Mapping[type[Any], tuple[Any, ...]] = {
    Disk: (
        Disk(),
        Disk(used="95%", logs="55%"),
        Disk(used="95%"),
        Disk(used="100%", logs="100%"),
    ),
    Cpu: (
        Cpu(),
        Cpu(processes=(Process("nginx-worker", 96.0, 8.0, "nginx", 3.0, 0.2),)),
        Cpu(processes=(Process("postgres", 64.0), Process("nginx-worker", 35.5))),
        Cpu(processes=()),
    ),
    Services: (
        Services(),
        Services((Service("nginx", state="failed", logs=_LOGS),)),
        Services((Service("nginx", state="stopped", ready_after_checks=3),)),
        Services((Service("nginx", state="starting", ready_after_s=40.0),)),
        Services((Service("nginx", state="starting"), Service("postgres"))),
        Services((Service("nginx", state="failed", restart_error="it is masked"),)),
    ),
    Database: (
        Database(),
        Database(accepting=False, service="postgres"),
        Database(reachable=False),
        Database(connections=100),
    ),
    Files: (
        Files({"notes.txt": "Buy milk."}),
        Files({"a": "1", "b": "2"}),
        Files(),
    ),
    Payments: (Payments(), Payments(balance="50.00"), Payments(honours_keys=False)),
    Search: (Search({"note": "Milk is white."}), Search()),
}
"""States of the parts that are drawn, the usual one first."""


def worlds(*parts: Part) -> st.SearchStrategy[tuple[Spec, ...]]:
    """Worlds of one part or more; they shrink to the first part alone.

    Args:
        *parts: Classes of specs, whose states are drawn (a class of yours is taken as
            it is by default); specs as they are; or strategies for specs. Without any:
            all parts that need no other.

    Raises:
        UsageError: for what is none of these.
    """
    drawn = [_specs(part) for part in parts or _STATES]
    places = st.lists(
        st.integers(0, len(drawn) - 1), unique=True, min_size=1, max_size=len(drawn)
    )
    return _worlds(drawn, places)


@st.composite
def _worlds(
    draw: st.DrawFn,
    specs: Sequence[st.SearchStrategy[Any]],
    places: st.SearchStrategy[list[int]],
) -> tuple[Spec, ...]:
    return tuple(draw(specs[place]) for place in sorted(draw(places)))


def devops() -> st.SearchStrategy[tuple[Spec, ...]]:
    """Hosts in trouble: a disk, a processor, services and a database, or some of them."""
    return worlds(Disk, Cpu, Services, Database)


def _specs(part: Part) -> st.SearchStrategy[Any]:
    if isinstance(part, st.SearchStrategy):
        return part
    if isinstance(part, type):
        return st.sampled_from(_STATES[part]) if part in _STATES else st.builds(part)
    if not hasattr(part, "build"):
        raise UsageError(
            f"worlds(): expected a class of specs such as Disk, a spec or a strategy "
            f"for specs, got {type(part).__name__}"
        )
    return st.just(part)
