"""Where a history ends: a transcript that stops, a request, and its answer."""

import pytest

from tests.providers.transcripts.histories import (
    ANSWER,
    ASK,
    TEXT,
    USER,
    Found,
    Json,
    asks,
    call,
    found,
    item,
    judged,
    request,
    result,
    says,
    tool,
    turn,
    use,
)

OPEN_ENDS: list[list[Json]] = [
    [USER, asks(call("x"), call("y")), tool("x")],
    [USER, item("function_call", "x"), ASK, item("function_call_output", "x")],
    [USER, says(use("x"), use()), turn(result("x"))],
]


@pytest.mark.parametrize("messages", OPEN_ENDS)
def test_a_transcript_may_stop_in_the_calls(messages: list[Json]) -> None:
    """Open calls at the end of a bare conversation are a note, in a request a breach."""
    one = judged(messages)
    assert one.status == "holds"
    assert len(one.notes) == 1
    assert "the conversation ends before the result of" in one.notes[0]
    key = "input" if "type" in messages[1] else "messages"
    assert judged({key: messages}).status == "holds"
    assert len(found(request(key, *messages))) == 1


def test_an_exchange_is_a_request_even_without_a_model() -> None:
    """The request of an exchange was sent as it is: open calls at its end are a breach."""
    assert found({"request": {"messages": [asks(call())]}}) == [
        ("unanswered", "request.messages[0].tool_calls[0]")
    ]


CHOICE = {"index": 0, "message": asks(call(), call())}
ANSWERS: list[tuple[Json, Json, Found]] = [
    (
        request("messages", USER),
        {"choices": [CHOICE]},
        [("duplicate-id", "response.choices[0].message.tool_calls[1]")],
    ),
    (
        request("messages", USER),
        {"choices": [{"message": asks(call())}, {"message": asks(call())}]},
        [],
    ),
    (
        request("input", USER, ASK, ANSWER),
        {"object": "response", "output": [ASK]},
        [("duplicate-id", "response.output[0]")],
    ),
    (
        request("messages", turn(TEXT), says(use()), turn(result())),
        {"type": "message", "role": "assistant", "content": [TEXT, use(), use(None)]},
        [
            ("duplicate-id", "response.content[1]"),
            ("missing-id", "response.content[2]"),
        ],
    ),
]


@pytest.mark.parametrize(("body", "answer", "expected"), ANSWERS)
def test_the_ids_of_an_answer_are_judged(
    body: Json, answer: Json, expected: Found
) -> None:
    """An answer that repeats or lacks ids is found; its open calls are none."""
    assert found({"request": body, "response": answer}) == expected
    for rest in ({"status": 400}, {"response": {**answer, "error": {"code": 1}}}):
        assert found({"request": body, "response": answer, **rest}) == []
    streamed = {"request": body, "response": "data: {}", "stream": True}
    assert found(streamed) == []


def test_an_answer_of_another_form_is_noted() -> None:
    """What can't be judged in an answer is said."""
    one = judged(
        {"request": request("messages", asks(call()), tool("a")), "response": {}}
    )
    assert (one.status, one.notes) == (
        "holds",
        ("response: not judged: it does not have the form of openai-chat",),
    )
