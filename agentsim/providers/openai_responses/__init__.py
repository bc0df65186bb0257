"""OpenAI Responses: its wire, its rules and its errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.openai_responses.rulebook.profile import (
        LENIENT_RESPONSES as LENIENT_RESPONSES,
    )
    from agentsim.providers.openai_responses.rulebook.profile import (
        STRICT_RESPONSES as STRICT_RESPONSES,
    )
    from agentsim.providers.openai_responses.rulebook.profile import (
        ResponsesProfile as ResponsesProfile,
    )
    from agentsim.providers.openai_responses.rulebook.table import (
        RESPONSES_RULES as RESPONSES_RULES,
    )
    from agentsim.providers.openai_responses.stored import Stored as Stored
    from agentsim.providers.openai_responses.wire import (
        ResponsesReader as ResponsesReader,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "LENIENT_RESPONSES": "rulebook.profile",
            "RESPONSES_RULES": "rulebook.table",
            "ResponsesProfile": "rulebook.profile",
            "ResponsesReader": "wire",
            "STRICT_RESPONSES": "rulebook.profile",
            "Stored": "stored",
        },
    )
