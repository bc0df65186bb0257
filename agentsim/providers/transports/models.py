"""The list of models, as either vendor gives it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.transports.routes import Route

__all__ = ["models_body", "no_such_model"]

MADE = datetime.fromtimestamp(0, UTC).isoformat().replace("+00:00", "Z")


def models_body(asked: Route, model: str) -> Mapping[str, Any] | None:
    """The body of the list, or of its one model; None for another model."""
    if asked.vendor == "anthropic":
        entry: dict[str, Any] = {
            "type": "model",
            "id": model,
            "display_name": model,
            "created_at": MADE,
            "lifecycle": "active",
        }
        around: dict[str, Any] = {
            "data": [entry],
            "has_more": False,
            "first_id": model,
            "last_id": model,
        }
    else:
        entry = {"id": model, "object": "model", "created": 0, "owned_by": "agentsim"}
        around = {"object": "list", "data": [entry]}
    if asked.to == "models":
        return around
    return entry if asked.name == model else None


def no_such_model(asked: Route) -> ProviderError:
    """The answer to a question for another model."""
    if asked.vendor == "anthropic":
        words = f"model: {asked.name}"
        return ProviderError(words, status=404, kind="not_found_error")
    words = f"The model '{asked.name}' does not exist"
    return ProviderError(
        words, status=404, kind="invalid_request_error", code="model_not_found"
    )
