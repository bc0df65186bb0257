"""JSON values as a trace holds them: checked, in one order, and never half right."""

from __future__ import annotations

import math
from collections.abc import Mapping

from agentsim.core import DEPTH_MAX, DIGITS_MAX, canonical_json

__all__ = ["Misfit", "plain", "show"]

INTEGER_MAX = 10**DIGITS_MAX


class Misfit(Exception):
    """A value does not fit its field: in words, with the path to it."""

    def __init__(self, words: str, path: str = "") -> None:
        super().__init__(words)
        self.words = words
        self.path = path

    @property
    def place(self) -> str:
        """The path, cut short where it goes very deep."""
        return self.path if len(self.path) <= 80 else self.path[:76] + " ..."

    def inside(self, step: str) -> Misfit:
        """The same misfit, seen from one level above."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return Misfit(self.words, f"{step}{joint}{self.path}")


def show(value: object) -> str:
    """A value read from JSON as an error message shows it: short, in ASCII."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, int) and not -INTEGER_MAX < value < INTEGER_MAX:
        return "a huge number"
    text = canonical_json(value)
    return text if len(text) <= 40 else text[:36] + " ..."


def plain(value: object, depth: int = 0) -> object:
    """Copy a JSON value with its keys in order, and refuse what is none."""
    if isinstance(value, Mapping):
        if depth == DEPTH_MAX:
            raise Misfit(f"nested deeper than {DEPTH_MAX} levels")
        if not all(isinstance(key, str) for key in value):
            raise Misfit("the keys of a JSON object must be texts")
        return {
            key: _plain_inside(value[key], f".{key}", depth) for key in sorted(value)
        }
    if isinstance(value, (list, tuple)):
        if depth == DEPTH_MAX:
            raise Misfit(f"nested deeper than {DEPTH_MAX} levels")
        return [_plain_inside(item, f"[{n}]", depth) for n, item in enumerate(value)]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -INTEGER_MAX < value < INTEGER_MAX:
            raise Misfit(f"a number of more than {DIGITS_MAX} digits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Misfit("NaN and Infinity are not JSON")
        return value
    raise Misfit(f"a value of type {type(value).__name__} is not JSON")


def _plain_inside(value: object, step: str, depth: int) -> object:
    try:
        return plain(value, depth + 1)
    except Misfit as misfit:
        raise misfit.inside(step.removeprefix(".")) from None
