"""The chunks of a stream of Chat Completions, put together to the answer that they are."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from agentsim.providers.openai_chat.answers import Completion, read_completion
from agentsim.providers.wires.dialect import Frame

__all__ = ["read_chunks"]

PADDING = "obfuscation"
"""A field of random letters, which hides the lengths of the pieces."""


def read_chunks(frames: Iterable[Frame]) -> Completion:
    """Read what came of a stream, as clients do: the body is that of a plain answer.

    Padding is left out. An error that the stream told of stays in the body.
    """
    body: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for frame in frames:
        if isinstance(frame.data, str):
            continue
        for key, value in frame.data.items():
            if key == "choices":
                _take_choices(choices, value)
            elif key != PADDING and (value is not None or key not in body):
                body[key] = copy.deepcopy(value)
    if body.get("object") == "chat.completion.chunk":
        body["object"] = "chat.completion"
    body["choices"] = [_whole(choices[index]) for index in sorted(choices)]
    if body.get("usage", 0) is None:
        del body["usage"]
    return read_completion(body)


def _take_choices(choices: dict[int, dict[str, Any]], told: object) -> None:
    for choice in told if isinstance(told, list) else ():
        if not isinstance(choice, Mapping):
            continue
        index = choice.get("index", 0)
        taken = choices.setdefault(index, {"index": index, "message": {}})
        for key, value in choice.items():
            if key == "delta":
                _add(taken["message"], value or {})
            elif key != "index":
                _add(taken, {key: value})


def _whole(choice: dict[str, Any]) -> dict[str, Any]:
    for call in choice["message"].get("tool_calls") or ():
        call.pop("index", None)
    return choice


def _add(taken: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add what a delta has: texts and lists grow, and entries are found by their index."""
    for key, value in delta.items():
        before = taken.get(key)
        if before is None:
            taken[key] = copy.deepcopy(value)
        elif isinstance(before, str) and isinstance(value, str) and key != "type":
            # The reason and the role are told once by the service: told again, they
            # are the same.
            taken[key] = value if key in ("role", "finish_reason") else before + value
        elif isinstance(before, dict) and isinstance(value, Mapping):
            _add(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            for entry in value:
                _add_entry(before, entry)
        elif value is not None:
            taken[key] = copy.deepcopy(value)


def _add_entry(taken: list[Any], entry: object) -> None:
    if isinstance(entry, Mapping) and "index" in entry:
        for known in taken:
            if isinstance(known, dict) and known.get("index") == entry["index"]:
                _add(known, entry)
                return
    taken.append(copy.deepcopy(entry))
