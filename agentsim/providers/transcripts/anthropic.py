"""Anthropic Messages: `messages` as neutral messages.

Turns of one role that follow one another are merged before pairing, as the service
does. All results of one assistant turn stand in the next user turn, before anything
else in it, in any order (R3.3, wire rules A1 to A6); ids of calls differ over the whole
history. Tools that the service runs pair by id: a result needs its call before it, but
a call may stay open (an answer can be in flight).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from agentsim.core import Message, Role, ToolCall, canonical_json
from agentsim.providers.transcripts.reading import (
    Entry,
    Held,
    Path,
    Reading,
    ShapeFault,
    WireBreach,
    WireNote,
    as_list,
    as_object,
    content_text,
    kind_at,
    role_of,
    text_of,
)

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}

SERVER_CALLS = ("server_tool_use", "mcp_tool_use")

Block = tuple[Path, Mapping[str, Any]]


def read_anthropic(
    messages: object,
    at: Path = ("messages",),
    *,
    body: Mapping[str, Any] | None = None,
) -> Reading:
    """Read the `messages` of an Anthropic request, or of a transcript in that form.

    Args:
        body: The request, for its `system` field and for a `thread` to be continued.

    Raises:
        ShapeFault: when a message does not have the form of the wire.
    """
    listed = as_list(messages, at, "the messages")
    reading = Reading(messages=len(listed))
    if body and body.get("system"):
        content = content_text(body["system"])
        reading.entries.append(Entry(Message("system", content), (*at[:-1], "system")))
    asking = False
    for role, turn in groupby(_messages(listed, at), key=lambda read: read[0]):
        merged = list(turn)
        blocks = [block for _, _, blocks in merged for block in blocks]
        if role == "assistant":
            _hold_thread(reading, body)
            asking = _assistant_turn(reading, blocks, merged[0][1])
        else:
            _user_turn(reading, blocks, role=role, asking=asking)
            asking = False
    _hold_thread(reading, body)
    return reading


def read_anthropic_answer(answer: Mapping[str, Any], at: Path) -> list[Entry]:
    """Read the turn of an answer that was not streamed.

    Raises:
        ShapeFault: when the answer does not have the form of the wire.
    """
    reading = Reading()
    _assistant_turn(reading, list(_blocks(answer, at)), at)
    return reading.entries


def _hold_thread(reading: Reading, body: Mapping[str, Any] | None) -> None:
    """A continued thread: what comes before the first assistant turn may answer it."""
    thread = body.get("thread") if body else None
    continued = isinstance(thread, dict) and thread.get("type") == "continue"
    if continued and reading.held is None:
        reading.held = Held("thread", len(reading.entries))


def _messages(
    listed: Sequence[object], at: Path
) -> Iterator[tuple[Role, Path, list[Block]]]:
    for index, value in enumerate(listed):
        where: Path = (*at, index)
        message = as_object(value, where, "a message")
        role = ROLES[role_of(message, where, ROLES)]
        yield role, where, list(_blocks(message, where))


def _blocks(message: Mapping[str, Any], at: Path) -> Iterator[Block]:
    content = message.get("content")
    if isinstance(content, str):
        yield at, {"type": "text", "text": content}
        return
    where: Path = (*at, "content")
    if not isinstance(content, list):
        got = kind_at(message, "content")
        words = f"expected a string or an array of blocks, got {got}"
        raise ShapeFault(where, words)
    for number, value in enumerate(content):
        place: Path = (*where, number)
        block = as_object(value, place, "a content block")
        if not isinstance(block.get("type"), str):
            words = f"expected the type of a block, got {kind_at(block, 'type')}"
            raise ShapeFault((*place, "type"), words)
        yield place, block


def _assistant_turn(reading: Reading, blocks: list[Block], where: Path) -> bool:
    """Add a turn of the model; whether it asks the client to run tools."""
    calls: list[tuple[Path, ToolCall]] = []
    for at, block in blocks:
        kind = block["type"]
        if kind == "tool_use":
            calls.append((at, _call(block, at)))
        elif kind == "tool_result":
            words = "a tool_result block stands in an assistant message"
            reading.breaches.append(WireBreach("role", at, words))
    message = Message(
        "assistant",
        content_text([block for _, block in blocks]),
        tuple(call for _, call in calls),
        blocks=tuple(block for _, block in blocks if block["type"] != "text"),
    )
    reading.entries.append(Entry(message, where, tuple(at for at, _ in calls)))
    reading.entries.extend(_server_side(blocks))
    return bool(calls)


def _call(block: Mapping[str, Any], at: Path) -> ToolCall:
    arguments = canonical_json(block.get("input", {}))
    return ToolCall(text_of(block, "id", at), text_of(block, "name", at), arguments)


def _server_side(blocks: list[Block]) -> Iterator[Entry]:
    for at, block in blocks:
        kind = block["type"]
        if kind in SERVER_CALLS:
            message = Message("assistant", "", (_call(block, at),))
            yield Entry(message, at, (at,), server_side=True)
        elif kind.endswith("_tool_result"):
            call_id = text_of(block, "tool_use_id", at)
            message = Message("tool", "", (), call_id)
            yield Entry(message, at, server_side=True)


def _user_turn(
    reading: Reading, blocks: list[Block], *, role: Role, asking: bool
) -> None:
    """Add what comes from outside: the results first, then all else.

    What stands before a result is told as one breach of its own (A6), so that the
    results behind it are not told once more, each as missing and as an orphan.
    """
    before: Path | None = None
    results: list[Path] = []
    others: list[Block] = []
    for at, block in blocks:
        kind = block["type"]
        if kind == "tool_result" and role == "user":
            if asking and before is not None:
                _results_come_first(reading, before)
                asking = False
            results.append(at)
            reading.entries.append(_result(block, at))
            continue
        if kind in ("tool_use", "tool_result"):
            words = f"a {kind} block stands in a message of role {role}"
            reading.breaches.append(WireBreach("role", at, words))
        before = before or at
        others.append((at, block))
    _results_in_one_message(reading, results)
    if others:
        content = content_text([block for _, block in others])
        reading.entries.append(Entry(Message(role, content), others[0][0]))
        reading.entries.extend(_server_side(others))


def _results_come_first(reading: Reading, at: Path) -> None:
    words = (
        "this block stands before a tool_result: results come first in the turn that "
        "answers calls, else the calls count as unanswered"
    )
    reading.breaches.append(WireBreach("unanswered", at, words))


def _results_in_one_message(reading: Reading, results: list[Path]) -> None:
    """The service merges, but one message per response is how it should be (R3.3)."""
    for at in results:
        if at[:-2] != results[0][:-2]:
            words = "results of one turn are spread over several user messages"
            reading.notes.append(WireNote(at, words))
            return


def _result(block: Mapping[str, Any], at: Path) -> Entry:
    message = Message(
        "tool",
        content_text(block.get("content")),
        (),
        text_of(block, "tool_use_id", at),
        block.get("is_error") is True,
    )
    return Entry(message, at)
