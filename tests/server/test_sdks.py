"""Real SDKs over HTTP: the same results and the same traces as in process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest

from agentsim.core import Env, Event, Outcome, RequestSent, ResponseReceived
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario, run
from agentsim.world import Disk
from tests.server.programs import DISK
from tests.server.talks import TALKS, Talk, aheld, held


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    """One server for all tests here; each takes a run of its own."""
    with Serving(DISK) as serving:
        yield serving


def in_process(talk: Talk, *, streamed: bool) -> tuple[str, list[Event]]:
    """What a conversation comes to in a simulation: what was said, and the events."""

    async def agent(env: Env) -> str:
        url = f"https://api.{talk.sdk}.com"
        client = talk.aclient(url, "any", http_client=env.http_client())
        client._platform = "Unknown"  # else a process is asked
        return await aheld(talk, client, streamed=streamed)

    made = run(DISK, agent)
    return str(made.value), witnessed(made.trace.events)


def witnessed(events: Any) -> list[Event]:  # noqa: ANN401
    """All events but the last, of which a server knows less."""
    return [event for event in events if not isinstance(event, Outcome)]


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("wire", TALKS)
@pytest.mark.slow
def test_a_conversation_over_http_is_as_in_process(
    server: Serving, wire: str, *, streamed: bool
) -> None:
    """Sync and async clients get the same answers, and leave the same events."""
    talk = TALKS[wire]
    said, events = in_process(talk, streamed=streamed)
    assert said == "Freed 20 GB."
    name = f"{wire}-{streamed}"
    with talk.client(server.url, f"agentsim-{name}-sync") as client:
        assert held(talk, client, streamed=streamed) == said

    async def converse() -> str:
        async with talk.aclient(server.url, f"agentsim-{name}-async") as client:
            return await aheld(talk, client, streamed=streamed)

    assert asyncio.run(converse()) == said
    for kind in ("sync", "async"):
        found = server.verdict(f"{name}-{kind}")
        assert witnessed(found.trace.events) == events
        assert found.word == "holds"


def client(server: Serving, name: str, **options: Any) -> openai.OpenAI:
    """A client whose requests belong to one run."""
    key = f"agentsim-{name}"
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, **options)


IMPATIENT = httpx2.Timeout(10, read=0.5)
"""Half a second for an answer; what a busy machine needs to connect is not counted."""

ONE = Scenario("Go.", [say("Done, and that is all.")], world=[Disk()])


def struck(*faults: str) -> Scenario:
    """A scenario whose one reply is struck."""
    return Scenario(ONE.task, ONE.script, world=ONE.world, faults=faults)


def ask(serving: Serving, **options: Any) -> str:
    """One question by Chat Completions."""
    with client(serving, "asks", **options) as made:
        completion = made.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Go."}]
        )
    return str(completion.choices[0].message.content)


@pytest.mark.slow
def test_a_lost_connection_is_retried_by_the_sdk() -> None:
    """The SDK's own retries meet it as they would in production."""
    with Serving(struck("connection_lost@1")) as serving:
        assert ask(serving, max_retries=1) == "Done, and that is all."
        found = serving.verdict("asks")
        assert len(found.trace.of(RequestSent)) == 2
        assert found.word == "holds"
    with (
        Serving(struck("connection_lost")) as serving,
        pytest.raises(openai.APIConnectionError),
    ):
        ask(serving, max_retries=0)


@pytest.mark.slow
def test_a_model_that_hangs_is_given_up_by_the_client() -> None:
    """Only its own time-out ends the wait, and the trace tells that it went away."""
    with Serving(struck("model_hangs@1")) as serving:
        with pytest.raises(openai.APITimeoutError):
            ask(serving, max_retries=0, timeout=IMPATIENT)
        assert ask(serving, max_retries=0) == "Done, and that is all."
        kinds = [event.kind for event in serving.verdict("asks").trace.events]
        assert kinds == [
            "incarnation_started",
            "request",
            "fault",
            "request_failed",
            "request",
            "response",
            "outcome",
        ]


def test_a_script_that_ran_out_is_an_error_that_no_sdk_retries() -> None:
    """One request is sent, and its error says what to do."""
    with Serving(ONE) as serving, client(serving, "out") as made:
        messages: list[Any] = [{"role": "user", "content": "Go."}]
        messages.append({"role": "assistant", "content": "Done, and that is all."})
        messages.append({"role": "user", "content": "And?"})
        made.chat.completions.create(model="m", messages=messages[:1])
        with pytest.raises(openai.BadRequestError, match="the script ran out"):
            made.chat.completions.create(model="m", messages=messages)
        assert serving.verdict("out").word == "usage"


@pytest.mark.slow
def test_answers_may_take_their_time() -> None:
    """With real latency a client that waits less than the script says gives up."""
    slow = Scenario("Go.", [say("Done.").but(latency_s=3600)], world=[Disk()])
    with Serving(slow, real=True) as serving, pytest.raises(openai.APITimeoutError):
        ask(serving, max_retries=0, timeout=IMPATIENT)
    with Serving(slow) as serving:
        assert ask(serving, max_retries=0) == "Done."
        [response] = serving.verdict("asks").trace.of(ResponseReceived)
        assert response.at_ns == 3600 * 10**9
    soon = Scenario("Go.", [say("Done.").but(latency_s=0.01)], world=[Disk()])
    with Serving(soon, real=True) as serving:
        assert ask(serving, max_retries=0) == "Done."


@pytest.mark.slow
def test_sdks_ask_again_at_once_after_an_error() -> None:
    """What a service says of a wait is there to be read, and costs no real time."""
    with Serving(struck("rate_limited=30@1")) as serving, client(serving, "w") as made:
        raw = made.with_options(max_retries=0).chat.completions.with_raw_response
        with pytest.raises(openai.RateLimitError) as caught:
            raw.create(model="m", messages=[{"role": "user", "content": "Go."}])
        headers = caught.value.response.headers
        assert (headers["retry-after"], headers["retry-after-ms"]) == ("30", "1")
    with Serving(struck("rate_limited=30@1")) as serving:
        assert ask(serving) == "Done, and that is all."
    with (
        Serving(struck("rate_limited@1"), real=True) as serving,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        ask(serving, max_retries=0)
    assert "retry-after-ms" not in caught.value.response.headers
