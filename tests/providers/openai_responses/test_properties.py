"""Properties of the wire over everything that may come: nothing lost, no traceback."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.responses import Response as SdkResponse

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
from agentsim.providers.openai_responses import (
    RESPONSES,
    ResponsesReader,
    read_response,
)
from agentsim.providers.openai_responses.carried import carried_for
from agentsim.providers.openai_responses.messages import (
    read_group,
    read_items,
    write_items,
)
from agentsim.providers.openai_responses.tools import read_tools, write_tool
from agentsim.providers.wires import Answered, WireRefusal
from tests.providers.openai_chat.test_properties import JSON, places
from tests.providers.openai_responses.bodies import BAD
from tests.providers.openai_responses.made import (
    LOOK,
    USER,
    call,
    request,
    said,
    thought,
    told,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True)
CALLS = st.builds(ToolCall, TEXTS, NAMES, TEXTS)

SUMMARIES = st.lists(
    TEXTS.map(lambda text: {"type": "summary_text", "text": text}), max_size=2
)

REASONING = st.builds(
    lambda summary, code: (
        {"type": "reasoning", "summary": summary}
        | ({"encrypted_content": code} if code else {})
    ),
    SUMMARIES,
    TEXTS,
)

SPOKEN = st.builds(
    lambda text, calls, blocks: Message("assistant", text, calls, blocks=blocks),
    TEXTS,
    st.lists(CALLS, max_size=3).map(tuple),
    st.lists(REASONING, max_size=2).map(tuple),
)

MESSAGES = st.one_of(
    st.builds(system, TEXTS),
    st.builds(user, TEXTS),
    SPOKEN,
    st.builds(tool_result, TEXTS, TEXTS),
)


def by_wire(value: object) -> Any:  # noqa: ANN401
    """A value as it is after it was sent."""
    return json.loads(json.dumps(value))


@settings(max_examples=30)
@given(MESSAGES)
def test_a_message_comes_back_from_the_wire_as_it_was(message: Message) -> None:
    """Neutral to wire and back is the identity."""
    assert read_group(by_wire(write_items(message))) == message


@settings(max_examples=30)
@given(st.lists(MESSAGES, max_size=4))
def test_a_history_says_the_same_after_it_was_sent(messages: list[Message]) -> None:
    """Texts, calls and results stay in their order, whatever belongs together."""
    items = by_wire([item for one in messages for item in write_items(one)])
    read = read_items(items)
    assert [item for one in read for item in write_items(one)] == items
    assert "".join(one.content for one in read) == "".join(
        one.content for one in messages
    )
    assert [c for one in read for c in one.tool_calls] == [
        c for one in messages for c in one.tool_calls
    ]


@settings(max_examples=30)
@given(st.builds(ToolDef, NAMES, TEXTS))
def test_a_tool_comes_back_from_the_wire_as_it_was(tool: ToolDef) -> None:
    """Definitions are the same after they were sent."""
    assert read_tools([by_wire(write_tool(tool))]) == (tool,)


def test_a_custom_tool_comes_back_from_the_wire_as_it_was() -> None:
    """A tool that takes a text is written and called as such, in a namespace too."""
    sent = {"type": "custom", "name": "note", "description": "Notes.", "format": {}}
    (tool,) = read_tools([{"type": "namespace", "name": "crm", "tools": [sent]}])
    assert write_tool(tool) == sent
    asked = assistant("", ToolCall("call_1", "note", "buy milk"))
    body = body_of(Response(asked, "tool_use"), tools=(tool,))
    (item,) = body["output"]
    assert (item["type"], item["name"], item["input"]) == (
        "custom_tool_call",
        "note",
        "buy milk",
    )
    assert read_response(body).response.message.tool_calls == asked.tool_calls
    SdkResponse.model_validate(body, strict=True)


REASONS = st.sampled_from(["end_turn", "tool_use", "max_tokens", "content_filter"])
COUNTS = st.integers(0, 10_000)

RESPONDED = st.builds(
    Response,
    SPOKEN,
    REASONS,
    st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS),
)

REFUSALS = st.builds(
    lambda text: Response(assistant(text), "refusal", Usage(3, 4), text),
    TEXTS.filter(lambda text: text != ""),
)

SPECIFIC: dict[str, Any] = {"include": ["reasoning.encrypted_content"]}


def answered(response: Response, number: int = 1, **fields: Any) -> Answered:
    """An answer to be written."""
    tools = fields.pop("tools", ())
    body = {"model": "gpt", **fields}
    return Answered(response, Request("gpt", (), tools), number, 1_767_225_600, body)


def body_of(response: Response, **fields: Any) -> dict[str, Any]:
    """The body of an answer."""
    return RESPONSES.body(answered(response, **fields))


def spoken(message: Message) -> Message:
    """A message without what only this wire has."""
    blocks = tuple(block for block in message.blocks if block["type"] != "wire")
    return Message(message.role, message.content, message.tool_calls, blocks=blocks)


@settings(max_examples=30)
@given(RESPONDED | REFUSALS, st.integers(1, 9), st.booleans())
def test_a_response_comes_back_from_the_wire_as_it_was(
    response: Response, number: int, wanted: bool
) -> None:
    """What is carried comes back plain and streamed, and the SDK takes it strictly."""
    fields = SPECIFIC if wanted else {}
    sent = carried_for(response, fields)
    made = answered(sent, number, **fields)
    body = RESPONSES.body(made)
    SdkResponse.model_validate(body, strict=True)
    read = read_response(by_wire(body))
    expected = Response(sent.message, sent.stop_reason, sent.usage, sent.refusal)
    found = read.response
    assert spoken(found.message) == expected.message
    assert (found.stop_reason, found.usage) == (sent.stop_reason, sent.usage)
    assert read.body() == body
    streamed = RESPONSES.read_frames(RESPONSES.frames(made))
    assert streamed.body() == body
    assert streamed.response == read.response


@settings(max_examples=30)
@given(RESPONDED)
def test_what_is_carried_is_carried_again_unchanged(response: Response) -> None:
    """To carry what was carried changes nothing."""
    for fields in (SPECIFIC, {}):
        once = carried_for(response, fields)
        assert carried_for(once, fields) is once


@settings(max_examples=30)
@given(RESPONDED, st.integers(0, 60))
def test_a_stream_that_breaks_off_gives_what_had_come(
    response: Response, count: int
) -> None:
    """Whatever came is a part of the answer, with an empty stop reason."""
    made = answered(carried_for(response, {}))
    frames = list(RESPONSES.frames(made))
    cut = RESPONSES.read_frames(frames[: min(count, len(frames) - 1)]).response
    assert made.response.message.content.startswith(cut.message.content)
    assert cut.stop_reason == ""
    assert len(cut.message.tool_calls) <= len(made.response.message.tool_calls)


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
    "no reason": Response(assistant("hi"), ""),
}


@pytest.mark.parametrize("response", FAULTY.values(), ids=FAULTY.keys())
def test_what_a_fault_spoilt_comes_through(response: Response) -> None:
    """The wire mends nothing: message and usage are what the fault made of them."""
    sent = carried_for(response, {})
    read = read_response(by_wire(body_of(sent))).response
    assert (spoken(read.message), read.usage) == (response.message, response.usage)
    assert read.stop_reason == sent.stop_reason


THINKING = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}

SAID = {
    "text": Response(assistant("All is well."), "end_turn"),
    "call": Response(assistant("", ToolCall("call_1", "look", '{"a": 1}')), "tool_use"),
    "both": Response(assistant("So.", ToolCall("call_1", "look")), "tool_use"),
    "reasoning": Response(
        Message("assistant", "So.", (ToolCall("call_1", "look"),), blocks=(THINKING,)),
        "tool_use",
    ),
    "refusal": Response(
        assistant("I can't help with that."), "refusal", None, "policy"
    ),
}


@pytest.mark.parametrize("response", SAID.values(), ids=SAID.keys())
def test_an_answer_that_is_sent_back_is_the_same_message(response: Response) -> None:
    """However a loop writes it down, it is what the model said."""
    output = SdkResponse.model_validate(by_wire(body_of(response))).output
    echoes = {
        "as it came": [i.model_dump(mode="json", exclude_unset=True) for i in output],
        "dumped whole": [i.model_dump() for i in output],
        "without nulls": [i.model_dump(exclude_none=True) for i in output],
        "written by hand": write_items(response.message),
    }
    for way, echo in echoes.items():
        (read,) = read_items(by_wire(echo))
        assert spoken(read) == response.message, way
        assert write_items(read) == by_wire(echo), way


BODIES: list[dict[str, Any]] = [
    *(bad.body for bad in BAD if bad.rule != "output-length"),
    {
        "model": "gpt",
        "input": [
            USER,
            thought(),
            said(phase="commentary"),
            call(id="fc_1"),
            call("call_2", id="fc_2", status="completed"),
            told(),
            told("call_2", [{"type": "input_text", "text": "seen"}]),
            {"type": "item_reference", "id": "msg_9"},
            {"type": "custom_tool_call_output", "call_id": "call_3", "output": "x"},
        ],
        "instructions": "Be kind.",
        "tools": [LOOK, {"type": "custom", "name": "note"}, {"type": "web_search"}],
        "tool_choice": {"type": "function", "name": "look"},
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {}}},
        "metadata": {"a": "b"},
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
    },
]


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


@settings(max_examples=30)
@given(st.lists(spoilt(BODIES) | st.dictionaries(TEXTS, JSON), min_size=1, max_size=3))
def test_any_body_gives_a_request_or_a_refusal(bodies: list[dict[str, Any]]) -> None:
    """Whatever comes, one after the other, is judged, and never a traceback."""
    reader = ResponsesReader()
    for body in bodies:
        asked = reader.read(by_wire(body))
        whole = ResponsesReader().read(body)
        assert asked.refusal == whole.refusal
        assert list(asked.request.messages) == list(whole.request.messages)
        if asked.refusal is not None:
            assert asked.refusal.words
            assert asked.refusal.error().status in (400, 404)
        assert isinstance(reader.count(by_wire(body)), int | WireRefusal)


ITEMS = st.sampled_from(
    [
        *(USER, thought(), thought("rs_2"), said(), said("No.", "msg_2")),
        *(said(phase="commentary", item_id="msg_3"), call(id="fc_1"), call("call_2")),
        *(told(), told("call_2"), {"role": "assistant", "content": "a"}),
        {"type": "web_search_call", "id": "ws_1"},
        {"type": "item_reference", "id": "msg_1"},
        {"role": "user", "content": 3},
    ]
)


RESOLVED = ITEMS.filter(lambda item: item.get("type") != "item_reference")
"""Without what may stand for another item the next time."""


@settings(max_examples=30)
@given(st.lists(st.lists(ITEMS, max_size=6), min_size=1, max_size=5))
def test_any_histories_one_after_the_other_are_read_as_each_alone(
    inputs: list[list[dict[str, Any]]],
) -> None:
    """Grown, cut or rewritten: messages and verdict are those of the whole history."""
    reader = ResponsesReader()
    for items in inputs:
        body = request()
        body["input"] = by_wire(items)
        asked, whole = reader.read(body), ResponsesReader().read(body)
        assert asked.refusal == whole.refusal
        assert list(asked.request.messages) == list(whole.request.messages)


@settings(max_examples=30)
@given(st.lists(RESOLVED, min_size=1, max_size=8), st.integers(0, 8))
def test_the_messages_of_a_growing_history_stay_the_same_objects(
    items: list[dict[str, Any]], count: int
) -> None:
    """What was read of a history is kept, but for a message of the model that goes on."""
    reader = ResponsesReader()
    body = request()
    first = list(reader.read({**body, "input": items[:count]}).request.messages)
    second = list(reader.read({**body, "input": by_wire(items)}).request.messages)
    kept = first[:-1] if first and second[len(first) - 1] != first[-1] else first
    assert all(mine is theirs for mine, theirs in zip(kept, second, strict=False))


ANSWER = body_of(
    Response(
        Message("assistant", "So.", (ToolCall("call_1", "look"),), blocks=(THINKING,)),
        "tool_use",
        Usage(3, 4, 1),
    )
)


@settings(max_examples=30)
@given(spoilt([ANSWER]) | st.dictionaries(TEXTS, JSON))
def test_any_answer_is_read_and_written_back(body: dict[str, Any]) -> None:
    """An answer of any form is read, and nothing of it is lost."""
    read = read_response(body)
    assert read.body() == body
    assert isinstance(read.response, Response)


FRAMES = list(RESPONSES.frames(answered(read_response(ANSWER).response)))


@st.composite
def spoilt_frames(draw: st.DrawFn) -> list[Any]:
    """Events of a stream of which one is spoilt."""
    frames = list(FRAMES)
    at = draw(st.integers(0, len(frames) - 1))
    body: Any = frames[at].data
    frames[at] = type(frames[at])(draw(spoilt([body])), frames[at].event)
    return frames


@settings(max_examples=30)
@given(spoilt_frames())
def test_any_stream_is_read(frames: list[Any]) -> None:
    """Whatever the events are, they are put together without a traceback."""
    for count in (len(frames), len(frames) - 1):
        assert isinstance(RESPONSES.read_frames(frames[:count]).response, Response)
