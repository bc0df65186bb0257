"""OpenAI Chat Completions: its wire, its rules and its errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.openai_chat.answers import Completion as Completion
    from agentsim.providers.openai_chat.answers import (
        read_completion as read_completion,
    )
    from agentsim.providers.openai_chat.completions import (
        completion_body as completion_body,
    )
    from agentsim.providers.openai_chat.dialect import CHAT as CHAT
    from agentsim.providers.openai_chat.dialect import ChatDialect as ChatDialect
    from agentsim.providers.openai_chat.reference import (
        chat_rules_page as chat_rules_page,
    )
    from agentsim.providers.openai_chat.rulebook.profile import LENIENT as LENIENT
    from agentsim.providers.openai_chat.rulebook.profile import STRICT as STRICT
    from agentsim.providers.openai_chat.rulebook.profile import (
        ChatProfile as ChatProfile,
    )
    from agentsim.providers.openai_chat.rulebook.table import CHAT_RULES as CHAT_RULES
    from agentsim.providers.openai_chat.wire import ChatReader as ChatReader
    from agentsim.providers.openai_chat.wire import read_body as read_body
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "CHAT": "dialect",
            "CHAT_RULES": "rulebook.table",
            "ChatDialect": "dialect",
            "ChatReader": "wire",
            "ChatProfile": "rulebook.profile",
            "Completion": "answers",
            "LENIENT": "rulebook.profile",
            "STRICT": "rulebook.profile",
            "chat_rules_page": "reference",
            "completion_body": "completions",
            "read_body": "wire",
            "read_completion": "answers",
        },
    )
