"""The rules of Chat Completions through the real SDK: its own exceptions tell of them."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from agentsim.core import (
    Env,
    Finished,
    RequestFailed,
    RunResult,
    Usage,
    assistant,
    user,
)
from agentsim.core import ToolCall as Called
from agentsim.providers import say
from agentsim.providers.openai_chat import STRICT, ChatProfile
from agentsim.simulation import Scenario, run
from tests.providers.openai_chat.bodies import BAD, USER, request

PATH = "/chat/completions"

PROFILES = list(dict.fromkeys(bad.profile for bad in BAD))
"""What services refuse by default, and each that says what its model does not take."""

SENT = [bad for bad in BAD if bad.profile == STRICT]
"""What the default profile refuses."""

CLASSES = {400: openai.BadRequestError, 404: openai.NotFoundError}

SCENARIO = Scenario(task="Go on.", script=[say("Done.")], name="refused")


@pytest.mark.parametrize("profile", PROFILES, ids=repr)
def test_every_refusal_is_an_exception_of_the_sdk(profile: ChatProfile) -> None:
    """Class, status, type, code, param and key phrase are those of the service."""
    sent = [bad for bad in BAD if bad.profile == profile]
    raised: list[openai.APIStatusError] = []

    async def agent(env: Env) -> None:
        client = env.openai()
        for bad in sent:
            try:
                await client.post(PATH, body=bad.body, cast_to=ChatCompletion)
            except openai.APIStatusError as error:
                raised.append(error)

    made = run(replace(SCENARIO, profiles={"openai-chat": profile}), agent)
    failed = [event for event in made.trace.events if isinstance(event, RequestFailed)]
    assert [event.rule for event in failed] == [bad.rule for bad in sent]
    for bad, error in zip(sent, raised, strict=True):
        assert type(error) is CLASSES[bad.status]
        found = (error.status_code, error.type, error.param, error.code)
        assert found == (bad.status, "invalid_request_error", bad.param, bad.code)
        assert bad.phrase in error.message


def test_a_client_goes_on_after_a_refusal() -> None:
    """What was refused is no part of what the next request is judged by."""

    async def agent(env: Env) -> str | None:
        client = env.openai()
        for bad in SENT[:3]:
            with contextlib.suppress(openai.BadRequestError):
                await client.post(PATH, body=bad.body, cast_to=ChatCompletion)
        answer = await client.chat.completions.create(**request(USER))
        return str(answer.choices[0].message.content)

    assert run(SCENARIO, agent).value == "Done."


def test_a_refused_request_is_a_finding_that_names_its_rule() -> None:
    """provider-accepts tells which rule of the wire a request broke."""
    orphan = next(bad for bad in SENT if bad.rule == "orphan")

    async def agent(env: Env) -> Finished:
        client = env.openai()
        try:
            await client.chat.completions.create(**orphan.body)
        except openai.BadRequestError:
            return Finished("failed", error="refused")
        return Finished("done", "never")

    made = run(SCENARIO, agent)
    (judged,) = [j for j in made.verdict.violated if j.id == "provider-accepts"]
    assert judged.violations[0].found == "status 400, rule orphan"


def test_a_body_that_is_no_json_is_refused() -> None:
    """What no SDK would send is refused too, and recorded."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        url = f"https://api.openai.com/v1{PATH}"
        answer = await env.http_client().post(url, content=b"{")
        seen.extend([answer.status_code, answer.json()["error"]["message"]])

    made = run(SCENARIO, agent)
    assert seen[0] == 400
    assert "We could not parse the JSON body of your request" in seen[1]
    assert [e.rule for e in made.trace.events if isinstance(e, RequestFailed)] == [
        "no-json"
    ]


def test_a_history_that_an_sdk_left_is_resumed_by_the_rules_of_its_wire() -> None:
    """The neutral rule that the user speaks first is none of this service."""

    def left_by(*calls: Called) -> RunResult:
        history = (assistant("Hello."), user("hi"), assistant("Done.", *calls))
        return RunResult("done", "Done.", None, 1, Usage(), (), history)

    async def agent(env: Env) -> RunResult:
        await env.openai().chat.completions.create(**request(USER))
        return left_by()

    async def open_call(env: Env) -> RunResult:
        await env.openai().chat.completions.create(**request(USER))
        return left_by(Called("call_1", "look"))

    accepted, refused = run(SCENARIO, agent), run(SCENARIO, open_call)
    status = {
        judged.id: judged.status
        for judged in accepted.verdict.judgements
        if judged.id == "resumable"
    }
    assert status == {"resumable": "holds"}
    assert "resumable" in [judged.id for judged in refused.verdict.violated]
