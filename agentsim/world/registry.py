"""Every part that a world can have, by the name that YAML calls it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from typing import Any

from agentsim.core import Registry
from agentsim.world.human import Human
from agentsim.world.plain import read_dataclass, write_dataclass
from agentsim.world.subsystem import Spec, Subsystem, is_spec
from agentsim.world.tools import WorldTool
from agentsim.world.world import World

__all__ = ["SPECS", "from_plain", "human_from_plain", "to_plain", "tools_of_part"]

_NAMES = {
    "disk": "Disk",
    "cpu": "Cpu",
    "services": "Services",
    "database": "Database",
    "files": "Files",
    "suite": "Suite",
    "search": "Search",
    "payments": "Payments",
    "mail": "Mail",
    "pull_requests": "PullRequests",
    "canned": "Canned",
}
"""Kind of a part of ours -> what `agentsim.world` exports it as."""


class _OwnParts(Mapping[str, type[Any]]):
    """Our parts by their kinds, each imported when it is asked for: few files name many."""

    def __getitem__(self, kind: str) -> type[Any]:
        spec: type[Any] = getattr(import_module("agentsim.world"), _NAMES[kind])
        return spec

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


SPECS: Registry[type[Any]] = Registry(
    "part",
    "agentsim.worlds",
    _OwnParts(),
    name_of=lambda spec: str(spec.kind),
    fits=lambda spec: isinstance(spec, type) and is_spec(spec),
)
"""Every kind of part by its name: a class of specs each."""


def from_plain(name: str, data: object, where: str = "world") -> Spec:
    """Read the spec of a part.

    Args:
        name: The kind, such as `disk`.
        data: A mapping of its fields; None for a part as it is by default.
        where: What to call the place in errors.

    Raises:
        UsageError: for an unknown kind or field, or a value that does not fit.
    """
    kind = SPECS.find(name, f"{where}: ")
    spec: Spec = read_dataclass(kind, {} if data is None else data, f"{where}.{name}")
    return spec


def human_from_plain(data: object, where: str = "human") -> Human:
    """Read how a person decides: a mapping of the fields of `Human`.

    Raises:
        UsageError: for an unknown field, or a value that does not fit.
    """
    return read_dataclass(Human, {} if data is None else data, where)


def to_plain(spec: Spec | Human) -> dict[str, Any]:
    """Write a spec as JSON data that reads back; fields as by default are left out."""
    data = write_dataclass(spec)
    assert isinstance(data, dict)
    return data


def tools_of_part(kind: str) -> tuple[WorldTool, ...]:
    """The tools of a part as it is by default; none where it can't be without fields.

    Raises:
        UsageError: for an unknown kind.
    """
    spec = SPECS.find(kind, "world: ")
    needed = is_dataclass(spec) and any(
        one.init and one.default is MISSING and one.default_factory is MISSING
        for one in fields(spec)
    )
    if needed:
        return ()
    part: Subsystem = spec().build(World())
    return part.tools()
