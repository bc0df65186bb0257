"""Annotations of users' tools as pydantic reads them on every version of Python."""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from agentsim.world.parameters import AtLeast

__all__ = ["readable"]


def readable(annotation: Any) -> Any:  # noqa: ANN401 - annotations may be anything
    """The annotation, with words as descriptions, and typed dicts as pydantic takes them.

    Texts in `Annotated` become descriptions and `AtLeast` a bound, as in the tools that
    come with a world. pydantic refuses `typing.TypedDict` before Python 3.12.
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if typing.is_typeddict(annotation) and sys.version_info < (3, 12):
        return _typed_dict(annotation)
    if origin is None or origin is Literal:
        return annotation
    if origin is Annotated:
        return reduce(_with_note, inner[1:], readable(inner[0]))
    parts = tuple(map(_readable_part, inner))
    if parts == inner:
        return annotation
    if origin in (Union, UnionType):
        return reduce(or_, parts)
    return origin[parts]


def _readable_part(part: Any) -> Any:  # noqa: ANN401 - the same
    return [readable(one) for one in part] if isinstance(part, list) else readable(part)


def _with_note(annotation: Any, note: Any) -> Any:  # noqa: ANN401 - the same
    from pydantic import Field

    if isinstance(note, str):
        note = Field(description=note)
    elif isinstance(note, AtLeast):
        note = Field(ge=note.value)
    return Annotated[annotation, note]


def _typed_dict(annotation: Any) -> Any:  # noqa: ANN401 - the same
    from typing import NotRequired, Required

    from typing_extensions import TypedDict

    hints: Mapping[str, Any] = get_type_hints(annotation, include_extras=True)
    fields = {
        name: (NotRequired if _optional(annotation, name, hint) else Required)[
            _bare(hint)
        ]
        for name, hint in hints.items()
    }
    make: Any = TypedDict  # called with names that type checkers can't know
    made = make(annotation.__name__, fields)
    made.__module__, made.__doc__ = annotation.__module__, annotation.__doc__
    return made


def _optional(annotation: Any, name: str, hint: Any) -> bool:  # noqa: ANN401 - the same
    """Whether a key may be left out; where annotations are texts, only hints tell."""
    word = get_origin(hint)
    if word in (typing.NotRequired, typing.Required):
        return word is typing.NotRequired
    return name in annotation.__optional_keys__


def _bare(hint: Any) -> Any:  # noqa: ANN401 - the same
    """The type of a key, without the word on whether it must be there."""
    wrapped = get_origin(hint) in (typing.NotRequired, typing.Required)
    return readable(get_args(hint)[0] if wrapped else hint)
