"""Requests of Chat Completions in the neutral form, and answers in that of the wire."""

import json
import math
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

from agentsim.core import (
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    Usage,
    assistant,
    user,
)
from agentsim.providers.openai import error_answer
from agentsim.providers.openai_chat import (
    ChatReader,
    completion_body,
    read_body,
)
from agentsim.providers.wires import WireRefusal


def body(*messages: object, **fields: Any) -> dict[str, Any]:
    """A request with these messages."""
    return {"model": "gpt", "messages": list(messages), **fields}


CALLS = [
    {
        "id": "call_1",
        "type": "function",
        "function": {"name": "look", "arguments": "{}"},
    }
]

ASKED = {"role": "user", "content": "hi"}
CALLING = {"role": "assistant", "content": None, "tool_calls": CALLS}
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": "seen"}


def test_a_growing_history_keeps_its_messages() -> None:
    """What was sent before stays the same objects, and a view of one list."""
    conversation = ChatReader()
    first = conversation.read(body(ASKED))
    second = conversation.read(body(*json.loads(json.dumps([ASKED, CALLING, TOLD]))))
    assert (first.refusal, second.refusal) == (None, None)
    assert second.request.messages[0] is first.request.messages[0]
    assert list(second.request.messages) == [
        user("hi"),
        assistant("", ToolCall("call_1", "look", "{}")),
        Message("tool", "seen", (), "call_1"),
    ]


def test_a_rewritten_history_keeps_what_stayed_and_is_judged_anew() -> None:
    """After a rewrite the common start is the same, and old verdicts are gone."""
    conversation = ChatReader()
    refused = conversation.read(body(ASKED, CALLING, ASKED))
    mended = conversation.read(body(ASKED, CALLING, TOLD))
    assert refused.refusal is not None
    assert mended.refusal is None
    assert mended.request.messages[1] is refused.request.messages[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (body(ASKED, n=1), body(ASKED, n=True)),
        (body(ASKED, logprobs=1), body(ASKED, logprobs=True)),
        (body({"role": "user", "content": 1}), body({"role": "user", "content": True})),
    ],
    ids=["refused", "taken", "message"],
)
def test_what_is_only_equal_is_judged_anew(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    """To Python 1 is True; to the service it is a number, whatever came before."""
    conversation = ChatReader()
    conversation.read(first)
    alone = ChatReader().read(second).refusal
    assert conversation.read(second).refusal == alone


@pytest.mark.parametrize(
    "number",
    [10**400, -(10**400), 3, "hot", True],
    ids=["huge", "hugely below", "too hot", "text", "boolean"],
)
def test_a_temperature_that_is_none_is_refused_and_can_be_judged(
    number: object,
) -> None:
    """Whatever was sent, what is recorded is a number that can be reckoned with."""
    asked = ChatReader().read(body(ASKED, temperature=number))
    assert asked.refusal is not None
    assert asked.refusal.param == "temperature"
    assert math.isfinite(asked.request.temperature)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"NaN"])
def test_a_body_that_is_no_json_object_is_refused(raw: bytes) -> None:
    """What can't be read is refused in the words of the service."""
    refusal = read_body(raw)
    assert isinstance(refusal, WireRefusal)
    assert (refusal.rule, refusal.status) == ("no-json", 400)
    assert ChatReader().read(refusal).refusal is refusal


def test_an_answer_is_a_completion() -> None:
    """The body has every field of the SDK's model, and says what the model said."""
    response = Response(
        assistant("", ToolCall("call_1", "look", "{}")), "tool_use", Usage(10, 5, 4)
    )
    written = completion_body(
        response, request=Request("gpt", ()), number=1, created=1_767_225_600
    )
    read = ChatCompletion.model_validate(written)
    assert read.choices[0].finish_reason == "tool_calls"
    assert read.usage is not None
    assert read.usage.prompt_tokens_details is not None
    assert read.usage.prompt_tokens_details.cached_tokens == 4
    assert len(written["id"]) == 38


def test_an_error_has_the_body_of_the_service() -> None:
    """All four keys are there, and the time to wait stands in a header."""
    error = ProviderError(
        "Rate limit reached", status=429, kind="tokens", retry_after_s=30.0
    )
    answer = error_answer(error, number=3)
    told = {"message": "Rate limit reached", "type": "tokens"}
    assert json.loads(answer.body) == {"error": {**told, "param": None, "code": None}}
    assert (answer.status, answer.headers["retry-after"]) == (429, "30")
