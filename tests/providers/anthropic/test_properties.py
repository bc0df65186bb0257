"""Properties of the wire over everything that may come: nothing lost, no traceback."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import Message, MessageView
from agentsim.providers.anthropic import MESSAGES, MessagesProfile, MessagesReader
from agentsim.providers.wires import WireRefusal
from agentsim.providers.wires.dialect import Frame
from tests.providers.anthropic.bodies import BAD
from tests.providers.anthropic.parts import (
    DOCUMENT,
    LOOK,
    MARK,
    NEW,
    OLD,
    THINKS,
    USER,
    call,
    request,
    result,
    said,
    text,
    thought,
    told,
)
from tests.providers.anthropic.strategies import JSON, TEXTS, TURNS, by_wire, spoilt

FULL = request(
    told(text(**MARK), DOCUMENT),
    said(thought(), text(), call(), call("toolu_2")),
    told(result(), result("toolu_2", [text()], is_error=True), text()),
    {"role": "system", "content": "Be kind."},
    system=[text(**MARK)],
    tools=[LOOK, {"type": "web_search_20250305", "name": "web_search"}],
    tool_choice={"type": "tool", "name": "look", "disable_parallel_tool_use": True},
    stop_sequences=["END"],
    metadata={"user_id": "u"},
    output_config={"effort": "low", "format": {"type": "json_schema", "schema": {}}},
)

BODIES: list[dict[str, Any]] = [
    *(bad.body for bad in BAD),
    FULL,
    request(USER, thinking=THINKS, temperature=1, top_p=1, top_k=0, stream=True),
]

HEADERS = st.none() | st.sampled_from(
    [{}, {"anthropic-version": OLD}, {"anthropic-version": NEW}]
)

PROFILES = st.sampled_from(
    [
        MessagesProfile(),
        MessagesProfile(
            on=("tools-not-defined", "alternating-roles"),
            sampling=False,
            max_tokens=9,
            context_tokens=9,
            context_stops=False,
            signatures="own",
        ),
        MessagesProfile(off=("unanswered", "results-first", "orphan", "empty-message")),
    ]
)


@settings(max_examples=40)
@given(
    st.lists(spoilt(BODIES) | st.dictionaries(TEXTS, JSON), min_size=1, max_size=3),
    HEADERS,
    PROFILES,
)
def test_any_body_gives_a_request_or_a_refusal(
    bodies: list[dict[str, Any]],
    headers: dict[str, str] | None,
    profile: MessagesProfile,
) -> None:
    """Whatever comes, one after the other, is judged, and never a traceback."""
    reader = MessagesReader(profile)
    for body in bodies:
        asked = reader.read(by_wire(body), headers)
        assert asked.refusal == MessagesReader(profile).read(body, headers).refusal
        if asked.refusal is not None:
            assert asked.refusal.words
            assert asked.refusal.error().status in (400, 404)
        counted = reader.count(body, headers)
        assert counted.refusal is None or counted.refusal.words
        assert all(isinstance(message, Message) for message in asked.request.messages)


MARKS = st.lists(st.booleans(), min_size=6, max_size=6)


@settings(max_examples=40)
@given(st.lists(TURNS, min_size=1, max_size=6), st.lists(MARKS, min_size=6, max_size=6))
def test_a_growing_history_is_read_and_judged_as_if_it_came_at_once(
    turns: list[dict[str, Any]], marks: list[list[bool]]
) -> None:
    """Messages stay the same objects, wherever the breakpoints of the cache move to."""
    reader = MessagesReader()
    before: list[Message] = []
    for count in range(1, len(turns) + 1):
        marked = [
            _marked(turn) if mark else turn
            for turn, mark in zip(turns[:count], marks[count - 1], strict=False)
        ]
        asked = reader.read(by_wire(request(*marked)))
        alone = MessagesReader().read(request(*marked))
        assert asked.refusal == alone.refusal
        assert asked.warnings == alone.warnings
        messages = [*asked.request.messages]
        assert _unmarked(messages) == _unmarked([*alone.request.messages])
        assert all(a is b for a, b in zip(before, messages, strict=False))
        assert len(before) <= len(messages)
        before = messages


def _marked(turn: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(turn["content"], list):
        return turn
    return {**turn, "content": [{**block, **MARK} for block in turn["content"]]}


def _unmarked(messages: list[Message]) -> list[tuple[object, ...]]:
    return [
        (
            message.role,
            message.content,
            message.tool_calls,
            message.tool_call_id,
            message.is_error,
            [block for block in message.blocks if "marks" not in block],
        )
        for message in messages
    ]


@settings(max_examples=40)
@given(st.lists(TURNS, max_size=4), st.lists(TURNS, max_size=4))
def test_a_rewritten_history_keeps_what_stayed(
    first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    """What both requests begin with is the same objects; all else is read anew."""
    reader = MessagesReader()
    before = reader.read(request(USER, *first, system="Be brief.")).request.messages
    assert isinstance(before, MessageView)
    after = reader.read(request(USER, *second)).request.messages
    alone = MessagesReader().read(request(USER, *second)).request.messages
    assert list(after) == list(alone)
    assert after[0] is before[1]


@settings(max_examples=40)
@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_an_object_or_a_refusal(raw: bytes) -> None:
    """What is no JSON object is refused, to answer and to count."""
    body = MESSAGES.read_body(raw)
    assert isinstance(body, dict | WireRefusal)
    answer = MESSAGES.more(MESSAGES.reader(), "POST", "/count_tokens", raw)
    assert answer is not None
    assert answer.status in (200, 400)


KINDS = st.sampled_from(
    [
        *("message_start", "content_block_start", "content_block_delta", "ping"),
        *("content_block_stop", "message_delta", "message_stop", "error", "novel"),
    ]
)

DELTAS = st.sampled_from(
    ["text", "thinking", "signature", "input_json", "citations", "novel"]
).flatmap(
    lambda kind: st.fixed_dictionaries(
        {"type": st.just(f"{kind}_delta"), kind: JSON}, optional={"partial_json": JSON}
    )
)

EVENTS = st.builds(
    lambda kind, fields: Frame({"type": kind, **fields}, kind),
    KINDS,
    st.fixed_dictionaries(
        {},
        optional={
            "index": st.integers(-1, 2) | JSON,
            "delta": DELTAS | JSON,
            "message": st.dictionaries(st.just("content"), JSON) | JSON,
            "content_block": st.fixed_dictionaries(
                {"type": st.sampled_from(["text", "tool_use", "thinking"])},
                optional={"text": JSON, "input": JSON, "citations": JSON},
            )
            | JSON,
            "usage": st.dictionaries(st.just("output_tokens"), JSON) | JSON,
        },
    ),
)


@settings(max_examples=40)
@given(st.lists(EVENTS, max_size=6))
def test_any_events_are_read(frames: list[Frame]) -> None:
    """A stream of any events gives an answer, and never a traceback."""
    read = MESSAGES.read_frames(frames)
    assert isinstance(read.body(), dict)


@settings(max_examples=40)
@given(st.dictionaries(TEXTS, JSON) | st.fixed_dictionaries({"content": JSON}))
def test_any_answer_is_read_and_written_back(body: dict[str, Any]) -> None:
    """An answer of any form is read, and comes back as it was."""
    assert MESSAGES.read_answer(body).body() == body
