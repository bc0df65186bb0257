"""What each wire accepts and refuses beyond the common rules, in small histories."""

import json
from typing import Any

import pytest

from agentsim.providers.transcripts import ConversationReport, check_text

Json = dict[str, Any]
Found = list[tuple[str, str]]


def judged(body: object) -> ConversationReport:
    """The verdict on one conversation."""
    (one,) = check_text("f.json", json.dumps(body)).conversations
    return one


def found(body: object) -> Found:
    """Rule and position of each finding."""
    return [(one.rule, one.position) for one in judged(body).findings]


def request(key: str, *messages: Json, **fields: Any) -> Json:
    """A request body."""
    return {"model": "m", key: list(messages), **fields}


USER: Json = {"role": "user", "content": "Go."}
SAYS: Json = {"role": "assistant", "content": "Done."}


# ------------------------------------------------------------------- OpenAI Chat


def call(own: str | None = "a", **fields: Any) -> Json:
    """A tool call of the Chat wire."""
    made = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {**made, **({} if own is None else {"id": own}), **fields}


def asks(*calls: Json) -> Json:
    """A message of the model with calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tool(own: str) -> Json:
    """A result on the Chat wire."""
    return {"role": "tool", "tool_call_id": own, "content": "ok"}


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


# -------------------------------------------------------------- OpenAI Responses


def item(kind: str, own: str | None = "a", **fields: Any) -> Json:
    """An item that is paired by its call id."""
    return {"type": kind, **({} if own is None else {"call_id": own}), **fields}


ASK = item("function_call", name="f", arguments="{}")
ANSWER = item("function_call_output", output="ok")

RESPONSES_GOOD: dict[str, list[Json]] = {
    "an output far behind its call": [ASK, SAYS, USER, ANSWER],
    "a custom call": [
        item("custom_tool_call", name="f", input="x"),
        item("custom_tool_call_output", output=[{"type": "input_text", "text": "k"}]),
    ],
    "a computer call": [item("computer_call"), item("computer_call_output")],
    "built-in tools": [
        {"type": "web_search_call", "id": "ws_1", "action": {}},
        item("tool_search_call", None, id="tsc_1"),
        item("tool_search_call", "tsc_2", id="tsc_2", execution="server"),
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "tomorrow's item"},
    ],
    "an output message": [
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "output_text", "text": "Done."}],
        },
        {"role": "developer", "content": [{"type": "input_text", "text": "Go."}]},
    ],
    "items without or with null ids": [{**ASK, "id": None}, ANSWER],
}

RESPONSES_BAD: dict[str, tuple[list[Json], Found]] = {
    "no output": ([USER, ASK, SAYS], [("unanswered", "input[1]")]),
    "an output before its call": (
        [ANSWER, ASK],
        [("orphan", "input[0]"), ("unanswered", "input[1]")],
    ),
    "two outputs": ([ASK, ANSWER, ANSWER], [("answered-twice", "input[2]")]),
    "one call id twice": (
        [ASK, ANSWER, ASK, ANSWER],
        [("duplicate-id", "input[2]")],
    ),
    "one item id twice": (
        [{**ASK, "id": "fc_1"}, {**ANSWER, "id": "fc_1"}],
        [("duplicate-id", "input[1]")],
    ),
    "no call ids": (
        [item("function_call", None, name="f"), item("function_call_output", None)],
        [("missing-id", "input[0]"), ("missing-id", "input[1]")],
    ),
}


@pytest.mark.parametrize("name", RESPONSES_GOOD)
def test_responses_accepts(name: str) -> None:
    """What the Responses service takes is no violation."""
    one = judged(request("input", *RESPONSES_GOOD[name]))
    assert (one.wire, one.status, one.notes) == ("openai-responses", "holds", ())


@pytest.mark.parametrize("name", RESPONSES_BAD)
def test_responses_refuses(name: str) -> None:
    """What the Responses service refuses is found at its item."""
    items, expected = RESPONSES_BAD[name]
    assert found(request("input", *items)) == expected


def test_a_string_is_one_user_message() -> None:
    """The short form of `input` is read."""
    one = judged({"model": "m", "input": "Go."})
    assert (one.status, one.messages, one.calls) == ("holds", 1, 0)


@pytest.mark.parametrize(
    ("items", "fields", "name"),
    [
        ([ANSWER], {"previous_response_id": "resp_1"}, "previous_response_id"),
        ([ANSWER], {"conversation": {"id": "conv_1"}}, "conversation"),
        ([{"type": "item_reference", "id": "fc_1"}, ANSWER], {}, "item_reference"),
        ([{"type": "item_reference", "id": "fco_1"}, ASK], {}, "item_reference"),
        ([{"type": "compaction", "id": "cmp_1"}, ANSWER], {}, "compaction"),
        (None, {"previous_response_id": "resp_1"}, "previous_response_id"),
    ],
)
def test_what_the_service_holds_is_unknown(
    items: list[Json] | None, fields: Json, name: str
) -> None:
    """A reference to what the service keeps makes the verdict unknown, with the reason."""
    one = judged({"model": "m", "input": items, **fields})
    assert one.status == "unknown"
    assert one.notes[0] == f"the service holds a part of the history ({name})"
    assert all(f"may be in the {name}" in note for note in one.notes[1:])


def test_held_state_hides_no_breach_of_what_is_here() -> None:
    """What breaks a rule whatever the service holds is still a violation."""
    body = request("input", ASK, USER, previous_response_id="resp_1")
    assert found(body) == [("unanswered", "input[0]")]
    without_input = {"model": "m", "conversation": "conv_1"}
    assert judged(without_input).status == "unknown"


# ------------------------------------------------------------ Anthropic Messages


def use(own: str | None = "a", kind: str = "tool_use") -> Json:
    """A block with a call."""
    made = {"type": kind, "name": "f", "input": {"x": 1}}
    return {**made, **({} if own is None else {"id": own})}


def result(own: str | None = "a", kind: str = "tool_result") -> Json:
    """A block with a result."""
    return {"type": kind, **({} if own is None else {"tool_use_id": own})}


TEXT = {"type": "text", "text": "Look."}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a"}}


def says(*blocks: Json) -> Json:
    """A message of the model."""
    return {"role": "assistant", "content": list(blocks)}


def turn(*blocks: Json, role: str = "user") -> Json:
    """A message from outside."""
    return {"role": role, "content": list(blocks)}


ANTHROPIC_GOOD: dict[str, list[Json]] = {
    "any order, text and image after": [
        says(TEXT, use("x"), use("y")),
        turn(result("y"), result("x"), TEXT, IMAGE),
    ],
    "asking turns merge": [
        says(use("x")),
        says(use("y")),
        turn(result("x"), result("y")),
    ],
    "server tools": [
        says(use("s", "server_tool_use"), result("s", "web_search_tool_result"), TEXT),
        turn(TEXT),
        says(use("m", "mcp_tool_use"), result("m", "mcp_tool_result")),
        turn(TEXT),
    ],
    "a server tool in flight": [
        says(use("s", "server_tool_use"), use("x")),
        turn(result("x")),
        says(result("s", "web_fetch_tool_result"), TEXT),
    ],
    "system at the end": [says(TEXT), turn(TEXT), turn(TEXT, role="system")],
    "thinking, and results with content": [
        says({"type": "thinking", "thinking": "", "signature": "s"}, use()),
        turn({**result(), "content": [TEXT], "is_error": True}),
    ],
}

ANTHROPIC_BAD: dict[str, tuple[list[Json], Found]] = {
    "no result": (
        [says(TEXT, use("x"), use("y")), turn(result("x"), TEXT), says(TEXT)],
        [("unanswered", "messages[0].content[2]")],
    ),
    "history ends with the calls": (
        [says(use())],
        [("unanswered", "messages[0].content[0]")],
    ),
    "text before the results": (
        [says(use("x"), use("y")), turn(TEXT, result("x"), TEXT, result("y"))],
        [("unanswered", "messages[1].content[0]")],
    ),
    "text before, in a message that is merged": (
        [says(use()), USER, turn(result())],
        [("unanswered", "messages[1]")],
    ),
    "a result of an older turn": (
        [says(use()), turn(result()), says(TEXT), turn(result())],
        [("orphan", "messages[3].content[0]")],
    ),
    "two results, over two messages": (
        [says(use()), turn(result()), turn(result())],
        [("answered-twice", "messages[2].content[0]")],
    ),
    "an id of long ago": (
        [says(use()), turn(result()), says(use()), turn(result())],
        [("duplicate-id", "messages[2].content[0]")],
    ),
    "no ids": (
        [says(use(None)), turn(result(None))],
        [
            ("missing-id", "messages[0].content[0]"),
            ("missing-id", "messages[1].content[0]"),
        ],
    ),
    "a call in a user message": (
        [turn(use()), says(TEXT)],
        [("role", "messages[0].content[0]")],
    ),
    "a result in an assistant message": (
        [says(use(), result()), turn(result())],
        [("role", "messages[0].content[1]")],
    ),
    "a server result without its call": (
        [says(result("s", "advisor_tool_result")), turn(TEXT)],
        [("orphan", "messages[0].content[0]")],
    ),
    "a system message between": (
        [says(use()), turn(TEXT, role="system"), turn(result())],
        [
            ("unanswered", "messages[0].content[0]"),
            ("orphan", "messages[2].content[0]"),
        ],
    ),
    "an empty turn between": (
        [says(use()), turn(), says(), turn(result())],
        [
            ("unanswered", "messages[0].content[0]"),
            ("orphan", "messages[3].content[0]"),
        ],
    ),
}


@pytest.mark.parametrize("name", ANTHROPIC_GOOD)
def test_anthropic_accepts(name: str) -> None:
    """What the Anthropic service takes is no violation."""
    body = request("messages", *ANTHROPIC_GOOD[name], system="Be brief.")
    one = judged(body)
    assert (one.wire, one.status, one.notes) == ("anthropic-messages", "holds", ())


@pytest.mark.parametrize("name", ANTHROPIC_BAD)
def test_anthropic_refuses(name: str) -> None:
    """What the Anthropic service refuses is found at its block."""
    messages, expected = ANTHROPIC_BAD[name]
    assert found(request("messages", *messages)) == expected


def test_results_over_several_messages_are_noted() -> None:
    """The service merges the user turns, yet R3.3 wants one message: a note."""
    turns = [says(use("x"), use("y")), turn(result("x")), turn(result("y"))]
    one = judged(request("messages", *turns))
    words = "results of one turn are spread over several user messages"
    assert (one.status, one.notes) == ("holds", (f"messages[2].content[0]: {words}",))


def test_a_continued_thread_is_unknown() -> None:
    """The first turn may answer calls of the thread, a later one may not."""
    thread = {"type": "continue", "previous_message_id": "msg_1"}
    one = judged(request("messages", turn(result()), thread=thread))
    assert one.status == "unknown"
    assert one.notes == (
        "the service holds a part of the history (thread)",
        "messages[0].content[0]: the call that a answers may be in the thread",
    )
    body = request(
        "messages", turn(result()), says(TEXT), turn(result()), thread=thread
    )
    assert found(body) == [("orphan", "messages[2].content[0]")]
    created = request("messages", turn(result()), thread={"type": "create"})
    assert found(created) == [("orphan", "messages[0].content[0]")]


# --------------------------------------------------------- where a transcript ends

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


# ----------------------------------------------------------------------- answers

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
