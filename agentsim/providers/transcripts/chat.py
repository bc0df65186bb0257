"""OpenAI Chat Completions: `messages` as neutral messages.

Results answer the group of calls right before them, in any order; ids need to differ
within one response only. Messages of one role may follow one another, and a system or
developer message may stand anywhere (but not between a call and its result).
The deprecated `function_call` and its `function` message carry no ids and the service
is not known to pair them: what is missing there is a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import Message, Role, ToolCall, canonical_json
from agentsim.providers.transcripts.reading import (
    Entry,
    Path,
    Reading,
    WireNote,
    as_list,
    as_object,
    content_text,
    printable,
    role_of,
    text_of,
)

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    # Core has no such role: it is what the application says, and answers no id.
    "function": "user",
}


def read_chat(messages: object, at: Path = ("messages",)) -> Reading:
    """Read the `messages` of a Chat request, or of a transcript in that form.

    Raises:
        ShapeFault: when a message does not have the form of the wire.
    """
    reading = Reading()
    legacy = _LegacyCalls(reading)
    for index, value in enumerate(as_list(messages, at, "the messages")):
        where: Path = (*at, index)
        message = as_object(value, where, "a message")
        reading.entries.append(_entry(message, where))
        legacy.see(message, where)
    reading.messages = len(reading.entries)
    return reading


def read_chat_answer(answer: Mapping[str, Any], at: Path) -> list[Entry]:
    """Read the messages of an answer that was not streamed, one per choice.

    Raises:
        ShapeFault: when the answer does not have the form of the wire.
    """
    where: Path = (*at, "choices")
    entries = []
    for index, value in enumerate(as_list(answer.get("choices"), where, "the choices")):
        place: Path = (*where, index)
        choice = as_object(value, place, "a choice")
        place = (*place, "message")
        entries.append(_entry(as_object(choice.get("message"), place, "it"), place))
    return entries


def _entry(message: Mapping[str, Any], at: Path) -> Entry:
    role = ROLES[role_of(message, at, ROLES)]
    calls_at, calls = _calls(message, at)
    answered = text_of(message, "tool_call_id", at) if role == "tool" else None
    content = content_text(message.get("content"))
    return Entry(Message(role, content, calls, answered), at, calls_at)


def _calls(
    message: Mapping[str, Any], at: Path
) -> tuple[tuple[Path, ...], tuple[ToolCall, ...]]:
    value = message.get("tool_calls")
    if value is None:
        return (), ()
    where: Path = (*at, "tool_calls")
    listed = as_list(value, where, "the tool calls")
    places = tuple((*where, number) for number in range(len(listed)))
    calls = zip(listed, places, strict=True)
    return places, tuple(_call(call, place) for call, place in calls)


def _call(value: object, at: Path) -> ToolCall:
    call = as_object(value, at, "a tool call")
    key = "custom" if call.get("type") == "custom" else "function"
    body = as_object(call.get(key) or {}, (*at, key), "what is called")
    arguments = body.get("input" if key == "custom" else "arguments", "{}")
    if not isinstance(arguments, str):
        arguments = canonical_json(arguments)
    return ToolCall(
        text_of(call, "id", at), text_of(body, "name", (*at, key)), arguments
    )


class _LegacyCalls:
    """Follows `function_call` and `function` messages, and notes what does not pair."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._open: str | None = None
        self._at: Path = ()

    def see(self, message: Mapping[str, Any], at: Path) -> None:
        if message.get("role") == "function":
            self._answer(text_of(message, "name", at), at)
            return
        if self._open is not None:
            self._note(self._at, f"the function call {self._open} has no result")
            self._open = None
        called = message.get("function_call")
        if isinstance(called, dict):
            self._at = (*at, "function_call")
            self._open = text_of(called, "name", self._at)

    def _answer(self, name: str, at: Path) -> None:
        if self._open is None:
            self._note(at, f"the function result {name} answers no function call")
        elif name != self._open:
            self._note(
                at,
                f"the function result {name} stands where that of "
                f"{self._open} is expected",
            )
        self._open = None

    def _note(self, at: Path, words: str) -> None:
        self._reading.notes.append(WireNote(at, printable(words)))
