"""Values of programs as JSON, and what of them JSON has no form for."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from pathlib import PurePath
from typing import Any

from agentsim.core import DEPTH_MAX, CassetteError, canonical_json

__all__ = ["VALUE", "written"]

VALUE = "json"
"""How a cassette calls a result that is no text."""


def written(value: object) -> tuple[str, tuple[str, ...]]:
    """A value as canonical JSON.

    Returns:
        The JSON, and the names of the types in it that are others when it is read.

    Raises:
        CassetteError: when it contains itself, or is nested too deep.
    """
    lost: dict[str, None] = {}
    plain = _plain(value, lost, 0)
    return canonical_json(plain), tuple(sorted(lost))


def _plain(value: Any, lost: dict[str, None], depth: int) -> Any:  # noqa: ANN401
    if depth >= DEPTH_MAX:
        raise CassetteError(
            f"a value that contains itself, or is nested deeper than {DEPTH_MAX} levels, "
            "can't be recorded: give a part of it"
        )
    kind = type(value)
    if value is None or kind in (bool, str) or _is_number(value):
        return value
    if kind is not dict and kind is not list:
        lost[kind.__name__] = None
    if isinstance(value, Mapping):
        return _pairs(value, lost, depth)
    if isinstance(value, (list, tuple)):
        return [_plain(one, lost, depth + 1) for one in value]
    if isinstance(value, AbstractSet):
        parts = [_plain(one, lost, depth + 1) for one in value]
        return sorted(parts, key=canonical_json)
    inner = _inside(value)
    return f"<{kind.__name__}>" if inner is value else _plain(inner, lost, depth + 1)


def _is_number(value: object) -> bool:
    """Whether JSON carries it as a number; a long one, NaN and infinity it does not."""
    if type(value) is int:
        return abs(value) < 10**300
    return type(value) is float and value - value == 0


def _pairs(
    value: Mapping[Any, Any], lost: dict[str, None], depth: int
) -> dict[str, Any]:
    found = {}
    for key, one in value.items():
        if type(key) is not str:
            lost[f"{type(key).__name__} as a key"] = None
        name = key if isinstance(key, str) else str(_plain(key, {}, depth + 1))
        found[str.__str__(name)] = _plain(one, lost, depth + 1)
    return found


def _inside(value: Any) -> Any:  # noqa: ANN401 - whatever programs return
    """What a value of another type consists of; itself when that is not known."""
    if isinstance(value, Enum):
        return value.value
    dump = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):
        return dump()  # a model of pydantic
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "backslashreplace")
    return _as_base(value)


def _as_base(value: Any) -> Any:  # noqa: ANN401 - whatever programs return
    """What is a text or a number by another name, or has one way to be written."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value) if type(value) is not int else hex(value)
    if isinstance(value, float):
        return float(value) if type(value) is not float else str(value)
    name = f"{type(value).__module__}.{type(value).__name__}"
    return str(value) if isinstance(value, PurePath) or name in _NAMED else value


_NAMED = ("decimal.Decimal", "fractions.Fraction", "uuid.UUID")
"""Classes whose text says all; they are not imported for that."""
