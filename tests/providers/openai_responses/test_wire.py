"""Requests of Responses in the neutral form: what belongs together, and what is held."""

import json
from typing import Any

import pytest

from agentsim.core import (
    Message,
    MessageView,
    ProviderError,
    Request,
    Response,
    ToolCall,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.providers.openai_responses import RESPONSES, ResponsesReader, Stored
from agentsim.providers.openai_responses.carried import carried_for
from agentsim.providers.wires import HasMore, HasStore, WireRefusal
from tests.providers.openai_responses.made import (
    LOOK,
    USER,
    answer,
    call,
    request,
    said,
    thought,
    told,
)


def shapes(messages: Any) -> list[tuple[str, str, int]]:  # noqa: ANN401
    """Role, text and number of calls of each message."""
    return [(one.role, one.content, len(one.tool_calls)) for one in messages]


def read(body: dict[str, Any], reader: ResponsesReader | None = None) -> Request:
    """A request in the neutral form."""
    return (reader or ResponsesReader()).read(body).request


HISTORIES: dict[str, tuple[list[Any], list[tuple[str, str, int]]]] = {
    "reasoning, text and calls of one response": (
        [USER, thought(), said(), call(), call("call_2"), told(), told("call_2")],
        [
            *[("user", "hi", 0), ("assistant", "So.", 2)],
            *[("tool", "seen", 0), ("tool", "seen", 0)],
        ],
    ),
    "a commentary and an answer": (
        [USER, said(phase="commentary"), said("Done.", "msg_2", phase="final_answer")],
        [("user", "hi", 0), ("assistant", "So.Done.", 0)],
    ),
    "two texts without a phase are two": (
        [said(), said("Done.", "msg_2")],
        [("assistant", "So.", 0), ("assistant", "Done.", 0)],
    ),
    "searches of the service": (
        [thought(), {"type": "web_search_call", "id": "ws_1"}, thought("rs_2"), said()],
        [("assistant", "So.", 0)],
    ),
    "reasoning after a text begins a new one": (
        [said(), thought(), call()],
        [("assistant", "So.", 0), ("assistant", "", 1)],
    ),
    "mere texts": (
        [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
        [("assistant", "a", 0), ("assistant", "b", 0)],
    ),
    "a developer, and parts": (
        [
            {"role": "developer", "content": "Be kind."},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "a"},
                    {"type": "input_image", "image_url": "https://example.org/a.png"},
                    {"type": "input_text", "text": "b"},
                ],
            },
        ],
        [("system", "Be kind.", 0), ("user", "ab", 0)],
    ),
    "built-in tools that the client runs": (
        [
            {"type": "shell_call", "call_id": "call_1", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "call_1", "output": [{"x": 1}]},
        ],
        [("assistant", "", 1), ("tool", '[{"x":1}]', 0)],
    ),
}


@pytest.mark.parametrize(
    ("items", "expected"), HISTORIES.values(), ids=HISTORIES.keys()
)
def test_what_one_response_said_is_one_message(
    items: list[Any], expected: list[tuple[str, str, int]]
) -> None:
    """Items are put together as the service sends them, and never more."""
    assert shapes(read(request(*items)).messages) == expected


def test_ids_that_were_issued_tell_what_belongs_together() -> None:
    """Two texts of one response are one message; texts of two responses are two."""
    reader = ResponsesReader()
    both = answer(said(), said("Done.", "msg_2"))
    reader.read({"model": "gpt", "input": "hi"}).reader.answered(both)
    messages = read(request(USER, *both["output"]), reader).messages
    assert shapes(messages) == [("user", "hi", 0), ("assistant", "So.Done.", 0)]
    other = answer(call(id="fc_3"), response_id="resp_2")
    reader.read({"model": "gpt", "input": "hi"}).reader.answered(other)
    items = [USER, *both["output"], *other["output"], told()]
    messages = read(request(*items), reader).messages
    assert [len(one.tool_calls) for one in messages] == [0, 0, 1, 0]


def test_instructions_are_the_system_prompt() -> None:
    """They stand first, are not taken over by a chain, and may change."""
    reader = ResponsesReader()
    first = reader.read({"model": "gpt", "input": "hi", "instructions": "Be brief."})
    assert list(first.request.messages) == [system("Be brief."), user("hi")]
    first.reader.answered(answer(said()))
    body = request(USER, previous_response_id="resp_1", instructions="Be kind.")
    messages = read(body, reader).messages
    assert [one.role for one in messages] == ["system", "user", "assistant", "user"]
    assert messages[0].content == "Be kind."
    assert messages[1] is first.request.messages[1]
    del body["instructions"]
    assert read(body, reader).messages[0] is first.request.messages[1]


def test_a_chain_and_a_whole_list_are_one_history() -> None:
    """What is held and what is sent again make the same messages."""
    output = [thought(), call(id="fc_1")]
    chained, listed = ResponsesReader(), ResponsesReader()
    for reader in (chained, listed):
        reader.read(request()).reader.answered(answer(*output))
    body = request(told(), previous_response_id="resp_1")
    one = read(body, chained).messages
    other = read(request(USER, *output, told()), listed).messages
    assert list(one) == list(other)


def test_a_conversation_goes_on_where_it_was() -> None:
    """What was said in it here is held; what may have been before is not known."""
    reader = ResponsesReader()
    body = request(conversation={"id": "conv_1"})
    asked = reader.read(body)
    asked.reader.answered(answer(call(id="fc_1"), conversation={"id": "conv_1"}))
    then = reader.read(request(told(), conversation="conv_1"))
    assert then.refusal is None
    assert shapes(then.request.messages) == [
        *[("user", "hi", 0), ("assistant", "", 1), ("tool", "seen", 0)]
    ]
    refusal = reader.read(request(USER, conversation="conv_1")).refusal
    assert refusal is not None
    assert refusal.rule == "unanswered"


def test_overlapping_requests_keep_their_own_answers() -> None:
    """The reader that comes with a request knows what it was."""
    reader = ResponsesReader()
    first, second = (
        reader.read({"model": "gpt", "input": text}) for text in ("one", "two")
    )
    second.reader.answered(answer(said(), response_id="resp_2"))
    first.reader.answered(answer(said("No.", "msg_2"), response_id="resp_1"))
    for name, text in (("resp_1", "one"), ("resp_2", "two")):
        messages = read(request(previous_response_id=name), reader).messages
        assert messages[0].content == text


def test_clients_of_one_service_share_what_it_stores() -> None:
    """A response of one client is one that another goes on from."""
    store = Stored()
    one, other = RESPONSES.reader(store=store), RESPONSES.reader(store=store)
    one.read(request()).reader.answered(answer(said()))
    body = request(previous_response_id="resp_1")
    assert other.read(body).refusal is None
    assert RESPONSES.reader().read(body).refusal is not None
    assert isinstance(RESPONSES, HasStore)
    assert isinstance(RESPONSES, HasMore)


def test_a_reference_reads_as_what_it_stands_for() -> None:
    """The neutral history has the call itself."""
    reader = ResponsesReader()
    reader.read(request()).reader.answered(answer(call(id="fc_1")))
    body = request(USER, {"type": "item_reference", "id": "fc_1"}, told())
    assert read(body, reader).messages[1].tool_calls == (ToolCall("call_1", "look"),)


def test_an_item_that_lacks_its_type_is_no_reference_with_more_fields() -> None:
    """What is stored under its id makes it no better: a reference has the id alone."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    reader = ResponsesReader()
    reader.read(request()).reader.answered(answer(thought, said()))
    told_again = {"id": "rs_1", "summary": []}
    refusal = reader.read(request(USER, told_again, said(), USER)).refusal
    assert refusal is not None
    assert refusal.words == "Unknown parameter: 'input[1].summary'."


def test_fields_of_a_request_are_read() -> None:
    """Model, tools, temperature and limit; the text alone is a message of the user."""
    body = {
        "model": "gpt",
        "input": "hi",
        "tools": [LOOK, {"type": "web_search"}],
        "temperature": 0.5,
        "max_output_tokens": 99,
    }
    asked = read(body)
    assert (asked.model, asked.temperature, asked.max_tokens) == ("gpt", 0.5, 99)
    assert [tool.name for tool in asked.tools] == ["look"]
    assert list(asked.messages) == [user("hi")]


def test_a_body_that_is_none_is_refused() -> None:
    """The refusal of bytes that are no JSON goes through the reader."""
    body = RESPONSES.read_body(b"{")
    assert isinstance(body, WireRefusal)
    asked = ResponsesReader().read(body)
    assert asked.refusal is body
    assert list(asked.request.messages) == []


def test_a_history_is_resumed_by_the_rules_of_this_wire() -> None:
    """Its own: an open call is refused, and results far behind their call are not."""
    reader = ResponsesReader()
    asked = assistant("", ToolCall("call_1", "look"))
    assert reader.resumes([user("hi"), asked, tool_result("call_1", "x")]) is None
    assert reader.resumes([asked, user("hi"), tool_result("call_1", "x")]) is None
    refusal = reader.resumes([user("hi"), asked])
    assert refusal is not None
    assert refusal.rule == "unanswered"


THINKING = {"type": "reasoning", "summary": []}


def test_reasoning_is_encrypted_for_who_asks_for_it() -> None:
    """What the script has is sent, else made; nobody gets it unasked."""
    wanted = {"include": ["reasoning.encrypted_content"]}
    written = {**THINKING, "encrypted_content": "secret"}
    for block in (THINKING, written):
        response = Response(Message("assistant", "So.", blocks=(block,)))
        (sent,) = carried_for(response, wanted).message.blocks
        assert sent["encrypted_content"].startswith(
            block.get("encrypted_content", "gA")
        )
        assert carried_for(response, wanted) == carried_for(response, wanted)
        assert carried_for(response, {}).message.blocks == (THINKING,)


def test_blocks_of_other_wires_are_not_carried() -> None:
    """Thinking of Anthropic has no place here, and a pause is none."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    response = Response(
        Message("assistant", "So.", blocks=(thinking,)), "pause_turn", Usage(1, 2)
    )
    assert carried_for(response, {}) == Response(
        assistant("So."), "end_turn", Usage(1, 2)
    )


def test_a_context_that_overflows_is_told_in_the_words_of_this_wire() -> None:
    """They are others than those of Chat Completions, and name the input."""
    error = ProviderError(
        "the messages are too long", status=400, kind="context_length_exceeded"
    )
    asked = Request("gpt", MessageView([], 0))
    told_error = ResponsesReader().failed(error, asked)
    sent = RESPONSES.error_answer(told_error, number=1)
    assert json.loads(sent.body)["error"] == {
        "message": "Your input exceeds the context window of this model. Please adjust "
        "your input and try again.",
        "type": "invalid_request_error",
        "param": "input",
        "code": "context_length_exceeded",
    }


def more(reader: ResponsesReader, method: str, path: str, body: Any = None) -> Any:  # noqa: ANN401
    """The status and the body of another endpoint, or None where there is none."""
    raw = json.dumps(body).encode()
    made = RESPONSES.more(reader, method, path, raw)
    return None if made is None else (made.status, json.loads(made.body))


def test_what_is_stored_is_told_and_forgotten() -> None:
    """A response, its input with ids, and its deletion; what is not there is not found."""
    reader = ResponsesReader()
    stored = answer(said())
    reader.read(request(USER, call(id="fc_9"), told())).reader.answered(stored)
    assert more(reader, "GET", "/resp_1") == (200, stored)
    status, listed = more(reader, "GET", "/resp_1/input_items")
    assert (status, listed["object"], listed["has_more"]) == (200, "list", False)
    assert [one["type"] for one in listed["data"]] == [
        *["function_call_output", "function_call", "message"]
    ]
    assert listed["data"][1]["id"] == "fc_9"
    assert all(one["id"] for one in listed["data"])
    assert more(reader, "DELETE", "/resp_1")[1]["deleted"] is True
    for method in ("GET", "DELETE"):
        status, body = more(reader, method, "/resp_1")
        assert status == 404
        assert body["error"]["message"] == "Response with id 'resp_1' not found."


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/resp_1/cancel"), ("POST", "/compact"), ("PUT", "/resp_1")],
)
def test_other_endpoints_are_none(method: str, path: str) -> None:
    """What is not simulated is not answered."""
    assert more(ResponsesReader(), method, path) is None


def test_an_input_is_counted_as_it_is_when_it_is_sent() -> None:
    """Instructions and what is held count; the form is judged, the history is not."""
    reader = ResponsesReader()
    reader.read(request()).reader.answered(answer(call(id="fc_1")))
    body = {"input": "x" * 40, "instructions": "y" * 40}
    told_tokens = {"object": "response.input_tokens", "input_tokens": 20}
    assert more(reader, "POST", "/input_tokens", body) == (200, told_tokens)
    held = {"input": "x" * 40, "previous_response_id": "resp_1"}
    assert more(reader, "POST", "/input_tokens", held)[1]["input_tokens"] == 12
    for bad, code in (
        ({"input": "x", "temperature": 1}, "unknown_parameter"),
        ({"input": 3}, "invalid_type"),
        ({"input": "x", "previous_response_id": "no"}, "previous_response_not_found"),
    ):
        status, answered = more(reader, "POST", "/input_tokens", bad)
        assert (status, answered["error"]["code"]) == (400, code)
    assert more(reader, "POST", "/input_tokens", 3)[0] == 400
