"""Which part of a model's service a request asks for, by method, host, path, headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsim.providers.dialects import DIALECTS
from agentsim.providers.transports.exchange import HttpRequest

__all__ = ["Route", "Vendor", "route"]

OPENAI_HOST = "api.openai.com"
ANTHROPIC_HOST = "api.anthropic.com"

VERSION = "/v1"

Vendor = Literal["openai", "anthropic"]

_ANSWERS = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}
"""Path below the version -> the dialect that answers what is posted there."""

_VENDORS: dict[str, Vendor] = {"messages": "anthropic"}
"""Dialect -> whose it is, where it is not OpenAI's."""

_STORED = ("GET", "chat")
"""What lists stored completions; other methods are for nothing there."""

_MODELS = "/models"

_ELSEWHERE = {
    "/messages/batches": "Anthropic's batches of messages",
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
        to: `answer`, of the model, by a dialect; `beside`, another endpoint of a
            dialect; `models`, the list of them; `model`, one of them; `foreign`, what a
            service has and the simulated one has not; `unknown`, what none has.
        name: Of the dialect, or of the model; for `foreign` what it is, in words.
        vendor: Whose service it is.
        rest: For `beside`: the path below that of the dialect, with its slash.
    """

    to: Literal["answer", "beside", "models", "model", "foreign", "unknown"]
    name: str = ""
    vendor: Vendor = "openai"
    rest: str = ""


def route(request: HttpRequest, *, rooted: bool = False) -> Route:
    """Find what a request asks for.

    A base URL may have any path on a host of the user's own. On a vendor's it is `/v1`,
    so that a base URL that lacks it or has it twice is noticed here, and not in
    production only.

    Args:
        rooted: Whether the host is as a vendor's: paths begin with `/v1`.
    """
    path, host = request.path, request.host
    vendor = _vendor(request)
    rooted = rooted or host in (OPENAI_HOST, ANTHROPIC_HOST)
    if rooted:
        if not path.startswith(f"{VERSION}/"):
            return Route("unknown", vendor=vendor)
        path = path.removeprefix(VERSION)
    if request.method == "GET" and (found := _model(path, vendor)) is not None:
        return found
    for end, dialect in _ANSWERS.items():
        above, part, rest = path.partition(end)
        if not part or (rest and not rest.startswith("/")) or (rooted and above):
            continue
        if dialect not in DIALECTS:
            break
        whose = _VENDORS.get(dialect, "openai")
        if rest:
            return Route("beside", dialect, whose, rest)
        if request.method == "POST":
            return Route("answer", dialect, whose)
        if (request.method, dialect) != _STORED:
            return Route("unknown", vendor=whose)
    words = "" if rooted and path.startswith(f"{VERSION}/") else foreign_words(path)
    return Route("foreign", words, vendor) if words else Route("unknown", vendor=vendor)


def answered_paths() -> list[str]:
    """The paths at which the model answers, by the dialects that there are."""
    known = (end for end, dialect in _ANSWERS.items() if dialect in DIALECTS)
    return [f"{VERSION}{end}" for end in known]


def meant_path(path: str) -> str:
    """Where the model answers what is asked for under another base URL, or nothing."""
    return next((has for has in answered_paths() if path.endswith(_below(has))), "")


def _below(path: str) -> str:
    return path.removeprefix(VERSION)


def foreign_words(path: str) -> str:
    """What a path belongs to that a simulated service has not; empty for nothing."""
    whole = f"{path}/"
    return next((say for part, say in _ELSEWHERE.items() if f"{part}/" in whole), "")


def _vendor(request: HttpRequest) -> Vendor:
    """Whose service is meant; only the clients of one say which version they speak."""
    if request.host == ANTHROPIC_HOST or "anthropic-version" in request.headers:
        return "anthropic"
    return "openai"


def _model(path: str, vendor: Vendor) -> Route | None:
    if path.endswith(_MODELS):
        return Route("models", vendor=vendor)
    _before, found, name = path.rpartition(f"{_MODELS}/")
    return Route("model", name, vendor) if found and name else None
