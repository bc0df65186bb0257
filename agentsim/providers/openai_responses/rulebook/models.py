"""What a model refuses that another takes, as its profile says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import MessageView, tokens_of
from agentsim.providers.openai.values import Faults
from agentsim.providers.openai_responses.rulebook.profile import ResponsesProfile
from agentsim.providers.openai_responses.rulebook.table import refuse

__all__ = ["CONTEXT_WORDS", "context_faults", "model_faults"]

CONTEXT_WORDS = (
    "Your input exceeds the context window of this model. Please adjust your input and "
    "try again."
)


def model_faults(body: Mapping[str, Any], profile: ResponsesProfile) -> Faults:
    """What the model of a request does not take."""
    model = body.get("model")
    if profile.models is not None and model not in profile.models:
        words = f"The requested model '{model}' does not exist."
        yield refuse("unknown-model", words, "model")
    for key in profile.unsupported:
        if body.get(key) is not None:
            words = f"Unsupported parameter: '{key}' is not supported with this model."
            yield refuse("unsupported-parameter", words, key)


def context_faults(
    view: MessageView, profile: ResponsesProfile, *, truncated: bool
) -> Faults:
    """Whether the input is too long for the model, four characters to a token.

    Args:
        truncated: Whether the request lets the service drop what is too much.
    """
    most = profile.context_tokens
    if most is not None and not truncated and tokens_of(view.characters) > most:
        yield refuse("context-length", CONTEXT_WORDS, "input")
