"""What functions of users give back, as the text and the error that an agent gets."""

from __future__ import annotations

import json
import re

from agentsim.core import (
    AgentsimError,
    ToolFailed,
    UsageError,
    WorldError,
    canonical_json,
)

__all__ = ["failure_of", "text_of"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def text_of(name: str, value: object) -> str:
    """The text of a result: text as it is, anything else as JSON.

    Raises:
        UsageError: when JSON can't carry it; that is the test's mistake, not the tool's.
    """
    if isinstance(value, str):
        return value
    try:
        canonical_json(value)
        data = value
    except (TypeError, ValueError):
        data = _plain(name, value)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def failure_of(error: Exception) -> Exception:
    """The error that an agent sees of what a function raised; misuse stays misuse.

    It is definite, so the tool did nothing, unless the error itself says otherwise.
    """
    if isinstance(error, ToolFailed):
        return error
    if isinstance(error, WorldError):
        return ToolFailed(str(error), definite=error.definite)
    if isinstance(error, AgentsimError):
        return error
    name = type(error).__name__
    message = _ADDRESS.sub("", str(error))
    return ToolFailed(f"{name}: {message}" if message else name)


def _plain(name: str, value: object) -> object:
    """Models, dataclasses, dates and the like as JSON data; sets have no order."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        # A set is left as it is, which JSON refuses: its order is not the same twice.
        ordered = not isinstance(value, (set, frozenset))
        data = to_jsonable_python(value) if ordered else value
        canonical_json(data)
    except (TypeError, ValueError, PydanticSerializationError):
        raise UsageError(
            f"tool {name!r} returned what JSON can't carry, a {type(value).__name__}: "
            "return text, or lists and mappings of texts and numbers"
        ) from None
    return data
