"""Halves of characters in bodies: JSON can write them, and no text has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentsim.providers.anthropic import MESSAGES, MessagesReader
from agentsim.providers.wires import WireRefusal

HALF = "\ud83d"


def asked(text: str) -> bytes:
    """A request that has a text in it, all in ASCII."""
    message = {"role": "user", "content": text}
    body = {"model": "claude", "max_tokens": 9, "messages": [message]}
    return json.dumps(body).encode()


@pytest.mark.parametrize("text", [f"cut: {HALF}", f"{HALF} here", "\ude00", HALF * 2])
def test_anthropic_takes_no_half_of_a_character(text: str) -> None:
    """A text that was cut within an emoji makes the body no JSON, in the same words."""
    refusal = MESSAGES.read_body(asked(text))
    assert isinstance(refusal, WireRefusal)
    assert refusal.rule == "no-json"
    assert "The request body is not valid JSON: no low surrogate" in refusal.words


@pytest.mark.parametrize("text", ["\U0001f600", "\\ud83d", "\ud7ff\ue000"])
def test_whole_characters_are_taken_however_they_are_written(text: str) -> None:
    """Escaped pairs, and words about escapes, are texts as all others."""
    body = MESSAGES.read_body(asked(text))
    assert isinstance(body, dict)
    assert body["messages"][0]["content"] == text


def test_a_schema_with_half_of_a_character_is_none() -> None:
    """What a validator can't take over is refused, and breaks nothing."""
    body = MESSAGES.read_body(asked("hi"))
    assert isinstance(body, dict)
    schema = {"type": "object", HALF: "x"}
    tool: dict[str, Any] = {"name": "look", "input_schema": schema}
    refusal = MessagesReader().read({**body, "tools": [tool]}).refusal
    assert refusal is not None
    assert refusal.rule == "tool-schema"
