"""Bodies of requests for tests, and one or more bad ones for every rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentsim.providers.openai_responses import STRICT_RESPONSES, ResponsesProfile
from tests.providers.openai_responses.made import (
    LOOK,
    USER,
    answer,
    call,
    offering,
    part,
    request,
    said,
    thought,
    told,
)


@dataclass(frozen=True)
class Bad:
    """A request that breaks a rule, and what the service says.

    Attributes:
        before: What the service answered before, to a message of the user.
    """

    rule: str
    body: dict[str, Any]
    param: str | None
    code: str | None
    phrase: str
    profile: ResponsesProfile = STRICT_RESPONSES
    status: int = 400
    before: dict[str, Any] | None = None


def _value(key: str, value: object, code: str, phrase: str) -> Bad:
    return Bad("value", request(**{key: value}), key, code, phrase)


def _at(path: str, body: dict[str, Any], code: str, phrase: str) -> Bad:
    return Bad("value", body, path, code, phrase)


def _missing(path: str, body: dict[str, Any]) -> Bad:
    phrase = f"Missing required parameter: '{path}'."
    return Bad("missing-parameter", body, path, "missing_required_parameter", phrase)


def _unknown(path: str, body: dict[str, Any]) -> Bad:
    phrase = f"Unknown parameter: '{path}'."
    return Bad("unknown-parameter", body, path, "unknown_parameter", phrase)


def _schema(parameters: object, phrase: str, **changes: Any) -> Bad:
    body = offering(parameters=parameters, **changes)
    code = "invalid_function_parameters"
    return Bad("tool-schema", body, "tools[0].parameters", code, phrase)


def _prefix(prefix: str, item: dict[str, Any]) -> Bad:
    phrase = f"Invalid 'input[0].id': '{item['id']}'. Expected an ID that begins with "
    return Bad(
        "item-prefix",
        request(item),
        "input[0].id",
        "invalid_value",
        f"{phrase}'{prefix}'.",
    )


TWICE = ResponsesProfile()
"""All rules, that of a second output of one call too."""

THOUGHT = answer(thought(), call(id="fc_1"))
"""An answer whose call came with reasoning."""

FORGOTTEN = answer(thought(), said(), store=False)
"""An answer that is not stored."""

FORMAT = {"type": "json_schema", "name": "a", "schema": {"type": "object"}}

AUDIO = "data:audio/mpeg;base64,SUQz"

BAD = (
    _missing("model", {"input": "hi"}),
    _missing("input[0].content", request({"role": "user"})),
    _missing("input[0].call_id", request({"type": "function_call_output"})),
    _missing("input[0].content[0].type", request({"role": "user", "content": [{}]})),
    _missing("tools[0].type", request(tools=[{"name": "look"}])),
    _missing(
        "tools[0].name",
        request(tools=[{"type": "function", "function": {"name": "a"}}]),
    ),
    _missing("text.format.name", request(text={"format": {"type": "json_schema"}})),
    _missing(
        "tool_choice.name", request(tools=[LOOK], tool_choice={"type": "function"})
    ),
    _missing("conversation.id", request(conversation={})),
    Bad(
        "no-input",
        {"model": "gpt"},
        None,
        "missing_required_parameter",
        'One of "input" or "previous_response_id"',
    ),
    _unknown("messages", {"model": "gpt", "messages": [USER], "input": "hi"}),
    _unknown("max_tokens", request(max_tokens=9)),
    _unknown(
        "input[1].parsed_arguments", request(USER, call(parsed_arguments={}), told())
    ),
    _unknown(
        "input[0].content[0].parsed", request(part("input_text", text="hi", parsed=1))
    ),
    _unknown("reasoning.tokens", request(reasoning={"tokens": 9})),
    _unknown("tools[0].function", offering(function={})),
    _value("temperature", -1, "decimal_below_min_value", "Expected a value >= 0"),
    _value("temperature", 2.5, "decimal_above_max_value", "but got 2.5 instead"),
    _value("max_output_tokens", 9, "integer_below_min_value", "a value >= 16"),
    _value("top_logprobs", 21, "integer_above_max_value", "Expected a value <= 20"),
    _value("stream", "yes", "invalid_type", "expected a boolean, but got a string"),
    _value("truncation", "some", "invalid_value", "'auto' and 'disabled'"),
    _value("input", 3, "invalid_type", "Invalid type for 'input'"),
    _value("tools", {}, "invalid_type", "expected an array of objects"),
    _at(
        "include[0]", request(include=["all"]), "invalid_value", "Invalid value: 'all'"
    ),
    _at(
        "text.format.type",
        request(text={"format": {"type": "xml"}}),
        "invalid_value",
        "'json_object', 'json_schema', and 'text'",
    ),
    _at(
        "reasoning.effort",
        request(reasoning={"effort": "some"}),
        "invalid_value",
        "'none', 'minimal', 'low'",
    ),
    _at(
        "tools[0].type",
        request(tools=[{"type": "hammer"}]),
        "invalid_value",
        "Invalid value: 'hammer'. Supported values are: 'function', 'custom'",
    ),
    _at(
        "tool_choice.type",
        request(tools=[LOOK], tool_choice={"type": "hammer"}),
        "invalid_value",
        "Invalid value: 'hammer'",
    ),
    _at(
        "input[0].content[0].type",
        request(part("text", text="hi")),
        "invalid_value",
        "Invalid value: 'text'. Supported values are: 'input_text', 'input_image'",
    ),
    _at(
        "input[0]", request(3), "invalid_type", "expected an object, but got an integer"
    ),
    _at(
        "input[0].summary",
        request(thought(summary="so"), said()),
        "invalid_type",
        "expected an array, but got a string",
    ),
    _at(
        "input[0].status",
        request(call(status="done"), told()),
        "invalid_value",
        "'in_progress', 'completed', and 'incomplete'",
    ),
    _at(
        "input[0].arguments",
        request(call(arguments={"a": 1}), told()),
        "invalid_type",
        "expected a string, but got an object",
    ),
    Bad(
        "empty-array",
        {"model": "gpt", "input": []},
        "input",
        "empty_array",
        "empty array. Expected an array with minimum length 1",
    ),
    Bad(
        "unknown-role",
        request(USER, call(), {"role": "tool", "content": "seen"}),
        "input[2].role",
        "invalid_value",
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', "
        "'developer', and 'user'.",
    ),
    Bad(
        "unknown-item",
        request({"type": "tool_result", "call_id": "call_1"}),
        "input[0].type",
        "invalid_value",
        "Invalid value: 'tool_result'. Supported values are: 'message', "
        "'function_call', 'function_call_output'",
    ),
    Bad(
        "content-type",
        request({"role": "user", "content": 3}),
        "input[0].content",
        "invalid_type",
        "expected one of a string or array of objects, but got an integer instead",
    ),
    Bad(
        "content-type",
        request(USER, call(), told(output={"temperature": 3})),
        "input[2].output",
        "invalid_type",
        "expected one of a string or array of objects, but got an object instead",
    ),
    Bad(
        "part-role",
        request({**part("input_text", text="So."), "role": "assistant"}),
        "input[0].content[0]",
        "invalid_value",
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ),
    Bad(
        "file-data",
        request(part("input_file", filename="a.mp3", file_data=AUDIO)),
        "input[0].content[0].file_data",
        "invalid_value",
        "Expected a base64-encoded data URL with a valid file MIME type",
    ),
    Bad(
        "file-data",
        request(
            USER, call(), told(output=[{"type": "input_file", "file_data": AUDIO}])
        ),
        "input[2].output[0].file_data",
        "invalid_value",
        "but got unsupported MIME type 'audio/mpeg'",
    ),
    Bad(
        "item-id",
        request(call(id="fc 1"), told()),
        "input[0].id",
        "invalid_value",
        "Expected an ID that contains letters, numbers, underscores, or dashes, but "
        "this value contained additional characters.",
    ),
    Bad(
        "item-id",
        request(said(item_id="")),
        "input[0].id",
        "invalid_value",
        "Invalid 'input[0].id': ''. Expected an ID that contains letters",
    ),
    Bad(
        "item-id",
        request(previous_response_id="resp-1"),
        "previous_response_id",
        "invalid_value",
        "Invalid 'previous_response_id': 'resp-1'. Expected an ID that contains letters",
    ),
    _prefix("fc", call(id="call_1")),
    _prefix("msg", said(item_id="chatcmpl_1")),
    _prefix("rs", thought("reasoning_1")),
    _prefix(
        "ctc",
        {
            "type": "custom_tool_call",
            "id": "call_1",
            "call_id": "call_1",
            "name": "note",
            "input": "",
        },
    ),
    Bad(
        "call-id-length",
        request(USER, call("x" * 65), told("x" * 65)),
        "input[1].call_id",
        "string_above_max_length",
        "string too long. Expected a string with maximum length 64, but got a string "
        "with length 65",
    ),
    Bad(
        "call-id-length",
        request(USER, call(""), told("")),
        "input[1].call_id",
        "empty_string",
        "empty string. Expected a string with minimum length 1",
    ),
    Bad(
        "output-length",
        request(USER, call(), told(output="x" * 10_485_761)),
        "input[2].output",
        "string_above_max_length",
        "Expected a string with maximum length 10485760",
    ),
    Bad(
        "tool-name",
        offering("look around"),
        "tools[0].name",
        "invalid_value",
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    Bad(
        "tool-name",
        request(USER, call(name="look around"), told()),
        "input[1].name",
        "invalid_value",
        "string does not match pattern",
    ),
    Bad(
        "tool-name-length",
        offering("x" * 129),
        "tools[0].name",
        "string_above_max_length",
        "string too long. Expected a string with maximum length 128",
    ),
    Bad(
        "tool-name-length",
        offering(""),
        "tools[0].name",
        "empty_string",
        "empty string. Expected a string with minimum length 1",
    ),
    _schema({"type": "object"}, "In context=(), object schema missing properties"),
    _schema({}, "schema must be a JSON Schema of 'type: \"object\"'"),
    _schema(
        {"type": "object", "properties": {}},
        "In context=(), 'additionalProperties' is required to be supplied and to be false",
        strict=True,
    ),
    Bad(
        "format-schema",
        request(text={"format": {**FORMAT, "strict": True}}),
        "text.format.schema",
        "invalid_json_schema",
        "Invalid schema for response_format 'a': In context=(), object schema missing",
    ),
    Bad(
        "tool-choice",
        request(tools=[LOOK], tool_choice="any"),
        "tool_choice",
        "invalid_value",
        "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
    ),
    Bad(
        "choice-not-offered",
        request(tools=[LOOK], tool_choice={"type": "function", "name": "other"}),
        "tool_choice",
        None,
        "Tool choice 'other' not found in 'tools' parameter.",
    ),
    Bad(
        "choice-not-offered",
        request(
            tools=[LOOK],
            tool_choice={
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "other"}],
            },
        ),
        "tool_choice",
        None,
        "Tool choice 'other' not found in 'tools' parameter.",
    ),
    Bad(
        "choice-not-offered",
        request(tools=[LOOK], tool_choice={"type": "web_search"}),
        "tool_choice",
        None,
        "Tool choice 'web_search' not found in 'tools' parameter.",
    ),
    Bad(
        "metadata",
        request(metadata={str(n): "" for n in range(17)}),
        "metadata",
        "object_above_max_properties",
        "too many properties. Expected an object with at most 16 properties",
    ),
    Bad(
        "stream-options",
        request(stream_options={"include_obfuscation": False}),
        "stream_options",
        None,
        "only allowed when 'stream' is enabled",
    ),
    Bad(
        "two-histories",
        request(previous_response_id="resp_1", conversation="conv_1"),
        "previous_response_id",
        "mutually_exclusive_parameters",
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
        before=answer(said()),
    ),
    Bad(
        "unknown-model",
        request(),
        "model",
        "model_not_found",
        "The requested model 'gpt' does not exist.",
        ResponsesProfile(models=("gpt-5",)),
    ),
    Bad(
        "unsupported-parameter",
        request(temperature=1),
        "temperature",
        "unsupported_parameter",
        "Unsupported parameter: 'temperature' is not supported with this model.",
        ResponsesProfile(unsupported=("temperature",)),
    ),
    Bad(
        "unknown-response",
        request(previous_response_id="resp_9"),
        "previous_response_id",
        "previous_response_not_found",
        "Previous response with id 'resp_9' not found.",
    ),
    Bad(
        "unknown-response",
        request(previous_response_id="resp_1"),
        "previous_response_id",
        "previous_response_not_found",
        "Previous response with id 'resp_1' not found.",
        before=FORGOTTEN,
    ),
    Bad(
        "unstored-item",
        request(USER, {"type": "item_reference", "id": "rs_1"}),
        "input",
        None,
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to "
        "false. Try again with `store` set to true, or remove this item from your input.",
        status=404,
    ),
    Bad(
        "unstored-item",
        request(USER, thought(), said(), USER),
        "input",
        None,
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to",
        status=404,
        before=FORGOTTEN,
    ),
    Bad(
        "duplicate-item",
        request(USER, said(), USER, said()),
        "input",
        None,
        "Duplicate item found with id msg_1. Remove duplicate items from your input and "
        "try again.",
    ),
    Bad(
        "duplicate-item",
        request(said(), USER, previous_response_id="resp_1"),
        "input",
        None,
        "Duplicate item found with id msg_1.",
        before=answer(said()),
    ),
    Bad(
        "orphan",
        request(USER, told()),
        "input",
        None,
        "No tool call found for function call output with call_id call_1.",
    ),
    Bad(
        "orphan",
        request(USER, told(), call()),
        "input",
        None,
        "No tool call found for function call output with call_id call_1.",
    ),
    Bad(
        "orphan",
        request(USER, call(), told("call_9")),
        "input",
        None,
        "No tool call found for function call output with call_id call_9.",
    ),
    Bad(
        "unanswered",
        request(USER, call(), call("call_2"), told(), USER),
        "input",
        None,
        "No tool output found for function call call_2.",
    ),
    Bad(
        "unanswered",
        request(USER, previous_response_id="resp_1"),
        "input",
        None,
        "No tool output found for function call call_1.",
        before=answer(call(id="fc_1")),
    ),
    Bad(
        "answered-twice",
        request(USER, call(), told(), told()),
        "input",
        None,
        "Duplicate function call output found for call_id call_1.",
        TWICE,
    ),
    Bad(
        "lost-reasoning",
        request(USER, call(id="fc_1"), told()),
        "input",
        None,
        "Item 'fc_1' of type 'function_call' was provided without its required "
        "'reasoning' item: 'rs_1'.",
        before=THOUGHT,
    ),
    Bad(
        "lost-reasoning",
        request(USER, said(), USER),
        "input",
        None,
        "Item 'msg_1' of type 'message' was provided without its required 'reasoning' "
        "item: 'rs_1'.",
        before=answer(thought(), said()),
    ),
    Bad(
        "lone-reasoning",
        request(USER, thought(), USER),
        "input",
        None,
        "Item 'rs_1' of type 'reasoning' was provided without its required following "
        "item.",
    ),
    Bad(
        "lone-reasoning",
        request(USER, thought()),
        "input",
        None,
        "was provided without its required following item.",
    ),
    Bad(
        "lone-reasoning",
        request(USER, thought(), call("call_2", id="fc_2"), told("call_2")),
        "input",
        None,
        "was provided without its required following item.",
        before=answer(thought(), call(id="fc_1"), call("call_2", id="fc_2")),
    ),
    Bad(
        "context-length",
        request({"role": "user", "content": "x" * 81}),
        "input",
        "context_length_exceeded",
        "Your input exceeds the context window of this model. Please adjust your input",
        ResponsesProfile(context_tokens=20),
    ),
)
"""Bad requests, at least one for each rule but `no-json`, whose body is none."""


def bad_name(bad: Bad) -> str:
    """A name for a test."""
    return f"{bad.rule}-{bad.param}-{bad.code}"
