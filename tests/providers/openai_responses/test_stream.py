"""Answers of Responses as streams of events, in the order of the service."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
)
from agentsim.providers.openai_responses import (
    RESPONSES,
    error_event,
    failed_event,
    flat_error_event,
)
from agentsim.providers.wires import Answered, Frame

THINKING = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "First I look."}],
}

LOOKS = (ToolCall("call_1", "look", '{"city": "Oslo"}'), ToolCall("call_2", "look"))

ANSWERS = {
    "text": Response(assistant("All is well on the hosts."), "end_turn", Usage(9, 4)),
    "calls": Response(
        Message("assistant", "", LOOKS, blocks=(THINKING,)), "tool_use", Usage(9, 4)
    ),
    "custom": Response(assistant("", ToolCall("call_1", "note", "milk")), "tool_use"),
    "refusal": Response(assistant("I can't help."), "refusal", Usage(9, 4), "policy"),
    "incomplete": Response(assistant("All is"), "max_tokens", Usage(9, 4)),
}

TOOLS = (ToolDef("look"), ToolDef("note", parameters={"type": "custom"}))


def frames_of(response: Response, **body: Any) -> list[Frame]:
    """The events of an answer."""
    asked = Request("gpt-5", (), TOOLS)
    return list(RESPONSES.frames(Answered(response, asked, 3, 1_767_225_600, body)))


def data_of(frame: Frame) -> dict[str, Any]:
    """The JSON of an event."""
    assert not isinstance(frame.data, str)
    return dict(frame.data)


def shown(frame: Frame) -> str:
    """An event in one line, without the fields of a response that are always there."""
    data = data_of(frame)
    told = {key: value for key, value in data.items() if key != "type"}
    if "response" in told:
        body = told["response"]
        told["response"] = {k: body[k] for k in ("status", "output", "usage")}
    text = json.dumps(told)
    for item in frames_ids(told):
        text = text.replace(item, f"{item[:9]}...")
    return f"{data['type']} {text}"


def frames_ids(value: object) -> list[str]:
    """The ids in an event, which are long."""
    if isinstance(value, dict):
        own = [
            value[key] for key in ("id", "item_id") if isinstance(value.get(key), str)
        ]
        return own + [one for inner in value.values() for one in frames_ids(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in frames_ids(inner)]
    return []


@pytest.mark.parametrize("response", ANSWERS.values(), ids=ANSWERS.keys())
def test_events_come_in_the_order_of_the_service(
    response: Response, snapshot: SnapshotAssertion
) -> None:
    """An item is added, grows, and is done, before the next one is added."""
    assert [shown(frame) for frame in frames_of(response)] == snapshot


@pytest.mark.parametrize("response", ANSWERS.values(), ids=ANSWERS.keys())
def test_every_event_has_its_name_and_its_number(response: Response) -> None:
    """Names stand twice, numbers have no gap, and there is no end mark of another wire."""
    frames = frames_of(response)
    assert [frame.event for frame in frames] == [data_of(f)["type"] for f in frames]
    numbers = [data_of(frame)["sequence_number"] for frame in frames]
    assert numbers == list(range(len(frames)))
    assert [frame.ends for frame in frames] == [False] * (len(frames) - 1) + [True]
    assert "".join(frame.text for frame in frames) == response.message.content


def test_frames_tell_of_which_call_they_are() -> None:
    """All that belongs to a call, from its item on to its end."""
    frames = frames_of(ANSWERS["calls"])
    for number, call in enumerate(LOOKS):
        own = [data_of(frame) for frame in frames if frame.call == number]
        assert own[0]["type"] == "response.output_item.added"
        assert own[-1]["type"] == "response.output_item.done"
        pieces = [one.get("delta", "") for one in own]
        assert "".join(pieces) == call.arguments


def test_a_background_response_is_queued_first() -> None:
    """One event more, and the status tells of it."""
    kinds = [frame.event for frame in frames_of(ANSWERS["text"], background=True)]
    assert kinds[:3] == [
        *("response.created", "response.queued", "response.in_progress")
    ]


def test_an_answer_without_a_reason_does_not_end() -> None:
    """The last event is that of its last item."""
    frames = frames_of(Response(assistant("All is well."), ""))
    assert frames[-1].event == "response.output_item.done"
    assert not any(frame.ends for frame in frames)


ERROR = ProviderError("overloaded", status=503, kind="server_error", code="busy")


def test_an_error_within_a_stream_has_two_forms() -> None:
    """As the service sends it, and as its description has it; either has its number."""
    assert data_of(error_event(ERROR, at=4)) == {
        "type": "error",
        "error": {
            "message": "overloaded",
            "type": "server_error",
            "param": None,
            "code": "busy",
        },
        "sequence_number": 4,
    }
    assert data_of(flat_error_event(ERROR, at=4)) == {
        "type": "error",
        "code": "busy",
        "message": "overloaded",
        "param": None,
        "sequence_number": 4,
    }
    (frame,) = RESPONSES.error_frames(ERROR, number=1)
    assert frame.event == "error"


def test_what_had_come_before_an_error_is_read() -> None:
    """The text so far, the error in the body, and no reason why it ended."""
    frames = frames_of(ANSWERS["text"])[:5]
    for form in (error_event, flat_error_event):
        read = RESPONSES.read_frames([*frames, form(ERROR, at=5)])
        assert read.response.message.content == "All is well on t"
        assert read.response.stop_reason == ""
        assert read.body()["error"]["message"] == "overloaded"


def test_a_response_that_fails_says_so_at_its_end() -> None:
    """Its status and its error stand in the last event, and nothing that was said."""
    response = ANSWERS["text"]
    asked = Request("gpt-5", (), TOOLS)
    made = Answered(response, asked, 3, 1_767_225_600, {})
    frames = [*list(RESPONSES.frames(made))[:5], failed_event(made, ERROR, at=5)]
    read = RESPONSES.read_frames(frames)
    body = read.body()
    assert (body["status"], body["output"], body["usage"]) == ("failed", [], None)
    assert body["error"] == {"code": "busy", "message": "overloaded"}
    assert read.response.stop_reason == ""


def test_the_wire_has_noise_of_its_own() -> None:
    """An event that keeps a connection open says nothing."""
    (raw,) = RESPONSES.noise
    assert raw == b'event: keepalive\ndata: {"type":"keepalive"}\n\n'
    frames = frames_of(ANSWERS["text"])
    noisy = [frames[0], Frame({"type": "keepalive"}, "keepalive"), *frames[1:]]
    assert RESPONSES.read_frames(noisy).body() == RESPONSES.read_frames(frames).body()
