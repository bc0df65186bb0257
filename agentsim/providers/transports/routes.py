"""Which part of a model's service a request asks for, by method, host and path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Route", "route"]

OPENAI_HOST = "api.openai.com"

_CHAT = "/chat/completions"
_MODELS = "/models"

_ELSEWHERE = {
    "/responses": "the Responses API of OpenAI",
    "/messages": "the Messages API of Anthropic",
    "/chat/completions": "OpenAI's stored completions",
    **{
        part: f"OpenAI's {part}"
        for part in (
            "/assistants",
            "/audio",
            "/batches",
            "/completions",
            "/conversations",
            "/embeddings",
            "/files",
            "/fine_tuning",
            "/images",
            "/moderations",
            "/realtime",
            "/threads",
            "/uploads",
            "/vector_stores",
            "/videos",
        )
    },
}
"""Part of a path -> what it belongs to, which a simulated service does not have."""


@dataclass(frozen=True, slots=True)
class Route:
    """What is asked for.

    Attributes:
        to: `chat`; `models`, the list of them; `model`, one of them; `foreign`, what
            a service has and the simulated one has not; `unknown`, what none has.
        name: Of the model; for `foreign` what it is, in words.
    """

    to: Literal["chat", "models", "model", "foreign", "unknown"]
    name: str = ""


def route(method: str, host: str, path: str) -> Route:
    """Find what a request asks for.

    A base URL may have any path on a host of the user's own. On OpenAI's it is `/v1`,
    so that a base URL without it is noticed here, and not in production only.
    """
    openai = host == OPENAI_HOST
    if openai:
        if not path.startswith("/v1/"):
            return Route("unknown")
        path = path[len("/v1") :]
    if method == "POST" and path.endswith(_CHAT):
        return Route("unknown") if openai and path != _CHAT else Route("chat")
    if method == "GET" and (found := _model(path)) is not None:
        return found
    for part, words in _ELSEWHERE.items():
        if f"{part}/" in f"{path}/":
            return Route("foreign", words)
    return Route("unknown")


def _model(path: str) -> Route | None:
    if path.endswith(_MODELS):
        return Route("models")
    _before, found, name = path.rpartition(f"{_MODELS}/")
    return Route("model", name) if found and name else None
