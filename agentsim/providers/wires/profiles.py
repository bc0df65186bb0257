"""How strict a simulated service is, wire by wire: profiles by name, as data, as objects.

A profile switches rules off of which it is not sure that the service has them, and says
what a model does not take. Each wire has two of its own: `strict`, which judges unless
another is asked for, and `lenient`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from agentsim.core import UsageError, did_you_mean
from agentsim.providers.dialects import DIALECTS, dialect_named
from agentsim.providers.wires.dialect import Dialect
from agentsim.providers.wires.kinds import kinds_of
from agentsim.providers.words import type_words

__all__ = ["plain_profile", "profile_of"]

NAMES = ("strict", "lenient")

SHOWN_MAX = 80
"""Characters of a wrong value that are worth showing."""

LIKE = "like"
"""Field of a mapping: the name of the profile that the others change."""


def profile_of(wire: str, told: object) -> Any:  # noqa: ANN401 - of one of the wires
    """The profile that is told: an object, `strict` or `lenient`, or fields to change.

    Args:
        wire: Its name, such as `openai-chat`.
        told: A mapping changes fields of the profile that it names as `like`, which is
            `strict` unless given.

    Raises:
        UsageError: for a wire, a name, a field or a value that there is not.
    """
    dialect = _speaking(wire)
    kind = type(dialect.strict)
    if isinstance(told, kind):
        return told
    if isinstance(told, str):
        return _named(dialect, told)
    if not isinstance(told, Mapping):
        raise UsageError(
            f"expected strict, lenient, a mapping or a {kind.__name__}, "
            f"got {type_words(told)}"
        )
    changes = dict(told)
    base = _named(dialect, changes.pop(LIKE, "strict"))
    return _changed(base, changes)


def plain_profile(wire: str, profile: object) -> str | dict[str, Any]:
    """A profile as a file says it: by its name, or as the fields that are not as usual."""
    dialect = _speaking(wire)
    for name in NAMES:
        if profile == _named(dialect, name):
            return name
    usual = asdict(dialect.strict)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(profile).items()  # type: ignore[call-overload]
        if value != usual[name]
    }


def _speaking(wire: str) -> Dialect:
    spoken = {dialect.wire: dialect for dialect in map(dialect_named, DIALECTS)}
    if wire not in spoken:
        raise UsageError(
            f"{wire!a} is no wire, which are {', '.join(spoken)}"
            f"{did_you_mean(wire, spoken)}"
        )
    return spoken[wire]


def _named(dialect: Dialect, name: object) -> Any:  # noqa: ANN401 - of one of the wires
    if not isinstance(name, str) or name not in NAMES:
        near = did_you_mean(name, NAMES) if isinstance(name, str) else ""
        raise UsageError(f"expected strict or lenient, got {name!a}{near}")
    return getattr(dialect, name)


def _changed(base: Any, changes: Mapping[str, object]) -> Any:  # noqa: ANN401 - the same
    from pydantic import TypeAdapter, ValidationError

    known = [field.name for field in fields(base)]
    for name in changes:
        if name not in known:
            raise UsageError(
                f"{name!a} is no field of it, which has {', '.join(known)}"
                f"{did_you_mean(name, known)}"
            )
    try:
        # As JSON, in which strict pydantic takes a list for a tuple, and nothing else.
        text = json.dumps({**asdict(base), **changes}, allow_nan=False)
        return TypeAdapter(type(base)).validate_json(text, strict=True)
    except ValidationError as error:
        place = str(error.errors(include_url=False)[0]["loc"][0])
    except (TypeError, ValueError):
        place = next(iter(changes))
    expected, got = kinds_of(type(base))[place], _shown(changes[place])
    raise UsageError(f"{place}: expected {expected}, got {got}")


def _shown(value: object) -> str:
    plain = (
        isinstance(value, (str, int, float, list)) and len(ascii(value)) <= SHOWN_MAX
    )
    return ascii(value) if plain else type_words(value)
