"""Sessions of other tools become cassettes: their exchanges and tools, each once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentsim.cassettes import (
    RecordedExchange,
    RecordedTool,
    import_recordings,
    load_cassette,
)
from agentsim.cassettes.deck import Deck
from agentsim.cassettes.importing import KINDS
from agentsim.cassettes.importing import sessions as reader
from agentsim.cassettes.importing.values import Recording, Unreadable
from tests.cassettes.importing.samples import MESSAGES
from tests.providers.transcripts.sessions.samples import (
    AGENTS_SDK,
    CLAUDE_CODE,
    OPENTELEMETRY,
)


def read(kind: str, text: str) -> Recording:
    """A file of this kind, read."""
    return KINDS[kind].read(text, "f")


def shape(recording: Recording) -> list[str]:
    """Its entries: how many messages were sent, or which tool was run."""
    found = []
    for entry in recording.entries:
        if isinstance(entry, RecordedTool):
            found.append(f"{entry.name} {entry.call_id}")
        else:
            body = json.loads(entry.request.body)
            found.append(f"{len(body.get('messages', body.get('input')))} messages")
    return found


def test_a_session_of_claude_code_has_each_answer_once() -> None:
    """Branches begin alike: what they share is one exchange; a sidechain is apart."""
    recording = read("claude-code", CLAUDE_CODE)
    assert shape(recording) == [
        "1 messages",
        "Read toolu_1",
        "Read toolu_2",
        "3 messages",
        "1 messages",
        "5 messages",
        "5 messages",
    ]
    assert [entry.number for entry in recording.entries] == list(range(1, 8))
    assert [entry.at_ms for entry in recording.entries] == sorted(
        entry.at_ms for entry in recording.entries
    )
    first, tool, failed = recording.entries[:3]
    assert isinstance(first, RecordedExchange)
    assert (first.wire, first.at_ms, first.answer.at_ms) == (
        "anthropic-messages",
        0,
        4_000,
    )
    assert isinstance(tool, RecordedTool)
    assert (tool.result, tool.error, tool.took_ms) == ("apple 2", None, 1_000)
    assert isinstance(failed, RecordedTool)
    assert (failed.result, failed.error) == ("", "no such file")
    assert recording.notes[-1].startswith(
        "the system prompt and the definitions of tools are not in such a file: "
    )


@pytest.mark.parametrize(
    ("kind", "text"), [("agents-sdk", AGENTS_SDK), ("opentelemetry", OPENTELEMETRY)]
)
def test_traces_have_their_requests_and_tools_in_order(kind: str, text: str) -> None:
    """Spans are exchanges as the model was asked; a tool has a span, and stands once."""
    recording = read(kind, text)
    sizes = shape(recording)
    assert sizes[1] == "price_of call_1"
    assert [size.split()[1] for size in sizes] == ["messages", "call_1", "messages"]
    assert [entry.at_ms for entry in recording.entries] == [0, 1_000, 2_000]


RESPONSES_ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Go."},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "went"},
    {"role": "assistant", "content": "Gone."},
    {"role": "user", "content": "Thanks."},
]

ANTHROPIC_TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "Go."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "went"}],
    },
    {"role": "assistant", "content": "Gone."},
    {"role": "user", "content": "Thanks."},
]

LISTS: dict[str, tuple[str, str]] = {
    "chat": ("openai-chat", MESSAGES),
    "chat, one a line": (
        "openai-chat",
        "\n".join(map(json.dumps, json.loads(MESSAGES))),
    ),
    "responses": (
        "openai-responses",
        json.dumps({"model": "gpt-5", "input": RESPONSES_ITEMS}),
    ),
    "items": ("openai-responses", json.dumps(RESPONSES_ITEMS)),
    "anthropic": (
        "anthropic-messages",
        json.dumps({"system": "Be brief.", "messages": ANTHROPIC_TURNS}, indent=1),
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_message_lists_are_taken_apart(tmp_path: Path, name: str) -> None:
    """On each wire: two exchanges with the call between, whole answers, readable ones."""
    wire, text = LISTS[name]
    (tmp_path / "a").write_text(text)
    (told,) = import_recordings([tmp_path / "a"], tmp_path / "to.yaml")
    assert told.kind == "messages"
    entries = load_cassette(tmp_path / "to.yaml").entries
    first, tool, last = entries
    assert isinstance(first, RecordedExchange)
    assert isinstance(last, RecordedExchange)
    assert (first.wire, last.wire) == (wire, wire)
    assert first.message is not None
    (call,) = first.message.tool_calls
    assert (call.id, call.name, first.message.stop_reason) == ("c1", "f", "tool_use")
    assert last.message is not None
    assert (last.message.content, last.message.stop_reason) == ("Gone.", "end_turn")
    assert isinstance(tool, RecordedTool)
    assert (tool.name, tool.call_id, tool.result) == ("f", "c1", "went")
    asked = json.loads(last.request.body)
    assert asked.get("model", "") == json.loads(last.answer.body)["model"]
    ends_asking = not name.startswith("chat")
    assert told.notes == (
        ("left out: 1 request at the end that has no answer",) if ends_asking else ()
    )


def _without_answers(*listed: Sequence[object]) -> Recording:
    return read("messages", json.dumps(listed))


def test_what_has_no_answer_is_told() -> None:
    """Conversations without one, and answers that nobody asked for, are left out."""
    said = {"role": "assistant", "content": "Hello."}
    asked = {"role": "user", "content": "Hi."}
    recording = _without_answers([said], [asked], [asked, said])
    assert shape(recording) == ["1 messages"]
    assert recording.notes == ("left out: 2 conversations without an answer",)


def test_a_list_that_is_none_is_told_with_its_place() -> None:
    """Line and field of the message that has not the form of its wire."""
    text = '[\n{"role": "user", "content": "Hi."},\n{"role": "robot"}\n]'
    with pytest.raises(Unreadable, match=r"f:3: \[1\]\.role: expected one of system"):
        read("messages", text)
    with pytest.raises(Unreadable, match="f:1:2: not JSON"):
        read("messages", "[}")


def test_exchanges_may_be_a_list_and_need_not_name_their_wire() -> None:
    """What the bodies show of the wire is enough, of a stream its first event."""
    asked = {"messages": [{"role": "user", "content": "Hi."}]}
    stream = 'event: message_start\ndata: {"type": "message_start"}\n\n'
    rows = [
        {"request": asked, "response": {"choices": []}},
        {"request": asked, "response": stream},
        {"request": {"input": "Hi."}, "response": {"output": []}},
        {"request": 1, "response": 2},
    ]
    recording = read("exchanges", json.dumps(rows))
    wires = [one.wire for one in recording.entries if isinstance(one, RecordedExchange)]
    assert wires == ["openai-chat", "anthropic-messages", "openai-responses", ""]
    with pytest.raises(Unreadable, match=r"f: \[1\]: no exchange"):
        read("exchanges", json.dumps([rows[0], 7]))


def _ask(deck: Deck, wire: str, body: dict[str, Any]) -> str:
    """Send a request through the SDK of its wire; what the answer says and asks for."""
    if wire == "openai-chat":
        chat = deck.openai_sync().chat.completions.create(**body)
        message = chat.choices[0].message
        return message.content or str([call.id for call in message.tool_calls or ()])
    if wire == "openai-responses":
        answer = deck.openai_sync().responses.create(**body)
        calls = [one.call_id for one in answer.output if one.type == "function_call"]
        return answer.output_text or str(calls)
    said = deck.anthropic_sync().messages.create(**body, max_tokens=9)
    blocks = [
        one.text if one.type == "text" else f"['{one.id}']" for one in said.content
    ]
    return "".join(blocks)


@pytest.mark.parametrize("name", ["chat", "responses", "anthropic"])
def test_imported_conversations_are_replayed_to_the_sdks(
    tmp_path: Path, name: str
) -> None:
    """The SDK of each wire gets the answers, asked as the program would have asked."""
    wire, text = LISTS[name]
    listed = json.loads(text)
    body = listed if isinstance(listed, dict) else {"messages": listed}
    body = {"model": "a-model", **body}
    (tmp_path / "a").write_text(json.dumps(body))
    import_recordings([tmp_path / "a"], tmp_path / "to.yaml")
    key = "input" if "input" in body else "messages"
    listed = body[key]
    first = next(
        at for at, one in enumerate(listed) if at and one.get("role") != "user"
    )
    last = max(at for at, one in enumerate(listed) if one.get("content") == "Gone.")
    with Deck(tmp_path / "to.yaml", all_used=True) as deck:
        asked = [{**body, key: listed[:end]} for end in (first, last)]
        told = [_ask(deck, wire, one) for one in asked]
    assert told == ["['c1']", "Gone."]


def test_what_needs_too_much_room_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request has all that was said before: a long session is told to be split."""
    monkeypatch.setattr(reader, "BYTES_MAX", 500)
    with pytest.raises(Unreadable, match="need more than 0 MiB: split it"):
        read("claude-code", CLAUDE_CODE)
