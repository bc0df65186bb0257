"""What a model refuses that another takes, as its profile says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import MessageView, tokens_of
from agentsim.providers.openai.values import Faults
from agentsim.providers.openai_chat.rulebook.profile import ChatProfile
from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["context_faults", "model_faults"]

_HINTS = {"max_tokens": " Use 'max_completion_tokens' instead."}

_OWN_WORDS = {"web_search_options": "Web search options not supported with this model."}
"""Fields that the service refuses in other words, and without a code."""


def model_faults(body: Mapping[str, Any], profile: ChatProfile) -> Faults:
    """What the model of a request does not take."""
    model = body["model"]
    if profile.models is not None and model not in profile.models:
        words = f"The model `{model}` does not exist or you do not have access to it."
        yield refuse("unknown-model", words)
    for key in profile.unsupported:
        if body.get(key) is not None:
            yield _unsupported(key)
    if profile.roles_unsupported or profile.parts is not None:
        for number, message in enumerate(body["messages"]):
            yield from _message_faults(message, f"messages[{number}]", profile)


def _unsupported(key: str) -> WireRefusal:
    if key in _OWN_WORDS:
        return refuse("unsupported-parameter", _OWN_WORDS[key], key, code="")
    words = (
        f"Unsupported parameter: '{key}' is not supported with this model."
        f"{_HINTS.get(key, '')}"
    )
    return refuse("unsupported-parameter", words, key)


def _message_faults(
    message: Mapping[str, Any], at: str, profile: ChatProfile
) -> Faults:
    role, content = message["role"], message.get("content")
    if role in profile.roles_unsupported:
        where = f"{at}.role"
        words = (
            f"Unsupported value: '{where}' does not support '{role}' with this model."
        )
        yield refuse("unsupported-value", words, where)
    parts: Sequence[Any] = content if isinstance(content, list) else ()
    taken = profile.parts
    if role != "user" or taken is None:
        return
    if any(part["type"] not in taken for part in parts):
        words = (
            f"Invalid '{at}'. Content blocks are expected to be either text or "
            "image_url type."
        )
        yield refuse("content-part", words, at)


def context_faults(view: MessageView, profile: ChatProfile) -> Faults:
    """Whether the messages are too long for the model, four characters to a token."""
    if profile.context_tokens is None:
        return
    tokens = tokens_of(view.characters)
    if tokens > profile.context_tokens:
        words = (
            f"This model's maximum context length is {profile.context_tokens} tokens. "
            f"However, your messages resulted in {tokens} tokens. Please reduce the "
            "length of the messages."
        )
        yield refuse("context-length", words, "messages")
