"""JSON values, their texts, and texts that are almost JSON."""

import json
from typing import Any

from hypothesis import strategies as st

anything = st.text(st.characters())  # lone surrogates included
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | anything
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """The text of a value, written in one of the ways that JSON allows."""
    return json.dumps(
        draw(values),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 0, 1, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (" , ", "\r: ")])),
    )


PIECES = st.sampled_from(
    [
        *("{", "}", "[", "]", ",", ":", '"', "\\", "\\u", "\\ud800", "'", "a", '""'),
        *(
            "0",
            "1",
            "9",
            "-",
            "+",
            ".",
            "e",
            "1e999",
            "NaN",
            "-Infinity",
            "true",
            "null",
        ),
        *("\n", "\x00", "\ufeff", "\xa0", "\u0661", '{"a":1,"a":2}'),
    ]
)


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    """A JSON text with one to three pieces cut out, put in or exchanged."""
    text = draw(texts())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(PIECES | st.just("")) + text[end:]
    return text


random_texts = st.lists(PIECES, max_size=12).map("".join) | anything


def nested(depth: int, *, kind: str = "[") -> str:
    """So many arrays or objects, one in another."""
    return (
        "[" * depth + "]" * depth
        if kind == "["
        else '{"a":' * depth + "1" + "}" * depth
    )


def standard(text: str) -> object:
    """Read a text by the standard parser alone, with what R1.11 refuses refused.

    Raises:
        ValueError: for what is no strict JSON.
    """
    value = json.loads(
        text,
        object_pairs_hook=_unique,
        parse_constant=_refused,
        parse_float=_finite,
    )
    if _depth(value) > 100:
        raise ValueError("too deep")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate")
    return dict(pairs)


def _refused(name: str) -> None:
    raise ValueError(name)


def _finite(text: str) -> float:
    if abs(float(text)) == float("inf"):
        raise ValueError(text)
    return float(text)


def _depth(value: object) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    return 1 + max(map(_depth, value), default=0)
