"""What frameworks tell the model of `env.functions` is what the tools say."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.frameworks.children import Children, agents_of
from tests.support.frameworks import FRAMEWORKS


def fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema says of each parameter: kinds, words, default, choices, if required."""
    required = schema.get("required", [])
    return {
        name: (
            kinds(entry),
            entry.get("description"),
            entry.get("default"),
            entry.get("enum"),
            name in required,
        )
        for name, entry in schema["properties"].items()
    }


def kinds(entry: Mapping[str, Any]) -> list[str]:
    """The types that a parameter takes."""
    if "anyOf" in entry:
        return sorted(kind for part in entry["anyOf"] for kind in kinds(part))
    found = entry["type"]
    return sorted(found) if isinstance(found, list) else [found]


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_derives_the_schema_of_the_tool(
    children: Children, name: str
) -> None:
    """Of async and of sync functions: parameters, types, words and defaults."""
    found = children.ask(name, "schemas", agents_of(name))
    assert list(found) == [
        *("check_cpu", "check_status", "read_file", "write_file", "find_tickets"),
    ]
    for told in found.values():
        assert told["async"] == told["sync"]
        assert fields(told["async"]["schema"]) == fields(told["wanted"])
        # langchain tells the whole docstring.
        assert told["async"]["words"].split("\n")[0] == told["words"]
