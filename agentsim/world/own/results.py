"""What functions of users give back, as the text and the error that an agent gets."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, is_dataclass

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
    data = _plain(value)
    try:
        canonical_json(data)
    except (TypeError, ValueError):
        raise UsageError(
            f"tool {name!r} returned what JSON can't carry, a {type(value).__name__}: "
            "return text, or lists and mappings of texts and numbers"
        ) from None
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


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    dump = getattr(value, "model_dump", None)  # of pydantic, which is not loaded for it
    return dump(mode="json") if callable(dump) else value
