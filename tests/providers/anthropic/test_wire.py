"""Requests of Anthropic Messages as the neutral model has them, one after the other."""

import math
from typing import Any

import pytest

from agentsim.core import Message, ToolCall, assistant, system, tool_result, user
from agentsim.providers.anthropic import MESSAGES, MessagesReader
from agentsim.providers.wires import WireRefusal
from tests.providers.anthropic.parts import (
    CALLED,
    LOOK,
    MARK,
    NEW,
    USER,
    call,
    request,
    result,
    said,
    text,
    told,
)


def test_a_request_is_read_into_the_neutral_form() -> None:
    """System prompt, calls, results, tools and limits stand where all wires have them."""
    body = request(
        *CALLED,
        told(result(is_error=True), text("Go on.")),
        system="Be brief.",
        tools=[LOOK, {"type": "web_search_20250305", "name": "web_search"}],
        temperature=0.5,
    )
    asked = MessagesReader().read(body).request
    messages = [*asked.messages]
    assert messages[:-1] == [
        system("Be brief."),
        user("hi"),
        assistant("", ToolCall("toolu_1", "look", "{}")),
        tool_result("toolu_1", "seen", is_error=True),
    ]
    assert (messages[-1].role, messages[-1].content) == ("user", "Go on.")
    assert [tool.name for tool in asked.tools] == ["look"]
    assert (asked.model, asked.max_tokens, asked.temperature) == ("claude", 2048, 0.5)


def test_a_breakpoint_that_moves_leaves_the_history_as_it_was() -> None:
    """What was said before stays the same objects, and the count is that of now."""
    reader = MessagesReader()
    first = reader.read(request(told(text(**MARK)))).request.messages
    marked = told({**result(), **MARK})
    second = reader.read(request(told(text()), said(call()), marked)).request.messages
    assert second[0] is first[0]
    for _request in range(6):
        asked = reader.read(request(told(text()), said(call()), marked))
        assert asked.refusal is None


def test_another_system_prompt_is_another_history() -> None:
    """The prompt comes first; what follows stays the same objects."""
    reader = MessagesReader()
    first = reader.read(request(USER, system="Be brief.")).request.messages
    second = reader.read(request(USER, system="Be long.")).request.messages
    third = reader.read(request(USER)).request.messages
    assert [m.content for m in second] == ["Be long.", "hi"]
    assert [m.content for m in third] == ["hi"]
    assert first[1] is second[1] is third[0]


def test_another_version_judges_all_anew() -> None:
    """What one version takes, the next one refuses, though nothing else changed."""
    reader = MessagesReader()
    body = request(told(text(citations=[{"type": "char_location"}])))
    assert reader.read(body).refusal is None
    refusal = reader.read(body, {"anthropic-version": NEW}).refusal
    assert refusal is not None
    assert refusal.rule == "block-version"
    assert reader.read(body).refusal is None


@pytest.mark.parametrize("number", [10**400, -3, "hot", True, 1.5])
def test_a_temperature_that_is_none_is_refused_and_can_be_judged(
    number: object,
) -> None:
    """Whatever was sent, what is recorded is a number that can be reckoned with."""
    asked = MessagesReader().read(request(temperature=number))
    assert asked.refusal is not None
    assert asked.refusal.words.startswith("temperature: Input should be")
    assert math.isfinite(asked.request.temperature)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"NaN"])
def test_a_body_that_is_no_json_object_is_refused(raw: bytes) -> None:
    """What can't be read is refused, and recorded as such."""
    refusal = MESSAGES.read_body(raw)
    assert isinstance(refusal, WireRefusal)
    assert (refusal.rule, refusal.status) == ("no-json", 400)
    assert MessagesReader().read(refusal).refusal is refusal


LEFT: dict[str, tuple[list[Message], str | None]] = {
    "done": ([user("hi"), assistant("Done.")], None),
    "an open call": (
        [user("hi"), assistant("", ToolCall("a", "look"))],
        "unanswered",
    ),
    "an answered call": (
        [user("hi"), assistant("", ToolCall("a", "look")), tool_result("a", "x")],
        None,
    ),
    "an empty answer": ([user("hi"), assistant("")], "empty-message"),
    "an empty error": (
        [
            user("hi"),
            assistant("", ToolCall("a", "look")),
            tool_result("a", "", is_error=True),
        ],
        "error-empty",
    ),
}


@pytest.mark.parametrize(("messages", "rule"), LEFT.values(), ids=LEFT.keys())
def test_a_history_goes_on_with_a_new_message_or_not(
    messages: list[Message], rule: str | None
) -> None:
    """What a run left is judged as it would be sent, with a message of the user after."""
    refusal = MessagesReader().resumes(messages)
    assert (None if refusal is None else refusal.rule) == rule


def test_there_is_nothing_else_below_messages() -> None:
    """Only tokens are counted there, and only when they are posted."""
    reader: Any = MESSAGES.reader()
    assert MESSAGES.more(reader, "GET", "/count_tokens", b"{}") is None
    assert MESSAGES.more(reader, "POST", "/batches", b"{}") is None
