"""Which exchanges of a cassette are of one conversation, and what was said in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.cassettes import RecordedAnswer, RecordedRequest
from agentsim.cassettes.conversations import conversations_of, hear
from agentsim.core import (
    Message,
    Response,
    ToolCall,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from tests.support.sessions import WIRES, answered, cassette, refused

TASK = [system("Be brief."), user("How is the weather?")]

ASKED = Response(
    assistant("", ToolCall("call_a", "weather", '{"city": "Rome"}')),
    "tool_use",
    Usage(20, 5),
)

RESULT = tool_result("call_a", "sunny")

DONE = Response(assistant("It is sunny."), usage=Usage(30, 6))


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("times_ms", [None, (10.0, 20.0)], ids=["plain", "streamed"])
def test_a_conversation_is_all_that_was_said(
    wire: str, times_ms: tuple[float, ...] | None
) -> None:
    """Each answer goes on from the last one, on every wire, streamed or not."""
    more = [*TASK, ASKED.message, RESULT]
    made = cassette(
        answered(1, wire, TASK, ASKED, times_ms=times_ms),
        answered(2, wire, more, DONE, times_ms=times_ms),
    )
    [found] = conversations_of(made)
    assert [one.exchange.number for one in found.answered] == [1, 2]
    assert [one.message.role for one in found.spoken] == [
        *("user", "assistant", "tool", "assistant")
    ]
    assert [one.heard is not None for one in found.spoken] == [False, True, False, True]
    assert found.spoken[1].message.tool_calls == ASKED.message.tool_calls
    assert found.answered[0].prompt == "Be brief."


def test_a_chain_of_responses_is_read_with_what_the_service_held() -> None:
    """Where a request names the response before, its history is that one's and more."""
    wire = "openai-responses"
    first = answered(1, wire, TASK, ASKED)
    held = hear(cassette(first))[0].exchange.answer.body
    chained = {"previous_response_id": held.split('"id": "')[1].split('"')[0]}
    second = answered(2, wire, [RESULT], DONE, body=chained)
    [found] = conversations_of(cassette(first, second))
    assert [one.message.content for one in found.spoken] == [
        *("How is the weather?", "", "sunny", "It is sunny.")
    ]
    assert conversations_of(cassette(second))[0].spoken[0].message.role == "tool"


def test_conversations_that_begin_otherwise_are_several() -> None:
    """Sub-agents and branches have conversations of their own, by their first request."""
    wire = "openai-chat"
    more = [*TASK, ASKED.message, RESULT]
    other = [*TASK, ASKED.message, tool_result("call_a", "rain"), user("Sure?")]
    made = cassette(
        answered(1, wire, TASK, ASKED),
        answered(2, wire, [user("Another one.")], DONE),
        answered(3, wire, other, DONE),
        answered(4, wire, more, DONE),
    )
    numbers = [
        [one.exchange.number for one in found.answered]
        for found in conversations_of(made)
    ]
    assert sorted(numbers) == [[1, 3], [1, 4], [2]]


def test_what_failed_is_told_beside_its_conversation() -> None:
    """Errors, lost answers and streams that broke off are none of what was said."""
    wire = "openai-chat"
    more = [*TASK, ASKED.message, RESULT]
    cut = answered(4, wire, more, DONE, times_ms=(1.0, 2.0, 3.0))
    assert cut.answer.chunks is not None
    cut = replace(cut, answer=replace(cut.answer, chunks=cut.answer.chunks[:1]))
    made = cassette(
        refused(1, wire, TASK),
        answered(2, wire, TASK, ASKED),
        refused(3, wire, more, None),
        cut,
        answered(5, wire, more, DONE),
        refused(6, wire, [user("Else?")], 500),
    )
    [found] = conversations_of(made)
    assert [one.exchange.number for one in found.answered] == [2, 5]
    assert [one.exchange.number for one in found.failed] == [1, 3, 4]
    assert conversations_of(cassette(refused(1, wire, TASK))) == ()


def test_an_answer_that_was_asked_for_again_is_none_of_what_was_said() -> None:
    """A request that is sent twice is one step: the answer counts that was gone on from."""
    wire = "openai-chat"
    more = [*TASK, ASKED.message, RESULT]
    made = cassette(
        answered(1, wire, TASK, Response(assistant("Well."))),
        answered(2, wire, TASK, ASKED),
        answered(3, wire, more, DONE),
    )
    [found] = conversations_of(made)
    assert [one.exchange.number for one in found.answered] == [2, 3]
    assert [one.exchange.number for one in found.failed] == [1]


def test_what_asks_no_model_is_not_heard() -> None:
    """Counts of tokens, wires that nobody knows, and what is no JSON, are left out."""
    one = answered(1, "anthropic-messages", TASK, DONE)
    count = replace(
        one,
        number=2,
        request=replace(one.request, url="https://x/v1/messages/count_tokens?beta=1"),
    )
    odd = [
        replace(one, wire="smoke-signals"),
        replace(one, wire="neutral"),
        replace(one, request=RecordedRequest(body="hello")),
        replace(one, request=RecordedRequest(body="[]")),
    ]
    assert hear(cassette(count, *odd)) == ()
    for answer in ('{"id": 1}', "oops", "[]"):
        [heard] = hear(cassette(replace(one, answer=RecordedAnswer(body=answer))))
        assert heard.response is None
    neutral = answered(1, "neutral", TASK, DONE)
    [heard] = hear(cassette(replace(neutral, answer=RecordedAnswer(body="oops"))))
    assert heard.response is None


def test_an_answer_that_was_written_anew_is_followed() -> None:
    """A history may have another text where an answer stood, or leave it out."""
    wire = "openai-chat"
    for sent in ([assistant("Sunny.")], []):
        more: list[Message] = [*TASK, *sent, user("Thanks.")]
        [found] = conversations_of(
            cassette(answered(1, wire, TASK, DONE), answered(2, wire, more, DONE))
        )
        assert [one.message.content for one in found.spoken] == [
            *("How is the weather?", "It is sunny.", "Thanks.", "It is sunny.")
        ]


@pytest.mark.parametrize(
    ("told", "temperature"), [(0.5, 0.5), (3, None), (True, None), ("hot", None)]
)
def test_the_temperature_is_what_the_request_has(
    told: object, temperature: float | None
) -> None:
    """None where there is none, or none that makes sense."""
    made = answered(1, "openai-chat", TASK, DONE, body={"temperature": told})
    assert hear(cassette(made))[0].temperature == temperature
