"""The reference of scenario files, and their JSON Schema, made from their shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.faults import CATALOGUE
from agentsim.simulation.files.entries import ScenarioFile
from agentsim.world import SPECS, Human, spec_schema

__all__ = ["scenario_page", "scenario_schema"]

_HEAD = """\
# Scenario files

<!-- Made from the shape of a file by `make docs`; a test compares the two. -->

One story per YAML file. [How to write one](../how-to/write-a-scenario.md) shows all of
this at work. A field without a default must be given; no mapping takes other fields than
these. `agentsim list --schema` prints the same as a JSON Schema, with which an editor
completes and checks:

```text
agentsim list --schema > scenario.schema.json
```

```text
# yaml-language-server: $schema=scenario.schema.json
```
"""

_TITLES = {
    "ScenarioFile": "A scenario",
    "ReplyEntry": "`script`: a reply",
    "CallEntry": "`calls`: one call",
    "UsageEntry": "`usage`",
    "EarlierEntry": "`history`: a message",
    "LimitsEntry": "`limits`",
    "LoopEntry": "`loop`",
    "InjectEntry": "`inject`: a message",
    "ExpectEntry": "`expect`",
}
"""Entry of a file -> its title, in the order of the page."""

_TYPES = {
    "array": "list",
    "boolean": "true or false",
    "integer": "whole number",
    "null": "`null`",
    "number": "number",
    "object": "mapping",
    "string": "text",
}


def scenario_schema(*, own: bool = False) -> dict[str, Any]:
    """The JSON Schema of a scenario file.

    Args:
        own: Whether to name only what comes with agentsim, whatever else is installed.
    """
    schema: dict[str, Any] = spec_schema(ScenarioFile)
    inside = schema["$defs"]
    parts = SPECS.own if own else SPECS
    kinds = {kind: _inlined(inside, spec_schema(spec)) for kind, spec in parts.items()}
    properties = schema["properties"]
    properties["world"] |= {
        "properties": {
            kind: {"anyOf": [part, {"type": "null"}]} for kind, part in kinds.items()
        },
        # Modules that the file uses may bring others.
        "additionalProperties": {"type": ["object", "null"]},
    }
    person = _inlined(inside, spec_schema(Human))
    properties["human"]["anyOf"] = [person, {"const": "none", "type": "string"}]
    names = list(CATALOGUE.own if own else CATALOGUE)
    properties["faults"]["items"] = {
        "anyOf": [
            {"type": "string", "examples": names},
            {"type": "object", "propertyNames": {"type": "string"}},
        ]
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _inlined(inside: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose definitions stand with those of the whole."""
    inside |= schema.pop("$defs", {})
    return schema


def scenario_page() -> str:
    """The text of `docs/reference/scenario-file.md`."""
    schema = scenario_schema(own=True)
    entries = {"ScenarioFile": schema, **schema["$defs"]}
    lines = [_HEAD]
    for name, title in _TITLES.items():
        lines += [f"\n## {title}\n", entries[name]["description"], ""]
        lines += _table(entries[name], schema["$defs"])
    lines += ["\n## `human`\n", "How a person decides; `human: none` is nobody.", ""]
    lines += _table(schema["properties"]["human"]["anyOf"][0], schema["$defs"])
    lines += ["\n## `world`: the parts\n", _WORLD]
    for kind, part in schema["properties"]["world"]["properties"].items():
        of = part["anyOf"][0]
        lines += [f"\n### `{kind}`\n", of["description"], ""]
        lines += _table(of, schema["$defs"])
    return "\n".join(lines) + "\n"


_WORLD = """\
Each by its name, with its fields; `{}` is a part as it is by default. Their tools have [a
page of their own](world-tools.md). Parts of your own are [registered in
Python](../how-to/own-worlds.md)."""


def _table(schema: Mapping[str, Any], inside: Mapping[str, Any]) -> Iterator[str]:
    yield "| field | is | unless given | |"
    yield "|---|---|---|---|"
    yield from _rows(schema, inside, "")


def _rows(
    schema: Mapping[str, Any], inside: Mapping[str, Any], before: str
) -> Iterator[str]:
    for name, entry in schema["properties"].items():
        needed = name in schema.get("required", ())
        usual = "must be given" if needed else _default(entry)
        cells = (f"`{before}{name}`", _is(entry, inside), usual, _words(entry, inside))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        nested = _nested(entry, inside)
        if nested is not None:
            yield from _rows(nested, inside, f"{before}{name}[].")


def _nested(
    entry: Mapping[str, Any], inside: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """What the entries of a list are, where no section of the page says it."""
    reference = entry.get("items", {}).get("$ref", "")
    name = reference.rpartition("/")[2]
    found: Mapping[str, Any] | None = inside.get(name) if name else None
    return None if name in _TITLES else found


def _is(entry: Mapping[str, Any], inside: Mapping[str, Any]) -> str:
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_is(one, inside) for one in entry["anyOf"]))
    if "$ref" in entry or len(entry.get("allOf", ())) == 1:
        return "mapping"
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return " or ".join(f"`{value}`" for value in entry["enum"])
    kind = entry.get("type", "")
    if kind == "array":
        items = _is(entry["items"], inside).split(" or ")
        return "list of " + " or ".join(f"{one}s" for one in items)
    if kind == "object" and isinstance(entry.get("additionalProperties"), dict):
        values = _is(entry["additionalProperties"], inside)
        return f"mapping to {values}" if values else "mapping"
    return " or ".join(
        _TYPES[one] for one in ([kind] if isinstance(kind, str) else kind)
    )


def _default(entry: Mapping[str, Any]) -> str:
    usual = entry.get("default")
    if usual is None or usual in ([], {}):
        return "none"
    if isinstance(usual, list):
        return f"{len(usual)} of them"
    return f"`{json.dumps(usual, ensure_ascii=False)}`"


def _words(entry: Mapping[str, Any], inside: Mapping[str, Any]) -> str:
    """The words of a field, or else of the entry that it is."""
    said = entry.get("description")
    if said is None:
        said = inside.get(entry.get("$ref", "").rpartition("/")[2], {}).get(
            "description"
        )
    return said or ""
