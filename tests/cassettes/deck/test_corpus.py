"""The real exchanges, imported and replayed: every answer comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from anthropic.types import Message, RawMessageStreamEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent

from agentsim.cassettes import import_recordings, load_cassette
from agentsim.cassettes.deck import Deck
from agentsim.providers.wires import read_frames_of

CORPUS = Path(__file__).parents[4] / "shared/real-exchanges/exchanges.jsonl"

pytestmark = [
    pytest.mark.skipif(
        not CORPUS.exists(),
        reason="../shared/real-exchanges/exchanges.jsonl is missing",
    ),
    pytest.mark.slow,
]

WIRES: dict[str, tuple[str, Any, Any]] = {
    "openai-chat": (
        "/chat/completions",
        ChatCompletion,
        openai.Stream[ChatCompletionChunk],
    ),
    "openai-responses": ("/responses", Response, openai.Stream[ResponseStreamEvent]),
    "anthropic-messages": (
        "/v1/messages",
        Message,
        anthropic.Stream[RawMessageStreamEvent],
    ),
}
"""Wire -> path, type of an answer, type of a stream."""


def sessions() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The lines of each session."""
    lines = map(json.loads, CORPUS.read_text("utf-8").splitlines())
    for name, rows in groupby(lines, key=lambda row: row["id"].partition("#")[0]):
        yield name, list(rows)


def answered(deck: Deck, row: dict[str, Any]) -> tuple[int, Any]:
    """Status and body that the SDK has of a request; of a stream its events."""
    path, whole, streamed = WIRES[row["wire"]]
    made = deck.anthropic_sync if path == "/v1/messages" else deck.openai_sync
    client: Any = made(max_retries=0)
    try:
        if row["stream"] and row["status"] == 200:
            how = {"cast_to": whole, "stream": True, "stream_cls": streamed}
            stream = client.post(path, body=row["request"], **how)
            return 200, [event.to_dict(mode="json", warnings=False) for event in stream]
        answer = client.post(path, body=row["request"], cast_to=whole)
        return 200, answer.to_dict(mode="json", warnings=False)
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        return error.status_code, error.response.json()


def expected(row: dict[str, Any], said: Any) -> Any:  # noqa: ANN401 - JSON
    """What the service said, as the SDK gives it: of a stream what is no ping or end."""
    if not isinstance(said, str):
        return said
    frames = read_frames_of(said.encode())
    return [
        frame.data
        for frame in frames
        if isinstance(frame.data, Mapping) and frame.data.get("type") != "ping"
    ]


def test_every_real_session_is_replayed_as_it_was(tmp_path: Path) -> None:
    """Through the SDK, with its status, streams included; three hold what is a secret."""
    count, redacted = 0, []
    for number, (_name, rows) in enumerate(sessions()):
        source, path = tmp_path / f"{number}.jsonl", tmp_path / f"{number}.yaml"
        source.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        import_recordings([source], path)
        exchanges = load_cassette(path).exchanges
        with Deck(path, all_used=True) as deck:
            for row, exchange in zip(rows, exchanges, strict=True):
                status, body = answered(deck, row)
                said = row["response"]
                if "__REDACTED_" in exchange.answer.text:
                    redacted.append(row["id"])
                    text = exchange.answer.text
                    said = text if row["stream"] else json.loads(text)
                assert (status, body) == (row["status"], expected(row, said)), row["id"]
                count += 1
    assert (count, len(redacted)) == (421, 3)
