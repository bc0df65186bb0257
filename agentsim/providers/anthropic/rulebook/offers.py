"""The form of the tools that a request offers, and of what it says about their use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import MARK
from agentsim.providers.anthropic.rulebook.forms import BREAKPOINT
from agentsim.providers.anthropic.rulebook.names import tool_name
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.values import (
    Check,
    Faults,
    anything,
    boolean,
    listed,
    nullable,
    record,
    shape,
    tagged,
    text,
    wrong,
)

__all__ = ["choice_faults", "choice_form", "tools_form"]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

TOP = ("oneOf", "allOf", "anyOf")


def _schema(value: object, path: str) -> Faults:
    if not isinstance(value, Mapping):
        yield wrong(path, "a valid dictionary")
        return
    if "type" not in value:
        words = "Field required"
        yield refuse("tool-schema", words, f"{path}.type")
    elif value["type"] != "object":
        yield refuse("tool-schema", "Input should be 'object'", f"{path}.type")
    if any(key in value for key in TOP):
        words = "input_schema does not support oneOf, allOf, or anyOf at the top level"
        yield refuse("tool-union", words, path)
    if not _is_valid({**value, "$schema": DRAFT}):
        words = (
            "JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12)."
        )
        yield refuse("tool-schema", words, path)


def _is_valid(schema: Mapping[str, Any]) -> bool:
    try:
        valid: bool = _valid_schema()(schema)
    except ValueError:  # a text that is no Unicode, which the library can't take over
        return False
    return valid


@cache
def _valid_schema() -> Any:  # noqa: ANN401 - a function of a library
    from jsonschema_rs import meta

    return meta.is_valid


_OPTIONAL: dict[str, Check] = {
    "type": anything,
    "description": text,
    "allowed_callers": anything,
    MARK: BREAKPOINT,
    "defer_loading": boolean,
    "eager_input_streaming": nullable(boolean),
    "input_examples": listed(record),
    "strict": boolean,
}

_CUSTOM = shape({"name": tool_name, "input_schema": _schema}, _OPTIONAL)

_SERVER = tagged(
    {"custom": _CUSTOM},
    also=r"[a-z_0-9]+_20\d{6}|mcp_toolset|tool_search_tool_(bm25|regex)",
)


def _tool(value: object, path: str) -> Faults:
    if isinstance(value, Mapping) and value.get("type") is None:
        yield from _CUSTOM(value, f"{path}.custom")
    else:
        yield from _SERVER(value, path)
        if isinstance(value, Mapping):
            yield from BREAKPOINT(value.get(MARK), f"{path}.{MARK}")


tools_form = listed(_tool)
"""The tools of a request."""

_PARALLEL: dict[str, Check] = {"disable_parallel_tool_use": boolean}

choice_form = tagged(
    {
        "auto": shape({"type": anything}, _PARALLEL),
        "any": shape({"type": anything}, _PARALLEL),
        "tool": shape({"type": anything, "name": text}, _PARALLEL),
        "none": shape({"type": anything}),
    }
)
"""What a request says about their use."""


def choice_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with tools and choices that are well-formed each."""
    tools = body.get("tools") or []
    names = [tool["name"] for tool in tools if isinstance(tool.get("name"), str)]
    if len(set(names)) < len(names):
        yield refuse("duplicate-tool", "Tool names must be unique.", "tools")
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not tools:
        words = "tool_choice may only be specified while providing tools"
        yield refuse("choice-without-tools", words, "tool_choice")
    elif choice["type"] == "tool" and choice["name"] not in names:
        words = f"Tool '{choice['name']}' not found in provided tools"
        yield refuse("choice-not-offered", words)
