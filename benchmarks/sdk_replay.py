"""Five turns of an SDK: answered by a cassette, and by the same bodies in a transport."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
)
from agentsim.cassettes.deck import Deck

__all__ = ["canned", "replayed"]

TURNS = 5

KIND = {"content-type": "application/json"}

Asks = Callable[[Any], None]


def _call(turn: int) -> dict[str, Any]:
    arguments = json.dumps({"path": f"notes/{turn}.txt"})
    function = {"name": "read_file", "arguments": arguments}
    return {"id": f"call_{turn}", "type": "function", "function": function}


def _message(turn: int) -> dict[str, Any]:
    if turn == TURNS:
        return {
            "role": "assistant",
            "content": "All of them say that the disk is full.",
        }
    return {"role": "assistant", "content": None, "tool_calls": [_call(turn)]}


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "read_file",
            "description": "Read a file of the project, as text.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
            },
        },
    }
]


def _requests() -> list[dict[str, Any]]:
    """The request of each turn: the conversation grows."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You help with servers. Be brief. " * 20},
        {"role": "user", "content": "What do my notes say?"},
    ]
    made = []
    for turn in range(1, TURNS + 1):
        made.append({"model": "gpt-5", "messages": [*messages], "tools": TOOLS})
        said = f"Note {turn}: the disk is full, the third time this week. " * 5
        result = {"role": "tool", "tool_call_id": f"call_{turn}", "content": said}
        messages += [_message(turn), result]
    return made


def _answer(turn: int) -> str:
    reason = "stop" if turn == TURNS else "tool_calls"
    choice = {"index": 0, "finish_reason": reason, "message": _message(turn)}
    usage = {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420}
    return json.dumps(
        {
            "id": f"chatcmpl-{turn}",
            "object": "chat.completion",
            "created": 1_767_225_600 + turn,
            "model": "gpt-5",
            "choices": [choice],
            "usage": usage,
        }
    )


def _session() -> Asks:
    requests = _requests()

    def ask(client: Any) -> None:  # noqa: ANN401 - of the SDK
        for request in requests:
            client.chat.completions.create(**request)

    return ask


@contextmanager
def canned() -> Iterator[Callable[[], None]]:
    """Five turns, answered by a transport that has the bodies."""
    import httpx2
    from openai import OpenAI

    answers = [_answer(turn).encode() for turn in range(1, TURNS + 1)]
    asked = 0

    def answer(request: httpx2.Request) -> httpx2.Response:
        nonlocal asked
        asked += 1
        return httpx2.Response(
            200, headers=KIND, content=answers[(asked - 1) % TURNS], request=request
        )

    ask = _session()
    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with OpenAI(api_key="k", http_client=http) as client:
        yield lambda: ask(client)


@contextmanager
def replayed(times: int) -> Iterator[Callable[[], None]]:
    """The same out of a cassette, which holds the session so many times."""
    requests = _requests()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.yaml"
        with CassetteWriter(path) as writer:
            for number in range(times * TURNS):
                turn = number % TURNS
                asked = RecordedRequest(
                    url="https://api.openai.com/v1/chat/completions",
                    body=json.dumps(requests[turn]),
                )
                said = RecordedAnswer(200, KIND, _answer(turn + 1))
                writer.add(RecordedExchange(number + 1, asked, said, "openai-chat"))
        ask = _session()
        with Deck(path) as deck:
            client = deck.openai_sync()
            yield lambda: ask(client)
