"""The fields of a request beside its messages, in the order in which they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import MARK, marks_of
from agentsim.providers.anthropic.rulebook.forms import (
    BREAKPOINT,
    NEWEST,
    text_blocks,
)
from agentsim.providers.anthropic.rulebook.offers import (
    choice_faults,
    choice_form,
    tools_form,
)
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.texts import system_faults
from agentsim.providers.anthropic.rulebook.values import (
    Check,
    Faults,
    anything,
    boolean,
    integer,
    listed,
    missing,
    nullable,
    number,
    one_of,
    record,
    shape,
    surplus,
    tagged,
    text,
)

__all__ = ["combination_faults", "field_faults", "marks_beside"]

TOP_P_LEAST = 0.95

_DISPLAY: dict[str, Check] = {"display": nullable(one_of("summarized", "omitted"))}

_THINKING = tagged(
    {
        "enabled": shape(
            {
                "type": anything,
                "budget_tokens": integer(1024, rule="thinking-budget"),
            },
            _DISPLAY,
        ),
        "adaptive": shape({"type": anything}, _DISPLAY),
        "disabled": shape({"type": anything}),
        "between_tools": shape({"type": anything}),
    }
)

_OUTPUT = shape(
    {},
    {
        "effort": nullable(one_of("low", "medium", "high", "xhigh", "max")),
        "format": nullable(
            tagged({"json_schema": shape({"type": anything, "schema": record})})
        ),
    },
    closed=False,
)

_REQUIRED: dict[str, Check] = {"model": text, "messages": listed(anything)}

_OPTIONAL: dict[str, Check] = {
    "system": text_blocks,
    "tools": tools_form,
    "tool_choice": choice_form,
    "stop_sequences": listed(text),
    "stream": boolean,
    "thinking": _THINKING,
    "output_config": _OUTPUT,
    "metadata": shape({}, {"user_id": nullable(text)}),
    "service_tier": one_of("auto", "standard_only"),
    MARK: BREAKPOINT,
    "container": anything,
    "diagnostics": anything,
    "inference_geo": nullable(text),
    "speed": nullable(one_of("standard", "fast")),
}

_BETA_KEYS = (
    *("billing_policy", "compaction", "context_management", "fallback_credit_token"),
    *("fallbacks", "mcp_servers", "output_format", "thread"),
)

_BETA: dict[str, Check] = dict.fromkeys(_BETA_KEYS, anything)
"""Fields that a header asks for; they are taken, and not simulated."""

_SAMPLING: dict[str, Check] = {
    "temperature": number(0, 1),
    "top_p": number(0, 1),
    "top_k": integer(0),
}


def field_faults(body: Mapping[str, Any], version: str, *, counting: bool) -> Faults:
    """What is wrong with single fields.

    Args:
        version: That of the service's interface.
        counting: Whether tokens are to be counted only, which takes no max_tokens.
    """
    newest = version >= NEWEST
    optional = _OPTIONAL | _BETA | ({} if newest else _SAMPLING)
    required = dict(_REQUIRED)
    if not counting:
        required["max_tokens"] = integer(0 if newest else 1)
    for key, check in required.items():
        if key not in body:
            yield missing(key)
        elif key != "messages" or not isinstance(body[key], list):
            yield from check(body[key], key)
    for key, check in optional.items():
        if key in body:
            faults = check(body[key], key)
            yield from faults if body[key] is not None else _of_null(faults)
    for key in body:
        if key not in required and key not in optional:
            yield surplus(key)


def _of_null(faults: Faults) -> Faults:
    """The same words for a null, of which it is not sure that it is no field left out."""
    for fault in faults:
        yield replace(fault, rule="null-field")


def combination_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with fields that are well-formed each."""
    yield from system_faults(body.get("system"))
    yield from choice_faults(body)
    thinking = body.get("thinking") or {}
    if thinking.get("type") != "enabled":
        return
    budget, most = thinking["budget_tokens"], body.get("max_tokens")
    if most is not None and budget >= most:
        words = "`max_tokens` must be greater than `thinking.budget_tokens`."
        yield refuse("thinking-budget", words)
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        words = "Thinking may not be enabled when tool_choice forces tool use."
        yield refuse("thinking-forced", words)
    yield from _sampling(body)


def _sampling(body: Mapping[str, Any]) -> Faults:
    heat, top_p = body.get("temperature"), body.get("top_p")
    if heat is not None and heat != 1:
        words = "`temperature` may only be set to 1 when thinking is enabled."
        yield refuse("thinking-sampling", words)
    if top_p is not None and top_p < TOP_P_LEAST:
        words = (
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is "
            "enabled."
        )
        yield refuse("thinking-sampling", words)
    if body.get("top_k") is not None:
        words = "`top_k` must be unset when thinking is enabled."
        yield refuse("thinking-sampling", words)


def marks_beside(body: Mapping[str, Any]) -> int:
    """How many breakpoints of the cache the tools and the system prompt have."""
    tools, system = body.get("tools"), body.get("system")
    return sum(1 for _mark in (*marks_of(tools), *marks_of(system)))
