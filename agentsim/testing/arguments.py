"""Arguments of calls, drawn from the JSON Schema of a tool: fitting ones, and others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from agentsim.testing.drawing import Draw, below, one_in, picked

__all__ = ["fitting", "misfitting"]

Json = Any
"""A value of JSON."""

NOT_AN_OBJECT = ("null", "[]", "7", '"text"', "{", '{"a": 1, "a": 2}', '{"a": NaN}')
"""Arguments that no tool takes (R1.11)."""

LARGE = 2**53 + 1
"""The first whole number that a float can't hold."""

RANGE = 20
"""How far whole numbers are drawn beyond the smallest."""

DEPTH_MAX = 3


def fitting(
    draw: Draw, schema: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, Json]:
    """Draw arguments that a tool takes.

    Args:
        schema: JSON Schema of type `object`.
        texts: What a text without further rules is mostly taken from: names that the
            world knows.
    """
    return _Drawing(draw, schema, texts).mapping(schema, 0)


def misfitting(draw: Draw, schema: Mapping[str, Any], texts: Sequence[str]) -> str:
    """Draw arguments, as a text, that most likely do not fit: no JSON, other fields."""
    kind = draw(below(5))
    if kind == 0:
        return picked(draw, NOT_AN_OBJECT)
    arguments = fitting(draw, schema, texts)
    if kind == 1:
        return _written({**arguments, "surplus": 1})
    if kind == 2:
        return _written(arguments)[:-1]
    if kind == 3:
        return _written(dict(list(arguments.items())[1:]))
    return _written({name: [None] for name in schema.get("properties", {})})


def _written(arguments: dict[str, Json]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


class _Drawing:
    """Draws values that fit one schema."""

    def __init__(
        self, draw: Draw, root: Mapping[str, Any], texts: Sequence[str]
    ) -> None:
        self._draw = draw
        self._root = root
        self._texts = texts

    def mapping(self, schema: Mapping[str, Any], depth: int) -> dict[str, Json]:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        given = [name for name in properties if name in required]
        free = [name for name in properties if name not in required]
        if free and depth < DEPTH_MAX and one_in(self._draw, 3):
            chosen = self._draw(st.integers(1, 2 ** len(free) - 1))
            given += [name for n, name in enumerate(free) if chosen >> n & 1]
        return {name: self.value(properties[name], depth + 1) for name in given}

    def value(self, schema: object, depth: int) -> Json:
        if not isinstance(schema, Mapping):
            return None  # `true` takes anything
        if "$ref" in schema:
            return self.value(self._referred(schema["$ref"]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return picked(self._draw, schema["enum"])
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.value(picked(self._draw, schema[word]), depth)
        kind = schema.get("type", "string")
        if isinstance(kind, Sequence) and not isinstance(kind, str):
            kind = picked(self._draw, kind)
        return self._typed(kind, schema, depth)

    def _typed(self, kind: str, schema: Mapping[str, Any], depth: int) -> Json:
        match kind:
            case "object":
                return self.mapping(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "integer":
                return self._whole(schema)
            case "number":
                return self._number(schema)
            case "boolean":
                return self._draw(st.booleans())
            case "null":
                return None
        return self._text(schema)

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Json]:
        least = schema.get("minItems", 0)
        most = least if depth > DEPTH_MAX else schema.get("maxItems", least + 2)
        count = self._draw(st.integers(least, most))
        items = schema.get("items", True)
        return [self.value(items, depth + 1) for _ in range(count)]

    def _text(self, schema: Mapping[str, Any]) -> str:
        if "pattern" in schema:
            # Python's `$` matches before a last line break, that of JSON Schema does not.
            texts = st.from_regex(schema["pattern"])
            text: str = self._draw(texts.filter(lambda text: not text.endswith("\n")))
            return text
        least = schema.get("minLength", 0)
        most = schema.get("maxLength", least + 8)
        known = [text for text in self._texts if least <= len(text) <= most]
        if known and not one_in(self._draw, 6):
            return picked(self._draw, known)
        return self._draw(st.text(min_size=least, max_size=min(most, least + 8)))

    def _whole(self, schema: Mapping[str, Any]) -> int:
        least, most = _bounds(schema, 1)
        low = -2 if least is None else int(least)
        if most is not None:
            return self._draw(st.integers(min(low, int(most)), int(most)))
        if one_in(self._draw, 8):
            return max(low, LARGE)
        return self._draw(st.integers(low, low + RANGE))

    def _number(self, schema: Mapping[str, Any]) -> float:
        least, most = _bounds(schema, 0)
        floats = st.floats(
            None if least is None else float(least),
            None if most is None else float(most),
            exclude_min="exclusiveMinimum" in schema,
            exclude_max="exclusiveMaximum" in schema,
            allow_nan=False,
            allow_infinity=False,
        )
        return self._draw(floats)

    def _referred(self, reference: str) -> object:
        """What a `#/$defs/...` of the same schema refers to."""
        found: object = self._root
        for step in reference.removeprefix("#/").split("/"):
            found = found.get(step, {}) if isinstance(found, Mapping) else {}
        return found


def _bounds(schema: Mapping[str, Any], step: int) -> tuple[Any, Any]:
    """The smallest and the largest value; a step off the ones that are excluded."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        least = schema["exclusiveMinimum"] + step
    if "exclusiveMaximum" in schema:
        most = schema["exclusiveMaximum"] - step
    return least, most
