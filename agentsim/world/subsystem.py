"""What every simulated part of a world has in common.

A spec is frozen and says how a part begins; a subsystem is that part in one run. All
that changes is in the attributes that `STATE` names, as JSON data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from agentsim.core import ToolFailed, did_you_mean
from agentsim.world.tools import tools_of

if TYPE_CHECKING:
    from agentsim.world.tools import WorldTool

Part = TypeVar("Part", bound="Subsystem")

__all__ = ["Spec", "Subsystem", "Surroundings", "Unchanged", "unknown"]


class Unchanged(str):
    """What a write returns that worked and changed nothing, such as a repeated one.

    The agent gets the text; the ledger gets no entry.
    """

    __slots__ = ()


class Surroundings(Protocol):
    """What a subsystem sees of its world."""

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the run began, as far as the world was told."""

    def find(self, part: type[Part]) -> Part | None:
        """The subsystem of that class, or None."""

    def hosts(self) -> Mapping[str, bool]:
        """Every host that a subsystem knows, and whether it answers."""

    def draw(self, purpose: str, count: int) -> int:
        """A number below `count`, drawn from the world's seed for a purpose."""

    def service_restarted(self, host: str, service: str) -> None:
        """Tell all subsystems that a service was restarted."""


class Subsystem:
    """One simulated part in one run.

    Attributes:
        STATE: Names of the attributes that change; their values are JSON data.
    """

    STATE: ClassVar[tuple[str, ...]] = ()

    def __init__(self, world: Surroundings) -> None:
        self.world = world

    @property
    def itself(self) -> Any:  # noqa: ANN401 - a part of a user's may be anything
        """What `world.KIND` gives."""
        return self

    def tools(self) -> tuple[WorldTool, ...]:
        """Its tools, in the order of its text."""
        return tools_of(type(self))

    def __repr__(self) -> str:
        state = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.STATE)
        return f"<{type(self).__name__}: {state}>"

    def connect(self) -> None:
        """Check that the world has what this part needs, once all are built."""

    def hosts(self) -> Mapping[str, bool]:
        """The hosts that this part knows, and whether each answers."""
        return {}

    def service_restarted(self, host: str, service: str) -> None:
        """React to the restart of a service."""

    def snapshot(self) -> dict[str, Any]:
        """Copy the state."""
        return {name: deepcopy(getattr(self, name)) for name in self.STATE}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Take over a copy of a state."""
        for name in self.STATE:
            setattr(self, name, deepcopy(snapshot[name]))


class Spec(Protocol):
    """How a part of a world begins: a frozen dataclass."""

    @property
    def kind(self) -> str:
        """Its name in YAML, and of the attribute of the world."""

    def build(self, world: Surroundings) -> Subsystem:
        """Make the part for one run."""


def unknown(what: str, name: str, known: Iterable[str]) -> ToolFailed:
    """The error of a tool that was asked for something that does not exist."""
    names = list(known)
    listed = f"known: {', '.join(names)}" if names else "there is none"
    return ToolFailed(f"unknown {what} {name!r} ({listed}){did_you_mean(name, names)}")


def is_spec(value: object) -> bool:
    """Whether something says how a part begins: it has a `kind`, and can `build` it."""
    kind = getattr(value, "kind", None)
    return isinstance(kind, str) and callable(getattr(value, "build", None))
