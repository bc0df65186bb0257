"""What is asked for, by method, host and path."""

from __future__ import annotations

import pytest

from agentsim.providers.transports import HttpRequest
from agentsim.providers.transports.routes import (
    ANTHROPIC_HOST,
    OPENAI_HOST,
    Route,
    Vendor,
    route,
)

OWN = "models.example"

CLAUDE = {"anthropic-version": "2023-06-01"}


def to(method: str, host: str, path: str, **headers: str) -> Route:
    """Where a request goes."""
    return route(HttpRequest(method, host, path, headers=headers))


@pytest.mark.parametrize(
    ("host", "path"),
    [
        (OPENAI_HOST, "/v1/chat/completions"),
        (OWN, "/v1/chat/completions"),
        (OWN, "/chat/completions"),
        (OWN, "/openai/deployments/gpt/chat/completions"),
    ],
)
def test_chat_is_found_under_every_base_url(host: str, path: str) -> None:
    """A host of the user's own may have it wherever it likes."""
    assert to("POST", host, path) == Route("answer", "chat")


WRONG = ["/chat/completions", "/v1/v1/chat/completions", "/v1/chat/completion", "/", ""]


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_base_url_is_noticed_on_the_host_of_openai(path: str) -> None:
    """It answers under /v1 only, once."""
    assert to("POST", OPENAI_HOST, path) == Route("unknown")


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_base_url_is_noticed_on_a_host_that_is_as_a_vendors(path: str) -> None:
    """A server of our own has its paths where the vendors have them."""
    request = HttpRequest("POST", "127.0.0.1", path)
    assert route(request, rooted=True) == Route("unknown")
    right = HttpRequest("POST", "127.0.0.1", "/v1/chat/completions")
    assert route(right, rooted=True) == Route("answer", "chat")


def test_models_are_listed_and_shown() -> None:
    """One by its name, which may have slashes; a method that is another is unknown."""
    assert to("GET", OPENAI_HOST, "/v1/models") == Route("models")
    assert to("GET", OPENAI_HOST, "/v1/models/gpt-5") == Route("model", "gpt-5")
    assert to("GET", OWN, "/models/org/m") == Route("model", "org/m")
    assert to("GET", OPENAI_HOST, "/v1/models/") == Route("unknown")
    assert to("DELETE", OPENAI_HOST, "/v1/models/gpt-5") == Route("unknown")


def test_a_vendor_is_known_by_its_host_and_by_the_header_of_its_clients() -> None:
    """Both vendors list their models under the same path."""
    listed = Route("models", vendor="anthropic")
    assert to("GET", OWN, "/v1/models", **CLAUDE) == listed
    assert to("GET", ANTHROPIC_HOST, "/v1/models") == listed
    nothing = Route("unknown", vendor="anthropic")
    assert to("POST", ANTHROPIC_HOST, "/v1/v1/messages") == nothing
    assert to("POST", OWN, "/v1/nothing", **CLAUDE) == nothing


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("POST", "/v1/embeddings", "OpenAI's /embeddings"),
        ("POST", "/v1/audio/speech", "OpenAI's /audio"),
        ("GET", "/v1/chat/completions", "OpenAI's stored completions"),
        ("POST", "/v1/completions", "OpenAI's /completions"),
    ],
)
def test_what_a_service_has_and_this_one_has_not_is_told(
    method: str, path: str, words: str
) -> None:
    """It is named, so that nobody takes it for a wrong address."""
    assert to(method, OPENAI_HOST, path) == Route("foreign", words)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "DELETE", "GET"])
@pytest.mark.parametrize("path", ["/v1/responses", "/v1/messages"])
def test_another_method_on_the_path_of_an_answer_is_unknown(
    method: str, path: str
) -> None:
    """A probe, or a slip, is told so by the service, and ends no run."""
    vendor: Vendor = "anthropic" if path == "/v1/messages" else "openai"
    assert to(method, OWN, path) == Route("unknown", vendor=vendor)


def test_what_stands_below_a_dialect_is_asked_of_it() -> None:
    """It knows which endpoints it has beside the one that answers."""
    found = to("GET", OWN, "/v1/chat/completions/chatcmpl-1")
    assert found == Route("beside", "chat", rest="/chatcmpl-1")
    found = to("POST", OWN, "/v1/messages/count_tokens")
    assert found == Route("beside", "messages", "anthropic", "/count_tokens")
