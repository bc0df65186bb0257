"""How arguments are written wrongly."""

import json

import pytest
from hypothesis import given, settings

from agentsim.core import (
    InvalidArguments,
    Response,
    ToolCall,
    assistant,
    canonical_json,
    parse_arguments,
)
from agentsim.faults import CATALOGUE, Operation
from tests.faults.replies import texts

FEW = settings(max_examples=20)

NEVER_VALID = ("cut", "single_quoted", "null", "number", "list", "duplicate_key", "nan")
"""Kinds of arguments that no reader takes, whatever they were made of."""

ALWAYS_VALID = ("empty", "extra_key", "big_integer")
"""Kinds that are an object, and may not fit the tool."""


def written(kind: str, text: str) -> str:
    """The arguments that a fault makes of a text."""
    tamper = CATALOGUE[f"arguments_{kind}"].tamper
    assert tamper is not None
    response = Response(assistant("", ToolCall("c", "t", text)))
    faulty = tamper(response, Operation("model", "model", 1))
    return faulty.message.tool_calls[0].arguments


@FEW
@given(texts)
def test_some_kinds_are_never_valid(text: str) -> None:
    """The arguments can't be read, also where the model's text was valid by chance."""
    for kind in NEVER_VALID:
        with pytest.raises(InvalidArguments):
            parse_arguments(written(kind, text))


@FEW
@given(texts)
def test_some_kinds_are_always_an_object(text: str) -> None:
    """They can be read, and it is for the schema to refuse them."""
    for kind in ALWAYS_VALID:
        parse_arguments(written(kind, text))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("cut", '{"host": "w",'),
        ("single_quoted", "{'host': 'w', 'limit': 5}"),
        ("double_encoded", r'"{\"host\": \"w\", \"limit\": 5}"'),
        ("empty", ""),
        ("null", "null"),
        ("number", "42"),
        ("list", '[{"host": "w", "limit": 5}]'),
        ("extra_key", '{"host": "w", "limit": 5, "unasked_for": true}'),
        ("duplicate_key", '{"host": "w", "limit": 5, "host": null}'),
        ("nan", '{"host": NaN, "limit": 5}'),
        ("big_integer", '{"host": "w", "limit": 9007199254740993}'),
    ],
)
def test_arguments_look_as_models_write_them(kind: str, text: str) -> None:
    """Each kind of usual arguments."""
    assert written(kind, '{"host": "w", "limit": 5}') == text


@FEW
@given(texts)
def test_a_text_in_a_string_is_still_the_text(text: str) -> None:
    """Who decodes twice has what the model meant."""
    assert json.loads(written("double_encoded", text)) == text


def test_a_number_that_floats_cannot_tell_is_kept() -> None:
    """2^53 + 1 stands there exactly, where a number stood or else beside all others."""
    exact = str(2**53 + 1)
    assert float(exact) != int(exact)
    for text in ('{"n": 1}', '{"flag": true}', "{}", "nonsense"):
        made = parse_arguments(written("big_integer", text))
        assert exact in canonical_json(made)
