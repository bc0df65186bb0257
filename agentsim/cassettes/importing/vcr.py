"""Recordings of vcrpy and pytest-recording, in YAML or JSON, and those of Ruby's VCR."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agentsim.cassettes.importing.bodies import (
    answer_of,
    encodable,
    is_status,
    text_of,
    unbased,
)
from agentsim.cassettes.importing.values import (
    BYTES_MAX,
    Recording,
    StillPacked,
    Unreadable,
)
from agentsim.cassettes.records import RecordedExchange, RecordedRequest
from agentsim.cassettes.wires import wire_of_url
from agentsim.core import InvalidArguments, parse_json
from agentsim.providers.transcripts.sessions import LeftOut, lines_of

__all__ = ["INTERACTIONS", "read_vcr"]

INTERACTIONS = ("interactions", "http_interactions")
"""Where the exchanges stand: the one of vcrpy, the other of Ruby's VCR."""

_OF_VALUES = (ValueError, LookupError, AttributeError, TypeError)
"""What PyYAML raises for a value that is not what its tag says, such as `!!bool x`."""

_PER_VALUE = 64
"""Bytes that a value counts for."""

_FORM = "expected request and response as vcrpy writes them"


def read_vcr(text: str, name: str) -> Recording:
    """Read a recording of vcrpy.

    Args:
        name: Of the file, for errors.

    Raises:
        Unreadable: with the place.
    """
    listed, at = _interactions(text, name)
    lines = _lines(text, at, len(listed))
    left_out = LeftOut()
    found: list[tuple[RecordedExchange, int]] = []
    for index, (one, line) in enumerate(zip(listed, lines, strict=True)):
        place = f"{name}:{line}: {at}[{index}]"
        exchange = _interaction(one, len(found) + 1, place, left_out)
        if exchange is not None:
            found.append((exchange, line))
    entries = tuple(exchange for exchange, _ in found)
    return Recording(entries, left_out.notes(), tuple(line for _, line in found))


def _lines(text: str, key: str, count: int) -> tuple[int, ...]:
    """The line in which each interaction begins; that of their list when in doubt."""
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return lines_of(text, (key,), count)
    begin = re.search(rf"^{key}\s*:.*\n(?=([ ]*)-)", text, re.MULTILINE)
    if begin is None:
        return (1,) * count
    first = text.count("\n", 0, begin.end()) + 1
    dash = f"{begin[1]}-"
    rows = text[begin.end() :].split("\n")
    found = [first + at for at, row in enumerate(rows) if row.startswith(dash)]
    return tuple(found) if len(found) == count else (first,) * count


def _interactions(text: str, name: str) -> tuple[list[Any], str]:
    value = _parsed(text, name)
    for key in INTERACTIONS:
        listed = value.get(key) if isinstance(value, dict) else None
        if isinstance(listed, list):
            return listed, key
    raise Unreadable(
        "expected `interactions`, as vcrpy writes them: name a recording of vcrpy or "
        "pytest-recording",
        name,
    )


def _parsed(text: str, name: str) -> Any:  # noqa: ANN401 - plain data
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            return parse_json(text.removeprefix("\ufeff"), unique_keys=False)
        except InvalidArguments as fault:
            raise Unreadable(f"no JSON that can be read: {fault}", name) from None
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        value = yaml.load(text, loader)  # noqa: S506 - both are safe
    except (yaml.YAMLError, *_OF_VALUES, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise Unreadable(
            "this is no YAML that can be read: mend it, or name another file",
            f"{name}{line}",
        ) from None
    if "&" in text and "*" in text and _is_too_long(value):
        raise Unreadable("its aliases stand for more values than can be held", name)
    return value


def _is_too_long(value: object) -> bool:
    """Whether too much is there once each alias is written out; a loop has no end."""
    sizes: dict[int, int] = {}
    opened: dict[int, None] = {}
    left = [value]
    while left:
        part = left[-1]
        inside = _inside(part)
        new = [one for one in inside if id(one) not in sizes]
        if id(part) in sizes or not new:
            inner = sum(sizes[id(one)] for one in inside)
            sizes[id(part)] = _own_size(part) + inner
            left.pop()
        elif id(part) in opened:
            return True
        else:
            opened[id(part)] = None
            left += new
    return sizes[id(value)] > BYTES_MAX


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _own_size(value: object) -> int:
    return len(value) if isinstance(value, (str, bytes)) else _PER_VALUE


def _interaction(
    one: object, number: int, place: str, left_out: LeftOut
) -> RecordedExchange | None:
    """The exchange of an interaction; None where it is left out."""
    try:
        return _exchange(_mapping(one), number)
    except _NoModel:
        left_out.add("interaction of no model with a body that can't be unpacked")
        return None
    except Unreadable as error:
        raise Unreadable(str(error), place) from None
    except (KeyError, TypeError, ValueError, RecursionError):
        words = f"{_FORM}: leave this one out, or record it again"
        raise Unreadable(words, place) from None


def _exchange(one: Mapping[str, Any], number: int) -> RecordedExchange:
    request, response = _mapping(one["request"]), _mapping(one["response"])
    url = str(request.get("uri", ""))
    status = response["status"] if "status" in response else response["status_code"]
    code = status["code"] if isinstance(status, dict) else status
    if not is_status(code):
        raise Unreadable(f"expected a status from 100 to 599, got {str(code)[:20]!a}")
    method = str(request.get("method", "POST")).upper()
    wire = wire_of_url(method, url)
    # Older recordings of httpx have the body under another name.
    said = response.get("body", response.get("content"))
    try:
        body = _body(request, request.get("body"))
        asked = RecordedRequest(method, url, _headers(request), body)
        answer = answer_of(code, _headers(response), _body(response, said))
    except StillPacked:
        if wire:
            raise
        raise _NoModel from None
    return RecordedExchange(number, asked, answer, wire)


class _NoModel(Exception):
    """What can't be read is no exchange with a model."""


def _mapping(value: object) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise TypeError


def _headers(side: Mapping[str, Any]) -> dict[str, str]:
    headers = side.get("headers") or {}
    pairs = headers.items() if isinstance(headers, dict) else map(tuple, headers)
    return {
        str(name).lower(): ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
        for name, value in pairs
    }


def _body(side: Mapping[str, Any], body: object) -> str:
    """The text of a body, in any of the forms in which recorders keep it."""
    if "parsed_body" in side:
        return _written(side["parsed_body"])
    if isinstance(body, dict) and ("string" in body or "base64_string" in body):
        encoded = body.get("base64_string")
        body = body.get("string") if encoded is None else unbased(str(encoded))
    if isinstance(body, (dict, list)):
        return _written(body)
    if isinstance(body, bytes):
        return text_of(body, _headers(side).get("content-encoding", ""))
    return "" if body is None else encodable(str(body))


def _written(body: object) -> str:
    return encodable(json.dumps(body, ensure_ascii=False, allow_nan=False))
