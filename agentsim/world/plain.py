"""Frozen dataclasses from plain data, with errors in our own words.

Types that files have no word for, such as dates, are left to pydantic. Its messages change
between versions, so only the kind and the place of its findings are used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from agentsim.core import UsageError, did_you_mean
from agentsim.plain_yaml import MisfitError, can_fit, fit

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["read_dataclass", "write_dataclass"]

Value = TypeVar("Value")

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "dataclass_type": "a mapping of fields",
}


def read_dataclass(kind: type[Value], data: object, where: str) -> Value:
    """Make a dataclass of a mapping, and those in its fields.

    Nothing is converted on the quiet: `"5"` is no number.

    Raises:
        UsageError: naming the place, what was expected there and what came.
    """
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError):
        raise UsageError(f"{where}: expected plain data, as JSON has it") from None
    try:
        value = fit(kind, json.loads(text)) if can_fit(kind) else _validated(kind, text)
    except MisfitError as error:
        raise UsageError(_told(kind, data, where, error.findings)) from None
    except UsageError as error:
        # What a dataclass says of its own fields does not know where the data stands.
        raise UsageError(f"{where}: {error}") from None
    assert isinstance(value, kind)
    return value


def write_dataclass(value: object) -> object:
    """Write a dataclass as JSON data, without the fields that are as by default."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: write_dataclass(own)
            for field in fields(value)
            if (own := getattr(value, field.name)) != field.default
            and not (callable(field.default_factory) and own == field.default_factory())
        }
    if isinstance(value, Mapping):
        return {key: write_dataclass(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [write_dataclass(entry) for entry in value]
    return value


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _validated(kind: type[Any], text: str) -> object:
    """Let pydantic read JSON: in strict mode only there may a list stand for a tuple.

    Raises:
        MisfitError: with what it finds.
    """
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if kind not in _adapters:
        # Inside a tuple, so that the settings hold for all dataclasses in it.
        inside: Any = GenericAlias(tuple, (kind,))
        settings = ConfigDict(extra="forbid", strict=True)
        _adapters[kind] = TypeAdapter(inside, config=settings)
    try:
        [value] = _adapters[kind].validate_json(f"[{text}]")
    except ValidationError as error:
        findings = error.errors(include_url=False, include_input=False)
        raise MisfitError(
            [{**one, "loc": one["loc"][1:]} for one in findings]
        ) from None
    return value


def _told(
    kind: type[Any], data: object, where: str, findings: Sequence[Mapping[str, Any]]
) -> str:
    """One sentence about the first finding; findings at one place are alternatives."""
    name = (findings[0]["loc"] or ("",))[-1]
    path, value, expected_type = _walk(kind, data, findings[0]["loc"])
    place = where + path
    match findings[0]["type"]:
        case "missing":
            return f"{place}: the field {name!r} is missing"
        case "unexpected_keyword_argument":
            path, _, owner = _walk(kind, data, findings[0]["loc"][:-1])
            place, known = where + path, [field.name for field in fields(owner)]
            return (
                f"{place}: unknown field {name!r} (there are {', '.join(known)})"
                f"{did_you_mean(str(name), known)}"
            )
        case "literal_error":
            expected = "one of " + ", ".join(map(str, get_args(expected_type)))
        case _:
            expected = " or ".join(
                _EXPECTED.get(finding["type"], "another value")
                for finding in findings
                if _walk(kind, data, finding["loc"])[0] == path
            )
    return f"{place}: expected {expected}, got {_kind(value)}"


def _walk(
    kind: type[Any], data: object, location: Sequence[Any]
) -> tuple[str, object, Any]:
    """Follow a location as far as data goes; pydantic adds names of alternatives."""
    path = ""
    expected: Any = kind
    for step in location:
        if isinstance(data, Mapping) and step in data:
            path += f".{step}"
            if is_dataclass(expected):
                expected = get_type_hints(expected).get(step)
            elif get_args(expected):
                expected = get_args(expected)[-1]
            data = data[step]
        elif isinstance(data, list | tuple) and isinstance(step, int):
            path += f"[{step}]"
            expected = get_args(expected)[0]
            data = data[step]
        else:
            break
    return path, data, expected


def _kind(value: object) -> str:
    if isinstance(value, str | bool | int | float):
        return repr(value) if isinstance(value, str) else json.dumps(value)
    if value is None:
        return "nothing"
    return "a mapping" if isinstance(value, Mapping) else "a list"
