"""What pydantic found, in our words: its own change between versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["expected_words"]

_TYPES = {
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "date_from_datetime_parsing": "a date",
    "date_parsing": "a date",
    "datetime_from_date_parsing": "a date with a time",
    "datetime_parsing": "a date with a time",
    "decimal_parsing": "a decimal number",
    "decimal_type": "a decimal number",
    "dict_type": "an object",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "an object",
    "none_required": "null",
    "set_type": "a list",
    "string_type": "text",
    "tuple_type": "a list",
    "uuid_parsing": "a UUID",
}

_BOUNDS = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "{} or more"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "{} or less"),
    "multiple_of": ("multiple_of", "a multiple of {}"),
    "string_too_long": ("max_length", "at most {} characters"),
    "string_too_short": ("min_length", "at least {} characters"),
    "string_pattern_mismatch": ("pattern", "a text that matches {}"),
    "too_long": ("max_length", "at most {} entries"),
    "too_short": ("min_length", "at least {} entries"),
}


def expected_words(findings: Sequence[Mapping[str, Any]]) -> str:
    """What was expected at one place; several findings there are alternatives."""
    return "expected " + " or ".join(dict.fromkeys(map(_expected, findings)))


def _expected(finding: Mapping[str, Any]) -> str:
    kind, context = finding["type"], finding.get("ctx") or {}
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return words.format(context[name])
    if kind in ("literal_error", "enum"):
        return str(context["expected"])
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"no field {finding['loc'][-1]!r}"
    if kind in ("value_error", "assertion_error"):  # what a validator of the user says
        return f"another value ({context['error']})"
    return "another value"
