"""What the service refuses on the Responses wire: each rule as data."""

from __future__ import annotations

from agentsim.providers.wires.rules import WireRefusal, WireRule

__all__ = ["ALWAYS", "RESPONSES_RULES", "refuse"]


def refuse(
    rule: str, words: str, param: str | None = None, *, code: str | None = None
) -> WireRefusal:
    """The refusal of a rule; `code` where it has several."""
    known = RESPONSES_RULES[rule]
    return WireRefusal(rule, words, param, code or known.code, known.status, known.kind)


_RULES = (
    WireRule(
        "no-json",
        "the body is a JSON object",
        "We could not parse the JSON body of your request",
        "reported",
    ),
    WireRule(
        "missing-parameter",
        "what an object needs is there",
        "Missing required parameter",
        "observed",
        "the path",
        "missing_required_parameter",
    ),
    WireRule(
        "no-input",
        "a request has an input, or refers to one that the service keeps",
        "must be provided",
        "assumed",
        None,
        "missing_required_parameter",
    ),
    WireRule(
        "unknown-parameter",
        "a request has no field that the service does not know",
        "Unknown parameter",
        "reported",
        "the path",
        "unknown_parameter",
    ),
    WireRule(
        "value",
        "a field has its type, and a value that it may have",
        "Invalid type for; Expected a value; Invalid value",
        "observed",
        "the path",
        "invalid_type, invalid_value, decimal_below_min_value and so on",
    ),
    WireRule(
        "empty-array",
        "an array of input items has one",
        "empty array. Expected an array with minimum length 1",
        "assumed",
        "input",
        "empty_array",
    ),
    WireRule(
        "unknown-role",
        "a role is one of the wire's",
        "Supported values are: 'assistant', 'system', 'developer', and 'user'",
        "reported",
        "input[N].role",
        "invalid_value",
    ),
    WireRule(
        "unknown-item",
        "the type of an item is one of the wire's",
        "Supported values are: 'message', 'function_call', 'function_call_output'",
        "reported",
        "input[N].type",
        "invalid_value",
    ),
    WireRule(
        "content-type",
        "a content, and an output, is a text or an array of parts",
        "expected one of a string or array of objects",
        "observed",
        "input[N].content, input[N].output",
        "invalid_type",
    ),
    WireRule(
        "part-role",
        "the model's own parts stand in its messages, and nobody else's",
        "Supported values are: 'output_text' and 'refusal'",
        "assumed",
        "input[N].content[M]",
        "invalid_value",
    ),
    WireRule(
        "file-data",
        "a file that is sent with the request is of a type that the service reads",
        "Expected a base64-encoded data URL with a valid file MIME type",
        "observed",
        "the path",
        "invalid_value",
    ),
    WireRule(
        "item-id",
        "the id of an item, or of a response, has letters, digits and underscores only",
        "Expected an ID that contains letters, numbers, underscores, or dashes, but "
        "this value contained additional characters",
        "reported",
        "input[N].id, previous_response_id",
        "invalid_value",
    ),
    WireRule(
        "item-prefix",
        "the id of an item begins as those of its type do",
        "Expected an ID that begins with 'fc'; Expected an ID that begins with 'msg'",
        "reported",
        "input[N].id",
        "invalid_value",
    ),
    WireRule(
        "call-id-length",
        "the id of a call has 1 to 64 characters",
        "string too long. Expected a string with maximum length 64",
        "assumed",
        "input[N].call_id",
        "string_above_max_length",
    ),
    WireRule(
        "output-length",
        "an output has at most 10485760 characters",
        "Expected a string with maximum length 10485760",
        "assumed",
        "input[N].output",
        "string_above_max_length",
    ),
    WireRule(
        "tool-name",
        "the name of a tool has letters, digits, underscores and dashes only",
        "string does not match pattern",
        "reported",
        "tools[N].name",
        "invalid_value",
    ),
    WireRule(
        "tool-name-length",
        "the name of a tool has 1 to 128 characters",
        "Expected a string with maximum length 128",
        "reported",
        "tools[N].name",
        "string_above_max_length",
    ),
    WireRule(
        "tool-schema",
        "the parameters of a tool are a schema that the service can use",
        "Invalid schema for function",
        "reported",
        "tools[N].parameters",
        "invalid_function_parameters",
    ),
    WireRule(
        "format-schema",
        "the schema of a strict text.format says what every object must have",
        "Invalid schema for response_format",
        "assumed",
        "text.format.schema",
        "invalid_json_schema",
    ),
    WireRule(
        "tool-choice",
        "a tool_choice in one word is none, auto or required",
        "Supported values are: 'none', 'auto', and 'required'",
        "reported",
        "tool_choice",
        "invalid_value",
    ),
    WireRule(
        "choice-not-offered",
        "a tool_choice names a tool that is offered",
        "not found in 'tools' parameter",
        "reported",
        "tool_choice",
    ),
    WireRule(
        "metadata",
        "metadata are at most 16 pairs of at most 64 and 512 characters",
        "too many properties. Expected an object with at most 16 properties",
        "observed",
        "metadata",
        "object_above_max_properties, property_name_above_max_length, "
        "string_above_max_length",
    ),
    WireRule(
        "stream-options",
        "stream_options come with stream",
        "only allowed when 'stream' is enabled",
        "assumed",
        "stream_options",
    ),
    WireRule(
        "two-histories",
        "a request has a previous_response_id or a conversation, not both",
        "Mutually exclusive parameters",
        "assumed",
        "previous_response_id",
        "mutually_exclusive_parameters",
    ),
    WireRule(
        "unknown-model",
        "the model is one that there is",
        "does not exist",
        "observed",
        "model",
        "model_not_found",
    ),
    WireRule(
        "unsupported-parameter",
        "a request has no field that its model refuses",
        "is not supported with this model",
        "observed",
        "the field",
        "unsupported_parameter",
    ),
    WireRule(
        "unknown-response",
        "previous_response_id names a response that the service has stored",
        "Previous response with id",
        "reported",
        "previous_response_id",
        "previous_response_not_found",
    ),
    WireRule(
        "unstored-item",
        "an item that is only referred to is one that the service has stored",
        "Items are not persisted when `store` is set to false",
        "reported",
        "input",
        status=404,
    ),
    WireRule(
        "duplicate-item",
        "an id of an item stands once, what a previous response has included",
        "Duplicate item found with id",
        "reported",
        "input",
    ),
    WireRule(
        "orphan",
        "an output answers a call that stands before it",
        "No tool call found for function call output with call_id",
        "reported",
        "input",
    ),
    WireRule(
        "unanswered",
        "each call is answered somewhere after it",
        "No tool output found for function call",
        "reported",
        "input",
    ),
    WireRule(
        "answered-twice",
        "each call is answered once",
        "Duplicate function call output",
        "assumed",
        "input",
    ),
    WireRule(
        "lost-reasoning",
        "an item that came with a reasoning item, and has its id, goes back with it",
        "was provided without its required 'reasoning' item",
        "reported",
        "input",
    ),
    WireRule(
        "lone-reasoning",
        "a reasoning item is followed by the item that it came with",
        "of type 'reasoning' was provided without its required following item",
        "reported",
        "input",
    ),
    WireRule(
        "context-length",
        "the input fits into the context of the model",
        "Your input exceeds the context window of this model",
        "reported",
        "input",
        "context_length_exceeded",
    ),
)

RESPONSES_RULES: dict[str, WireRule] = {rule.id: rule for rule in _RULES}
"""Every rule by its id."""

ALWAYS = (
    *("no-json", "missing-parameter", "value", "content-type"),
    *("unknown-role", "unknown-response"),
)
"""Rules that no profile switches off: what they refuse can't be read at all."""
