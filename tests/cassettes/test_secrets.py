"""No secret gets into a file, wherever it is planted and however a stream is cut."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsim.cassettes import (
    Cassette,
    CassetteHeader,
    RecordedChunk,
    RecordedTool,
    load_cassette,
)
from agentsim.cassettes.redaction import Redactor, audit_cassette
from agentsim.cassettes.tape import Tape
from tests.cassettes.planted import PLACES, SECRETS, Entry, answered
from tests.cassettes.test_redaction import RULES, hidden_texts

WIRES = {
    "stream of Chat": "openai-chat",
    "stream of arguments": "openai-chat",
    "stream of Responses": "openai-responses",
    "stream of Anthropic": "anthropic",
}

WRITTEN = [place for place in PLACES if "put together" not in place]
"""Places that a tape fills by what it hears; answers it puts together by itself."""


def record(tape: Tape, place: str, entry: Entry) -> None:
    """Let a tape hear of an entry, as it does from a client."""
    if isinstance(entry, RecordedTool):
        call = tape.begin_tool(entry.name, entry.arguments)
        call.end(entry.result, entry.error)
        return
    answer = entry.answer
    taking = tape.begin(entry.request, WIRES.get(place, ""))
    if answer.status is not None:
        taking.head(answer.status, answer.headers)
    for chunk in answer.chunks or ():
        taking.chunk(chunk.text.encode("utf-8", "surrogateescape"))
    taking.body(answer.body.encode())
    taking.end("no answer" if answer.status is None else "whole", answer.error)


@pytest.mark.slow
def test_no_secret_of_any_kind_gets_into_a_file_from_any_place(tmp_path: Path) -> None:
    """Of what a tape writes, neither the audit nor a search finds anything."""
    assert len(WRITTEN) >= 15
    path = tmp_path / "planted.yaml"
    with Tape(path, "record", rules=RULES) as tape:
        for place in WRITTEN:
            for secret in SECRETS.values():
                record(tape, place, PLACES[place](secret))
    cassette = load_cassette(path)
    assert len(cassette.entries) == len(WRITTEN) * len(SECRETS)
    assert audit_cassette(cassette) == ()
    left = path.read_text("utf-8") + "".join(map(hidden_texts, cassette.entries))
    assert [name for name, secret in SECRETS.items() if secret in left] == []


def _data(value: Any) -> str:  # noqa: ANN401 - a JSON value
    return f"data: {json.dumps(value)}\n\n"


def _delta(name: str) -> Callable[[str], str]:
    return lambda text: _data({"choices": [{"index": 0, "delta": {name: text}}]})


def _anthropic(kind: str, name: str) -> Callable[[str], str]:
    def event(text: str) -> str:
        delta = {"type": kind, name: text}
        told = _data({"type": "content_block_delta", "index": 1, "delta": delta})
        return f"event: content_block_delta\n{told}"

    return event


def _responses(kind: str) -> Callable[[str], str]:
    return lambda text: _data(
        {
            "type": f"response.{kind}.delta",
            "item_id": "i",
            "output_index": 0,
            "delta": text,
        }
    )


STREAMS: dict[str, Callable[[str], str]] = {
    "text of Chat": _delta("content"),
    "refusal of Chat": _delta("refusal"),
    "reasoning of Chat": _delta("reasoning_content"),
    "arguments of Chat": lambda text: _data(
        {
            "choices": [
                {
                    "delta": {
                        "tool_calls": [{"index": 2, "function": {"arguments": text}}]
                    }
                }
            ]
        }
    ),
    "text of Anthropic": _anthropic("text_delta", "text"),
    "thinking of Anthropic": _anthropic("thinking_delta", "thinking"),
    "arguments of Anthropic": _anthropic("input_json_delta", "partial_json"),
    "text of Responses": _responses("output_text"),
    "arguments of Responses": _responses("function_call_arguments"),
    "reasoning of Responses": _responses("reasoning_summary_text"),
    "an event of nobody's": lambda text: _data({"x": {"y": [text]}}),
    "events without a space": lambda text: f"data:{json.dumps({'t': text})}\r\n\r\n",
    "plain text": lambda text: text,
}
"""Kind of stream -> a piece of it that carries a piece of text."""


def put_together(chunks: tuple[RecordedChunk, ...]) -> str:
    """What a reader of a stream can make of it: its bytes, and its texts by their names."""
    whole = "".join(chunk.text for chunk in chunks)
    texts: dict[str, str] = {}
    for line in whole.splitlines():
        if line.startswith("data:"):
            for name, text in _leaves(json.loads(line[5:]), ""):
                texts[name] = texts.get(name, "") + text
    return "\n".join((whole, *texts.values()))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}")
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, name)
    elif isinstance(value, str):
        yield name, value


def streams_with(secret: str, event: Callable[[str], str]) -> Iterator[list[str]]:
    """The chunks of streams that carry a secret: cut at every position, in both ways."""
    whole = event(f"See {secret} .")
    for at in range(1, len(secret)):
        cut = whole.index(secret[:1] + json.dumps(secret)[2:-1]) + at
        yield [whole[:cut], whole[cut:]]
        yield [event("See "), event(secret[:at]), event(secret[at:]), event(" .")]
    yield [event(mark) for mark in f"See {secret} ."]


PART = 6
"""So many characters of a secret that stand together are a part of it that is left."""


def _is_left(secret: str, text: str) -> bool:
    starts = range(len(secret) - PART + 1)
    return any(secret[at : at + PART] in text for at in starts)


@pytest.mark.slow
def test_no_secret_is_left_in_a_stream_that_is_cut_anywhere(
    figure: Callable[[str], None],
) -> None:
    """Cut by chunks or events at every position, no part can be put together again."""
    redactor = Redactor(RULES)
    tried, left, entries = 0, [], []
    for kind, event in STREAMS.items():
        for name, secret in SECRETS.items():
            for pieces in streams_with(secret, event):
                before = tuple(RecordedChunk(n, text) for n, text in enumerate(pieces))
                assert secret in put_together(before), "the search has to find it"
                after = redactor.chunks(before)
                tried += 1
                left += [(kind, name)] * _is_left(secret, put_together(after))
                if tried % 3 == 0:  # the audit takes longer than all else
                    entries.append(answered(chunks=after))
    found = audit_cassette(Cassette("x", CassetteHeader(), tuple(entries)))
    figure(f"redaction: {len(left) + len(found)} of {tried} streams keep a secret")
    assert left == []
    assert found == ()
