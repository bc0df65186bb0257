"""Fields of a request that both wires of OpenAI have in one form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.providers.openai.values import Faults, record, text, too_long
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["metadata", "service_tier_of", "unknown"]

PAIRS_MAX, KEY_MAX, VALUE_MAX = 16, 64, 512


def unknown(path: str) -> WireRefusal:
    """A field that the service does not know."""
    words = f"Unknown parameter: '{path}'."
    return WireRefusal("unknown-parameter", words, path, "unknown_parameter")


def metadata(value: object, path: str) -> Faults:
    """At most 16 pairs of texts."""
    yield from record(value, path)
    if not isinstance(value, Mapping):
        return
    if len(value) > PAIRS_MAX:
        words = (
            f"Invalid '{path}': too many properties. Expected an object with at most "
            f"{PAIRS_MAX} properties, but got an object with {len(value)} properties "
            "instead."
        )
        yield WireRefusal("metadata", words, path, "object_above_max_properties")
    for key, entry in value.items():
        if len(key) > KEY_MAX:
            words = (
                f"Invalid '{path}': property name too long. Expected a property name "
                f"with maximum length {KEY_MAX}, but got one with length {len(key)} "
                "instead."
            )
            yield WireRefusal("metadata", words, path, "property_name_above_max_length")
        where = f"{path}.{key}"
        yield from text(entry, where)
        if isinstance(entry, str) and len(entry) > VALUE_MAX:
            sizes = (VALUE_MAX, len(entry))
            yield too_long("string", where, sizes, rule="metadata")


def service_tier_of(body: Mapping[str, Any]) -> str:
    """The tier that a request is served in: what it asks for, unless that is `auto`."""
    asked = body.get("service_tier")
    return asked if isinstance(asked, str) and asked != "auto" else "default"
