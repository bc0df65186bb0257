"""The fields of a request beside its input, in the order in which they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.providers.openai.fields import metadata, unknown
from agentsim.providers.openai.tools import format_faults
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
    wrong_type,
)
from agentsim.providers.openai_responses.rulebook.forms import id_faults
from agentsim.providers.openai_responses.rulebook.offers import (
    choice_faults,
    choice_rules,
    tools_faults,
)
from agentsim.providers.openai_responses.rulebook.table import refuse

__all__ = [
    "FIELDS",
    "combination_faults",
    "counted_faults",
    "field_faults",
    "unknown_faults",
]

OUTPUT_TOKENS_MIN = 16

INCLUDES = (
    *("file_search_call.results", "web_search_call.results"),
    *("web_search_call.action.sources", "message.input_image.image_url"),
    *("computer_call_output.output.image_url", "code_interpreter_call.outputs"),
    *("reasoning.encrypted_content", "message.output_text.logprobs"),
)

_SUMMARIES = one_of("auto", "concise", "detailed")

_REASONING: dict[str, Check] = {
    "effort": one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    "summary": _SUMMARIES,
    "generate_summary": _SUMMARIES,
    "context": one_of("auto", "current_turn", "all_turns"),
    "mode": text,
}


def _fields_of(checks: Mapping[str, Check]) -> Check:
    """An object with no fields but these."""

    def check(value: object, path: str) -> Faults:
        yield from record(value, path)
        if not isinstance(value, Mapping):
            return
        for key, entry in value.items():
            where = f"{path}.{key}"
            if key not in checks:
                yield unknown(where)
            elif entry is not None:
                yield from checks[key](entry, where)

    return check


def _include(value: object, path: str) -> Faults:
    yield from array(value, path)
    for number, entry in enumerate(value if isinstance(value, list) else ()):
        yield from one_of(*INCLUDES)(entry, f"{path}[{number}]")


def _conversation(value: object, path: str) -> Faults:
    if isinstance(value, Mapping):
        if value.get("id") is None:
            yield missing(f"{path}.id")
        else:
            yield from text(value["id"], f"{path}.id")
    elif not isinstance(value, str):
        yield wrong_type(path, "one of a string or an object", value)


def _format(value: object, path: str) -> Faults:
    yield from record(value, path)
    if not isinstance(value, Mapping):
        return
    kind = value.get("type")
    if kind is None:
        yield missing(f"{path}.type")
        return
    yield from one_of("json_object", "json_schema", "text")(kind, f"{path}.type")
    if kind != "json_schema":
        return
    for key in ("name", "schema"):
        if value.get(key) is None:
            yield missing(f"{path}.{key}")
            return
    yield from text(value["name"], f"{path}.name")
    yield from record(value["schema"], f"{path}.schema")
    if isinstance(value["schema"], Mapping):
        yield from format_faults(value, f"{path}.schema")


FIELDS: dict[str, Check] = {
    "model": text,
    "access_programs": lambda _value, _path: iter(()),
    "background": boolean,
    "background_options": record,
    "context_management": array,
    "conversation": _conversation,
    "image": record,
    "include": _include,
    "instructions": text,
    "max_output_tokens": integer(OUTPUT_TOKENS_MIN),
    "max_tool_calls": integer(1),
    "metadata": metadata,
    "moderation": record,
    "parallel_tool_calls": boolean,
    "previous_response_id": id_faults,
    "prompt": record,
    "prompt_cache_key": text,
    "prompt_cache_options": record,
    "prompt_cache_retention": text,
    "reasoning": _fields_of(_REASONING),
    "safety_identifier": text,
    "service_tier": one_of(
        "auto", "default", "flex", "scale", "priority", "fast", "ultrafast"
    ),
    "store": boolean,
    "stream": boolean,
    "stream_options": _fields_of({"include_obfuscation": boolean}),
    "temperature": decimal(0, 2),
    "text": _fields_of(
        {"format": _format, "verbosity": one_of("low", "medium", "high")}
    ),
    "tool_choice": choice_faults,
    "tools": tools_faults,
    "top_logprobs": integer(0, 20),
    "top_p": decimal(0, 1),
    "truncation": one_of("auto", "disabled"),
    "user": text,
}
"""Field -> what may stand there; null is as good as nothing."""

COUNTED = (
    *("conversation", "instructions", "model", "parallel_tool_calls", "personality"),
    *("previous_response_id", "reasoning", "text", "tool_choice", "tools"),
    "truncation",
)
"""Fields of a request that only asks how long its input is."""


def unknown_faults(fields: Mapping[str, Any]) -> Faults:
    """Fields that the service does not know."""
    for key in fields:
        if key not in FIELDS:
            yield unknown(key)


def counted_faults(body: Mapping[str, Any]) -> Faults:
    """Fields that a request which only asks for a count does not have."""
    for key in body:
        if key not in (*COUNTED, "input"):
            yield unknown(key)


def field_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with single fields beside the input."""
    for key, check in FIELDS.items():
        value = body.get(key)
        if value is not None:
            yield from check(value, key)


def combination_faults(body: Mapping[str, Any]) -> Faults:
    """What is wrong with fields that exclude or need one another."""
    both = ("previous_response_id", "conversation")
    if all(body.get(key) is not None for key in both):
        words = (
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. "
            "Ensure you are only providing one of: 'previous_response_id' or "
            "'conversation'."
        )
        yield refuse("two-histories", words, both[0])
    yield from choice_rules(body)
    if body.get("stream_options") is not None and not body.get("stream"):
        words = (
            "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        )
        yield refuse("stream-options", words, "stream_options")
