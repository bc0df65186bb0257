"""Answers of Chat Completions as streams, and streams read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from agentsim.core import (
    WIRE_BLOCK,
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    parse_json,
)
from agentsim.providers.openai_chat import CHAT
from agentsim.providers.wires import Answered, Frame, frame_bytes, read_frames_of

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

WEATHER = ToolCall("call_1", "get_weather", '{"city": "Oslo"}')
LIMA = ToolCall("call_2", "get_weather", '{"city": "Lima"}')
NOTE = ToolCall("call_3", "note", "all is well, and more than that")
TOOLS = (ToolDef("get_weather"), ToolDef("note", parameters={"type": "custom"}))


def answered(response: Response, **body: Any) -> Answered:
    """An answer to be streamed."""
    return Answered(response, Request("gpt-5", (), TOOLS), 3, 1_767_225_600, body)


def saying(
    text: str = "", *calls: ToolCall, reason: str = "end_turn", **more: Any
) -> Response:
    """A response of the model."""
    return Response(Message("assistant", text, calls), reason, Usage(9, 4), **more)


def deltas(response: Response, **body: Any) -> list[str]:
    """What is inside of the choices, or else in place of them, one text each."""
    shown = []
    for frame in CHAT.frames(answered(response, **body)):
        if isinstance(frame.data, str):
            shown.append(frame.data)
            continue
        for choice in frame.data["choices"]:
            told = json.dumps(choice["delta"])
            reason = choice["finish_reason"]
            shown.append(f"{choice['index']} {told}{f' {reason}' if reason else ''}")
        if not frame.data["choices"]:
            shown.append(f"usage {frame.data['usage']['total_tokens']}")
    return shown


START = '0 {"role": "assistant", "content": '

ARGUMENTS = (
    '0 {"tool_calls": [{"index": 0, "function": '
    r'{"arguments": "{\"city\": \"Oslo\"}"}}]}'
)


def test_a_text_comes_in_pieces_behind_an_empty_one() -> None:
    """The first chunk has the role, the last but usage the reason."""
    said = saying("It is 21 degrees in Oslo.")
    assert deltas(said, stream_options={"include_usage": True}) == [
        START + '"", "refusal": null}',
        '0 {"content": "It is 21 degrees"}',
        '0 {"content": " in Oslo."}',
        "0 {} stop",
        "usage 13",
        "[DONE]",
    ]


def test_usage_comes_where_it_is_asked_for() -> None:
    """Then each other chunk says that it has none yet."""
    plain = [frame.data for frame in CHAT.frames(answered(saying("Hi.")))]
    assert all("usage" not in data for data in plain)
    asked = answered(saying("Hi."), stream_options={"include_usage": True})
    told = [frame.data for frame in CHAT.frames(asked)]
    assert [data["usage"] is None for data in told if not isinstance(data, str)] == [
        *[True] * (len(told) - 2),
        False,
    ]


def test_a_call_alone_begins_in_the_first_chunk() -> None:
    """Its id and its name come there only, then what it is called with."""
    assert deltas(saying("", WEATHER, reason="tool_use")) == [
        START + 'null, "tool_calls": [{"index": 0, "id": "call_1", "type": "function", '
        '"function": {"name": "get_weather", "arguments": ""}}], "refusal": null}',
        ARGUMENTS,
        "0 {} tool_calls",
        "[DONE]",
    ]


def test_calls_come_one_after_the_other_behind_the_role() -> None:
    """One is whole before the next begins."""
    shown = deltas(saying("", WEATHER, LIMA, reason="tool_use"))
    assert shown[0] == START + "null}"
    assert [("call_1" in line, "call_2" in line) for line in shown[1:5]] == [
        (True, False),
        (False, False),
        (False, True),
        (False, False),
    ]


def test_a_text_comes_before_its_call() -> None:
    """As it was said."""
    shown = deltas(saying("Let me look.", WEATHER, reason="tool_use"))
    assert shown[:2] == [
        START + '"", "refusal": null}',
        '0 {"content": "Let me look."}',
    ]
    assert '"id": "call_1"' in shown[2]


def test_a_tool_of_text_is_given_its_text() -> None:
    """The pieces are of its input."""
    shown = deltas(saying("", NOTE, reason="tool_use"))
    assert '"type": "custom", "custom": {"name": "note", "input": ""}' in shown[0]
    assert shown[1] == (
        '0 {"tool_calls": [{"index": 0, "custom": {"input": "all is well, and"}}]}'
    )


def test_a_refusal_is_no_content() -> None:
    """It has pieces of its own."""
    refused = saying("I can't.", reason="refusal", refusal="policy")
    assert deltas(refused) == [
        START + 'null, "refusal": ""}',
        '0 {"refusal": "I can\'t."}',
        "0 {} stop",
        "[DONE]",
    ]


def test_choices_come_in_turn() -> None:
    """Each with its role, its pieces and its reason; the text counts once."""
    frames = CHAT.frames(answered(saying("Hi."), n=2))
    told = [frame.data for frame in frames if not isinstance(frame.data, str)]
    assert [data["choices"][0]["index"] for data in told] == [0, 1] * 3
    assert "".join(frame.text for frame in frames) == "Hi."
    assert [frame.ends for frame in frames] == [*[False] * 5, True, False]


def test_the_reason_ends_an_answer() -> None:
    """Usage and `[DONE]` behind it add nothing to what was said."""
    frames = CHAT.frames(
        answered(saying("Hi."), stream_options={"include_usage": True})
    )
    assert [frame.ends for frame in frames] == [False, False, True, False, False]


def test_without_a_reason_nothing_tells_that_an_answer_is_whole() -> None:
    """Its last piece is its end."""
    frames = CHAT.frames(answered(saying("Hi.", reason="")))
    assert [frame.ends for frame in frames] == [False, True, False]
    assert CHAT.read_frames(frames).response.stop_reason == ""


def test_an_error_within_a_stream_is_its_last_event() -> None:
    """It has the form of a body."""
    error = ProviderError("overloaded", status=503, kind="server_error")
    (frame,) = CHAT.error_frames(error, number=3)
    assert frame_bytes(frame) == (
        b'data: {"error":{"message":"overloaded","type":"server_error","param":null,'
        b'"code":null}}\n\n'
    )


texts = st.text(max_size=60)
calls = st.lists(
    st.builds(
        ToolCall,
        st.text("abc", min_size=1),
        st.sampled_from(["get_weather", "note"]),
        texts,
    ),
    max_size=3,
)


@given(texts, calls, st.sampled_from(["end_turn", "tool_use", "max_tokens", "refusal"]))
@settings(max_examples=50)
def test_a_stream_is_read_back_to_the_plain_answer(
    text: str, listed: list[ToolCall], reason: str
) -> None:
    """Whatever was said: the body that is put together is the plain one."""
    said = saying(text, *listed, reason=reason)
    asked = answered(said, stream_options={"include_usage": True}, n=2)
    raw = b"".join(map(frame_bytes, CHAT.frames(asked)))
    read = CHAT.read_frames(read_frames_of(raw))
    plain = CHAT.body(asked)
    for choice in plain["choices"]:
        # There are none, and a stream does not say so.
        choice["message"].pop("annotations", None)
    told = read.body()
    for choice in told["choices"]:
        choice["message"].setdefault("refusal", None)
    assert told == plain
    assert read.response == CHAT.read_answer(plain).response


@given(texts, calls)
@settings(max_examples=40)
def test_the_sdk_reads_every_stream_as_we_do(text: str, listed: list[ToolCall]) -> None:
    """Its own accumulation gives the same message, reason and usage."""
    said = saying(text, *listed, reason="tool_use" if listed else "end_turn")
    frames = CHAT.frames(answered(said, stream_options={"include_usage": True}))
    assert _as_the_sdk_reads(frames) == _as_we_read(frames)


def test_what_is_of_the_wire_alone_is_streamed_too() -> None:
    """A field that the neutral form has not comes in a chunk of its own."""
    block = {"type": WIRE_BLOCK, "annotations": [{"type": "url_citation"}]}
    said = Response(Message("assistant", "Hi.", blocks=(block,)), "end_turn")
    message = CHAT.read_frames(CHAT.frames(answered(said))).body()["choices"][0]
    assert message["message"]["annotations"] == [{"type": "url_citation"}]


def test_what_broke_off_has_no_reason() -> None:
    """What had come is there."""
    frames = CHAT.frames(answered(saying("It is 21 degrees in Oslo.")))
    read = CHAT.read_frames(frames[:2]).response
    assert (read.message.content, read.stop_reason) == ("It is 21 degrees", "")
    assert read.usage is None


def test_an_error_that_a_stream_told_of_stays_in_what_was_read() -> None:
    """It is no part of what the model said."""
    error = ProviderError("overloaded", status=503, kind="server_error")
    begun = CHAT.frames(answered(saying("It is 21 degrees in Oslo.")))[:2]
    read = CHAT.read_frames([*begun, *CHAT.error_frames(error, number=3)])
    assert read.response.message.content == "It is 21 degrees"
    assert read.body()["error"]["message"] == "overloaded"


@pytest.mark.skipif(not CORPUS.exists(), reason=f"{CORPUS.name} is missing")
def test_every_real_stream_is_read_as_by_the_sdk(
    figure: Callable[[str], None],
) -> None:
    """The final message is that of the SDK's accumulation, and nothing is lost."""
    count = chunks = 0
    for line in CORPUS.read_text("utf-8").split("\n"):
        row = parse_json(line) if line else {"wire": ""}
        if row["wire"] != "openai-chat" or not row["stream"] or row["status"] != 200:
            continue
        frames = read_frames_of(row["response"].encode())
        read = CHAT.read_frames(frames)
        assert _as_we_read(frames) == _as_the_sdk_reads(frames), row["id"]
        for frame in frames:
            if not isinstance(frame.data, str):
                unknown = frame.data.keys() - read.body().keys() - {"obfuscation"}
                assert not {key for key in unknown if frame.data[key] is not None}
        # What we stream of it is read as the same answer again.
        ours = CHAT.frames(answered(read.response))
        assert CHAT.read_frames(ours).response.message == read.response.message
        count, chunks = count + 1, chunks + len(frames)
    assert count == 26
    figure(f"real Chat streams read as by the SDK: {count}, of {chunks} events")


def _as_the_sdk_reads(frames: Sequence[Frame]) -> dict[str, Any]:
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    for frame in frames:
        if not isinstance(frame.data, str):
            chunk = ChatCompletionChunk.construct(**frame.data)
            list(state.handle_chunk(chunk))
    told = state.current_completion_snapshot.model_dump(exclude_none=True)
    return _told(told)


def _as_we_read(frames: Sequence[Frame]) -> dict[str, Any]:
    return _told(CHAT.read_frames(frames).body())


def _told(body: dict[str, Any]) -> dict[str, Any]:
    """All that is said, without nulls, and without what only the SDK adds."""
    for choice in body["choices"]:
        for call in choice["message"].get("tool_calls") or ():
            call.pop("index", None)
            call.get("function", {}).pop("parsed_arguments", None)
    body.pop("obfuscation", None)
    return {key: _without_nulls(told) for key, told in body.items() if told is not None}


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value] if isinstance(value, list) else value
