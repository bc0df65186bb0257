"""Answers of Anthropic Messages: plain, streamed, and errors in their place."""

import asyncio
import json
from typing import Any

import pytest
from anthropic.types import Message as SdkMessage
from hypothesis import given, settings

from agentsim.core import (
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    Usage,
    assistant,
)
from agentsim.providers.anthropic import MESSAGES, MessagesReader
from agentsim.providers.anthropic.conversation.reading import read_assistant
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.sse import frame_bytes
from tests.providers.anthropic.clients import async_client, canned, client
from tests.providers.anthropic.parts import (
    LOOK,
    THINKS,
    USER,
    request,
    result,
    said,
    told,
)
from tests.providers.anthropic.parts import call as called
from tests.providers.anthropic.strategies import RESPONSES, by_wire

ASKED = Request("claude-opus-4-8", ())


def answered(response: Response, **body: Any) -> Answered:
    """An answer to be written, to a request with such a body."""
    return Answered(response, ASKED, 7, 1_767_225_600, body)


def plain(response: Response, **body: Any) -> dict[str, Any]:
    """The body of an answer."""
    return MESSAGES.body(answered(response, **body))


@settings(max_examples=40)
@given(RESPONSES)
def test_a_response_comes_back_from_the_wire_as_it_was(response: Response) -> None:
    """Neutral to wire and back is the identity, and the SDK takes it strictly."""
    body = plain(response)
    if response.usage is not None:
        SdkMessage.model_validate(body, strict=True)
    read = MESSAGES.read_answer(by_wire(body))
    assert read.response == response
    assert read.body() == body


@settings(max_examples=40)
@given(RESPONSES)
def test_a_streamed_response_is_the_plain_one(response: Response) -> None:
    """The events put together are the body of the plain answer."""
    frames = MESSAGES.frames(answered(response))
    read = MESSAGES.read_frames(frames)
    assert read.response == response
    if response.usage is not None:
        assert read.body() == plain(response)
    assert "".join(frame.text for frame in frames) == response.message.content
    ends = [False] * (len(frames) - 2) + [True, False]
    assert [frame.ends for frame in frames] == ends
    assert all(frame.event == frame.data["type"] for frame in frames)  # type: ignore[index]


SAID = Response(
    Message(
        "assistant",
        "I look around.",
        (ToolCall("toolu_1", "look", '{"at": "the sea"}'), ToolCall("b", "look")),
        blocks=(
            {"type": "thinking", "thinking": "Where?", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
        ),
    ),
    "tool_use",
    Usage(3000, 40, 1024),
)


def test_a_stream_has_the_events_of_the_service() -> None:
    """Blocks one after the other, a ping, the signature last, first piece of JSON empty."""
    told_as = []
    for frame in MESSAGES.frames(answered(SAID)):
        assert isinstance(frame.data, dict)
        delta = frame.data.get("delta", {})
        told_as.append((frame.event, frame.data.get("index"), delta.get("type")))
    delta = "content_block_delta"
    assert told_as == [
        ("message_start", None, None),
        ("content_block_start", 0, None),
        ("ping", None, None),
        (delta, 0, "thinking_delta"),
        (delta, 0, "signature_delta"),
        ("content_block_stop", 0, None),
        ("content_block_start", 1, None),
        ("content_block_stop", 1, None),
        ("content_block_start", 2, None),
        (delta, 2, "text_delta"),
        ("content_block_stop", 2, None),
        ("content_block_start", 3, None),
        (delta, 3, "input_json_delta"),
        (delta, 3, "input_json_delta"),
        (delta, 3, "input_json_delta"),
        ("content_block_stop", 3, None),
        ("content_block_start", 4, None),
        (delta, 4, "input_json_delta"),
        ("content_block_stop", 4, None),
        ("message_delta", None, None),
        ("message_stop", None, None),
    ]


def test_pieces_of_arguments_say_whose_they_are() -> None:
    """The first is empty, as with the service; each names the call that it is of."""
    pieces = [
        (frame.call, frame.data["delta"]["partial_json"])  # type: ignore[index]
        for frame in MESSAGES.frames(answered(SAID))
        if frame.call is not None and frame.event == "content_block_delta"
    ]
    assert [call for call, _piece in pieces] == [0, 0, 0, 1]
    assert [piece for _call, piece in pieces] == ["", '{"at": "the sea"', "}", ""]


def test_counts_exclude_the_cache_and_are_of_the_whole_at_the_end() -> None:
    """The start of a stream has a placeholder, its end the counts of the answer."""
    usage = plain(SAID)["usage"]
    counts = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    assert [usage[key] for key in counts] == [1976, 1024, 40]
    assert usage["output_tokens_details"] == {"thinking_tokens": 2}
    first, *_rest, last, _stop = MESSAGES.frames(answered(SAID))
    assert isinstance(first.data, dict)
    assert isinstance(last.data, dict)
    begun, ended = first.data["message"]["usage"], last.data["usage"]
    assert [begun[key] for key in counts] == [1976, 1024, 1]
    assert [ended[key] for key in counts] == [1976, 1024, 40]


REASONS = {
    "end_turn": ("end_turn", None),
    "stop": ("end_turn", None),
    "stop_sequence": ("stop_sequence", "END"),
    "content_filter": ("refusal", None),
    "model_context_window_exceeded": ("model_context_window_exceeded", None),
    "pause_turn": ("pause_turn", None),
    "": (None, None),
}


@pytest.mark.parametrize(("reason", "expected"), REASONS.items())
def test_a_stop_reason_is_told_in_the_words_of_the_wire(
    reason: str, expected: tuple[str | None, str | None]
) -> None:
    """Unknown ones pass; none at all is null."""
    body = plain(Response(assistant("hi"), reason), stop_sequences=["END"])
    assert (body["stop_reason"], body["stop_sequence"]) == expected
    frames = MESSAGES.frames(answered(Response(assistant("hi"), reason)))
    assert frames[-2].data["delta"]["stop_reason"] == expected[0]  # type: ignore[index]


def test_a_refusal_has_its_details() -> None:
    """The explanation is that of the script."""
    body = plain(Response(assistant("I can't."), "end_turn", None, "policy"))
    assert body["stop_reason"] == "refusal"
    details = {"type": "refusal", "category": None, "explanation": "policy"}
    assert body["stop_details"] == details


def carried(response: Response, *messages: object, **fields: Any) -> Response:
    """What of a response reaches the client of such a request."""
    reader = MessagesReader()
    reader.read(request(*messages, **fields))
    return reader.carried(response)


def test_what_the_wire_carries_is_what_comes_back() -> None:
    """Blocks of other wires are gone, and arguments are as they are written anew."""
    item = {"type": "reasoning", "summary": []}
    call = ToolCall("a", "look", '{"a":1}')
    response = Response(Message("assistant", "", (call,), blocks=(item,)), "tool_use")
    got = carried(response)
    assert got.message == assistant("", ToolCall("a", "look", '{"a": 1}'))
    assert read_assistant(by_wire(plain(got)["content"])) == got.message
    assert carried(SAID) is SAID


def bad_call(reason: str) -> Response:
    """A response whose arguments are no JSON."""
    return Response(assistant("", ToolCall("a", "look", '{"a": "Os')), reason)


EAGER = [{**LOOK, "eager_input_streaming": True}]


@pytest.mark.parametrize(
    ("reason", "fields", "sent"),
    [
        ("tool_use", {}, "{}"),
        ("tool_use", {"stream": True}, "{}"),
        ("max_tokens", {}, "{}"),
        ("max_tokens", {"stream": True}, '{"a": "Os'),
        ("tool_use", {"stream": True, "tools": EAGER}, '{"a": "Os'),
        ("tool_use", {"tools": EAGER}, "{}"),
    ],
)
def test_arguments_that_are_no_object_are_carried_in_some_streams_only(
    reason: str, fields: dict[str, Any], sent: str
) -> None:
    """Else an empty object stands in their place, and the trace says so (R1.2)."""
    got = carried(bad_call(reason), **fields)
    assert got.message.tool_calls[0].arguments == sent
    assert plain(got)["content"][0]["input"] == {}
    assert MESSAGES.read_frames(MESSAGES.frames(answered(got))).response == got


def test_the_service_pauses_for_its_own_tools_only() -> None:
    """A pause that asks the client for calls is a turn that does."""
    paused = Response(assistant("", ToolCall("a", "look")), "pause_turn")
    assert carried(paused).stop_reason == "tool_use"
    alone = Response(assistant("Searching."), "pause_turn")
    assert carried(alone) is alone


def test_with_thinking_enabled_an_answer_begins_with_thinking() -> None:
    """Once in a turn; a script that has its own keeps it, and display can omit it."""
    hello = Response(assistant("Hello."))
    (thought,) = carried(hello, thinking=THINKS).message.blocks
    assert (thought["type"], bool(thought["thinking"])) == ("thinking", True)
    after = (USER, said(*thought_first(thought)), told(result()))
    assert carried(hello, *after, thinking=THINKS) is hello
    assert carried(SAID, thinking=THINKS) is SAID
    assert carried(hello, thinking={"type": "adaptive"}) is hello
    (unspoken,) = carried(
        hello, thinking={**THINKS, "display": "omitted"}
    ).message.blocks
    assert (unspoken["thinking"], unspoken["signature"]) == ("", thought["signature"])


def thought_first(thought: Any) -> list[Any]:  # noqa: ANN401 - a block
    """A turn of the model that thinks, and calls."""
    return [dict(thought), called()]


ERRORS: dict[str, tuple[ProviderError, int, str, str]] = {
    "rate limit": (
        ProviderError(
            "rate limit reached; try again later",
            status=429,
            kind="rate_limit_error",
            retry_after_s=30.0,
        ),
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of",
    ),
    "overloaded": (
        ProviderError("overloaded", status=529, kind="overloaded_error"),
        529,
        "overloaded_error",
        "Overloaded",
    ),
    "overloaded elsewhere": (
        ProviderError("busy", status=503, kind="overloaded_error"),
        529,
        "overloaded_error",
        "busy",
    ),
    "broken": (
        ProviderError("internal server error", status=500, kind="api_error"),
        500,
        "api_error",
        "Internal server error",
    ),
    "no money": (
        ProviderError("quota exceeded", status=429, kind="insufficient_quota"),
        402,
        "billing_error",
        "Your credit balance is too low to access the Anthropic API",
    ),
    "bad key": (
        ProviderError("invalid key", status=401, kind="authentication_error"),
        401,
        "authentication_error",
        "invalid x-api-key",
    ),
}


@pytest.mark.parametrize(
    ("error", "status", "kind", "words"), ERRORS.values(), ids=ERRORS.keys()
)
def test_an_error_has_the_body_of_the_service(
    error: ProviderError, status: int, kind: str, words: str
) -> None:
    """Type, message and id of the request; neither a param nor a code."""
    told_as = MessagesReader().failed(error, ASKED)
    answer = MESSAGES.error_answer(told_as, number=3)
    body = json.loads(answer.body)
    assert (answer.status, body["type"]) == (status, "error")
    assert body["error"].keys() == {"type", "message"}
    assert body["error"]["type"] == kind
    assert body["error"]["message"].startswith(words)
    assert body["request_id"] == answer.headers["request-id"]
    passing = status in (429, 500, 529)
    assert answer.headers["x-should-retry"] == ("true" if passing else "false")
    if status == 429:
        assert answer.headers["retry-after"] == "30"
        assert answer.headers["anthropic-ratelimit-requests-remaining"] == "0"


def test_what_comes_from_before_the_service_looks_so() -> None:
    """A page of the gateway, and a body that is too large, without type and id."""
    gateway = ProviderError("bad gateway", status=502, kind="api_error")
    assert MESSAGES.error_answer(gateway, number=1).headers == {
        "content-type": "text/html"
    }
    words = "Request exceeds the maximum size"
    large = ProviderError(words, status=413, kind="request_too_large")
    answer = MESSAGES.error_answer(large, number=1)
    assert json.loads(answer.body) == {
        "error": {"type": "request_too_large", "message": words}
    }
    lost = ProviderError("lost", status=None, kind="connection_error")
    with pytest.raises(ValueError, match="no answer came"):
        MESSAGES.error_answer(lost, number=1)


def test_an_error_within_a_stream_is_an_event() -> None:
    """What came stays, with no reason why it ended."""
    error = ProviderError("Overloaded", status=529, kind="overloaded_error")
    (event,) = MESSAGES.error_frames(error, number=1)
    assert event.event == "error"
    broken: list[Frame] = [*MESSAGES.frames(answered(SAID))[:5], event]
    read = MESSAGES.read_frames(broken)
    assert (read.response.stop_reason, read.response.message.content) == ("", "")
    assert read.body()["error"]["type"] == "overloaded_error"


WHOLE = json.dumps(plain(SAID)).encode()
RAW = b"".join(map(frame_bytes, MESSAGES.frames(answered(SAID))))
HELLO: Any = {"model": "m", "max_tokens": 9, "messages": [USER]}


def test_the_real_sdk_puts_the_same_message_together() -> None:
    """Plain and streamed, sync and async, by the methods that answer."""
    found = []
    with client(canned(WHOLE, "application/json")) as sdk:
        found.append(sdk.messages.create(**HELLO).to_dict())
    with client(canned(RAW)) as sdk, sdk.messages.stream(**HELLO) as stream:
        found.append(stream.get_final_message().to_dict())
    found += asyncio.run(_awaited())
    assert found == [plain(SAID)] * 4


async def _awaited() -> list[dict[str, Any]]:
    async with async_client(canned(WHOLE, "application/json")) as sdk:
        made = (await sdk.messages.create(**HELLO)).to_dict()
    async with async_client(canned(RAW)) as sdk, sdk.messages.stream(**HELLO) as stream:
        return [made, (await stream.get_final_message()).to_dict()]
