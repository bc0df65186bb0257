"""The reference page of the world's tools, made from what the tools declare."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.world.registry import SPECS, tools_of_part
from agentsim.world.tools import WorldTool

__all__ = ["world_tools_page"]

_HEAD = """\
# Tools of the simulated world

<!-- Made by `agentsim.world.world_tools_page`; a test compares the two. -->

Each part of a world brings its tools. A tool's rights are its own, and no guess of a
runtime: *reads* may overlap one another where they are parallel, a *mutating* tool runs
alone and asks a person unless it is declared otherwise. A write that returns leaves an
entry in the ledger of effects; one that fails changes nothing and leaves none. The
person's id, `confirmed_by`, is given to confirming tools beside the arguments, is not
in their schema, and stands in the ledger in a field of its own.
"""


def world_tools_page() -> str:
    """The page as Markdown, one table per part."""
    return _HEAD + "".join(_section(kind) for kind in SPECS.own)


def _section(kind: str) -> str:
    title = SPECS[kind].__name__
    tools = tools_of_part(kind)
    rows = list(_rows(tools)) if tools else ["Has the tools that a scenario gives it."]
    return f"\n## {title} (`{kind}`)\n\n" + "\n".join(rows) + "\n"


def _rows(tools: tuple[WorldTool, ...]) -> Iterator[str]:
    yield "| tool | arguments | category | confirms | parallel | seconds | masked |"
    yield "|---|---|---|---|---|---|---|"
    for tool in tools:
        rights = tool.rights
        cells = (
            f"`{tool.name}`: {tool.definition.description}",
            _arguments(tool),
            rights.category,
            "yes" if rights.confirms else "no",
            "yes" if rights.parallel else "no",
            f"{tool.latency_s:g}",
            ", ".join(f"`{pattern}`" for pattern in rights.volatile) or "none",
        )
        yield "| " + " | ".join(cells) + " |"


def _arguments(tool: WorldTool) -> str:
    schema = tool.definition.parameters
    names = (
        f"`{name}`" if name in schema.get("required", ()) else f"[`{name}`]"
        for name in schema["properties"]
    )
    return ", ".join(names) or "none"
