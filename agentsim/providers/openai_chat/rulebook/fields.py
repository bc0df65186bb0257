"""The fields of a request beside its messages, in the order in which they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.providers.openai.fields import metadata, unknown
from agentsim.providers.openai.values import (
    Check,
    Faults,
    array,
    boolean,
    decimal,
    integer,
    missing,
    one_of,
    record,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.openai_chat.rulebook.offers import (
    choice_faults,
    choice_rules,
    tools_faults,
)
from agentsim.providers.openai_chat.rulebook.table import refuse

__all__ = ["FIELDS", "combination_faults", "field_faults", "unknown_faults"]

STOPS_MAX = 4


def _stop(value: object, path: str) -> Faults:
    if isinstance(value, list):
        if len(value) > STOPS_MAX:
            yield too_long("array", path, (STOPS_MAX, len(value)), rule="value")
        for number, entry in enumerate(value):
            yield from text(entry, f"{path}[{number}]")
    elif not isinstance(value, str):
        yield wrong_type(path, "one of a string or array of strings", value)


def _response_format(value: object, path: str) -> Faults:
    yield from record(value, path)
    if not isinstance(value, Mapping):
        return
    kind = value.get("type")
    if kind is None:
        yield missing(f"{path}.type")
        return
    yield from one_of("json_object", "json_schema", "text")(kind, f"{path}.type")
    if kind == "json_schema":
        where = f"{path}.json_schema"
        if value.get("json_schema") is None:
            yield missing(where)
            return
        schema = value["json_schema"]
        yield from record(schema, where)
        if isinstance(schema, Mapping) and schema.get("name") is None:
            yield missing(f"{where}.name")


FIELDS: dict[str, Check] = {
    "model": text,
    "store": boolean,
    "reasoning_effort": one_of(
        "none", "minimal", "low", "medium", "high", "xhigh", "max"
    ),
    "metadata": metadata,
    "frequency_penalty": decimal(-2, 2),
    "logit_bias": record,
    "logprobs": boolean,
    "top_logprobs": integer(0, 20),
    "max_tokens": integer(1),
    "max_completion_tokens": integer(1),
    "n": integer(1, 128),
    "modalities": array,
    "prediction": record,
    "audio": record,
    "presence_penalty": decimal(-2, 2),
    "response_format": _response_format,
    "seed": integer(),
    "service_tier": one_of("auto", "default", "flex", "scale", "priority", "fast"),
    "stop": _stop,
    "stream": boolean,
    "stream_options": record,
    "temperature": decimal(0, 2),
    "top_p": decimal(0, 1),
    "tools": tools_faults,
    "tool_choice": choice_faults,
    "parallel_tool_calls": boolean,
    "user": text,
    "function_call": lambda _value, _path: iter(()),
    "functions": array,
    "web_search_options": record,
    "prompt_cache_key": text,
    "prompt_cache_options": record,
    "prompt_cache_retention": text,
    "safety_identifier": text,
    "verbosity": one_of("low", "medium", "high"),
    "moderation": record,
}
"""Field -> what may stand there; null is as good as nothing."""


def unknown_faults(fields: Mapping[str, Any]) -> Faults:
    """Fields that the service does not know."""
    for key in fields:
        if key not in FIELDS:
            yield unknown(key)


def field_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with single fields beside the messages."""
    for key, check in FIELDS.items():
        value = body.get(key)
        if value is not None:
            yield from check(value, key)


def combination_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with fields that need one another."""
    yield from choice_rules(body)
    if body.get("stream_options") is not None and not body.get("stream"):
        words = (
            "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        )
        yield refuse("stream-options", words, "stream_options")
    if body.get("top_logprobs") is not None and not body.get("logprobs"):
        words = (
            "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."
        )
        yield refuse("top-logprobs", words, "top_logprobs")
