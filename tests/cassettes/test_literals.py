"""Texts in a cassette: written by us, read by libyaml, the same afterwards."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from agentsim.cassettes.literals import (
    escaped,
    is_whole,
    unescaped,
    write_key,
    write_text,
)
from agentsim.plain_yaml import load_yaml
from tests.cassettes.drawing import AWKWARD, texts


def _document(one: str, two: str) -> str:
    return (
        f"k:\n  x: {write_text(one, 2)}  l:\n  - at: 1\n    text: {write_text(two, 4)}"
        f"  - {write_key(one)}: {write_text(one, 4)}top: {write_text(two, 0)}end: 1\n"
    )


def _value(one: str, two: str) -> dict[str, Any]:
    listed: list[dict[str, Any]] = [{"at": 1, "text": two}, {one: one}]
    return {"k": {"x": one, "l": listed}, "top": two, "end": 1}


@settings(max_examples=300)
@given(texts, texts)
def test_every_text_is_read_back_exactly(one: str, two: str) -> None:
    """Whatever stands in a text, libyaml and our reader give back that very text."""
    one, two = escaped(one), escaped(two)
    document = _document(one, two)
    value = _value(one, two)
    assert load_yaml(document, "x").value == value
    plain = yaml.load(document, Loader=yaml.CBaseLoader)
    assert plain["k"]["l"][0]["text"] == two
    assert plain["top"] == two


@pytest.mark.parametrize("text", AWKWARD, ids=ascii)
def test_each_awkward_piece_alone_is_read_back(text: str) -> None:
    """Every single piece that readers stumble over survives, at both ends too."""
    for whole in (text, f"{text}x\ny{text}", f"x{text}\n", f"\n{text}\n\n"):
        spelt = escaped(whole)
        assert load_yaml(_document(spelt, spelt), "x").value == _value(spelt, spelt)
        assert unescaped(spelt) == whole


@given(texts)
def test_halves_of_characters_are_spelt_out(text: str) -> None:
    """What is spelt out holds no half of a character, and can be undone."""
    assert is_whole(escaped(text))
    assert unescaped(escaped(text)) == text


@pytest.mark.parametrize("text", ["\\", "\\x", "\\u12", "a\\u12G4", "\\\\\\"])
def test_a_lone_backslash_is_no_spelling(text: str) -> None:
    """A text that was spelt out has no backslash but those of its spellings."""
    with pytest.raises(ValueError, match=r"^$"):
        unescaped(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("gpt-5", "gpt-5\n"),
        ("https://a.example/v1", "https://a.example/v1\n"),
        ("", '""\n'),
        ("yes please", '"yes please"\n'),
        ("null", '"null"\n'),
        ("12", '"12"\n'),
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\n\n", "|+\n  a\n\n"),
        (" a\nb", "|2-\n   a\n  b\n"),
        ("data: 😀\t \n", "|\n  data: 😀\t \n"),
        ('{"a":1}', '|-\n  {"a":1}\n'),
        ("a\r\nb", '"a\\r\\nb"\n'),
        ("\n", '"\\n"\n'),
    ],
)
def test_texts_look_as_people_expect(text: str, written: str) -> None:
    """Names stay plain, texts of several lines stay lines, and the rest is in quotes."""
    assert write_text(text, 0) == written
