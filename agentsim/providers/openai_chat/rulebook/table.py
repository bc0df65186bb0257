"""What the service refuses on the Chat Completions wire: each rule as data.

Params have two styles of path, as with the service: `messages.[3].role` where the
structure of the conversation is wrong, `messages[3].role` where the form of a field is.
"""

from __future__ import annotations

from agentsim.providers.wires.rules import WireRefusal, WireRule

__all__ = ["ALWAYS", "CHAT_RULES", "refuse"]


def refuse(
    rule: str, words: str, param: str | None = None, *, code: str | None = None
) -> WireRefusal:
    """The refusal of a rule; `code` where it has several, empty for none."""
    known = CHAT_RULES[rule]
    sent = known.code if code is None else code
    return WireRefusal(rule, words, param, sent or None, known.status, known.kind)


_RULES = (
    WireRule(
        "no-model",
        "a request names a model",
        "you must provide a model parameter",
        "observed",
    ),
    WireRule(
        "unknown-parameter",
        "a request has no field that the service does not know",
        "Unknown parameter",
        "observed",
        "the path",
        "unknown_parameter",
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
        "orphan",
        "a tool message answers a call of the assistant message before its group",
        "must be a response to a preceeding message with 'tool_calls'",
        "reported",
        "messages.[N].role",
    ),
    WireRule(
        "unanswered",
        "each call is answered before the next message that is no tool message",
        "must be followed by tool messages responding to each 'tool_call_id'",
        "reported",
        "messages.[N].role",
    ),
    WireRule(
        "missing-id",
        "a tool message says which call it answers",
        "must have a 'tool_call_id'",
        "reported",
        "messages.[N].tool_call_id",
    ),
    WireRule(
        "answered-twice",
        "each call is answered once",
        "Duplicate value for 'tool_call_id'",
        "assumed",
        "messages.[N].tool_call_id",
    ),
    WireRule(
        "duplicate-id",
        "the ids of the calls of one message differ",
        "Duplicate value for 'tool_call_id'",
        "assumed",
        "messages.[N].tool_calls",
    ),
    WireRule(
        "empty-array",
        "there are messages, and an array of calls has one",
        "empty array. Expected an array with minimum length 1",
        "reported",
        "messages, messages[N].tool_calls",
        "empty_array",
    ),
    WireRule(
        "call-id-length",
        "the id of a call has 1 to 40 characters",
        "string too long. Expected a string with maximum length 40",
        "reported",
        "messages[N].tool_calls[M].id",
        "string_above_max_length",
    ),
    WireRule(
        "tool-count",
        "a request offers at most 128 tools",
        "array too long. Expected an array with maximum length 128",
        "reported",
        "tools",
        "array_above_max_length",
    ),
    WireRule(
        "tool-name",
        "the name of a tool has letters, digits, underscores and dashes only",
        "string does not match pattern",
        "reported",
        "tools[N].function.name",
        "invalid_value",
    ),
    WireRule(
        "tool-name-length",
        "the name of a tool has 1 to 64 characters",
        "Expected a string with maximum length 64",
        "reported",
        "tools[N].function.name",
        "string_above_max_length",
    ),
    WireRule(
        "description-length",
        "the description of a tool has at most 1024 characters",
        "Expected a string with maximum length 1024",
        "reported",
        "tools[N].function.description",
        "string_above_max_length",
    ),
    WireRule(
        "choice-without-tools",
        "tool_choice and parallel_tool_calls come with tools",
        "is only allowed when 'tools' are specified",
        "reported",
        "tool_choice, parallel_tool_calls",
    ),
    WireRule(
        "tool-choice",
        "a tool_choice in one word is none, auto or required",
        "Supported values are: 'none', 'auto', and 'required'",
        "observed",
        "tool_choice",
        "invalid_value",
    ),
    WireRule(
        "choice-not-offered",
        "a tool_choice names a tool that is offered",
        "not found in 'tools' parameter",
        "assumed",
        "tool_choice",
    ),
    WireRule(
        "unknown-role",
        "a role is one of the wire's",
        "Supported values are: 'system', 'assistant', 'user', 'function', "
        "'tool', and 'developer'",
        "observed",
        "messages[N].role",
        "invalid_value",
    ),
    WireRule(
        "content-type",
        "a content is a text or an array of parts",
        "expected one of a string or array of objects",
        "observed",
        "messages[N].content",
        "invalid_type",
    ),
    WireRule(
        "null-content",
        "a message has a content, unless it is the model's and calls a tool or refuses",
        "expected a string, got null",
        "reported",
        "messages.[N].content",
    ),
    WireRule(
        "tool-schema",
        "the parameters of a tool are a schema that the service can use",
        "Invalid schema for function",
        "reported",
        "tools[N].function.parameters",
        "invalid_function_parameters",
    ),
    WireRule(
        "value",
        "a field has its type, and a value that it may have",
        "Invalid type for; Expected a value; Invalid value",
        "observed",
        "the path",
        "invalid_type, invalid_value, integer_below_min_value and so on",
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
        "unsupported-value",
        "no field has a value that its model refuses",
        "does not support",
        "observed",
        "the field",
        "unsupported_value",
    ),
    WireRule(
        "context-length",
        "the messages fit into the context of the model",
        "maximum context length is",
        "reported",
        "messages",
        "context_length_exceeded",
    ),
    WireRule(
        "stream-options",
        "stream_options come with stream",
        "only allowed when 'stream' is enabled",
        "assumed",
        "stream_options",
    ),
    WireRule(
        "top-logprobs",
        "top_logprobs come with logprobs",
        "only allowed when 'logprobs' is enabled",
        "observed",
        "top_logprobs",
    ),
    WireRule(
        "no-json",
        "the body is a JSON object",
        "We could not parse the JSON body of your request",
        "reported",
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
        "content-part",
        "a content has parts that the model takes",
        "Content blocks are expected to be either text or image_url type",
        "observed",
        "messages[N]",
        "invalid_value",
    ),
    WireRule(
        "image-role",
        "images stand in messages of the user",
        "Image URLs are only allowed for messages with role 'user'",
        "reported",
        "messages[N]",
        "invalid_value",
    ),
    WireRule(
        "unknown-model",
        "the model is one that there is",
        "does not exist or you do not have access to it",
        "observed",
        None,
        "model_not_found",
        status=404,
    ),
)

CHAT_RULES: dict[str, WireRule] = {rule.id: rule for rule in _RULES}
"""Every rule by its id."""

ALWAYS = (
    *("no-json", "no-model", "missing-parameter", "missing-id", "empty-array"),
    *("unknown-role", "content-type", "value"),
)
"""Rules that no profile switches off: what they refuse can't be read at all."""
