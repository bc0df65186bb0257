"""Where a scenario file is wrong: what does not fit, and YAML nodes, in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, get_args

from agentsim.core import ScenarioError, UsageError, did_you_mean
from agentsim.plain_yaml import MisfitError, YamlDocument, field_names

__all__ = ["Place", "translated"]

Path = tuple[str | int, ...]

_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "dataclass_type": "a mapping",
    "list_type": "a list",
    "literal_error": "another value",
}


class PlacedError(ScenarioError):
    """A scenario error that names its place already."""


class Place:
    """Adds file, line and field to a usage error about one place of a document."""

    def __init__(self, document: YamlDocument, path: Path) -> None:
        self._document = document
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, _kind: object, error: BaseException | None, _trace: object
    ) -> None:
        if isinstance(error, UsageError) and not isinstance(error, PlacedError):
            raise _placed(self._document, self._path, str(error)) from error


def translated(
    document: YamlDocument, error: MisfitError, shape: type[Any]
) -> ScenarioError:
    """The deepest of what does not fit (of alternatives, each is told)."""
    entry = max(error.findings, key=lambda one: (len(one["loc"]), _tells(one["type"])))
    return _placed(document, entry["loc"], _words(entry["loc"], entry, shape))


def _tells(kind: str) -> bool:
    """Whether a fault tells more than others there: a misspelt field is missed, too."""
    return kind == "unexpected_keyword_argument"


def _placed(document: YamlDocument, path: Path, words: str) -> PlacedError:
    """Put file, line and field before the words, which may name the field already."""
    while True:
        head, colon, rest = words.partition(": ")
        named = _read_path(head) if colon and _FIELD.fullmatch(head) else ()
        if named and (named[: len(path)] == path or path[: len(named)] == named):
            path, words = max(path, named, key=len), rest
        elif named and _stands(document.value, (*path, *named)):
            path, words = (*path, *named), rest
        else:
            break
    unknown = _UNKNOWN.match(words)
    if unknown is not None and _stands(document.value, (*path, unknown[1])):
        path = (*path, unknown[1])
    field = _dotted(path)
    where = f"{document.name}:{document.line(path)}"
    return PlacedError(f"{where}: {field}: {words}" if field else f"{where}: {words}")


def _stands(value: Any, path: Path) -> bool:
    """Whether plain data has a node at a path."""
    for part in path:
        if not _has(value, part):
            return False
        value = value[part]
    return True


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, dict) and part in value


_UNKNOWN = re.compile(r"unknown field '([^']+)'")

_FIELD = re.compile(r"[a-z_]+(?:\.\w+|\[\d+\])*")


def _read_path(dotted: str) -> Path:
    parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", dotted)
    return tuple(int(number) if number else name for number, name in parts)


def _dotted(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _words(path: Path, entry: Mapping[str, Any], shape: type[Any]) -> str:
    kind = entry["type"]
    if kind == "missing":
        return "this field is missing"
    if kind == "unexpected_keyword_argument":
        known = sorted(field_names(_shape_at(shape, path[:-1])))
        return f"unknown field (there are {', '.join(known)}){did_you_mean(str(path[-1]), known)}"
    context = entry["ctx"]
    if kind == "too_short":
        return "expected at least one entry"
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = context.get("ge", context.get("le"))
        least = "or more" if kind == "greater_than_equal" else "or less"
        return f"expected {bound:g} {least}, got {_shown(entry['input'])}"
    if kind == "literal_error":
        return f"expected {context.get('expected')}, got {_shown(entry['input'])}"
    return (
        f"expected {_EXPECTED.get(kind, 'another value')}, got {_shown(entry['input'])}"
    )


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _shape_at(shape: type[Any], path: Path) -> type[Any]:
    for part in path:
        known = field_names(shape)
        if isinstance(part, str) and part in known:
            shape = next(_shapes(known[part]), shape)
    return shape


def _shapes(annotation: object) -> Iterator[type[Any]]:
    if isinstance(annotation, type) and is_dataclass(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _shapes(part)
