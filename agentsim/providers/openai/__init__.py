"""What OpenAI's two wires share: values, ids and errors."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.openai.errors import error_answer as error_answer
    from agentsim.providers.openai.errors import wire_error as wire_error
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "error_answer": "errors",
            "wire_error": "errors",
        },
    )
