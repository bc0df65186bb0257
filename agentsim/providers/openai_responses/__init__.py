"""OpenAI Responses: its wire, its rules and its errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.openai_responses.answers import (
        ResponsesAnswer as ResponsesAnswer,
    )
    from agentsim.providers.openai_responses.answers import (
        read_response as read_response,
    )
    from agentsim.providers.openai_responses.dialect import RESPONSES as RESPONSES
    from agentsim.providers.openai_responses.dialect import (
        ResponsesDialect as ResponsesDialect,
    )
    from agentsim.providers.openai_responses.events import read_events as read_events
    from agentsim.providers.openai_responses.responses import (
        response_body as response_body,
    )
    from agentsim.providers.openai_responses.rulebook.profile import (
        LENIENT_RESPONSES as LENIENT_RESPONSES,
    )
    from agentsim.providers.openai_responses.rulebook.profile import (
        STRICT_RESPONSES as STRICT_RESPONSES,
    )
    from agentsim.providers.openai_responses.rulebook.profile import (
        ResponsesProfile as ResponsesProfile,
    )
    from agentsim.providers.openai_responses.rulebook.reference import (
        responses_rules_page as responses_rules_page,
    )
    from agentsim.providers.openai_responses.rulebook.table import (
        RESPONSES_RULES as RESPONSES_RULES,
    )
    from agentsim.providers.openai_responses.stored import Stored as Stored
    from agentsim.providers.openai_responses.stream import error_event as error_event
    from agentsim.providers.openai_responses.stream import failed_event as failed_event
    from agentsim.providers.openai_responses.stream import (
        flat_error_event as flat_error_event,
    )
    from agentsim.providers.openai_responses.stream import (
        response_frames as response_frames,
    )
    from agentsim.providers.openai_responses.wire import (
        ResponsesReader as ResponsesReader,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "LENIENT_RESPONSES": "rulebook.profile",
            "RESPONSES": "dialect",
            "RESPONSES_RULES": "rulebook.table",
            "ResponsesAnswer": "answers",
            "ResponsesDialect": "dialect",
            "ResponsesProfile": "rulebook.profile",
            "ResponsesReader": "wire",
            "STRICT_RESPONSES": "rulebook.profile",
            "Stored": "stored",
            "error_event": "stream",
            "failed_event": "stream",
            "flat_error_event": "stream",
            "read_events": "events",
            "read_response": "answers",
            "response_body": "responses",
            "response_frames": "stream",
            "responses_rules_page": "rulebook.reference",
        },
    )
