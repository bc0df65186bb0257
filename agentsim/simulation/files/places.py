"""Where a scenario file is wrong: pydantic's locations and YAML nodes, in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from agentsim.core import ScenarioError, UsageError, did_you_mean
from agentsim.plain_yaml import YamlDocument

__all__ = ["Place", "translated"]

Path = tuple[str | int, ...]

_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
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
    document: YamlDocument, error: ValidationError, model: type[BaseModel]
) -> ScenarioError:
    """The deepest fault that pydantic found (a union reports one per branch)."""
    found = [
        (_real_path(document.value, entry["loc"], entry["type"]), entry)
        for entry in error.errors(include_url=False, include_context=True)
    ]
    path, entry = max(found, key=lambda pair: (len(pair[0]), _tells(pair[1]["type"])))
    return _placed(document, path, _words(path, dict(entry), model))


def _tells(kind: str) -> bool:
    """Whether a fault tells more than others there: a misspelt field is missed, too."""
    return kind == "extra_forbidden"


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


def _real_path(value: Any, location: Sequence[str | int], kind: str) -> Path:
    """Keep of a location what stands in the document, not the names of union branches."""
    path: list[str | int] = []
    for number, part in enumerate(location):
        if _has(value, part):
            value = value[part]
            path.append(part)
        elif kind == "missing" and number == len(location) - 1:
            path.append(part)
    return tuple(path)


def _words(path: Path, entry: Mapping[str, Any], model: type[BaseModel]) -> str:
    kind = entry["type"]
    if kind == "missing":
        return "this field is missing"
    if kind == "extra_forbidden":
        known = sorted(_fields(_model_at(model, path[:-1])))
        return f"unknown field (there are {', '.join(known)}){did_you_mean(str(path[-1]), known)}"
    context = entry.get("ctx") or {}
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


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel]:
    for part in path:
        if isinstance(part, str) and part in _fields(model):
            nested = next(_models(_fields(model)[part]), None)
            model = nested if nested is not None else model
    return model


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {
        field.alias or name: field.annotation
        for name, field in model.model_fields.items()
    }


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
