"""Anthropic Messages: its wire, its rules, its streams and its errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.anthropic.answers import ReadMessage as ReadMessage
    from agentsim.providers.anthropic.answers import message_body as message_body
    from agentsim.providers.anthropic.dialect import MESSAGES as MESSAGES
    from agentsim.providers.anthropic.dialect import MessagesDialect as MessagesDialect
    from agentsim.providers.anthropic.reference import (
        messages_rules_page as messages_rules_page,
    )
    from agentsim.providers.anthropic.rulebook.profile import (
        MESSAGES_LENIENT as MESSAGES_LENIENT,
    )
    from agentsim.providers.anthropic.rulebook.profile import (
        MESSAGES_STRICT as MESSAGES_STRICT,
    )
    from agentsim.providers.anthropic.rulebook.profile import (
        MessagesProfile as MessagesProfile,
    )
    from agentsim.providers.anthropic.rulebook.table import (
        MESSAGES_RULES as MESSAGES_RULES,
    )
    from agentsim.providers.anthropic.wire import MessagesReader as MessagesReader
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "MESSAGES": "dialect",
            "MESSAGES_LENIENT": "rulebook.profile",
            "MESSAGES_RULES": "rulebook.table",
            "MESSAGES_STRICT": "rulebook.profile",
            "MessagesDialect": "dialect",
            "MessagesProfile": "rulebook.profile",
            "MessagesReader": "wire",
            "ReadMessage": "answers",
            "message_body": "answers",
            "messages_rules_page": "reference",
        },
    )
