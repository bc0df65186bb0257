"""The services behind a proxy: how they are named, and which one a request is for."""

from __future__ import annotations

import pytest

from agentsim.core import UsageError
from agentsim.server.recording import read_upstreams
from agentsim.server.recording.upstreams import found_in

NONE = {"OPENAI_BASE_URL": " ", "OTHER": "x"}


def test_the_vendors_are_there_by_default() -> None:
    """At their own addresses, or at those of the environment."""
    openai, anthropic = read_upstreams((), NONE)
    assert (openai.origin, openai.path) == ("https://api.openai.com", "/v1")
    assert (anthropic.origin, anthropic.path) == ("https://api.anthropic.com", "")
    told = {"ANTHROPIC_BASE_URL": "http://gateway:8080/a/"}
    _openai, anthropic = read_upstreams((), told)
    assert (anthropic.origin, anthropic.path) == ("http://gateway:8080", "/a")


def test_an_upstream_has_its_own_path_and_variable() -> None:
    """Whatever its name is: SDKs are told where it stands at the proxy."""
    given = ["mistral-eu=https://api.mistral.ai/v1/", "openai=http://u:p@[::1]:1/x"]
    mistral, openai, _anthropic = read_upstreams(given, {})
    assert (mistral.variable, mistral.below) == (
        "MISTRAL_EU_BASE_URL",
        "/mistral-eu/v1",
    )
    assert (openai.origin, openai.below) == ("http://u:p@[::1]:1", "/openai/x")


FOR = [
    ("/openai/v1/chat/completions", {}, "openai", "/v1/chat/completions"),
    ("/anthropic/v1/models", {}, "anthropic", "/v1/models"),
    ("/mine/a%2Fb", {}, "mine", "/a%2Fb"),
    ("/mine", {}, "mine", ""),
    ("/v1/responses", {}, "openai", "/v1/responses"),
    ("/v1/messages/count_tokens", {}, "anthropic", "/v1/messages/count_tokens"),
    ("/v1/models", {}, "openai", "/v1/models"),
    ("/v1/models", {"anthropic-version": "x"}, "anthropic", "/v1/models"),
    ("/openai/v1/messages", {}, "openai", "/v1/messages"),
]


@pytest.mark.parametrize(("path", "headers", "name", "below"), FOR)
def test_a_request_is_for_one_service(
    path: str, headers: dict[str, str], name: str, below: str
) -> None:
    """That which its path names, or the vendor whose path it is."""
    upstreams = read_upstreams(["mine=http://x"], {})
    found, rest = found_in(upstreams, path, headers)
    assert (found.name, rest) == (name, below)


BAD = [
    (["openai"], "--upstream: expected NAME=URL, such as openai=https://api"),
    (["=http://x"], "--upstream: expected NAME=URL"),
    (["Open AI=http://x"], "--upstream: expected NAME=URL"),
    (
        ["openai=api.openai.com/v1"],
        "expected a URL with http:// or https:// and a host",
    ),
    (["openai=ftp://x"], "--upstream: expected a URL with http"),
    (["openai=http://"], "--upstream: expected a URL with http"),
    (["openai=http://x:99999"], "--upstream: expected a URL with http"),
    (["openai=http://[::1"], "--upstream: expected a URL with http"),
    (["openai=http://x/v1?key=1"], "and nothing behind its path"),
    (["openai=http://x/ a"], "--upstream: expected a URL with http"),
    (["a=http://x", "a=http://y"], "--upstream: a stands there twice: leave one away"),
]


@pytest.mark.parametrize(("given", "sentence"), BAD)
def test_a_bad_upstream_is_told(given: list[str], sentence: str) -> None:
    """In one sentence, with what was given."""
    with pytest.raises(UsageError) as error:
        read_upstreams(given, {})
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_bad_variable_of_the_environment_is_told() -> None:
    """By its name: nobody gave an option."""
    with pytest.raises(UsageError, match=r"^OPENAI_BASE_URL: expected a URL"):
        read_upstreams((), {"OPENAI_BASE_URL": "x"})
