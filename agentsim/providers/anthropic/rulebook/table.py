"""What the service refuses on the Messages wire: each rule as data.

Paths have dots and begin a message: `messages.3.content.0.tool_use.input`. The error body
has neither a param nor a code.
"""

from __future__ import annotations

from agentsim.providers.wires.rules import WireRefusal, WireRule

__all__ = ["ALWAYS", "MESSAGES_RULES", "OLD", "THREADS", "refuse"]


def refuse(rule: str, words: str, path: str | None = None) -> WireRefusal:
    """The refusal of a rule, whose words begin with the path if there is one."""
    known = MESSAGES_RULES[rule]
    said = words if path is None else f"{path}: {words}"
    return WireRefusal(rule, said, path, None, known.status, known.kind)


_N, _M = "messages.N", "messages.N.content.M"

_FORM = (
    WireRule(
        "no-json",
        "the body is a JSON object",
        "The request body is not valid JSON",
        "assumed",
    ),
    WireRule(
        "version",
        "the header `anthropic-version` names a version that there is",
        "anthropic-version: header is required; is not a valid version",
        "reported",
        "anthropic-version",
    ),
    WireRule(
        "missing-field",
        "what an object needs is there",
        "Field required",
        "reported",
        "the path",
    ),
    WireRule(
        "surplus-field",
        "an object has no field that the service, in the version asked for, does not know",
        "Extra inputs are not permitted",
        "reported",
        "the path",
    ),
    WireRule(
        "value",
        "a field has its type, and a value that it may have",
        "Input should be a valid string; Input should be a valid list",
        "reported",
        "the path",
    ),
    WireRule(
        "null-field",
        "a field that may be left out is left out, and not null",
        "Input should be a valid",
        "assumed",
        "the field",
    ),
    WireRule(
        "block-type",
        "a content, a tool and a choice is of a type that the service knows",
        "found using 'type' does not match any of the expected tags",
        "reported",
        "the path",
    ),
    WireRule(
        "block-role",
        "calls stand in messages of the model, results in those of the user",
        "blocks can only be in",
        "reported",
        _M,
    ),
    WireRule(
        "block-version",
        "from version 2026-10-21 on no document stands in a message of the model, and no "
        "citation in a text of the user",
        "are not permitted in `assistant` messages; are not permitted in `user` messages",
        "assumed",
        _M,
    ),
    WireRule(
        "tool-input",
        "the input of a call is an object",
        "tool_use.input: Input should be a valid dictionary",
        "reported",
        f"{_M}.tool_use.input",
    ),
    WireRule(
        "call-id",
        "the id of a call has letters, digits, underscores and dashes only",
        "tool_use.id: String should match pattern",
        "reported",
        f"{_M}.tool_use.id",
    ),
    WireRule(
        "tool-name",
        "the name of a tool is 1 to 128 letters, digits, underscores and dashes",
        "custom.name: String should match pattern",
        "reported",
        "tools.M.custom.name",
    ),
    WireRule(
        "tool-schema",
        "the input schema of a tool is a JSON schema of draft 2020-12, of type object",
        "JSON schema is invalid. It must match JSON Schema draft 2020-12; "
        "input_schema.type: Field required",
        "reported",
        "tools.M.custom.input_schema",
    ),
    WireRule(
        "tool-union",
        "the input schema of a tool has no oneOf, allOf or anyOf at its top",
        "input_schema does not support oneOf, allOf, or anyOf at the top level",
        "reported",
        "tools.M.custom.input_schema",
    ),
    WireRule(
        "thinking-budget",
        "thinking has a budget of 1024 tokens or more, below max_tokens",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024; "
        "`max_tokens` must be greater than `thinking.budget_tokens`",
        "reported",
        "thinking.enabled.budget_tokens",
    ),
    WireRule(
        "no-messages",
        "there are messages",
        "messages: at least one message is required",
        "reported",
        "messages",
    ),
)

_FIELDS = (
    WireRule(
        "duplicate-tool",
        "the names of tools differ",
        "tools: Tool names must be unique.",
        "reported",
        "tools",
    ),
    WireRule(
        "choice-without-tools",
        "a tool_choice comes with tools",
        "tool_choice may only be specified while providing tools",
        "assumed",
        "tool_choice",
    ),
    WireRule(
        "choice-not-offered",
        "a tool_choice names a tool that is offered",
        "not found in provided tools",
        "reported",
    ),
    WireRule(
        "breakpoints",
        "tools, system prompt and messages have at most 4 breakpoints of the cache",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        "reported",
    ),
    WireRule(
        "thinking-forced",
        "thinking of mode enabled and a tool_choice that forces a call do not go together",
        "Thinking may not be enabled when tool_choice forces tool use.",
        "reported",
    ),
    WireRule(
        "thinking-sampling",
        "with thinking of mode enabled nothing is said about sampling but a temperature "
        "of 1, and a top_p of 0.95 or more",
        "`temperature` may only be set to 1 when thinking is enabled",
        "reported",
    ),
)

_MODELS = (
    WireRule(
        "unknown-model",
        "the model is one that there is",
        "model: ",
        "observed",
        "model",
        status=404,
        kind="not_found_error",
    ),
    WireRule(
        "thinking-mode",
        "thinking is of a mode that the model has",
        '"thinking.type.enabled" is not supported for this model; '
        "adaptive thinking is not supported on this model",
        "reported",
    ),
    WireRule(
        "sampling",
        "nothing is said about sampling to a model that does not take it",
        "is not supported on this model",
        "assumed",
        "temperature, top_p, top_k",
    ),
    WireRule(
        "max-tokens",
        "max_tokens is not above what the model can answer",
        "which is the maximum allowed number of output tokens for",
        "reported",
        "max_tokens",
    ),
    WireRule(
        "system-role",
        "a system message stands in the conversation only with models that take it",
        "role 'system' is not supported on this model",
        "reported",
        f"{_N}.role",
    ),
    WireRule(
        "prefill",
        "the conversation ends with the user, with models from 4.6 on",
        "This model does not support assistant message prefill. The conversation must "
        "end with a user message.",
        "reported",
    ),
    WireRule(
        "prompt-length",
        "the prompt fits into the context of the model",
        "prompt is too long",
        "reported",
    ),
    WireRule(
        "context-length",
        "with older models, the prompt and max_tokens together fit into the context",
        "input length and `max_tokens` exceed context limit",
        "reported",
    ),
)

_CONVERSATION = (
    WireRule(
        "unanswered",
        "each call is answered in the next turn of the user",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
        "reported",
        _N,
    ),
    WireRule(
        "results-first",
        "in a turn of the user that answers calls the results come first",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
        "reported",
        _N,
    ),
    WireRule(
        "orphan",
        "a result answers a call of the turn of the model before it",
        "unexpected `tool_use_id` found in `tool_result` blocks",
        "reported",
        _M,
    ),
    WireRule(
        "server-orphan",
        "a result of a tool that the service ran has its call before it",
        "must have a corresponding `server_tool_use` block before it.",
        "reported",
        _M,
    ),
    WireRule(
        "duplicate-id",
        "the ids of all calls differ",
        "`tool_use` ids must be unique",
        "reported",
        _M,
    ),
    WireRule(
        "answered-twice",
        "each call is answered once",
        "each tool_use must have a single result. Found multiple `tool_result` blocks "
        "with id",
        "reported",
        _M,
    ),
    WireRule(
        "tools-not-defined",
        "a request whose conversation has calls offers tools",
        "Requests which include `tool_use` or `tool_result` blocks must define tools.",
        "reported",
    ),
    WireRule(
        "empty-message",
        "a message has content, unless it is the last one and the model's",
        "all messages must have non-empty content except for the optional final "
        "assistant message",
        "reported",
        _N,
    ),
    WireRule(
        "empty-text",
        "a text block has a text",
        "text content blocks must be non-empty",
        "reported",
        "messages, system",
    ),
    WireRule(
        "blank-text",
        "a text block has more than white space",
        "text content blocks must contain non-whitespace text",
        "reported",
        "messages, system",
    ),
    WireRule(
        "empty-cached",
        "no breakpoint of the cache stands at an empty text",
        "cache_control cannot be set for empty text blocks",
        "reported",
        f"{_M}.text",
    ),
    WireRule(
        "error-empty",
        "a result that tells of an error has content",
        "content cannot be empty if `is_error` is true",
        "reported",
        f"{_M}.tool_result",
    ),
    WireRule(
        "error-not-text",
        "a result that tells of an error has texts only",
        "all content must be type 'text' if 'is_error' is true",
        "reported",
        f"{_M}.tool_result",
    ),
    WireRule(
        "trailing-space",
        "the last message does not end in white space if it is the model's",
        "final assistant content cannot end with trailing whitespace",
        "reported",
        "messages",
    ),
    WireRule(
        "first-user",
        "the first message is the user's",
        'first message must use the "user" role',
        "assumed",
        "messages",
    ),
    WireRule(
        "alternating-roles",
        "the roles of messages alternate",
        "roles must alternate between",
        "reported",
        "messages",
    ),
    WireRule(
        "system-place",
        "a system message in the conversation follows a turn of the user",
        "must directly follow a `user` message",
        "assumed",
        _N,
    ),
    WireRule(
        "thinking-missing",
        "with thinking of mode enabled, what the model said before the last results "
        "begins with its thinking",
        "Expected `thinking` or `redacted_thinking`, but found",
        "reported",
        "messages.N.content.0.type",
    ),
    WireRule(
        "thinking-lead",
        "a turn of the model that has thinking begins with it",
        "If an assistant message contains any thinking blocks, the first block must be "
        "`thinking`",
        "reported",
        "messages.N.content.0.type",
    ),
    WireRule(
        "thinking-changed",
        "the thinking in the last turn of the model is what the model thought",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
        "be modified.",
        "reported",
        _M,
    ),
    WireRule(
        "signature",
        "the signature of a thinking block is that of its text",
        "Invalid `signature` in `thinking` block",
        "reported",
        _M,
    ),
    WireRule(
        "thinking-off",
        "without thinking, the last message has none if it is the model's",
        "When thinking is disabled, an `assistant` message in the final position cannot "
        "contain `thinking`",
        "reported",
        f"{_M}.type",
    ),
)

MESSAGES_RULES: dict[str, WireRule] = {
    rule.id: rule for rule in (*_FORM, *_FIELDS, *_MODELS, *_CONVERSATION)
}
"""Every rule by its id."""

ALWAYS = (
    *("no-json", "missing-field", "value", "block-type", "tool-input", "no-messages"),
    "block-role",
)
"""Rules that no profile switches off: what they refuse can't be read at all."""

OLD = ("tools-not-defined", "alternating-roles")
"""Rules that the service had in 2024 and has no more: a profile switches them on."""

THREADS = "thread_unsupported_request"
"""Code of the answer to a request that the service can't continue from a stored one."""
