"""The neutral form on a wire of its own: requests and answers as canonical JSON.

Nothing is lost on it, and what is as by default is left out. The pieces of a stream are
events `data: {...}`, of which the last holds the whole response; an error is an object
under `error`, in place of a response or as the last event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar

from agentsim.cassettes.records import RecordedAnswer
from agentsim.core import (
    Delta,
    InvalidArguments,
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    canonical_json,
    parse_json,
)

__all__ = [
    "NEUTRAL",
    "Unreadable",
    "delta_text",
    "error_text",
    "events_of",
    "read_answer",
    "read_delta",
    "read_error",
    "read_request",
    "request_text",
    "response_text",
]

NEUTRAL = "neutral"
"""Name of this wire."""

T = TypeVar("T")

Read = Callable[[Any, str], Any]
"""Reads the value of a field, of which the path is given."""


class Unreadable(Exception):
    """A text is not of this form; the message says where, and what was expected."""


def request_text(request: Request, *, streamed: bool) -> str:
    """The body of a request.

    Raises:
        ValueError: for what JSON can't carry, such as NaN.
        TypeError: the same, for a value of another type.
    """
    return _text(request, {"stream": True} if streamed else {})


def response_text(response: Response) -> str:
    """The body of an answer; raises as `request_text`."""
    return _text(response)


def delta_text(delta: Delta) -> str:
    """A piece of a stream as an event; raises as `request_text`."""
    return f"data: {_text(delta)}\n\n"


def error_text(error: ProviderError) -> str:
    """What a service failed with."""
    told = {name: getattr(error, name, None) for name in _ERROR}
    told["message"] = str(error)
    kept = {name: value for name, value in told.items() if value is not None}
    return canonical_json({"error": kept})


def read_answer(answer: RecordedAnswer) -> Response | ProviderError:
    """What was answered whole, or at the end of a stream.

    Raises:
        Unreadable: when it is neither.
    """
    if answer.chunks is None:
        value = _object(answer.body)
        return read_error(value) or _record(Response, value)
    *_, last = [{}, *events_of(answer.text)]
    failed = read_error(last)
    if failed is not None:
        return failed
    if "response" not in last:
        raise Unreadable("the stream has no last piece, which holds the response")
    return _record(Response, last["response"], "response")


def read_request(text: str) -> Request:
    """What was asked; raises `Unreadable`."""
    value = _object(text)
    value.pop("stream", None)
    return _record(Request, value)


def events_of(stream: str) -> Iterator[dict[str, Any]]:
    """The events of a stream, as JSON values; raises `Unreadable`."""
    for line in stream.split("\n"):
        if line.startswith("data: "):
            yield _object(line.removeprefix("data: "))


def read_delta(value: dict[str, Any]) -> Delta:
    """A piece of a stream, of its event; raises `Unreadable`."""
    return _record(Delta, value)


def read_error(value: dict[str, Any]) -> ProviderError | None:
    """The error that an event or a body tells; None: it tells none."""
    told = value.get("error")
    if told is None:
        return None
    given: dict[str, Any] = {"message": "", "status": None, "kind": ""}
    given.update(_fields(_ERROR, told, "error"))
    return ProviderError(given.pop("message"), **given)


def _text(record: object, more: Mapping[str, object] | None = None) -> str:
    try:
        return canonical_json({**_plain(record, _shallow), **(more or {})})
    except TypeError:  # a mapping of another kind may stand somewhere inside
        return canonical_json({**_plain(record, _deep), **(more or {})})


Plain = Callable[[Any], Any]
"""Makes a value of fields one that JSON carries."""


def _plain(record: object, inside: Plain) -> dict[str, Any]:
    """The fields of a record that are not as by default."""
    written = {}
    for name, default in _defaults(type(record)):  # type: ignore[arg-type]  # hashable
        value = getattr(record, name)
        if default is MISSING or value != default:
            written[name] = _value(value, inside)
    return written


@cache
def _defaults(cls: type) -> tuple[tuple[str, object], ...]:
    # A schema is always told: nobody should have to know what it is by default.
    return tuple((field.name, field.default) for field in fields(cls))


def _value(value: Any, inside: Plain) -> Any:  # noqa: ANN401 - whatever a record holds
    if value is None or isinstance(value, (str, int, float)):
        return value
    if type(value) in _WRITTEN:
        return _plain(value, inside)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_value(one, inside) for one in value]
    return inside(value)


def _shallow(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    return value


def _deep(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    if not isinstance(value, Mapping):
        return value  # JSON has no form for it, and says so
    return {key: _value(one, _deep) for key, one in value.items()}


def _object(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except InvalidArguments as fault:
        raise Unreadable(f"no JSON: {fault}") from None
    if not isinstance(value, dict):
        raise Unreadable("expected a JSON object")
    return value


def _record(cls: type[T], value: object, path: str = "") -> T:
    given = _fields(_RECORDS[cls], value, path)
    try:
        return cls(**given)
    except TypeError:
        listed = _defaults(cls)  # type: ignore[arg-type]  # types have hashes
        needed = ", ".join(name for name, default in listed if default is MISSING)
        raise Unreadable(f"{path or 'the answer'}: expected {needed}") from None


def _fields(read: Mapping[str, Read], value: object, path: str) -> dict[str, Any]:
    """The fields of an object, each read as it has to be."""
    if not isinstance(value, dict):
        raise Unreadable(f"{path or 'the answer'}: expected an object")
    given = {}
    for name, one in value.items():
        under = f"{path}.{name}" if path else name
        if name not in read:
            raise Unreadable(f"{under}: there is no such field")
        given[name] = read[name](one, under)
    return given


def _a(*types: type) -> Read:
    def read(value: object, path: str) -> object:
        if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
            return value
        raise Unreadable(f"{path}: expected {_words(types)}")

    return read


def _words(types: tuple[type, ...]) -> str:
    return " or ".join(_WORDS[one] for one in types)


_WORDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    type(None): "null",
}


def _one(cls: type) -> Read:
    return lambda value, path: _record(cls, value, path)


def _maybe(read: Read) -> Read:
    return lambda value, path: None if value is None else read(value, path)


def _many(read: Read) -> Read:
    def read_all(value: object, path: str) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise Unreadable(f"{path}: expected a list")
        return tuple(read(one, f"{path}[{at}]") for at, one in enumerate(value))

    return read_all


_RECORDS: dict[type, dict[str, Read]] = {
    ToolCall: {"id": _a(str), "name": _a(str), "arguments": _a(str)},
    Usage: {
        "prompt": _a(int),
        "completion": _a(int),
        "cache_read": _a(int),
        "estimated": _a(bool),
    },
    Message: {
        "role": _a(str),
        "content": _a(str),
        "tool_calls": _many(_one(ToolCall)),
        "tool_call_id": _a(str, type(None)),
        "is_error": _a(bool),
        "blocks": _many(_a(dict)),
    },
    Response: {
        "message": _one(Message),
        "stop_reason": _a(str),
        "usage": _maybe(_one(Usage)),
        "refusal": _a(str, type(None)),
    },
    ToolDef: {"name": _a(str), "description": _a(str), "parameters": _a(dict)},
    Request: {
        "model": _a(str),
        "messages": _many(_one(Message)),
        "tools": _many(_one(ToolDef)),
        "temperature": _a(int, float),
        "max_tokens": _a(int, type(None)),
    },
    Delta: {
        "text": _a(str),
        "call": _maybe(_one(ToolCall)),
        "response": _maybe(_one(Response)),
    },
}

_WRITTEN = tuple(_RECORDS)

_ERROR: dict[str, Read] = {
    "message": _a(str),
    "status": _a(int, type(None)),
    "kind": _a(str),
    "param": _a(str, type(None)),
    "code": _a(str, type(None)),
    "retry_after_s": _a(int, float, type(None)),
    "definite": _a(bool),
}
