"""Tokens estimated from characters, where a service sends no usage (spec R1.5)."""

from __future__ import annotations

from agentsim.core.history import MessageView
from agentsim.core.messages import Message, Request, Usage

__all__ = ["estimate_usage", "tokens_of"]

_CHARACTERS_PER_TOKEN = 4


def estimate_usage(request: Request, message: Message) -> Usage:
    """Estimate the tokens of a response: four characters to a token, never zero.

    Tool definitions and opaque blocks are not counted. A growing history is measured
    once per message, so that a run of n turns costs n and not n x n.
    """
    messages = request.messages
    if isinstance(messages, MessageView):
        asked = messages.characters
    else:
        asked = sum(entry.characters for entry in messages)
    return Usage(
        prompt=tokens_of(asked),
        completion=tokens_of(message.characters),
        estimated=True,
    )


def tokens_of(characters: int) -> int:
    """Tokens of so many characters: four to a token, never zero."""
    return max(1, -(-characters // _CHARACTERS_PER_TOKEN))
