"""Anthropic Messages through the real SDK in a simulation: loops, rules, counts, threads."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from anthropic.types import Message

from agentsim.core import Env, RequestFailed, RequestSent, ResponseReceived
from agentsim.faults import overloaded, rate_limited
from agentsim.providers import call, say, together
from agentsim.providers.anthropic import MESSAGES_STRICT
from agentsim.simulation import Agent, Menu, Run, Scenario, explore, run
from agentsim.world import Disk, Files
from tests.providers.anthropic.bodies import BAD, Bad, bad_name
from tests.providers.anthropic.parts import OLD, THINKS, USER, request
from tests.simulation.sdk.on_anthropic import (
    client_of,
    listed,
    listed_blocking,
    running,
    running_blocking,
    streamed,
    streamed_blocking,
    sync_client_of,
)

THOUGHT = {"type": "thinking", "thinking": "First I look.", "signature": "c2ln"}

STORY: dict[str, Any] = {
    "task": "Look, then note it down.",
    "script": [
        call("check_disk").but(blocks=(THOUGHT,)),
        together(
            call("write_file", path="note", content="half full"),
            call("check_disk"),
            text="I note it.",
        ),
        say("Noted."),
    ],
    "world": [Disk(used="50%"), Files()],
    "name": "messages",
}

BY_HAND = [listed, listed_blocking, streamed, streamed_blocking]

LOOPS = [*BY_HAND, running, running_blocking]


@pytest.mark.parametrize("agent", LOOPS)
def test_a_right_loop_on_messages_holds_every_invariant(agent: Agent) -> None:
    """Thinking, texts and calls reach the model again unchanged, in every form."""
    made = run(Scenario(**STORY), agent).expect_holds()
    assert made.value == "Noted."
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    assert {event.wire for event in sent} == {"anthropic-messages"}
    assert [len(event.messages) for event in sent][-3:] == [2, 4, 7]
    status = {judged.id: judged.status for judged in made.verdict.judgements}
    assert status["response-kept-whole"] == "holds"
    assert made.notes == ()


def test_all_forms_have_one_story() -> None:
    """The model is asked and answers the same, however the answer travels."""
    stories = []
    for agent in LOOPS:
        made = run(Scenario(**STORY), agent)
        stories.append(
            [
                (event.message, event.stop_reason, event.usage)
                for event in made.trace.events
                if isinstance(event, ResponseReceived)
            ]
        )
    assert all(story == stories[0] for story in stories)


@pytest.mark.parametrize("agent", LOOPS)
def test_the_sdk_waits_and_tries_again(agent: Agent) -> None:
    """Retries are the SDK's own, by the header, and cost virtual time only."""
    faults = [rate_limited(attempt=1, retry_after_s=30), overloaded(attempt=2)]
    made = run(Scenario(**STORY, faults=faults), agent).expect_holds()
    assert [event.status for event in failures(made)][-2:] == [429, 529]
    assert made.outcome.at_ns / 1e9 > 30


def failures(made: Run) -> list[RequestFailed]:
    """The requests that failed."""
    return [event for event in made.trace.events if isinstance(event, RequestFailed)]


@pytest.mark.slow
@pytest.mark.parametrize("agent", [listed, streamed])
def test_a_loop_outlives_cancellation_and_crash(agent: Agent) -> None:
    """Wherever they strike, what is sent stays a history that is taken."""
    menu = Menu(cancel=True, crash=True)
    found = explore(Scenario(**STORY), agent, menu=menu, deviations=1)
    assert found.complete
    assert [failure.text for failure in found.failures] == []


@pytest.mark.parametrize("agent", [running, running_blocking])
def test_the_tool_runner_is_told_to_send_all_and_does(agent: Agent) -> None:
    """It asks for a thread once; that is refused, and no rule counts as broken."""
    made = run(Scenario(**STORY), agent)
    (failed,) = failures(made)
    assert (failed.number, failed.status, failed.rule) == (1, 400, None)
    assert "Send the full conversation without `thread`" in failed.words


ASKS = Scenario(task="Go on.", script=[say("Done.")], name="refused")

SENT = [bad for bad in BAD if bad.profile == MESSAGES_STRICT and not bad.answer]
"""What the default profile refuses of a first request."""

CLASSES = {400: anthropic.BadRequestError, 404: anthropic.NotFoundError}


async def post(client: anthropic.AsyncAnthropic, bad: Bad) -> None:
    """Send a bad request as it is, by the version that it names, or by none."""
    version: Any = anthropic.Omit() if bad.version is None else bad.version
    options: Any = {"headers": {"anthropic-version": version}}
    await client.post("/v1/messages", body=bad.body, cast_to=Message, options=options)


def check(bad: Bad, error: anthropic.APIStatusError) -> None:
    """Compare an exception of the SDK with what the service says."""
    assert type(error) is CLASSES[bad.status]
    found = (error.status_code, error.type, error.error_code)
    assert found == (bad.status, bad.kind, None)
    assert bad.phrase in error.body["error"]["message"]  # type: ignore[index]
    assert error.request_id is not None
    assert error.request_id.startswith("req_011C")
    assert error.body["request_id"] == error.request_id  # type: ignore[index]


def test_every_refusal_is_an_exception_of_the_sdk() -> None:
    """Class, status, type and key phrase are those of the service."""
    raised: list[anthropic.APIStatusError] = []

    async def agent(env: Env) -> str:
        client = client_of(env)
        for bad in SENT:
            try:
                await post(client, bad)
            except anthropic.APIStatusError as error:
                raised.append(error)
        last = await client.messages.create(**request(USER))
        return str(last.content[0].text)

    made = run(ASKS, agent)
    assert made.value == "Done."
    assert [event.rule for event in failures(made)] == [bad.rule for bad in SENT]
    for bad, error in zip(SENT, raised, strict=True):
        check(bad, error)


OTHER = [bad for bad in BAD if bad.profile != MESSAGES_STRICT and not bad.answer]


@pytest.mark.parametrize("bad", OTHER, ids=bad_name)
def test_what_hangs_on_a_profile_is_refused_with_it_on(bad: Bad) -> None:
    """A scenario says what its model takes, and which rules of 2024 count."""
    raised: list[anthropic.APIStatusError] = []

    async def agent(env: Env) -> None:
        try:
            await post(client_of(env), bad)
        except anthropic.APIStatusError as error:
            raised.append(error)

    profiles: dict[str, object] = {"anthropic-messages": bad.profile}
    made = run(Scenario(task="Go.", script=[say("x")], profiles=profiles), agent)
    assert [event.rule for event in failures(made)] == [bad.rule]
    check(bad, raised[0])


THINKS_FIRST = {
    **STORY,
    "script": [call("check_disk").but(blocks=(THOUGHT,)), say("Half full.")],
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"thinking": "Second I look."}, "latest assistant message cannot be modified"),
        ({"signature": "other"}, "Invalid `signature` in `thinking` block"),
    ],
    ids=["text", "signature"],
)
def test_thinking_that_comes_back_changed_is_refused(
    change: dict[str, str], words: str
) -> None:
    """The service knows what the model thought, in whichever client it comes back."""
    raised: list[anthropic.APIStatusError] = []

    async def agent(env: Env) -> None:
        asked = request({"role": "user", "content": env.task})
        message = await client_of(env).messages.create(**asked)
        thought, called = (block.to_dict() for block in message.content)
        told = {"type": "tool_result", "tool_use_id": called["id"], "content": "50%"}
        asked["messages"] += [
            {"role": "assistant", "content": [{**thought, **change}, called]},
            {"role": "user", "content": [told]},
        ]
        try:
            await client_of(env).messages.create(**asked)
        except anthropic.BadRequestError as error:
            raised.append(error)

    run(Scenario(**{**THINKS_FIRST, "exact": False}), agent)
    assert words in str(raised[0])


def test_a_loop_that_drops_thinking_is_refused_though_the_script_has_none() -> None:
    """With thinking of mode enabled the service thinks first, and wants that back."""

    async def agent(env: Env, *, whole: bool) -> object:
        asked = request({"role": "user", "content": env.task}, thinking=THINKS)
        message = await client_of(env).messages.create(**asked)
        said = [b.to_dict() for b in message.content if whole or b.type == "tool_use"]
        calls = [block for block in message.content if block.type == "tool_use"]
        told = {"type": "tool_result", "tool_use_id": calls[0].id, "content": "50%"}
        asked["messages"] += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": [told]},
        ]
        last = await client_of(env).messages.create(**asked)
        return last.content[-1].type

    async def keeping(env: Env) -> object:
        return await agent(env, whole=True)

    async def dropping(env: Env) -> None:
        with pytest.raises(anthropic.BadRequestError, match="Expected `thinking`"):
            await agent(env, whole=False)

    story = Scenario(**{**STORY, "script": [call("check_disk"), say("Half full.")]})
    assert run(story, keeping).value == "text"
    assert [event.rule for event in failures(run(story, dropping))] == [
        "thinking-missing"
    ]


def test_tokens_are_counted_by_the_sdk_and_nothing_of_it_is_traced() -> None:
    """The count is that of the answer's usage, and a bad history is refused."""
    counts: list[int] = []
    asked: Any = {"model": "claude", "messages": [USER]}

    async def awaiting(env: Env) -> None:
        client = client_of(env)
        counted = await client.messages.count_tokens(**asked)
        beta = await client.beta.messages.count_tokens(**asked)
        counts.extend([counted.input_tokens, beta.input_tokens])
        with pytest.raises(anthropic.BadRequestError, match="at least one message"):
            await client.messages.count_tokens(model="claude", messages=[])

    def blocking(env: Env) -> None:
        client = sync_client_of(env)
        counted = client.messages.count_tokens(**asked)
        answer = client.messages.create(**request(USER))
        counts.extend([counted.input_tokens, answer.usage.input_tokens])

    story = Scenario(task="Count.", script=[say("Done.")], exact=False)
    made = [run(story, awaiting), run(story, blocking)]
    sent = [
        sum(isinstance(event, RequestSent) for event in one.trace.events)
        for one in made
    ]
    assert (counts[-4:], sent) == ([1, 1, 1, 1], [0, 1])


def test_results_of_one_response_over_several_messages_are_noted() -> None:
    """The service merges them; the run says what the model learns from it."""

    async def agent(env: Env) -> None:
        asked = request({"role": "user", "content": env.task})
        message = await client_of(env).messages.create(**asked)
        asked["messages"].append({"role": "assistant", "content": message.content})
        for block in message.content:
            assert block.type == "tool_use"
            told = {"type": "tool_result", "tool_use_id": block.id, "content": "50%"}
            asked["messages"].append({"role": "user", "content": [told]})
        await client_of(env).messages.create(**asked)

    twice = together(call("check_disk"), call("check_disk"))
    story = Scenario(
        task="Look.", script=[twice, say("x")], world=[Disk()], exact=False
    )
    (note,) = run(story, agent).notes
    assert note.startswith("the results of one response went back in several messages")


def test_arguments_that_are_no_object_reach_the_client_as_the_wire_carries_them() -> (
    None
):
    """Plain an empty object, streamed the text; the trace has what was sent."""
    cut = call("check_disk").but(arguments='{"path": "no', stop_reason="max_tokens")

    async def plain(env: Env) -> object:
        message = await client_of(env).messages.create(**request(USER))
        return message.content[0].input

    async def pieces(env: Env) -> str:
        asked = {**request(USER), "stream": True}
        return "".join(
            [
                event.delta.partial_json
                async for event in await client_of(env).messages.create(**asked)
                if event.type == "content_block_delta"
            ]
        )

    seen = []
    story = Scenario(task="Go.", script=[cut], world=[Disk()], exact=False)
    for agent in (plain, pieces):
        made = run(story, agent)
        (got,) = (e for e in made.trace.events if isinstance(e, ResponseReceived))
        seen.append((made.value, got.message.tool_calls[0].arguments))
    assert seen == [({}, "{}"), ('{"path": "no', '{"path": "no')]


@pytest.mark.parametrize("version", [OLD, "2026-10-21"])
def test_sampling_hangs_on_the_version_of_the_client(version: str) -> None:
    """An SDK of the 1.x line takes a temperature; one of 2.x can only be made to."""
    statuses: list[int] = []

    async def agent(env: Env) -> None:
        headers = {"anthropic-version": version}
        client = client_of(env, default_headers=headers)
        try:
            await client.messages.create(
                **request(USER), extra_body={"temperature": 0.5}
            )
        except anthropic.BadRequestError as error:
            statuses.append(error.status_code)

    run(Scenario(task="Go.", script=[say("x")], exact=False), agent)
    assert statuses == ([] if version == OLD else [400])
