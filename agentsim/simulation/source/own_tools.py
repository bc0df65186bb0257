"""Tools of users as source: by their name where they have one, else as they were made."""

from __future__ import annotations

from typing import Any

from agentsim.core import UsageError
from agentsim.world import OwnTool, tool

__all__ = ["made_of"]


def made_of(value: OwnTool) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of the `tool(...)` that gives an equal tool, or None.

    A tool of a runtime has none: it is handed over as an object.
    """
    if value.source is not None:
        return None
    options: dict[str, Any] = {}
    of: Any = value.function
    if of is None:
        of, options["returns"] = value.name, list(value.returns)
    elif getattr(of, "__name__", None) != value.name:
        options["name"] = value.name
    options |= _rights(of, value)
    if value.also:
        options["also"] = list(value.also)
    if (usual := _made(of, options)) is not None:
        if usual.latency_s != value.latency_s:
            options["latency_s"] = value.latency_s
        if usual.definition.description != value.definition.description:
            options["description"] = value.definition.description
        if usual.definition.parameters != value.definition.parameters:
            options["schema"] = dict(value.definition.parameters)
    else:
        options |= {
            "latency_s": value.latency_s,
            "description": value.definition.description,
            "schema": dict(value.definition.parameters),
        }
    return [of], options


def _rights(of: Any, value: OwnTool) -> dict[str, Any]:  # noqa: ANN401 - name or function
    """The rights that differ from those that follow by default."""
    rights, options = value.rights, dict[str, Any]()
    reads = rights.read_only
    if reads is not isinstance(of, str):
        options["read_only"] = reads
    if rights.confirm is not None:
        options["confirm"] = rights.confirm
    if rights.parallel is not (reads and not rights.confirm):
        options["parallel"] = rights.parallel
    if rights.volatile:
        options["volatile"] = list(rights.volatile)
    return options


def _made(of: Any, options: dict[str, Any]) -> OwnTool | None:  # noqa: ANN401 - the same
    make: Any = tool
    try:
        made: OwnTool = make(of, **options)
    except UsageError:  # its annotations can't be read: it has a schema instead
        return None
    return made
