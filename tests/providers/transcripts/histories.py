"""Small histories of each wire, and their verdicts, for the tests beside it."""

import json
from typing import Any

from agentsim.providers.transcripts import ConversationReport, check_text

Json = dict[str, Any]
Found = list[tuple[str, str]]


def judged(body: object) -> ConversationReport:
    """The verdict on one conversation."""
    (one,) = check_text("f.json", json.dumps(body)).conversations
    return one


def found(body: object) -> Found:
    """Rule and position of each finding."""
    return [(one.rule, one.position) for one in judged(body).findings]


def request(key: str, *messages: Json, **fields: Any) -> Json:
    """A request body."""
    return {"model": "m", key: list(messages), **fields}


USER: Json = {"role": "user", "content": "Go."}
SAYS: Json = {"role": "assistant", "content": "Done."}


def call(own: str | None = "a", **fields: Any) -> Json:
    """A tool call of the Chat wire."""
    made = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {**made, **({} if own is None else {"id": own}), **fields}


def asks(*calls: Json) -> Json:
    """A message of the model with calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tool(own: str) -> Json:
    """A result on the Chat wire."""
    return {"role": "tool", "tool_call_id": own, "content": "ok"}


def item(kind: str, own: str | None = "a", **fields: Any) -> Json:
    """An item that is paired by its call id."""
    return {"type": kind, **({} if own is None else {"call_id": own}), **fields}


ASK = item("function_call", name="f", arguments="{}")
ANSWER = item("function_call_output", output="ok")


def use(own: str | None = "a", kind: str = "tool_use") -> Json:
    """A block with a call."""
    made = {"type": kind, "name": "f", "input": {"x": 1}}
    return {**made, **({} if own is None else {"id": own})}


def result(own: str | None = "a", kind: str = "tool_result") -> Json:
    """A block with a result."""
    return {"type": kind, **({} if own is None else {"tool_use_id": own})}


TEXT = {"type": "text", "text": "Look."}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a"}}


def says(*blocks: Json) -> Json:
    """A message of the model."""
    return {"role": "assistant", "content": list(blocks)}


def turn(*blocks: Json, role: str = "user") -> Json:
    """A message from outside."""
    return {"role": role, "content": list(blocks)}
