"""Responses through the real SDK in a simulation: loops, rules, streams that break."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import openai
import pytest
from openai.types.responses import Response

from agentsim.core import Env, RequestFailed, RequestSent, ResponseReceived
from agentsim.faults import rate_limited
from agentsim.providers import Reply, call, say, together
from agentsim.providers.openai_responses import STRICT_RESPONSES, ResponsesProfile
from agentsim.simulation import Agent, Menu, Run, Scenario, explore, run
from agentsim.world import Disk, Files
from tests.providers.openai_responses.bodies import BAD, TWICE, Bad, bad_name
from tests.providers.openai_responses.made import USER, request, told
from tests.providers.openai_responses.made import call as item_of_call
from tests.simulation.sdk.on_responses import (
    blocking,
    chained,
    interleaved,
    listed,
    streamed,
    streamed_blocking,
)

THOUGHT = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "First I look."}],
}

LOOKS = call("check_disk").but(blocks=(THOUGHT,))

STORY: dict[str, Any] = {
    "task": "Look, then note it down.",
    "script": [
        LOOKS,
        together(
            call("write_file", path="note", content="half full"),
            call("check_disk"),
            text="I note it.",
        ),
        say("Noted."),
    ],
    "world": [Disk(used="50%"), Files()],
    "name": "responses",
}

LOOPS = [listed, interleaved, blocking, chained, streamed, streamed_blocking]


@pytest.mark.parametrize("agent", LOOPS)
def test_a_right_loop_on_responses_holds_every_invariant(agent: Agent) -> None:
    """Reasoning, texts and calls reach the model again unchanged, in every form."""
    made = run(Scenario(**STORY), agent).expect_holds()
    assert made.value == "Noted."
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    assert [event.wire for event in sent] == ["openai-responses"] * 3
    assert [len(event.messages) for event in sent] == [2, 4, 7]
    status = {judged.id: judged.status for judged in made.verdict.judgements}
    assert status["response-kept-whole"] == "holds"


def test_all_forms_have_one_story() -> None:
    """The model is asked and answers the same, however the history travels."""
    stories = []
    for agent in LOOPS:
        made = run(Scenario(**STORY), agent)
        stories.append(
            [
                (event.message.content, event.message.tool_calls, event.usage)
                for event in made.trace.events
                if isinstance(event, ResponseReceived)
            ]
        )
    assert all(story == stories[0] for story in stories)


@pytest.mark.parametrize("agent", LOOPS)
def test_the_sdk_waits_and_tries_again(agent: Agent) -> None:
    """Retries are the SDK's own, and cost virtual time only."""
    faults = [rate_limited(attempt=1, retry_after_s=30)]
    made = run(Scenario(**STORY, faults=faults), agent).expect_holds()
    assert made.outcome.at_ns / 1e9 > 30


def failures(made: Run) -> list[RequestFailed]:
    """The requests that failed."""
    return [event for event in made.trace.events if isinstance(event, RequestFailed)]


@pytest.mark.slow
@pytest.mark.parametrize("agent", [chained, listed])
def test_a_loop_outlives_cancellation_and_crash(agent: Agent) -> None:
    """Wherever they strike, what is stored and sent stays a history that is taken."""
    menu = Menu(cancel=True, crash=True)
    found = explore(Scenario(**STORY), agent, menu=menu, deviations=1)
    assert found.complete
    assert [failure.text for failure in found.failures] == []


ASKS = Scenario(task="Go on.", script=[say("Done.")], name="refused")

SENT = [
    bad
    for bad in BAD
    if bad.profile == STRICT_RESPONSES
    and bad.before is None
    and bad.rule != "output-length"
]
"""What the default profile refuses of a first request, but for ten megabytes."""

CLASSES = {400: openai.BadRequestError, 404: openai.NotFoundError}


def test_every_refusal_is_an_exception_of_the_sdk() -> None:
    """Class, status, type, code, param and key phrase are those of the service."""
    raised: list[openai.APIStatusError] = []

    async def agent(env: Env) -> str:
        client = env.openai()
        for bad in SENT:
            try:
                await client.post("/responses", body=bad.body, cast_to=Response)
            except openai.APIStatusError as error:
                raised.append(error)
        last: Response = await client.responses.create(**request(USER))
        return last.output_text

    made = run(ASKS, agent)
    assert made.value == "Done."
    assert [event.rule for event in failures(made)] == [bad.rule for bad in SENT]
    for bad, error in zip(SENT, raised, strict=True):
        check(bad, error)


def check(bad: Bad, error: openai.APIStatusError) -> None:
    """Compare an exception of the SDK with what the service says."""
    assert type(error) is CLASSES[bad.status]
    found = (error.status_code, error.type, error.param, error.code)
    assert found == (bad.status, "invalid_request_error", bad.param, bad.code)
    assert bad.phrase in error.message


OTHER = [bad for bad in BAD if bad.profile != STRICT_RESPONSES and bad.before is None]


@pytest.mark.parametrize("bad", OTHER, ids=bad_name)
def test_what_hangs_on_a_profile_is_refused_with_it_on(bad: Bad) -> None:
    """A scenario says what its model takes, and which doubtful rules count."""
    raised: list[openai.APIStatusError] = []

    async def agent(env: Env) -> None:
        try:
            await env.openai().responses.create(**bad.body)
        except openai.APIStatusError as error:
            raised.append(error)

    profiles: dict[str, object] = {"openai-responses": bad.profile}
    made = run(Scenario(task="Go.", script=[say("x")], profiles=profiles), agent)
    assert [event.rule for event in failures(made)] == [bad.rule]
    check(bad, raised[0])


Ask = Callable[..., Awaitable[Response]]


def refused(
    *replies: Reply,
    then: Callable[[Ask, Response], Awaitable[object]],
    **first: Any,
) -> openai.APIStatusError:
    """The exception that a second request raises, which hangs on the first answer."""
    raised: list[openai.APIStatusError] = []

    async def agent(env: Env) -> None:
        async def ask(*items: object, **fields: Any) -> Response:
            # A new client each time: what is stored is the service's, not a client's.
            body = request(*items, **fields)
            made: Response = await env.openai().responses.create(**body)
            return made

        try:
            await then(ask, await ask(USER, **first))
        except openai.APIStatusError as error:
            raised.append(error)

    script = [*replies, say("Done.")]
    story = Scenario(task="Go.", script=script, world=[Disk()], exact=False)
    made = run(story, agent)
    assert [event.status for event in failures(made)] == [raised[0].status_code]
    return raised[0]


def test_a_call_without_the_reasoning_that_came_with_it_is_refused() -> None:
    """The id of the call tells the service what is missing."""

    async def then(ask: Ask, response: Response) -> object:
        asked = response.output[1].to_dict()
        return await ask(USER, asked, told(str(asked["call_id"])))

    error = refused(LOOKS, then=then)
    assert "of type 'function_call' was provided without its required" in error.message
    assert "'reasoning' item: 'rs_" in error.message


def test_reasoning_without_the_call_that_it_came_with_is_refused() -> None:
    """An item of reasoning is followed by its own."""

    async def then(ask: Ask, response: Response) -> object:
        return await ask(USER, response.output[0].to_dict(), USER)

    error = refused(LOOKS, then=then)
    assert "provided without its required following item" in error.message


def test_reasoning_that_is_neither_stored_nor_encrypted_is_not_found() -> None:
    """Without `store` the client must ask for what is encrypted, and send it back."""

    async def then(ask: Ask, response: Response) -> object:
        echo = [item.to_dict() for item in response.output]
        return await ask(USER, *echo, told("call_1"), store=False)

    error = refused(LOOKS, then=then, store=False)
    assert type(error) is openai.NotFoundError
    assert "Items are not persisted when `store` is set to false" in error.message


def test_what_a_response_before_holds_can_not_be_sent_again() -> None:
    """A chain has all items; a replayed one stands there twice."""

    async def then(ask: Ask, response: Response) -> object:
        echo = [item.to_dict() for item in response.output]
        return await ask(*echo, told("call_1"), previous_response_id=response.id)

    assert "Duplicate item found with id rs_" in refused(LOOKS, then=then).message


def test_a_call_of_the_response_before_must_be_answered() -> None:
    """A user who speaks in between does not make it undone."""

    async def then(ask: Ask, response: Response) -> object:
        return await ask(USER, previous_response_id=response.id)

    error = refused(LOOKS, then=then)
    assert "No tool output found for function call call_1." in error.message


def test_a_response_that_is_not_stored_is_none_to_go_on_from() -> None:
    """Neither with `store: false`, nor after it was deleted."""

    async def then(ask: Ask, response: Response) -> object:
        return await ask(USER, previous_response_id=response.id)

    error = refused(say("Hello."), then=then, store=False)
    assert error.code == "previous_response_not_found"


def test_stored_responses_are_read_counted_and_deleted() -> None:
    """The SDK's own methods, beside those that ask the model; nothing of them is traced."""
    seen: list[Any] = []

    async def agent(env: Env) -> None:
        client = env.openai()
        counted = await client.responses.input_tokens.count(model="gpt", input="hi")
        made = await client.responses.create(model="gpt", input="hi")
        again = await client.responses.retrieve(made.id)
        items = await client.responses.input_items.list(made.id)
        await client.responses.delete(made.id)
        seen.extend([counted.input_tokens, again.output_text, len(items.data)])
        assert made.usage is not None
        assert made.usage.input_tokens == counted.input_tokens
        with pytest.raises(openai.NotFoundError, match="not found"):
            await client.responses.retrieve(made.id)
        with pytest.raises(openai.BadRequestError, match="Unknown parameter"):
            await client.responses.input_tokens.count(
                model="gpt", input="hi", extra_body={"temperature": 1}
            )

    made = run(ASKS, agent)
    assert seen == [1, "Done.", 1]
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    assert len(sent) == 1


def test_two_outputs_of_one_call_are_refused_where_that_rule_is_on() -> None:
    """It is the one rule that is off by default."""
    body = request(USER, item_of_call(), told(), told())

    async def agent(env: Env) -> str:
        made: Response = await env.openai().responses.create(**body)
        return made.output_text

    assert run(ASKS, agent).value == "Done."
    strict: dict[str, object] = {"openai-responses": TWICE}
    made = run(Scenario(task="Go.", script=[say("x")], profiles=strict), agent)
    assert [event.rule for event in failures(made)] == ["answered-twice"]
    assert ResponsesProfile() == TWICE
