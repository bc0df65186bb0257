"""A JSON value of a wire without what does not count."""

from __future__ import annotations

from typing import Any

from agentsim.cassettes.matching.renaming import DATA, OF_TOOLS
from agentsim.core import InvalidArguments, parse_json

__all__ = ["plain"]

_TEXTS = ("text", "input_text", "output_text")

_DECORATION = ("cache_control", "status")
"""Fields that say nothing about what is asked for."""

_SAYING_NOTHING: dict[str, object] = {
    "annotations": [],
    "citations": [],
    "content": "",
    "is_error": False,
    "tool_calls": [],
}
"""Field -> the value that is the same as none: one version of an SDK sends it, another not."""

_OF_A_TEXT = ("type", "text", "logprobs", *_DECORATION)
"""Fields that a text may have and be the same alone; citations make it another one."""


def plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """A JSON value without what does not count.

    What tools are given, and take, stays as it is: a null or a `status` is a value there.
    """
    if isinstance(value, dict):
        kept = {
            key: _part(key, value[key]) for key in value if _counts(key, value[key])
        }
        if kept.get("type") == "message" and "role" in kept:
            del kept["type"]
        return kept
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


def _counts(key: str, value: object) -> bool:
    if value is None or key in _DECORATION:
        return False
    return key not in _SAYING_NOTHING or value != _SAYING_NOTHING[key]


def _part(key: str, value: Any) -> Any:  # noqa: ANN401 - a JSON value
    if key in OF_TOOLS:
        return value
    if key in ("content", "system", "output"):
        value = _text(value)
    if isinstance(value, str) and key in ("arguments", "content", "output"):
        return _as_json(value)
    return plain(value)


def _text(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """The text of a list that holds nothing else."""
    if isinstance(value, list) and value and all(map(_is_text, value)):
        return "\n".join(part["text"] for part in value)
    return value


def _is_text(part: object) -> bool:
    return (
        isinstance(part, dict)
        and part.get("type") in _TEXTS
        and isinstance(part.get("text"), str)
        and not any(part[key] for key in part if key not in _OF_A_TEXT)
    )


def _as_json(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """What a text says as JSON, where it is an object or an array."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return {DATA: parse_json(text)}
    except InvalidArguments:
        return text
