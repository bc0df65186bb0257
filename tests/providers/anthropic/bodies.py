"""Bad requests of Anthropic Messages: one or more for every rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentsim.providers.anthropic import MESSAGES_STRICT, MessagesProfile
from tests.providers.anthropic.parts import (
    ANSWERED,
    CALLED,
    DOCUMENT,
    LOOK,
    MARK,
    NEW,
    OLD,
    SEARCHED,
    THINKS,
    USER,
    call,
    offering,
    request,
    result,
    said,
    text,
    thought,
    told,
    without,
)


@dataclass(frozen=True)
class Bad:
    """A request that breaks a rule, and what the service says.

    Attributes:
        fact: Number of the rule in the collected facts about the wire (A1 to A41).
        phrase: Part of the message, with its path where it has one.
        answer: What the service answered before it, which it remembers.
    """

    fact: str
    rule: str
    body: dict[str, Any]
    phrase: str
    version: str | None = OLD
    profile: MessagesProfile = MESSAGES_STRICT
    answer: dict[str, Any] = field(default_factory=dict)
    status: int = 400
    kind: str = "invalid_request_error"

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the request comes with."""
        return {} if self.version is None else {"anthropic-version": self.version}


UNANSWERED = "messages.1: `tool_use` ids were found without `tool_result` blocks"

LONG = "x" * 129


def _field(key: str, value: object, phrase: str, version: str = OLD) -> Bad:
    return Bad("A38", "value", request(**{key: value}), phrase, version)


BAD = (
    Bad(
        "A1",
        "unanswered",
        request(*CALLED),
        f"{UNANSWERED} immediately after: toolu_1.",
    ),
    Bad("A1", "unanswered", request(*CALLED, USER, said(text())), UNANSWERED),
    Bad(
        "A1",
        "unanswered",
        request(USER, said(call(), call("toolu_2")), told(result()), said(text())),
        f"{UNANSWERED} immediately after: toolu_2. Each `tool_use` block must have a "
        "corresponding `tool_result` block in the next message.",
    ),
    Bad(
        "A1",
        "unanswered",
        request(USER, said(call()), said(call("toolu_2")), told(result("toolu_2"))),
        f"{UNANSWERED} immediately after: toolu_1.",
    ),
    Bad(
        "A2",
        "orphan",
        request(told(result("toolu_9"))),
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
        "toolu_9. Each `tool_result` block must have a corresponding `tool_use` block in "
        "the previous message.",
    ),
    Bad(
        "A2",
        "orphan",
        request(*CALLED, told(result()), said(text()), told(text(), result())),
        "messages.4.content.1: unexpected `tool_use_id` found in `tool_result` blocks",
    ),
    Bad(
        "A3",
        "server-orphan",
        request(USER, said(SEARCHED, text()), USER),
        "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` "
        "blocks: srvtoolu_9. Each `web_search_tool_result` block must have a corresponding "
        "`server_tool_use` block before it.",
    ),
    Bad(
        "A4",
        "duplicate-id",
        request(*CALLED, told(result()), said(call()), told(result())),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    Bad(
        "A4",
        "duplicate-id",
        request(USER, said(call(), call()), told(result(), result())),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    Bad(
        "A5",
        "answered-twice",
        request(*CALLED, told(result(), result())),
        "messages.2.content.1: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: toolu_1",
    ),
    Bad(
        "A5",
        "answered-twice",
        request(*CALLED, told(result()), told(result())),
        "Found multiple `tool_result` blocks with id: toolu_1",
    ),
    Bad("A6", "results-first", request(*CALLED, told(text(), result())), UNANSWERED),
    Bad("A6", "results-first", request(*CALLED, USER, told(result())), UNANSWERED),
    Bad(
        "A7",
        "tool-input",
        request(USER, said(call(input='{"a": 1}')), told(result())),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    Bad(
        "A8",
        "call-id",
        request(USER, said(call("call:1")), told(result("call:1"))),
        "messages.1.content.0.tool_use.id: String should match pattern "
        "'^[a-zA-Z0-9_-]+$'",
    ),
    Bad(
        "A8",
        "call-id",
        request(*CALLED, told(result(""))),
        "messages.2.content.0.tool_result.tool_use_id: String should match pattern",
    ),
    Bad(
        "A9",
        "duplicate-tool",
        request(tools=[LOOK, LOOK]),
        "tools: Tool names must be unique.",
    ),
    Bad(
        "A10",
        "tool-name",
        offering("look around"),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    Bad("A10", "tool-name", offering(LONG), "tools.0.custom.name: String should match"),
    Bad(
        "A11",
        "tool-schema",
        offering(
            input_schema={"type": "object", "properties": {"a": {"type": "text"}}}
        ),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema "
        "draft 2020-12",
    ),
    Bad(
        "A11",
        "tool-schema",
        offering(input_schema={"properties": {}}),
        "tools.0.custom.input_schema.type: Field required",
    ),
    Bad(
        "A11",
        "tool-union",
        offering(input_schema={"type": "object", "anyOf": [{}]}),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf "
        "at the top level",
    ),
    Bad(
        "A12",
        "choice-not-offered",
        request(tools=[LOOK], tool_choice={"type": "tool", "name": "other"}),
        "Tool 'other' not found in provided tools",
    ),
    Bad(
        "A13",
        "choice-without-tools",
        request(tool_choice={"type": "auto"}),
        "tool_choice: tool_choice may only be specified while providing tools",
    ),
    Bad(
        "A14",
        "tools-not-defined",
        request(*CALLED, told(result())),
        "Requests which include `tool_use` or `tool_result` blocks must define tools.",
        profile=MessagesProfile(on=("tools-not-defined",)),
    ),
    Bad(
        "A15",
        "empty-message",
        request({"role": "user", "content": ""}),
        "messages.0: all messages must have non-empty content except for the optional "
        "final assistant message",
    ),
    Bad(
        "A15",
        "empty-message",
        request(USER, said(), USER),
        "messages.1: all messages must have non-empty content",
    ),
    Bad(
        "A16",
        "empty-text",
        request(told(text(""))),
        "messages: text content blocks must be non-empty",
    ),
    Bad(
        "A16",
        "empty-text",
        request(system=[text("")]),
        "system: text content blocks must be non-empty",
    ),
    Bad(
        "A17",
        "blank-text",
        request(told(text(" \n"))),
        "messages: text content blocks must contain non-whitespace text",
    ),
    Bad(
        "A17",
        "blank-text",
        request(USER, {"role": "assistant", "content": " "}, USER),
        "messages: text content blocks must contain non-whitespace text",
    ),
    Bad(
        "A18",
        "empty-cached",
        request(told(text(), text("", **MARK))),
        "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
    ),
    Bad(
        "A19",
        "breakpoints",
        request(
            told(text(**MARK), text(**MARK)),
            system=[text(**MARK)],
            tools=[{**LOOK, **MARK}, {**LOOK, "name": "find", **MARK}],
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Bad(
        "A20",
        "error-empty",
        request(*CALLED, told(result(content="", is_error=True))),
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ),
    Bad(
        "A21",
        "error-not-text",
        request(*CALLED, told(result(content=[DOCUMENT], is_error=True))),
        "messages.2.content.0.tool_result: all content must be type 'text' if 'is_error' "
        "is true",
    ),
    Bad(
        "A22",
        "trailing-space",
        request(USER, {"role": "assistant", "content": "The answer is "}),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    Bad(
        "A22",
        "trailing-space",
        request(USER, said(text("So:\n"))),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    Bad(
        "A23",
        "prefill",
        request(USER, said(text("The")), model="claude-opus-4-6"),
        "This model does not support assistant message prefill. The conversation must "
        "end with a user message.",
    ),
    Bad(
        "A24",
        "first-user",
        request({"role": "assistant", "content": "Hello."}, USER),
        'messages: first message must use the "user" role',
    ),
    Bad(
        "A25",
        "alternating-roles",
        request(USER, USER),
        'messages: roles must alternate between "user" and "assistant", but found '
        'multiple "user" roles in a row',
        profile=MessagesProfile(on=("alternating-roles",)),
    ),
    Bad(
        "A26",
        "thinking-mode",
        request(model="claude-opus-4-7", thinking=THINKS),
        '"thinking.type.enabled" is not supported for this model. Use '
        '"thinking.type.adaptive"',
    ),
    Bad(
        "A26",
        "thinking-mode",
        request(model="claude-sonnet-4-5", thinking={"type": "adaptive"}),
        "adaptive thinking is not supported on this model",
    ),
    Bad(
        "A27",
        "thinking-missing",
        request(*CALLED, told(result()), thinking=THINKS),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        "`tool_use`. When `thinking` is enabled, a final `assistant` message must start "
        "with a thinking block (preceeding the lastmost set of `tool_use` and "
        "`tool_result` blocks)",
    ),
    Bad(
        "A28",
        "thinking-lead",
        request(USER, said(text(), thought()), USER),
        "If an assistant message contains any thinking blocks, the first block must be "
        "`thinking`",
    ),
    Bad(
        "A29",
        "thinking-changed",
        request(USER, said(thought("Hm."), text("Hello.")), USER),
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest "
        "assistant message cannot be modified. These blocks must remain as they were in "
        "the original response.",
        answer=ANSWERED,
    ),
    Bad(
        "A30",
        "signature",
        request(USER, said(thought(signature=""), text("Hello.")), USER),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    Bad(
        "A30",
        "signature",
        request(USER, said(thought(signature="other"), text("Hello.")), USER),
        "Invalid `signature` in `thinking` block",
        answer=ANSWERED,
    ),
    Bad(
        "A30",
        "signature",
        request(USER, said(thought(), text("Hello.")), USER),
        "Invalid `signature` in `thinking` block",
        profile=MessagesProfile(signatures="own"),
    ),
    Bad(
        "A31",
        "thinking-off",
        request(USER, said(thought(), text("The"))),
        "messages.1.content.0.type: When thinking is disabled, an `assistant` message in "
        "the final position cannot contain `thinking`",
    ),
    Bad(
        "A32",
        "thinking-budget",
        request(thinking={"type": "enabled", "budget_tokens": 1000}),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    Bad(
        "A32",
        "thinking-budget",
        request(thinking={"type": "enabled", "budget_tokens": 2048}),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    Bad(
        "A33",
        "thinking-forced",
        request(thinking=THINKS, tools=[LOOK], tool_choice={"type": "any"}),
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    Bad(
        "A34",
        "thinking-sampling",
        request(thinking=THINKS, temperature=0.5),
        "`temperature` may only be set to 1 when thinking is enabled",
    ),
    Bad(
        "A34",
        "thinking-sampling",
        request(thinking=THINKS, top_p=0.5),
        "`top_p` must be greater than or equal to 0.95",
    ),
    Bad(
        "A34",
        "thinking-sampling",
        request(thinking=THINKS, top_k=5),
        "`top_k` must be unset when thinking is enabled",
    ),
    Bad(
        "A35",
        "system-role",
        request(
            USER, {"role": "system", "content": "Be kind."}, model="claude-opus-4-1"
        ),
        "messages.1.role: role 'system' is not supported on this model",
    ),
    Bad(
        "A36",
        "system-place",
        request({"role": "system", "content": "Be kind."}, USER),
        "messages.0: a `system` message must directly follow a `user` message",
    ),
    Bad(
        "A36",
        "system-place",
        request(USER, said(text()), {"role": "system", "content": "Be kind."}),
        "messages.2: a `system` message must directly follow a `user` message",
    ),
    Bad(
        "A37",
        "no-messages",
        {**request(), "messages": []},
        "messages: at least one message is required",
    ),
    Bad("A38", "missing-field", without("max_tokens"), "max_tokens: Field required"),
    Bad("A38", "missing-field", without("model"), "model: Field required"),
    Bad("A38", "missing-field", without("messages"), "messages: Field required"),
    Bad(
        "A38",
        "missing-field",
        request({"role": "user"}),
        "messages.0.content: Field required",
    ),
    Bad(
        "A38",
        "missing-field",
        request(USER, said({"type": "thinking", "thinking": "So."}), USER),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    Bad(
        "A38",
        "surplus-field",
        request(reasoning={}),
        "reasoning: Extra inputs are not permitted",
    ),
    Bad(
        "A38",
        "surplus-field",
        request(USER, said(text(parsed_output=1)), USER),
        "messages.1.content.0.text.parsed_output: Extra inputs are not permitted",
    ),
    Bad(
        "A38",
        "surplus-field",
        request(temperature=1),
        "temperature: Extra inputs are not permitted",
        NEW,
    ),
    Bad(
        "A38",
        "block-type",
        request(told({"type": "picture"})),
        "messages.0.content.0: Input tag 'picture' found using 'type' does not match any "
        "of the expected tags: 'text', 'image'",
    ),
    Bad(
        "A38",
        "block-type",
        request(tools=[LOOK], tool_choice={"type": "required"}),
        "tool_choice: Input tag 'required' found using 'type' does not match any of the "
        "expected tags: 'auto', 'any', 'tool', 'none'",
    ),
    Bad(
        "A38",
        "block-role",
        request(USER, said(result()), USER),
        "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
    ),
    Bad(
        "A38",
        "block-role",
        request(told(call())),
        "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    Bad(
        "A38",
        "value",
        request({"role": "tool", "content": "seen"}),
        "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ),
    Bad(
        "A38",
        "value",
        request({"role": "user", "content": {"text": "hi"}}),
        "messages.0.content: Input should be a valid list",
    ),
    Bad(
        "A38",
        "null-field",
        request(system=None),
        "system: Input should be a valid list",
    ),
    _field("stream", "yes", "stream: Input should be a valid boolean"),
    _field("max_tokens", 0, "max_tokens: Input should be greater than or equal to 1"),
    _field("max_tokens", "9", "max_tokens: Input should be a valid integer"),
    _field("temperature", 1.5, "temperature: Input should be less than or equal to 1"),
    _field("model", 3, "model: Input should be a valid string"),
    _field("messages", {}, "messages: Input should be a valid list"),
    _field("metadata", [], "metadata: Input should be a valid dictionary"),
    Bad(
        "A38",
        "block-version",
        request(USER, said(DOCUMENT), USER),
        "messages.1.content.0: `document` blocks are not permitted in `assistant` messages",
        NEW,
    ),
    Bad(
        "A38",
        "block-version",
        request(told(text(citations=[{"type": "char_location"}]))),
        "`citations` are not permitted in `user` messages",
        NEW,
    ),
    Bad(
        "A39",
        "max-tokens",
        request(max_tokens=128001),
        "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens "
        "for claude",
        profile=MessagesProfile(max_tokens=64000),
    ),
    Bad(
        "A40",
        "prompt-length",
        request({"role": "user", "content": "x" * 81}),
        "prompt is too long: 21 tokens > 20 maximum",
        profile=MessagesProfile(context_tokens=20),
    ),
    Bad(
        "A41",
        "context-length",
        request({"role": "user", "content": "x" * 8}, max_tokens=20),
        "input length and `max_tokens` exceed context limit: 2 + 20 > 20, decrease input "
        "length or `max_tokens` and try again",
        profile=MessagesProfile(context_tokens=20, context_stops=False),
    ),
    Bad("5.1", "version", request(), "anthropic-version: header is required", None),
    Bad(
        "5.1",
        "version",
        request(),
        'anthropic-version: "2024-10-22" is not a valid version',
        "2024-10-22",
    ),
    Bad(
        "5.1",
        "sampling",
        request(temperature=0.5),
        "`temperature` is not supported on this model.",
        profile=MessagesProfile(sampling=False),
    ),
    Bad(
        "7.2",
        "unknown-model",
        request(),
        "model: claude",
        profile=MessagesProfile(models=("claude-opus-4-8",)),
        status=404,
        kind="not_found_error",
    ),
)
"""Bad requests, at least one for each rule but `no-json`, whose body is none."""


def bad_name(bad: Bad) -> str:
    """A name for a test."""
    return f"{bad.fact}-{bad.rule}"
