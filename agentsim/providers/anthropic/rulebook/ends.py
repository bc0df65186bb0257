"""What a conversation may end with, for the request that it is sent with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import (
    SERVER_CALLS,
    is_server_result,
)
from agentsim.providers.anthropic.rulebook.models import Abilities, thinks
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.thoughts import THINKING
from agentsim.providers.anthropic.rulebook.turns import Turns
from agentsim.providers.anthropic.rulebook.values import Faults

__all__ = ["end_faults"]


def end_faults(
    body: Mapping[str, Any], turns: Turns, able: Abilities, *, paused: bool
) -> Faults:
    """What is wrong with ending the conversation where it ends.

    Args:
        paused: Whether the last message is an answer in which the model paused, which
            goes back as it came.
    """
    if turns.system_at is not None and not able.system_role:
        words = "role 'system' is not supported on this model"
        yield refuse("system-role", words, f"messages.{turns.system_at}.role")
    open_call = turns.left_open()
    if open_call is not None:
        yield open_call
    if turns.has_blocks and not body.get("tools"):
        words = "Requests which include `tool_use` or `tool_result` blocks must define tools."
        yield refuse("tools-not-defined", words)
    yield from _thinking_faults(body, turns)
    last = turns.last
    if last is None or last["role"] != "assistant":
        return
    yield from _off_faults(body, turns, able)
    content = last["content"]
    if _last_text(content).rstrip() != _last_text(content):
        words = "final assistant content cannot end with trailing whitespace"
        yield refuse("trailing-space", words, "messages")
    if not able.prefill and not paused and not _is_served(content):
        words = (
            "This model does not support assistant message prefill. The conversation "
            "must end with a user message."
        )
        yield refuse("prefill", words)


def _thinking_faults(body: Mapping[str, Any], turns: Turns) -> Faults:
    """With thinking of mode enabled, the last turn of the model begins with it."""
    if (body.get("thinking") or {}).get("type") != "enabled" or turns.loop is None:
        return
    last = turns.last
    ends_with_model = last is not None and last["role"] == "assistant"
    at, kind = turns.loop
    if kind not in THINKING and (turns.answering or ends_with_model):
        words = (
            f"Expected `thinking` or `redacted_thinking`, but found `{kind}`. When "
            "`thinking` is enabled, a final `assistant` message must start with a "
            "thinking block (preceeding the lastmost set of `tool_use` and "
            "`tool_result` blocks). To avoid this requirement, disable `thinking`."
        )
        yield refuse("thinking-missing", words, f"messages.{at}.content.0.type")


def _off_faults(body: Mapping[str, Any], turns: Turns, able: Abilities) -> Faults:
    """Without thinking, a last message of the model has none."""
    assert turns.last is not None
    if thinks(body, able):
        return
    for number, block in enumerate(_blocks(turns.last["content"])):
        if block["type"] in THINKING:
            words = (
                "When thinking is disabled, an `assistant` message in the final position "
                f"cannot contain `{block['type']}`"
            )
            where = f"messages.{turns.position - 1}.content.{number}.type"
            yield refuse("thinking-off", words, where)


def _last_text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = _blocks(content)
    return str(blocks[-1]["text"]) if blocks and blocks[-1]["type"] == "text" else ""


def _is_served(content: object) -> bool:
    """Whether the model called tools of the service, in which it may have paused."""
    return any(
        block["type"] in SERVER_CALLS or is_server_result(block["type"])
        for block in _blocks(content)
    )


def _blocks(content: object) -> Sequence[Mapping[str, Any]]:
    return content if isinstance(content, list) else ()
