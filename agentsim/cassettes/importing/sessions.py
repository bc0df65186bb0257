"""Conversations and traces as the exchanges and calls of tools that they went through.

Answers are whole there, not streamed, and requests are what was said before: what the
file does not have of them, such as a system prompt, is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentsim.cassettes.importing.bodies import JSON, URLS, encodable
from agentsim.cassettes.importing.values import BYTES_MAX, Recording, Unreadable
from agentsim.cassettes.records import (
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.core import UsageError
from agentsim.providers.transcripts.sessions import (
    LeftOut,
    Session,
    SessionCall,
    SessionExchange,
    SessionPart,
    calls_in,
    exchanges_in,
    read_conversations,
    read_session,
)

__all__ = ["read_lists", "session_reader"]

Entry = RecordedExchange | RecordedTool


def session_reader(kind: str, missing: str) -> Callable[[str, str], Recording]:
    """What reads files of a kind of session.

    Args:
        missing: What such a file never has of a request.
    """

    def read(text: str, name: str) -> Recording:
        try:
            session = read_session(name, text, kind)
        except UsageError as error:
            raise Unreadable(str(error)) from None
        return _recording(session, name, missing)

    return read


def read_lists(text: str, name: str) -> Recording:
    """Read message lists and bodies of requests.

    Raises:
        Unreadable: with file, line and field.
    """
    try:
        session = read_conversations(name, text)
    except UsageError as error:
        raise Unreadable(str(error)) from None
    return _recording(session, name, "")


def _recording(session: Session, name: str, missing: str) -> Recording:
    left_out = LeftOut()
    known: dict[object, None] = {call.call_id: None for call in session.calls}
    known.pop("", None)
    entries: list[Entry] = []
    size = 0
    for part in session.parts:
        for entry in _entries(part, name, known, left_out):
            entries.append(entry)
            size += _size(entry)
            if size > BYTES_MAX:
                raise Unreadable(
                    f"its requests, each with all that was said before, need more than "
                    f"{BYTES_MAX >> 20} MiB: split it, or leave out its end",
                    name,
                )
    entries += map(_tool, session.calls)
    notes = (*session.notes, *left_out.notes())
    if missing and entries:
        words = "a request that has them is not found in the cassette"
        notes = (*notes, f"{missing} are not in such a file: {words}")
    return Recording(_in_order(entries), notes, began_ms=_began_ms(entries))


def _size(entry: Entry) -> int:
    if isinstance(entry, RecordedTool):
        return len(entry.result)
    return len(entry.request.body) + len(entry.answer.body)


def _in_order(entries: list[Entry]) -> tuple[Entry, ...]:
    """Numbered, and with times from the first on; by time where each has one."""
    if all(entry.at_ms for entry in entries):
        entries = sorted(entries, key=lambda entry: entry.at_ms)
    start = _began_ms(entries)
    return tuple(
        replace(entry, number=number, at_ms=max(0.0, entry.at_ms - start))
        for number, entry in enumerate(entries, 1)
    )


def _began_ms(entries: Iterable[Entry]) -> float:
    return min((entry.at_ms for entry in entries if entry.at_ms), default=0.0)


def _entries(
    part: SessionPart, name: str, known: dict[object, None], left_out: LeftOut
) -> Iterator[Entry]:
    """The exchanges of a conversation and the calls between them, each once.

    Branches begin with what others began with, and a request has all that was said
    before, so most of it was met already.

    Args:
        known: The ids of calls, and the places of answers and results, that were met.
    """
    runs = list(_calls(part, name))
    is_answered = False
    for exchange in exchanges_in(part):
        is_answered = True
        while runs and (exchange.position < 0 or runs[0][0] < exchange.position):
            yield from _once(_tool(runs[0][1]), _call_key(part, *runs.pop(0)), known)
        if exchange.position < 0:
            yield _exchange(exchange)
        else:
            key = "answer", part.place((part.key, exchange.position))
            yield from _once(_exchange(exchange), key, known)
    for at, call in runs:
        yield from _once(_tool(call), _call_key(part, at, call), known)
    listed = part.body[part.key]
    if part.answer is None and isinstance(listed, list):
        if not is_answered:
            left_out.add("conversation without an answer")
        elif _is_asked_last(listed):
            left_out.add("request at the end that has no answer")


def _calls(part: SessionPart, name: str) -> Iterator[tuple[int, SessionCall]]:
    try:
        yield from calls_in(part, name)
    except UsageError as error:
        raise Unreadable(str(error)) from None


def _call_key(part: SessionPart, at: int, call: SessionCall) -> object:
    if part.answer is not None:
        return call.call_id
    return "result", part.place((part.key, at)), call.call_id


def _once(entry: Entry, key: object, known: dict[object, None]) -> Iterator[Entry]:
    if key not in known:
        known[key] = None
        yield entry


def _is_asked_last(listed: list[Any]) -> bool:
    last = listed[-1]
    kind = last.get("type") if isinstance(last, dict) else None
    told = isinstance(last, dict) and last.get("role") == "assistant"
    return not told and not str(kind).endswith("_call") and kind != "reasoning"


def _exchange(exchange: SessionExchange) -> RecordedExchange:
    return RecordedExchange(
        1,
        RecordedRequest(
            url=URLS.get(exchange.wire, ""),
            headers={"content-type": JSON},
            body=_body(exchange.body),
        ),
        RecordedAnswer(
            200,
            {"content-type": JSON},
            _body(exchange.answer),
            at_ms=exchange.took_ms,
        ),
        exchange.wire,
        exchange.at_ms,
    )


def _body(body: Mapping[str, Any]) -> str:
    return encodable(json.dumps(body, ensure_ascii=False))


def _tool(call: SessionCall) -> RecordedTool:
    return RecordedTool(
        1,
        call.name,
        call.call_id,
        call.arguments,
        call.result,
        call.error,
        call.at_ms,
        call.took_ms,
    )
