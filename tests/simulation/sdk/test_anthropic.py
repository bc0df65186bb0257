"""Clients of the Anthropic SDK that an agent is given, in virtual time."""

from __future__ import annotations

import sys
from typing import Any
from unittest.mock import patch

import anthropic
import httpx2
import pytest

from agentsim.core import Env, RequestSent, UsageError
from agentsim.faults import Fault, overloaded, rate_limited, server_error
from agentsim.providers import say
from agentsim.simulation import Agent, Run, Scenario, run

ASKED: Any = {
    "model": "a-model",
    "max_tokens": 99,
    "messages": [{"role": "user", "content": "Hi"}],
}


def asking(**fields: Any) -> Scenario:
    """Somebody says hello, and the model answers."""
    told: dict[str, Any] = {"task": "Say hello.", "script": [say("Hello.")]}
    return Scenario(**{**told, "exact": False, "name": "asking", **fields})


def text(message: Any) -> str:  # noqa: ANN401 - of the SDK
    """What a message says."""
    return "".join(block.text for block in message.content if block.type == "text")


def twins(**options: Any) -> list[Agent]:
    """An async agent and a synchronous one that ask once on a client with options."""

    async def awaiting(env: Env) -> str:
        return text(await env.anthropic(**options).messages.create(**ASKED))

    def blocking(env: Env) -> str:
        return text(env.anthropic_sync(**options).messages.create(**ASKED))

    return [awaiting, blocking]


def seconds(made: Run) -> list[float]:
    """When requests were sent."""
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    return [event.at_ns / 1e9 for event in sent]


def test_options_pass_through() -> None:
    """What a client takes it is given, with a key and a base URL unless there are some."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        plain, given = env.anthropic(), env.anthropic(auth_token="t", max_retries=5)
        seen.extend([plain.api_key, str(plain.base_url), plain.max_retries])
        seen.extend([given.auth_token, given.max_retries])

    run(asking(), agent)
    assert seen == ["sk-simulated", "https://api.anthropic.com", 2, "t", 5]


@pytest.mark.parametrize("agent", twins(base_url="http://models.example:8000"))
def test_any_base_url_of_ones_own_reaches_the_model(agent: Agent) -> None:
    """The SDK adds /v1 itself."""
    made = run(asking(), agent)
    assert made.value == "Hello."


@pytest.mark.parametrize("agent", twins(base_url="https://api.anthropic.com/v1"))
def test_a_version_twice_is_not_found(agent: Agent) -> None:
    """As in production, in the form of the vendor."""
    made = run(asking(), agent)
    assert "NotFoundError: Error code: 404" in (made.outcome.error or "")
    assert "not_found_error" in (made.outcome.error or "")


@pytest.mark.parametrize("agent", twins())
@pytest.mark.parametrize("asked_s", [0.25, 30, 121, 3600])
def test_the_sdk_waits_as_long_as_it_is_asked_to(agent: Agent, asked_s: float) -> None:
    """An hour too, in virtual time."""
    made = run(asking(faults=[rate_limited(attempt=1, retry_after_s=asked_s)]), agent)
    assert made.value == "Hello."
    assert seconds(made) == [0, 1 + asked_s]


@pytest.mark.parametrize("agent", twins())
@pytest.mark.parametrize("fault", [server_error, overloaded])
def test_the_sdk_backs_off_and_tries_again(agent: Agent, fault: Fault) -> None:
    """By its own formula, which has jitter, and the same in each run."""
    first, second = (run(asking(faults=[fault(attempt=1)]), agent) for _ in range(2))
    assert first.value == "Hello."
    assert 0.375 <= seconds(first)[1] - 1 <= 0.5
    assert seconds(first) == seconds(second)


@pytest.mark.parametrize("agent", twins(max_retries=0))
def test_an_error_of_the_service_is_the_class_of_the_sdk(agent: Agent) -> None:
    """With its own status."""
    made = run(asking(faults=[overloaded()]), agent)
    assert "OverloadedError: Error code: 529" in (made.outcome.error or "")


@pytest.mark.parametrize("option", ["credentials", "config", "profile"])
def test_an_option_that_leads_outside_is_refused(option: str) -> None:
    """The error says where it leads, and ends the run."""

    async def agent(env: Env) -> None:
        env.anthropic(**{option: "mine"})

    with pytest.raises(UsageError, match=rf"env\.anthropic: the option {option} leads"):
        run(asking(), agent)


def test_an_http_client_of_ones_own_is_refused() -> None:
    """It would reach the network; one of the environment is taken."""

    async def agent(env: Env) -> str:
        inside = env.anthropic(http_client=env.http_client("httpx2"))
        said = text(await inside.messages.create(**ASKED))
        assert said == "Hello."
        async with httpx2.AsyncClient() as outside:
            env.anthropic(http_client=outside)
        return said

    with pytest.raises(UsageError, match=r"http_client would reach the network"):
        run(asking(), agent)


@pytest.mark.parametrize("agent", twins())
def test_without_the_sdk_the_error_says_what_to_install(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK is no dependency of agentsim."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(UsageError, match=r"Anthropic SDK is not installed .*\[sdk\]"):
        run(asking(), agent)


def test_a_loop_that_makes_its_client_itself_gets_one() -> None:
    """Where the class is patched by the method of the environment."""

    async def loop() -> str:
        client = anthropic.AsyncAnthropic()
        return text(await client.messages.create(**ASKED))

    async def agent(env: Env) -> str:
        with patch.object(anthropic, "AsyncAnthropic", env.anthropic):
            return await loop()

    made = run(asking(), agent)
    assert made.value == "Hello."
