"""Properties of the wire over everything that may come: nothing lost, no traceback."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion

from agentsim.core import (
    Message,
    Request,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.providers.openai_chat import (
    ChatReader,
    completion_body,
    read_body,
    read_completion,
)
from agentsim.providers.openai_chat.messages import read_message, write_message
from agentsim.providers.openai_chat.tools import read_tools, write_tool
from agentsim.providers.wires import WireRefusal
from tests.providers.openai_chat.bodies import BAD, LOOK, USER, call, calling, told
from tests.support.examples import FEWER

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True)
CALLS = st.builds(ToolCall, TEXTS, NAMES, TEXTS)

NAMED = st.builds(
    lambda name: ({"type": "wire", "name": name},),
    TEXTS.filter(lambda text: text != ""),
)

MESSAGES = st.one_of(
    st.builds(system, TEXTS),
    st.builds(user, TEXTS),
    st.builds(lambda text, calls: assistant(text, *calls), TEXTS, st.lists(CALLS)),
    st.builds(tool_result, TEXTS, TEXTS),
    st.builds(
        lambda role, text, blocks: Message(role, text, blocks=blocks),
        st.sampled_from(["system", "user", "assistant"]),
        TEXTS,
        NAMED,
    ),
)


def by_wire(value: object) -> Any:  # noqa: ANN401
    """A value as it is after it was sent."""
    return json.loads(json.dumps(value))


@FEWER
@given(MESSAGES)
def test_a_message_comes_back_from_the_wire_as_it_was(message: Message) -> None:
    """Neutral to wire and back is the identity."""
    assert read_message(by_wire(write_message(message))) == message


@FEWER
@given(st.builds(ToolDef, NAMES, TEXTS))
def test_a_tool_comes_back_from_the_wire_as_it_was(tool: ToolDef) -> None:
    """Definitions are the same after they were sent."""
    assert read_tools([by_wire(write_tool(tool))]) == (tool,)


def test_a_custom_tool_comes_back_from_the_wire_as_it_was() -> None:
    """A tool that takes a text is written and called as such."""
    sent = {"type": "custom", "custom": {"name": "note", "description": "Notes."}}
    (tool,) = read_tools([sent])
    assert write_tool(tool) == sent
    asked = assistant("", ToolCall("call_1", "note", "buy milk"))
    body = completion_body(
        Response(asked, "tool_use"),
        request=Request("m", (), (tool,)),
        number=1,
        created=0,
    )
    message = body["choices"][0]["message"]
    assert message["tool_calls"][0]["custom"] == {"name": "note", "input": "buy milk"}
    assert read_message(message) == asked
    ChatCompletion.model_validate(body, strict=True)


REASONS = st.sampled_from(["end_turn", "tool_use", "max_tokens", "content_filter"])
COUNTS = st.integers(0, 10_000)

RESPONSES = st.builds(
    lambda text, calls, reason, usage: Response(assistant(text, *calls), reason, usage),
    TEXTS,
    st.lists(CALLS, max_size=3),
    REASONS,
    st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS),
)

REFUSALS = st.builds(
    lambda text: Response(assistant(text), "refusal", Usage(3, 4), text),
    TEXTS.filter(lambda text: text != ""),
)


@FEWER
@given(RESPONSES | REFUSALS, st.integers(1, 9))
def test_a_response_comes_back_from_the_wire_as_it_was(
    response: Response, number: int
) -> None:
    """Neutral to wire and back is the identity, and the SDK takes it strictly."""
    body = completion_body(
        response, request=Request("gpt", ()), number=number, created=1_767_225_600
    )
    ChatCompletion.model_validate(body, strict=True)
    read = read_completion(by_wire(body))
    assert read.response == response
    assert read.body() == body


FAULTY = {
    "no ids": Response(assistant("", ToolCall("", "look")), "tool_use"),
    "the same id": Response(
        assistant("", ToolCall("a", "look"), ToolCall("a", "look")), "tool_use"
    ),
    "nothing": Response(assistant(""), "end_turn"),
    "white space": Response(assistant(" \n"), "end_turn"),
    "tool_use without calls": Response(assistant("Let me look."), "tool_use"),
    "stop with calls": Response(assistant("", ToolCall("a", "look")), "stop"),
    "bad arguments": Response(assistant("", ToolCall("a", "look", "{'a'")), "tool_use"),
    "no usage": Response(assistant("hi"), "end_turn", None),
    "unknown reason": Response(assistant("hi"), "recitation"),
}


@pytest.mark.parametrize("response", FAULTY.values(), ids=FAULTY.keys())
def test_what_a_fault_spoilt_comes_through(response: Response) -> None:
    """The wire mends nothing: message and usage are what the fault made of them."""
    body = completion_body(response, request=Request("m", ()), number=1, created=0)
    read = read_completion(by_wire(body)).response
    assert (read.message, read.usage) == (response.message, response.usage)
    assert ("usage" in body) is (response.usage is not None)


def echoes(response: Response) -> dict[str, object]:
    """The ways in which loops send an answer back."""
    body = completion_body(response, request=Request("gpt", ()), number=1, created=0)
    message = ChatCompletion.model_validate(by_wire(body)).choices[0].message
    calls = [one.model_dump() for one in message.tool_calls or []]
    said = message.content if message.refusal is None else message.refusal
    by_hand: dict[str, Any] = {"role": "assistant", "content": said}
    if calls:
        by_hand["tool_calls"] = calls
    text = response.message.content
    return {
        "as it came": message.model_dump(mode="json", exclude_unset=True),
        "dumped whole": message.model_dump(),
        "without nulls": message.model_dump(exclude_none=True),
        "by hand": by_hand,
        "empty content": {**by_hand, "content": said or ""},
        "without content": {k: v for k, v in by_hand.items() if v is not None}
        if calls
        else by_hand | {"content": text},
        "one text part": {**by_hand, "content": [{"type": "text", "text": text}]},
        "two text parts": {
            **by_hand,
            "content": [
                {"type": "text", "text": text[:2]},
                {"type": "text", "text": text[2:]},
            ],
        },
    }


SAID = {
    "text": Response(assistant("All is well."), "end_turn"),
    "call": Response(assistant("", ToolCall("call_1", "look", '{"a": 1}')), "tool_use"),
    "both": Response(assistant("So.", ToolCall("call_1", "look")), "tool_use"),
    "refusal": Response(
        assistant("I can't help with that."), "refusal", None, "policy"
    ),
}


@pytest.mark.parametrize("response", SAID.values(), ids=SAID.keys())
def test_an_answer_that_is_sent_back_is_the_same_message(response: Response) -> None:
    """However a loop writes it down, it is what the model said."""
    for way, echo in echoes(response).items():
        assert read_message(by_wire(echo)) == response.message, way


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)

BODIES: list[dict[str, Any]] = [
    *(bad.body for bad in BAD),
    {
        "model": "gpt",
        "messages": [USER, calling(call(), call("call_2")), told(), told("call_2")],
        "tools": [LOOK, {"type": "custom", "custom": {"name": "note"}}],
        "tool_choice": {"type": "function", "function": {"name": "look"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "a"}},
        "metadata": {"a": "b"},
        "stop": ["a"],
        "functions": [{"name": "old"}],
    },
]


def places(
    value: object, at: tuple[str | int, ...] = ()
) -> list[tuple[str | int, ...]]:
    """The paths to all values in a body."""
    found = [at] if at else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:5]):
            found += places(inner, (*at, number))
    return found


@st.composite
def spoilt(draw: st.DrawFn, bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """A body of which one value or two are anything, or gone."""
    body: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(bodies)))
    for _time in range(draw(st.integers(1, 2))):
        found = places(body)
        if not found:
            break
        path = draw(st.sampled_from(found))
        owner: Any = body
        for step in path[:-1]:
            owner = owner[step]
        if draw(st.booleans()):
            owner[path[-1]] = draw(JSON)
        elif isinstance(owner, dict):
            del owner[path[-1]]
    return body


@FEWER
@given(st.lists(spoilt(BODIES) | st.dictionaries(TEXTS, JSON), min_size=1, max_size=3))
def test_any_body_gives_a_request_or_a_refusal(bodies: list[dict[str, Any]]) -> None:
    """Whatever comes, one after the other, is judged, and never a traceback."""
    conversation = ChatReader()
    for body in bodies:
        asked = conversation.read(by_wire(body))
        assert asked.refusal == ChatReader().read(body).refusal
        if asked.refusal is not None:
            assert asked.refusal.words
            assert asked.refusal.error().status in (400, 404)
        assert all(isinstance(message, Message) for message in asked.request.messages)


@FEWER
@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_an_object_or_a_refusal(raw: bytes) -> None:
    """What is no JSON object is refused in the words of the service."""
    body = read_body(raw)
    assert isinstance(body, dict | WireRefusal)


ANSWER = completion_body(
    Response(assistant("So.", ToolCall("call_1", "look")), "tool_use", Usage(3, 4, 1)),
    request=Request("gpt", ()),
    number=1,
    created=0,
)


@FEWER
@given(spoilt([ANSWER]) | st.dictionaries(TEXTS, JSON))
def test_any_answer_is_read_and_written_back(body: dict[str, Any]) -> None:
    """An answer of any form is read, and no field of it is lost."""
    again = read_completion(body).body()
    assert again.keys() == body.keys()
    assert isinstance(read_completion(again).response, Response)
