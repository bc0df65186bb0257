"""Bodies of requests for tests, and one or more bad ones for every rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentsim.providers.openai_chat import STRICT, ChatProfile

USER: dict[str, Any] = {"role": "user", "content": "hi"}

LOOK: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks.",
        "parameters": {"type": "object", "properties": {}},
    },
}


def call(call_id: str = "call_1", name: str = "look") -> dict[str, Any]:
    """A call of the model."""
    body = {"name": name, "arguments": "{}"}
    return {"id": call_id, "type": "function", "function": body}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    """A message of the model that calls tools."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def told(call_id: str = "call_1", content: object = "seen") -> dict[str, Any]:
    """A result."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def request(*messages: object, **fields: Any) -> dict[str, Any]:
    """A request; without messages, with one of the user."""
    return {"model": "gpt", "messages": list(messages) or [USER], **fields}


def offering(name: str = "look", **changes: Any) -> dict[str, Any]:
    """A request that offers one tool, changed."""
    function = {**LOOK["function"], "name": name, **changes}
    return request(tools=[{"type": "function", "function": function}])


@dataclass(frozen=True)
class Bad:
    """A request that breaks a rule, and what the service says."""

    rule: str
    body: dict[str, Any]
    param: str | None
    code: str | None
    phrase: str
    profile: ChatProfile = STRICT
    status: int = 400


def _bounds(key: str, value: object, code: str, phrase: str) -> Bad:
    return Bad("value", request(**{key: value}), key, code, phrase)


def _schema(parameters: object, phrase: str, **changes: Any) -> Bad:
    body = offering(parameters=parameters, **changes)
    where = "tools[0].function.parameters"
    return Bad("tool-schema", body, where, "invalid_function_parameters", phrase)


NESTED = {"type": "object", "properties": {"a": {"type": "array"}}}

LONG = "x" * 65

FOREIGN = {"type": "function", "function": {"name": "other"}}

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}

BAD = (
    Bad("no-model", {"messages": [USER]}, None, None, "must provide a model parameter"),
    Bad(
        "unknown-parameter",
        request(reasoning={}),
        "reasoning",
        "unknown_parameter",
        "Unknown parameter: 'reasoning'.",
    ),
    Bad(
        "unknown-parameter",
        request(USER, calling({**call(), "index": 0}), told()),
        "messages[1].tool_calls[0].index",
        "unknown_parameter",
        "Unknown parameter: 'messages[1].tool_calls[0].index'.",
    ),
    Bad(
        "missing-parameter",
        {"model": "gpt"},
        "messages",
        "missing_required_parameter",
        "Missing required parameter: 'messages'.",
    ),
    Bad(
        "missing-parameter",
        request({"content": "hi"}),
        "messages[0].role",
        "missing_required_parameter",
        "Missing required parameter: 'messages[0].role'.",
    ),
    Bad(
        "missing-parameter",
        request({"role": "user", "content": [{"text": "hi"}]}),
        "messages[0].content[0].type",
        "missing_required_parameter",
        "Missing required parameter",
    ),
    Bad(
        "missing-parameter",
        request(tools=[{"function": {}}]),
        "tools[0].type",
        "missing_required_parameter",
        "Missing required parameter",
    ),
    Bad(
        "missing-parameter",
        request(tools=[LOOK], tool_choice={"type": "function"}),
        "tool_choice.function",
        "missing_required_parameter",
        "Missing required parameter",
    ),
    Bad(
        "orphan",
        request(USER, told()),
        "messages.[1].role",
        None,
        "must be a response to a preceeding message with 'tool_calls'",
    ),
    Bad(
        "orphan",
        request(USER, calling(call()), told("call_9")),
        "messages.[2].role",
        None,
        "must be a response to a preceeding message with 'tool_calls'",
    ),
    Bad(
        "orphan",
        request(USER, calling(call()), told(), USER, told()),
        "messages.[4].role",
        None,
        "must be a response to a preceeding message with 'tool_calls'",
    ),
    Bad(
        "unanswered",
        request(USER, calling(call(), call("call_2")), told(), USER),
        "messages.[3].role",
        None,
        "must be followed by tool messages responding to each 'tool_call_id'. The "
        "following tool_call_ids did not have response messages: call_2",
    ),
    Bad(
        "unanswered",
        request(USER, calling(call(), call("call_2"))),
        "messages.[2].role",
        None,
        "did not have response messages: call_1, call_2",
    ),
    Bad(
        "missing-id",
        request(USER, calling(call()), {"role": "tool", "content": "seen"}),
        "messages.[2].tool_call_id",
        None,
        "must have a 'tool_call_id'",
    ),
    Bad(
        "answered-twice",
        request(USER, calling(call()), told(), told()),
        "messages.[3].tool_call_id",
        None,
        "Duplicate value for 'tool_call_id'",
    ),
    Bad(
        "duplicate-id",
        request(USER, calling(call(), call()), told()),
        "messages.[1].tool_calls",
        None,
        "Duplicate value for 'tool_call_id'",
    ),
    Bad(
        "empty-array",
        {"model": "gpt", "messages": []},
        "messages",
        "empty_array",
        "empty array. Expected an array with minimum length 1, but got an empty array",
    ),
    Bad(
        "empty-array",
        request(USER, {"role": "assistant", "content": "a", "tool_calls": []}),
        "messages[1].tool_calls",
        "empty_array",
        "empty array. Expected an array with minimum length 1, but got an empty array",
    ),
    Bad(
        "call-id-length",
        request(USER, calling(call("x" * 41)), told("x" * 41)),
        "messages[1].tool_calls[0].id",
        "string_above_max_length",
        "Expected a string with maximum length 40, but got a string with length 41",
    ),
    Bad(
        "call-id-length",
        request(USER, calling(call("")), told("")),
        "messages[1].tool_calls[0].id",
        "empty_string",
        "empty string. Expected a string with minimum length 1",
    ),
    Bad(
        "tool-count",
        request(tools=[LOOK] * 129),
        "tools",
        "array_above_max_length",
        "array too long. Expected an array with maximum length 128",
    ),
    Bad(
        "tool-name",
        offering("look around"),
        "tools[0].function.name",
        "invalid_value",
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    Bad(
        "tool-name",
        request(USER, calling(call(name="look around")), told()),
        "messages[1].tool_calls[0].function.name",
        "invalid_value",
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    Bad(
        "tool-name-length",
        offering(LONG),
        "tools[0].function.name",
        "string_above_max_length",
        "string too long. Expected a string with maximum length 64",
    ),
    Bad(
        "tool-name-length",
        offering(""),
        "tools[0].function.name",
        "empty_string",
        "empty string. Expected a string with minimum length 1",
    ),
    Bad(
        "description-length",
        offering(description="x" * 1025),
        "tools[0].function.description",
        "string_above_max_length",
        "Expected a string with maximum length 1024",
    ),
    Bad(
        "choice-without-tools",
        request(tool_choice="none"),
        "tool_choice",
        None,
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' "
        "are specified.",
    ),
    Bad(
        "choice-without-tools",
        request(parallel_tool_calls=True),
        "parallel_tool_calls",
        None,
        "is only allowed when 'tools' are specified.",
    ),
    Bad(
        "tool-choice",
        request(tools=[LOOK], tool_choice="any"),
        "tool_choice",
        "invalid_value",
        "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
    ),
    Bad(
        "value",
        request(
            tools=[LOOK],
            tool_choice={"type": "function", "function": {"name": ["look"]}},
        ),
        "tool_choice.function.name",
        "invalid_type",
        "expected a string, but got an array instead.",
    ),
    Bad(
        "value",
        request(
            tools=[LOOK],
            tool_choice={"type": "allowed_tools", "allowed_tools": {"tools": "look"}},
        ),
        "tool_choice.allowed_tools.tools",
        "invalid_type",
        "expected an array, but got a string instead.",
    ),
    Bad(
        "choice-not-offered",
        request(tools=[LOOK], tool_choice=FOREIGN),
        "tool_choice",
        None,
        "Tool choice 'other' not found in 'tools' parameter.",
    ),
    Bad(
        "unknown-role",
        request({"role": "bot", "content": "hi"}),
        "messages[0].role",
        "invalid_value",
        "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', "
        "'function', 'tool', and 'developer'.",
    ),
    Bad(
        "content-type",
        request({"role": "user", "content": 3}),
        "messages[0].content",
        "invalid_type",
        "Invalid type for 'messages[0].content': expected one of a string or array of "
        "objects, but got an integer instead.",
    ),
    Bad(
        "null-content",
        request(USER, {"role": "assistant", "content": None}),
        "messages.[1].content",
        None,
        "Invalid value for 'content': expected a string, got null.",
    ),
    Bad(
        "null-content",
        request(USER, calling(call()), told(content=None)),
        "messages.[2].content",
        None,
        "Invalid value for 'content': expected a string, got null.",
    ),
    _schema({"type": "object"}, "In context=(), object schema missing properties"),
    _schema({}, "schema must be a JSON Schema of 'type: \"object\"'"),
    _schema(NESTED, "In context=('properties', 'a'), array schema missing items."),
    _schema(
        {"type": "object", "properties": {}},
        "In context=(), 'additionalProperties' is required to be supplied and to be false",
        strict=True,
    ),
    _schema(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": False,
        },
        "array including every key in properties. Missing 'a'.",
        strict=True,
    ),
    _bounds(
        "n",
        0,
        "integer_below_min_value",
        "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0",
    ),
    _bounds("n", "two", "invalid_type", "expected an integer, but got a string"),
    _bounds("top_logprobs", 21, "integer_above_max_value", "Expected a value <= 20"),
    _bounds("temperature", -1, "decimal_below_min_value", "Expected a value >= 0"),
    _bounds("temperature", 2.5, "decimal_above_max_value", "but got 2.5 instead"),
    _bounds("stream", "yes", "invalid_type", "expected a boolean, but got a string"),
    _bounds("verbosity", "loud", "invalid_value", "'low', 'medium', and 'high'"),
    _bounds("stop", list("abcde"), "array_above_max_length", "maximum length 4"),
    Bad(
        "value",
        request(USER, calling(call()), {**told(), "tool_call_id": 7}),
        "messages[2].tool_call_id",
        "invalid_type",
        "expected a string, but got an integer instead",
    ),
    Bad(
        "unsupported-parameter",
        request(max_tokens=9),
        "max_tokens",
        "unsupported_parameter",
        "'max_tokens' is not supported with this model. Use 'max_completion_tokens'",
        ChatProfile(unsupported=("max_tokens",)),
    ),
    Bad(
        "unsupported-parameter",
        request(web_search_options={}),
        "web_search_options",
        None,
        "Web search options not supported with this model.",
        ChatProfile(unsupported=("web_search_options",)),
    ),
    Bad(
        "unsupported-value",
        request({"role": "system", "content": "hi"}),
        "messages[0].role",
        "unsupported_value",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model",
        ChatProfile(roles_unsupported=("system",)),
    ),
    Bad(
        "context-length",
        request({"role": "user", "content": "x" * 81}),
        "messages",
        "context_length_exceeded",
        "maximum context length is 20 tokens. However, your messages resulted in 21",
        ChatProfile(context_tokens=20),
    ),
    Bad(
        "stream-options",
        request(stream_options={"include_usage": True}),
        "stream_options",
        None,
        "only allowed when 'stream' is enabled",
    ),
    Bad(
        "top-logprobs",
        request(top_logprobs=2),
        "top_logprobs",
        None,
        "parameter is only allowed when 'logprobs' is enabled.",
    ),
    Bad(
        "metadata",
        request(metadata={str(n): "" for n in range(17)}),
        "metadata",
        "object_above_max_properties",
        "too many properties. Expected an object with at most 16 properties",
    ),
    Bad(
        "metadata",
        request(metadata={LONG: ""}),
        "metadata",
        "property_name_above_max_length",
        "maximum length 64",
    ),
    Bad(
        "metadata",
        request(metadata={"a": "x" * 513}),
        "metadata.a",
        "string_above_max_length",
        "maximum length 512",
    ),
    Bad(
        "content-part",
        request({"role": "user", "content": [{"type": "file", "file": {}}]}),
        "messages[0]",
        "invalid_value",
        "Content blocks are expected to be either text or image_url type.",
        ChatProfile(parts=("text", "image_url")),
    ),
    Bad(
        "image-role",
        request(USER, calling(call()), told(content=[IMAGE])),
        "messages[2]",
        "invalid_value",
        "Image URLs are only allowed for messages with role 'user'",
    ),
    Bad(
        "unknown-model",
        request(),
        None,
        "model_not_found",
        "The model `gpt` does not exist or you do not have access to it.",
        ChatProfile(models=("gpt-5",)),
        404,
    ),
)
"""Bad requests, at least one for each rule but `no-json`, whose body is none."""


def bad_name(bad: Bad) -> str:
    """A name for a test."""
    return f"{bad.rule}-{bad.param}-{bad.code}"
