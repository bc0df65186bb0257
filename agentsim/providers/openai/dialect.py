"""What a dialect of OpenAI has of the service, whichever its wire."""

from __future__ import annotations

from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.bodies import read_body
from agentsim.providers.openai.errors import error_answer
from agentsim.providers.openai.ids import request_id
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["OpenAIDialect"]

PROCESSING_MS = "1000"
"""How long the service says that it took: it never looks at a clock."""


class OpenAIDialect:
    """The part of a dialect that is the same on all wires of the service."""

    @property
    def content_type(self) -> str:
        """The `content-type` of a stream."""
        return "text/event-stream; charset=utf-8"

    def read_body(self, raw: bytes) -> dict[str, Any] | WireRefusal:
        """Read the body of a request."""
        return read_body(raw)

    def headers(self, number: int) -> dict[str, str]:
        """The headers of an answer beside its content type."""
        return {
            "openai-processing-ms": PROCESSING_MS,
            "x-request-id": request_id(number),
        }

    def error_answer(self, error: ProviderError, *, number: int) -> HttpAnswer:
        """The answer that tells of an error."""
        return error_answer(error, number=number)
