"""Plain data of a document as records: checked field by field, with the path to faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from agentsim.cassettes.chunks import StoredChunks
from agentsim.cassettes.literals import ESCAPED, unescaped
from agentsim.cassettes.records import (
    ENDINGS,
    VERSION,
    AssembledAnswer,
    CassetteHeader,
    RecordedAnswer,
    RecordedCall,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.core import did_you_mean

__all__ = ["Misfit", "Path", "read_entry", "read_header"]

Path = tuple[str | int, ...]

_T = TypeVar("_T")


class Misfit(Exception):
    """A value does not fit its field."""

    def __init__(self, words: str, path: Path = ()) -> None:
        super().__init__(words)
        self.words = words
        self.path = path


def read_header(data: Mapping[str, Any]) -> CassetteHeader:
    """Read the first document.

    Raises:
        Misfit: when it is none.
    """
    fields = _Fields(data)
    version = fields.value("agentsim_cassette")
    if isinstance(version, bool) or version != VERSION:
        words = (
            f"expected version {VERSION}, got {_shown(version)}: read it with the "
            "agentsim that wrote it"
        )
        raise Misfit(words, ("agentsim_cassette",))
    header = CassetteHeader(
        VERSION,
        fields.text("recorded_by"),
        fields.text("recorded_at"),
        fields.text("owner"),
    )
    _close(fields)
    return header


def read_entry(
    data: Mapping[str, Any], chunks: StoredChunks | None = None
) -> RecordedExchange | RecordedTool:
    """Read a document after the first.

    Args:
        chunks: The chunks of the answer, where they were cut out of the document.

    Raises:
        Misfit: when it is none.
    """
    fields = _Fields(data)
    kind = fields.value("kind")
    entry: RecordedExchange | RecordedTool
    if kind == "exchange":
        entry = RecordedExchange(
            number=fields.count("number"),
            request=fields.record("request", _request),
            answer=fields.record("answer", lambda part: _answer(part, chunks)),
            wire=fields.text("wire"),
            at_ms=fields.number("at_ms"),
            message=fields.optional("message", _message),
        )
    elif kind == "tool":
        entry = _tool(fields)
    else:
        words = f"expected exchange or tool, got {_shown(kind)}"
        raise Misfit(words, ("kind",))
    _close(fields)
    return entry


def _close(fields: _Fields) -> None:
    if fields.value("complete") is not True:
        raise Misfit("expected true, which closes each document", ("complete",))
    fields.end()


def _request(fields: _Fields) -> RecordedRequest:
    return RecordedRequest(
        method=fields.text("method", "POST"),
        url=fields.text("url"),
        headers=fields.texts("headers"),
        body=fields.text("body"),
    )


def _answer(fields: _Fields, chunks: StoredChunks | None) -> RecordedAnswer:
    listed: Sequence[RecordedChunk] | None = chunks
    if chunks is None:
        listed = fields.optional_list("chunks", _chunk)
    else:
        fields.value("chunks")
    answer = RecordedAnswer(
        status=fields.status(),
        headers=fields.texts("headers"),
        body=fields.text("body"),
        chunks=listed,
        at_ms=fields.number("at_ms"),
        ended=fields.choice("ended", ENDINGS),
        error=fields.text("error"),
    )
    if answer.body and listed is not None:
        words = "an answer has a body or chunks, not both: leave one of them out"
        raise Misfit(words, ("answer", "body"))
    return answer


def _chunk(fields: _Fields) -> RecordedChunk:
    return RecordedChunk(fields.number("at_ms"), fields.text("text"))


def _message(fields: _Fields) -> AssembledAnswer:
    return AssembledAnswer(
        content=fields.text("content"),
        tool_calls=tuple(fields.optional_list("tool_calls", _call) or ()),
        stop_reason=fields.text("stop_reason"),
        refusal=fields.text("refusal"),
    )


def _call(fields: _Fields) -> RecordedCall:
    return RecordedCall(
        fields.text("id"), fields.text("name"), fields.text("arguments")
    )


def _tool(fields: _Fields) -> RecordedTool:
    return RecordedTool(
        number=fields.count("number"),
        name=fields.text("name"),
        call_id=fields.text("call_id"),
        arguments=fields.text("arguments"),
        result=fields.text("result"),
        error=fields.text("error") if fields.has("error") else None,
        at_ms=fields.number("at_ms"),
        took_ms=fields.number("took_ms"),
        returned=fields.text("returned"),
        raised=fields.text("raised"),
    )


class _Fields:
    """The fields of one mapping: each is asked for once, and none may be left over."""

    def __init__(self, data: Mapping[str, Any], path: Path = ()) -> None:
        self._data = data
        self._path = path
        self._known: dict[str, None] = {}

    def has(self, name: str) -> bool:
        return name in self._data

    def value(self, name: str, default: object = None) -> Any:  # noqa: ANN401
        self._known[name] = None
        return self._data.get(name, default)

    def text(self, name: str, default: str = "") -> str:
        return self._text(name, self.value(name, default))

    def texts(self, name: str) -> dict[str, str]:
        value = self.value(name, {})
        if not isinstance(value, dict):
            raise self._misfit(name, "a mapping of texts", value)
        inner = _Fields(value, (*self._path, name))
        return {key: inner.text(key) for key in value}

    def count(self, name: str) -> int:
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._misfit(name, "a whole number from 1 on", value)
        return value

    def number(self, name: str) -> float:
        value = self.value(name, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._misfit(name, "a number of milliseconds", value)
        if not 0 <= value < 1e15:
            raise self._misfit(name, "milliseconds from 0 on", value)
        return float(value)

    def status(self) -> int | None:
        value = self.value("status", 200)
        if value is None:
            return None
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or not 100 <= value <= 599
        ):
            raise self._misfit("status", "a status from 100 to 599, or null", value)
        return value

    def choice(self, name: str, options: tuple[_T, ...]) -> _T:
        value = self.value(name, options[0])
        if value not in options:
            listed = ", ".join(map(str, options))
            raise self._misfit(name, f"one of {listed}", value)
        return options[options.index(value)]

    def record(self, name: str, read: Callable[[_Fields], _T]) -> _T:
        value = self.value(name)
        if not isinstance(value, dict):
            raise self._misfit(name, "a mapping", value)
        return self._inside(value, (name,), read)

    def optional(self, name: str, read: Callable[[_Fields], _T]) -> _T | None:
        return self.record(name, read) if self.has(name) else None

    def optional_list(
        self, name: str, read: Callable[[_Fields], _T]
    ) -> tuple[_T, ...] | None:
        value = self.value(name)
        if value is None and not self.has(name):
            return None
        if not isinstance(value, list):
            raise self._misfit(name, "a list", value)
        found = []
        for index, entry in enumerate(value):
            if not isinstance(entry, dict):
                words = f"expected a mapping, got {_shown(entry)}"
                raise Misfit(words, (*self._path, name, index))
            found.append(self._inside(entry, (name, index), read))
        return tuple(found)

    def end(self) -> None:
        """Refuse fields that nobody asked for."""
        for name in self._data:
            if name not in self._known:
                near = did_you_mean(name, self._known)
                words = f"there is no field {_shown(name)} here{near}"
                raise Misfit(words, (*self._path, name))

    def _inside(
        self, value: dict[str, Any], steps: Path, read: Callable[[_Fields], _T]
    ) -> _T:
        fields = _Fields(value, (*self._path, *steps))
        found = read(fields)
        fields.end()
        return found

    def _text(self, name: str, value: object) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and list(value) == [ESCAPED]:
            spelt = value[ESCAPED]
            if isinstance(spelt, str):
                try:
                    return unescaped(spelt)
                except ValueError:
                    words = r"a backslash stands alone: write \\, or \udc80"
                    raise Misfit(words, (*self._path, name, ESCAPED)) from None
        raise self._misfit(name, "a text", value)

    def _misfit(self, name: str, expected: str, value: object) -> Misfit:
        words = f"expected {expected}, got {_shown(value)}"
        if isinstance(value, (int, float)) and expected == "a text":
            words += ": put it into quotes"
        return Misfit(words, (*self._path, name))


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number out of range"
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:36]} ..."
