"""The clients of SDKs that an agent is given, and what becomes of their options."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import httpx
import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from agentsim.core import Env, Request, RequestFailed, RequestSent, UsageError, user
from agentsim.faults import (
    Fault,
    connection_lost,
    model_hangs,
    rate_limited,
    server_error,
)
from agentsim.providers import forever, say
from agentsim.providers.transports import HttpRequest, http_library
from agentsim.providers.wires import HttpAnswer
from agentsim.simulation import Agent, Run, Scenario, run

HELLO: Any = [{"role": "user", "content": "Hi"}]


def asking(**fields: Any) -> Scenario:
    """Somebody says hello, and the model answers."""
    told: dict[str, Any] = {"task": "Say hello.", "script": [say("Hello.")]}
    return Scenario(**{**told, "exact": False, "name": "asking", **fields})


async def hello(client: openai.AsyncOpenAI, **options: Any) -> str | None:
    """Ask once."""
    completion: ChatCompletion = await client.chat.completions.create(
        model="gpt-5", messages=HELLO, **options
    )
    return completion.choices[0].message.content


def hello_sync(client: openai.OpenAI, **options: Any) -> str | None:
    """The same, blocking."""
    completion: ChatCompletion = client.chat.completions.create(
        model="gpt-5", messages=HELLO, **options
    )
    return completion.choices[0].message.content


def twins(**options: Any) -> list[Agent]:
    """An async agent and a synchronous one that ask once on a client with options."""

    async def awaiting(env: Env) -> str | None:
        return await hello(env.openai(**options))

    def blocking(env: Env) -> str | None:
        return hello_sync(env.openai_sync(**options))

    return [awaiting, blocking]


def failures(made: Run) -> list[tuple[int | None, str]]:
    """Status and kind of the requests that failed."""
    failed = [event for event in made.trace.events if isinstance(event, RequestFailed)]
    return [(event.status, event.error) for event in failed]


def seconds(made: Run) -> list[float]:
    """When requests were sent."""
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    return [event.at_ns / 1e9 for event in sent]


# ------------------------------------------------------------------- options, libraries


def test_options_pass_through() -> None:
    """What a client takes it is given, with a key and a base URL unless there are some."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        plain, given = env.openai(), env.openai(api_key="k", max_retries=5, timeout=9)
        seen.extend([plain.api_key, str(plain.base_url), plain.max_retries])
        seen.extend([given.api_key, given.max_retries, given.timeout])

    run(asking(), agent)
    assert seen == ["sk-simulated", "https://api.openai.com/v1/", 2, "k", 5, 9]


@pytest.mark.parametrize("agent", twins(base_url="http://models.example:8000"))
def test_any_base_url_of_ones_own_reaches_the_model(agent: Agent) -> None:
    """With /v1 or without it."""
    assert run(asking(), agent).value == "Hello."


@pytest.mark.parametrize("agent", twins(base_url="https://api.openai.com"))
def test_the_host_of_openai_without_its_path_is_not_found(agent: Agent) -> None:
    """As in production, and a note says what is wrong with the base URL."""
    made = run(asking(), agent)
    assert "NotFoundError: Error code: 404" in (made.outcome.error or "")
    assert seconds(made) == []
    assert [note.partition(": ")[2] for note in made.notes] == [
        "OpenAI's base URL ends with /v1, Anthropic's does not"
    ]


@pytest.mark.parametrize("library", [None, "httpx2", "httpx"])
def test_an_sdk_takes_an_http_client_of_either_library(library: str | None) -> None:
    """Frameworks make the client of an SDK of one; so may an option."""
    kinds: list[type] = []

    async def awaiting(env: Env) -> str | None:
        client = env.http_client(library)
        kinds.append(type(client))
        return await hello(openai.AsyncOpenAI(api_key="k", http_client=client))

    def blocking(env: Env) -> str | None:
        client = env.http_client_sync(library)
        kinds.append(type(client))
        return hello_sync(env.openai_sync(http_client=client))

    assert run(asking(), awaiting).value == "Hello."
    assert run(asking(), blocking).value == "Hello."
    module: Any = httpx if library == "httpx" else httpx2
    assert kinds == [module.AsyncClient, module.Client]


def test_an_http_client_alone_reaches_the_model() -> None:
    """A loop that speaks HTTP itself needs no SDK."""

    async def agent(env: Env) -> str:
        async with env.http_client("httpx") as client:
            response = await client.post(
                "http://models.example/v1/chat/completions",
                json={"model": "m", "messages": HELLO},
            )
        return str(response.json()["choices"][0]["message"]["content"])

    assert run(asking(), agent).value == "Hello."


def test_all_clients_of_a_life_share_one_count_of_requests() -> None:
    """Each request is recorded once, whichever client sent it, with its wire."""

    async def agent(env: Env) -> None:
        await hello(env.openai())
        await env.client.complete(Request(env.model, [user("Hi")]))
        await hello(openai.AsyncOpenAI(api_key="k", http_client=env.http_client()))

    made = run(asking(script=[say("Hello."), say("Again."), say("Bye.")]), agent)
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    assert [(event.number, event.wire) for event in sent] == [
        (1, "openai-chat"),
        (2, ""),
        (3, "openai-chat"),
    ]


def test_models_cost_neither_time_nor_a_request() -> None:
    """The list has the model of the scenario."""

    async def agent(env: Env) -> str:
        client = env.openai()
        names = [model.id async for model in client.models.list()]
        return ",".join([*names, (await client.models.retrieve("gpt-5")).id])

    made = run(asking(model="gpt-5"), agent)
    assert made.value == "gpt-5,gpt-5"
    assert (seconds(made), made.outcome.at_ns) == ([], 0)


class Found(BaseModel):
    """What the model is asked to fill in."""

    disks: int


def test_every_form_of_a_plain_request_is_answered() -> None:
    """Raw and late-read responses, parsed ones, changed clients, and Azure's."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        client = env.openai()
        chat = client.chat.completions
        raw = await chat.with_raw_response.create(model="gpt-5", messages=HELLO)
        seen.append(raw.parse().choices[0].message.content)
        late = chat.with_streaming_response.create(model="gpt-5", messages=HELLO)
        async with late as response:
            body: Any = await response.json()
            seen.append(body["choices"][0]["message"]["content"])
        parsed = await chat.parse(model="gpt-5", messages=HELLO, response_format=Found)
        seen.append(parsed.choices[0].message.parsed)
        seen.append(await hello(client.with_options(timeout=3)))
        azure = openai.AsyncAzureOpenAI(
            api_key="k",
            api_version="2024-10-21",
            azure_endpoint="https://mine.openai.azure.com",
            http_client=env.http_client(),
        )
        seen.append(await hello(azure))

    text = '{"disks": 3}'
    made = run(asking(script=[forever(say(text))]), agent)
    assert made.outcome.ending == "returned"
    assert seen == [text, text, Found(disks=3), text, text]


# ------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"workload_identity": {}}, "option workload_identity leads out"),
        ({"provider": object()}, "option provider leads out"),
        ({"http_client": httpx2.BaseTransport()}, "env.http_client()"),
    ],
)
def test_options_that_lead_outside_are_refused_by_name(
    options: dict[str, Any], words: str
) -> None:
    """The run ends with the error, even where the agent swallows it."""

    async def swallowing(env: Env) -> str:
        try:
            env.openai(**options)
        except UsageError:
            return "never mind"
        return "no error"

    with pytest.raises(UsageError, match=r"env\.openai: the option") as caught:
        run(asking(), swallowing)
    assert words in str(caught.value)


@pytest.mark.parametrize("agent", twins())
def test_without_the_sdk_the_error_says_what_to_install(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK is no dependency of agentsim."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UsageError, match=r"pip install 'pytest-agentsim\[sdk\]'"):
        run(asking(), agent)


def test_an_unknown_library_is_refused() -> None:
    """The error names those that there are."""

    async def agent(env: Env) -> None:
        env.http_client("requests")

    with pytest.raises(UsageError, match=r"env.http_client: .* httpx2, httpx, got"):
        run(asking(), agent)


def test_a_blocking_client_on_the_loop_is_refused() -> None:
    """It would block the run for ever: the async client is named instead."""

    async def agent(env: Env) -> str | None:
        try:
            return hello_sync(env.openai_sync())
        except UsageError:
            return "never mind"

    with pytest.raises(UsageError, match=r"an async agent takes env.openai\(\)"):
        run(asking(), agent)


def test_a_blocking_client_is_used_on_a_thread_of_asyncio() -> None:
    """Frameworks run synchronous code there."""

    async def agent(env: Env) -> str | None:
        return await asyncio.to_thread(hello_sync, env.openai_sync())

    assert run(asking(), agent).value == "Hello."


@pytest.mark.parametrize("swallow", [False, True])
def test_another_api_of_the_sdk_ends_the_run_by_name(swallow: bool) -> None:
    """The agent never sees an answer that is not what it asked for."""

    async def agent(env: Env) -> None:
        try:
            await env.openai().embeddings.create(model="small", input="Hi")
        except Exception:
            if not swallow:
                raise

    with pytest.raises(UsageError, match=r"OpenAI's /embeddings .* has /v1/chat"):
        run(asking(), agent)

    def blocking(env: Env) -> None:
        env.openai_sync().embeddings.create(model="small", input="Hi")

    with pytest.raises(UsageError, match=r"POST /v1/embeddings"):
        run(asking(), blocking)


# --------------------------------------------------------------- failures and retries


@pytest.mark.parametrize("agent", twins())
def test_a_silent_service_is_given_up_after_the_read_timeout(agent: Agent) -> None:
    """Three attempts of 600 virtual seconds each, then the SDK's own error."""
    made = run(asking(faults=[model_hangs()]), agent)
    assert "APITimeoutError" in (made.outcome.error or "")
    assert failures(made) == [(None, "timeout")] * 3
    assert 1800 < made.outcome.at_ns / 1e9 < 1803


@pytest.mark.parametrize("agent", twins(timeout=2.5, max_retries=0))
def test_a_timeout_of_ones_own_is_kept_to_the_nanosecond(agent: Agent) -> None:
    """The request is given up then, and what became of it is not known."""
    made = run(asking(faults=[model_hangs()]), agent)
    failed = [event for event in made.trace.events if isinstance(event, RequestFailed)]
    assert [(event.at_ns, event.words, event.definite) for event in failed] == [
        (2_500_000_000, "no answer came within 2.5 seconds", False)
    ]


@pytest.mark.parametrize("agent", twins(timeout=None, max_retries=0))
def test_without_a_timeout_a_silent_service_is_a_deadlock(agent: Agent) -> None:
    """Nobody gives it up, in production either."""
    assert run(asking(faults=[model_hangs()]), agent).outcome.ending == "deadlock"


@pytest.mark.parametrize("agent", twins())
def test_a_lost_connection_is_tried_again(agent: Agent) -> None:
    """The SDK sees the error of its HTTP library, and waits less than a second."""
    made = run(asking(faults=[connection_lost(attempt=1)]), agent)
    assert (made.value, failures(made)) == ("Hello.", [(None, "connection_error")])
    first, second = seconds(made)
    assert 1.375 <= second - first <= 1.5


REFUSED_CONNECTION = Fault(
    "connection_refused_here",
    "model",
    "nobody listens",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="connection refused",
    error_kind="connection_error",
)


@pytest.mark.parametrize("agent", twins(max_retries=0))
def test_what_certainly_did_not_happen_is_a_connection_that_never_was(
    agent: Agent,
) -> None:
    """The cause of the SDK's error tells the two apart."""
    causes: list[object] = []

    async def looking(env: Env) -> None:
        for _ in range(2):
            try:
                await hello(env.openai(max_retries=0))
            except openai.APIConnectionError as error:
                causes.append(type(error.__cause__))

    faults = [REFUSED_CONNECTION(attempt=1), connection_lost(attempt=2)]
    run(asking(faults=faults), looking)
    assert causes == [httpx2.ConnectError, httpx2.ReadError]
    assert "APIConnectionError" in (
        run(asking(faults=[REFUSED_CONNECTION()]), agent).outcome.error or ""
    )


@pytest.mark.parametrize("agent", twins())
@pytest.mark.parametrize(("asked_s", "waited_s"), [(0.25, 0.25), (30, 30), (120, 120)])
def test_the_sdk_waits_as_long_as_it_is_asked_to(
    agent: Agent, asked_s: float, waited_s: float
) -> None:
    """To the nanosecond, for any status that it tries again."""
    for fault in (rate_limited, server_error):
        made = run(asking(faults=[fault(attempt=1, retry_after_s=asked_s)]), agent)
        assert seconds(made) == [0, 1 + waited_s]


@pytest.mark.parametrize("agent", twins())
def test_the_sdk_gives_up_what_asks_to_wait_too_long(agent: Agent) -> None:
    """Above two minutes it does not try again."""
    made = run(asking(faults=[rate_limited(retry_after_s=121)]), agent)
    assert "RateLimitError" in (made.outcome.error or "")
    assert len(seconds(made)) == 1


@pytest.mark.parametrize(
    "header",
    [
        {"retry-after-ms": "45000"},
        {"retry-after": "45"},
        {"retry-after": "Thu, 01 Jan 2026 00:00:45 GMT"},
    ],
)
def test_every_form_of_the_header_is_read_by_the_virtual_clock(
    header: dict[str, str],
) -> None:
    """Milliseconds, seconds, and a date, which is compared with the time of day."""
    at: list[float] = []

    async def agent(env: Env) -> None:
        async def refuse(_request: HttpRequest) -> HttpAnswer:
            at.append(asyncio.get_running_loop().time())
            return HttpAnswer(429, header, b"{}")

        client = env.openai(
            max_retries=1,
            http_client=http_library().client(refuse),
        )
        with pytest.raises(openai.RateLimitError):
            await hello(client)

    run(asking(script=[]), agent)
    assert at == [0, 45]


def test_an_error_of_the_sdk_tells_what_the_service_said() -> None:
    """Status, body, code and the id of the request arrive in its fields."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        try:
            await hello(env.openai(max_retries=0))
        except openai.RateLimitError as error:
            seen.extend([error.status_code, error.type, error.request_id])
            seen.append(error.response.headers["retry-after"])

    run(asking(faults=[rate_limited()]), agent)
    assert seen[:2] == [429, "requests"]
    assert seen[2].startswith("req_")
    assert seen[3] == "20"


def test_a_class_patched_by_the_client_of_a_run_gives_that_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loop that makes its client itself is tested by a patch of the SDK's class."""

    async def awaiting(env: Env) -> str | None:
        monkeypatch.setattr(openai, "AsyncOpenAI", env.openai)
        return await hello(openai.AsyncOpenAI(timeout=20))

    def blocking(env: Env) -> str | None:
        monkeypatch.setattr(openai, "OpenAI", env.openai_sync)
        return hello_sync(openai.OpenAI(timeout=20))

    for agent in (awaiting, blocking):
        for _ in range(2):  # the patch of the first run is still there in the second
            assert run(asking(), agent).expect_holds().value == "Hello."
