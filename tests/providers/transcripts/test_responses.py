"""What the Responses wire accepts and refuses beyond the common rules."""

import pytest

from tests.providers.transcripts.histories import (
    ANSWER,
    ASK,
    SAYS,
    USER,
    Found,
    Json,
    found,
    item,
    judged,
    request,
)

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
