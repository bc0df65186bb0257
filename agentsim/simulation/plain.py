"""Plain data of specifications, and its digest: what a token and a trace name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from agentsim.core import canonical_json

__all__ = ["LATER", "digest_of", "plain"]

LATER = {"later": True}
"""Metadata of a field that was added later: as by default it is no part of a digest.

So that the tokens and traces of before stay good.
"""


def plain(value: object) -> Any:
    """Turn a specification into JSON data: dataclasses by field, functions by name.

    A function counts by its qualified name only: two versions of it have one digest.
    """
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    own = getattr(value, "plain", None)
    if callable(own):
        return own()
    if is_dataclass(value) and not isinstance(value, type):
        data = {
            field.name: plain(own)
            for field in fields(value)
            if (own := getattr(value, field.name)) != field.default
            or not field.metadata.get("later")
        }
        return {"is": type(value).__name__, **data}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    module = getattr(value, "__module__", None) or type(value).__module__
    return f"{module}:{name}"


def digest_of(value: object) -> str:
    """16 hexadecimal digits over the plain data of a specification."""
    text = canonical_json(plain(value)).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()
