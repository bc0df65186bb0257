"""Messages of OpenTelemetry as the messages of a wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentsim.core import InvalidArguments, canonical_json, parse_json
from agentsim.providers.transcripts.reading import printable
from agentsim.providers.transcripts.recognise import ANTHROPIC, RESPONSES
from agentsim.providers.transcripts.results import TranscriptWire
from agentsim.providers.transcripts.sessions.otel_messages import OtelMessage
from agentsim.providers.transcripts.sessions.values import LeftOut, Place

__all__ = ["Written", "result_text", "wire_messages"]

Written = tuple[dict[str, Any], Place]
"""A message or item of a wire, and where it comes from."""


def wire_messages(
    wire: TranscriptWire, messages: Sequence[OtelMessage], left_out: LeftOut
) -> list[Written]:
    """Write messages as a wire has them; system messages stay where they are."""
    found: list[Written] = []
    for message in messages:
        parts = [part for part in message.parts if _is_known(part, left_out)]
        if wire == RESPONSES:
            made = _items(message.role, parts)
        elif wire == ANTHROPIC:
            made = _turns(message.role, parts, left_out)
        else:
            made = _chat(message.role, parts, left_out)
        for one in made:
            if wire == ANTHROPIC and found and _are_results(found[-1][0], one):
                found[-1][0]["content"] += one["content"]
            else:
                found.append((one, message.place))
    return found


def _are_results(*turns: dict[str, Any]) -> bool:
    """Whether turns hold results only: those of one answer stand in one turn."""
    return all(
        turn["content"]
        and all(part["type"] == "tool_result" for part in turn["content"])
        for turn in turns
    )


_KNOWN = ("text", "reasoning", "tool_call", "tool_call_response")


def _is_known(part: dict[str, Any], left_out: LeftOut) -> bool:
    if part["type"] in _KNOWN:
        return True
    left_out.add(f"part of type {printable(part['type'])[:40]}")
    return False


def _text(parts: Sequence[dict[str, Any]], kind: str = "text") -> str:
    return "\n".join(_content(part) for part in parts if part["type"] == kind)


def _content(part: dict[str, Any]) -> str:
    return _as_text(part.get("content", part.get("text")))


def _as_text(value: Any) -> str:  # noqa: ANN401 - a JSON value
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(value)


def _of(parts: Sequence[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    return (part for part in parts if part["type"] == kind)


def _result(part: dict[str, Any]) -> str:
    return result_text(part.get("response", part.get("result", part.get("content"))))


def result_text(value: Any) -> str:  # noqa: ANN401 - a JSON value
    """The result of a tool as text: that of its blocks, where it has nothing else."""
    listed = value
    if isinstance(value, str) and value.startswith("["):
        try:
            listed = parse_json(value, unique_keys=False)
        except InvalidArguments:
            return value
    if isinstance(listed, list) and listed and all(map(_is_text, listed)):
        return "".join(_content(block) for block in listed)
    return _as_text(value)


def _is_text(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"


def _arguments(part: dict[str, Any]) -> str:
    given = part.get("arguments")
    return "{}" if given is None else _as_text(given)


def _role(role: str) -> str:
    return role if role in ("system", "developer", "assistant") else "user"


def _chat(
    role: str, parts: Sequence[dict[str, Any]], left_out: LeftOut
) -> Iterator[dict[str, Any]]:
    for part in _of(parts, "tool_call_response"):
        content = _result(part)
        yield {"role": "tool", "tool_call_id": part.get("id"), "content": content}
    for _ in _of(parts, "reasoning"):
        left_out.add("part of type reasoning, which Chat has no place for")
    calls = [
        {
            "id": part.get("id"),
            "type": "function",
            "function": {"name": part.get("name"), "arguments": _arguments(part)},
        }
        for part in _of(parts, "tool_call")
    ]
    text = _text(parts)
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": calls}
    elif text or role != "tool":
        yield {"role": _role(role), "content": text}


def _turns(
    role: str, parts: Sequence[dict[str, Any]], left_out: LeftOut
) -> Iterator[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in parts:
        kind = part["type"]
        if kind == "text":
            blocks.append({"type": "text", "text": _content(part)})
        elif kind == "reasoning":
            thinking = _content(part)
            blocks.append({"type": "thinking", "thinking": thinking, "signature": ""})
        elif kind == "tool_call":
            named = {"id": part.get("id"), "name": part.get("name")}
            blocks.append(
                {"type": "tool_use", **named, "input": _input(part, left_out)}
            )
        else:
            told = {"tool_use_id": part.get("id"), "content": _result(part)}
            blocks.append({"type": "tool_result", **told})
    yield {"role": _role(role), "content": blocks}


def _input(part: dict[str, Any], left_out: LeftOut) -> Any:  # noqa: ANN401 - a JSON value
    given = part.get("arguments")
    if isinstance(given, str):
        try:
            return parse_json(given or "{}", unique_keys=False)
        except InvalidArguments:
            left_out.add(
                "text of arguments that is no JSON: Anthropic has no place for it"
            )
            return {}
    return {} if given is None else given


def _items(role: str, parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        kind = part["type"]
        if kind == "text":
            yield {"type": "message", "role": _role(role), "content": _content(part)}
        elif kind == "reasoning":
            summary = [{"type": "summary_text", "text": _content(part)}]
            yield {"type": "reasoning", "summary": summary}
        elif kind == "tool_call":
            named = {"call_id": part.get("id"), "name": part.get("name")}
            yield {"type": "function_call", **named, "arguments": _arguments(part)}
        else:
            told = {"call_id": part.get("id"), "output": _result(part)}
            yield {"type": "function_call_output", **told}
