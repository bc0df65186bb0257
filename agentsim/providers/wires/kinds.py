"""What the field of a profile takes, in words."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["kinds_of"]

_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    tuple: "a list of texts",
}


def kinds_of(cls: type) -> dict[str, str]:
    """Field of a profile -> what it takes, such as `a list of texts`."""
    return {name: _words(kind) for name, kind in get_type_hints(cls).items()}


def _words(kind: Any) -> str:  # noqa: ANN401 - an annotation may be anything
    origin = get_origin(kind)
    if origin is Literal:
        return " or ".join(get_args(kind))
    if origin in (Union, types.UnionType):
        some = [part for part in get_args(kind) if part is not type(None)]
        return " or ".join([*map(_words, some), "null"])
    return _WORDS[origin or kind]
