"""What is asked for, by method, host and path."""

from __future__ import annotations

import pytest

from agentsim.providers.transports.routes import OPENAI_HOST, Route, route

OWN = "models.example"


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
    assert route("POST", host, path) == Route("chat")


@pytest.mark.parametrize(
    "path",
    ["/chat/completions", "/v1/v1/chat/completions", "/v1/chat/completion", "/", ""],
)
def test_a_wrong_base_url_is_noticed_on_the_host_of_openai(path: str) -> None:
    """It answers under /v1 only, once."""
    assert route("POST", OPENAI_HOST, path) == Route("unknown")


def test_models_are_listed_and_shown() -> None:
    """One by its name, which may have slashes; a method that is another is unknown."""
    assert route("GET", OPENAI_HOST, "/v1/models") == Route("models")
    assert route("GET", OPENAI_HOST, "/v1/models/gpt-5") == Route("model", "gpt-5")
    assert route("GET", OWN, "/models/org/m") == Route("model", "org/m")
    assert route("GET", OPENAI_HOST, "/v1/models/") == Route("unknown")
    assert route("DELETE", OPENAI_HOST, "/v1/models/gpt-5") == Route("unknown")


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("POST", "/v1/responses", "the Responses API of OpenAI"),
        ("GET", "/v1/responses/resp_1", "the Responses API of OpenAI"),
        ("POST", "/v1/messages", "the Messages API of Anthropic"),
        ("POST", "/v1/embeddings", "OpenAI's /embeddings"),
        ("POST", "/v1/audio/speech", "OpenAI's /audio"),
        ("GET", "/v1/chat/completions/chatcmpl-1", "OpenAI's stored completions"),
        ("POST", "/v1/completions", "OpenAI's /completions"),
    ],
)
def test_what_a_service_has_and_this_one_has_not_is_told(
    method: str, path: str, words: str
) -> None:
    """It is named, so that nobody takes it for a wrong address."""
    assert route(method, OPENAI_HOST, path) == Route("foreign", words)
