"""What the Chat wire accepts and refuses beyond the common rules."""

import pytest

from tests.providers.transcripts.histories import (
    SAYS,
    USER,
    Found,
    Json,
    asks,
    call,
    found,
    judged,
    request,
    tool,
)

CUSTOM = {"id": "b", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
SYSTEM = {"role": "system", "content": "Now be brief."}

CHAT_GOOD: dict[str, list[Json]] = {
    "the same id in two responses": [asks(call()), tool("a"), asks(call()), tool("a")],
    "a custom call": [asks(call(), CUSTOM), tool("b"), tool("a")],
    "system in the middle": [USER, SAYS, SYSTEM, {**SYSTEM, "role": "developer"}, USER],
    "one role many times": [USER, USER, SAYS, SAYS],
    "no content key": [{"role": "assistant", "tool_calls": [call()]}, tool("a")],
    "no or null or empty calls": [{**SAYS, "tool_calls": None}, asks(), USER],
    "content parts": [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, {"no": 1}]},
        asks(call()),
        {**tool("a"), "content": [{"type": "text", "text": "ok"}]},
    ],
    "arguments of another type": [
        asks(call(function={"name": "f", "arguments": {"x": 1}})),
        tool("a"),
    ],
}

CHAT_BAD: dict[str, tuple[list[Json], Found]] = {
    "a result without calls": ([USER, tool("a")], [("orphan", "messages[1]")]),
    "no result at the end": (
        [USER, asks(call("x"), call("y")), tool("x")],
        [("unanswered", "messages[1].tool_calls[1]")],
    ),
    "a message between": (
        [asks(call()), SYSTEM, tool("a")],
        [("unanswered", "messages[0].tool_calls[0]"), ("orphan", "messages[2]")],
    ),
    "two asking messages are not merged": (
        [asks(call("x")), asks(call("y")), tool("x"), tool("y")],
        [("unanswered", "messages[0].tool_calls[0]"), ("orphan", "messages[2]")],
    ),
    "one id twice in a response": (
        [asks(call(), call()), tool("a"), tool("a")],
        [("duplicate-id", "messages[0].tool_calls[1]")],
    ),
    "no ids": (
        [asks(call(None), call("")), {"role": "tool", "content": "ok"}],
        [
            ("missing-id", "messages[0].tool_calls[0]"),
            ("missing-id", "messages[0].tool_calls[1]"),
            ("missing-id", "messages[1]"),
        ],
    ),
    "calls of the user": (
        [{**asks(call()), "role": "user"}, tool("a")],
        [("role", "messages[0]")],
    ),
}


@pytest.mark.parametrize("name", CHAT_GOOD)
def test_chat_accepts(name: str) -> None:
    """What the Chat service takes is no violation."""
    one = judged(request("messages", *CHAT_GOOD[name]))
    assert (one.status, one.notes) == ("holds", ())


@pytest.mark.parametrize("name", CHAT_BAD)
def test_chat_refuses(name: str) -> None:
    """What the Chat service refuses is found at its place."""
    messages, expected = CHAT_BAD[name]
    body = request("messages", *messages, max_completion_tokens=9)
    assert (judged(body).wire, found(body)) == ("openai-chat", expected)


def test_the_words_say_what_and_where() -> None:
    """A finding reads as one line with file, line, position, reason and rule."""
    body = request("messages", asks(call()), USER)
    (one,) = judged(body).findings
    assert str(one) == (
        "f.json:1: messages[0].tool_calls[0]: the call a has no result directly after "
        "its response; it was due before messages[1] (unanswered)"
    )
    body = request("messages", asks(call()))
    words = judged(body).findings[0].words
    assert words.endswith("; the history ends without it")


def legacy(name: str = "f") -> Json:
    """A message with the deprecated function call."""
    called = {"name": name, "arguments": "{}"}
    return {"role": "assistant", "content": None, "function_call": called}


FUNCTION = {"role": "function", "name": "f", "content": "ok"}


def test_deprecated_function_calls_are_noted_and_not_judged() -> None:
    """Without ids the service pairs nothing: what is missing is a note."""
    assert judged(request("messages", legacy(), FUNCTION)).notes == ()
    one = judged(request("messages", legacy(), USER, FUNCTION, legacy("g"), FUNCTION))
    assert one.status == "holds"
    assert one.notes == (
        "messages[0].function_call: the function call f has no result",
        "messages[2]: the function result f answers no function call",
        "messages[4]: the function result f stands where that of g is expected",
    )
