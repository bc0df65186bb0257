"""Anthropic Messages: its wire, its rules, its streams and its errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.anthropic.answers import ReadMessage as ReadMessage
    from agentsim.providers.anthropic.answers import message_body as message_body
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "ReadMessage": "answers",
            "message_body": "answers",
        },
    )
