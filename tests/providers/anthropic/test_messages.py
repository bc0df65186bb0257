"""Histories on their way between the neutral form and the wire: nothing is lost."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Message,
    ToolCall,
    ToolDef,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.providers.anthropic.conversation.reading import read_message, read_system
from agentsim.providers.anthropic.conversation.tools import read_tools, write_tool
from agentsim.providers.anthropic.conversation.writing import write_history
from tests.providers.anthropic.same import meaning, meaning_of_system
from tests.providers.anthropic.strategies import (
    JSON,
    NAMES,
    NEUTRAL,
    TEXT_BLOCKS,
    TEXTS,
    TURNS,
    by_wire,
)


def read_history(told: dict[str, Any]) -> list[Message]:
    """Read a request as the reader does."""
    prompt = read_system(told.get("system"))
    found = [] if prompt is None else [prompt]
    for value in told["messages"]:
        found += read_message(value, after=found[-1].role if found else None)
    return found


@settings(max_examples=40)
@given(st.lists(NEUTRAL, max_size=6), TEXTS)
def test_a_history_comes_back_from_the_wire_as_it_was(
    messages: list[Message], prompt: str
) -> None:
    """Neutral to wire and back is the identity; results that follow share a message."""
    history = [system(prompt), *messages] if prompt else messages
    told = by_wire(write_history(history))
    assert read_history(told) == history
    roles = ["user" if message.role == "tool" else message.role for message in messages]
    joined = sum(a.role == b.role == "tool" for a, b in pairwise(messages))
    assert len(told["messages"]) == len(roles) - joined


@settings(max_examples=40)
@given(st.lists(TURNS, max_size=5), TEXTS | st.lists(TEXT_BLOCKS, max_size=2))
def test_messages_come_back_from_the_neutral_form_as_they_were(
    messages: list[dict[str, Any]], prompt: object
) -> None:
    """Wire to neutral and back says the same: blocks, their order, marks, unknown ones."""
    told = by_wire({"system": prompt, "messages": messages})
    again = by_wire(write_history(read_history(told)))
    assert meaning(again["messages"]) == meaning(told["messages"])
    assert meaning_of_system(again.get("system")) == meaning_of_system(prompt)
    assert read_history(again) == read_history(told)


@settings(max_examples=40)
@given(st.lists(JSON | st.fixed_dictionaries({"role": JSON, "content": JSON})))
def test_what_is_no_message_comes_back_as_it_was(values: list[object]) -> None:
    """Reading never fails, and what has no form is kept for the rules to refuse."""
    found = read_history({"messages": values})
    again = write_history(found)["messages"]
    assert len(again) <= len(values) or not values
    for value in again:
        assert value in values or isinstance(value, dict)


SEEN = {"type": "tool_result", "tool_use_id": "a", "content": "seen"}
LOOKED = {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}

WAYS: dict[str, tuple[object, object]] = {
    "a text or one block": ("hi", [{"type": "text", "text": "hi"}]),
    "citations that are null": (
        [{"type": "text", "text": "hi"}],
        [{"type": "text", "text": "hi", "citations": None}],
    ),
    "a result that did not fail": ([SEEN], [{**SEEN, "is_error": False}]),
    "a result as one block": (
        [SEEN],
        [{**SEEN, "content": [{"type": "text", "text": "seen"}]}],
    ),
    "an empty result": ([{**SEEN, "content": ""}], [{**SEEN, "content": []}]),
    "no result": (
        [{**SEEN, "content": ""}],
        [{"type": "tool_result", "tool_use_id": "a"}],
    ),
}


@pytest.mark.parametrize(("one", "other"), WAYS.values(), ids=WAYS.keys())
def test_what_says_the_same_is_the_same_message(one: object, other: object) -> None:
    """However it is written down."""
    read = [read_message({"role": "user", "content": way}) for way in (one, other)]
    assert read[0] == read[1]
    assert not read[0][0].blocks


def test_a_call_is_the_same_whoever_says_that_it_was_direct() -> None:
    """The `caller` of a call that the model makes itself says nothing."""
    dumped = {**LOOKED, "caller": {"type": "direct"}, "toolset_name": None}
    (message,) = read_message({"role": "assistant", "content": [dumped]})
    assert message == assistant("", ToolCall("a", "look", '{"x": 1}'))


def test_each_result_is_a_message_and_so_is_what_stands_beside() -> None:
    """Several results and a text of one message of the user, in their order."""
    failed = {**SEEN, "tool_use_id": "b", "is_error": True}
    text = {"type": "text", "text": "Go on."}
    read = read_message({"role": "user", "content": [SEEN, failed, text]})
    assert [message.role for message in read] == ["tool", "tool", "user"]
    assert read[:2] == [
        tool_result("a", "seen"),
        tool_result("b", "seen", is_error=True),
    ]
    assert read[2].content == "Go on."
    assert write_history(read)["messages"] == [
        {"role": "user", "content": [SEEN, failed, text]}
    ]


def test_results_that_were_split_over_messages_stay_split() -> None:
    """What the service merges is still told as the client sent it."""
    split = [
        {"role": "user", "content": [SEEN]},
        {"role": "user", "content": [{**SEEN, "tool_use_id": "b"}]},
    ]
    told = {"messages": split}
    assert write_history(read_history(told)) == told


ARGUMENTS: dict[str, tuple[str, object]] = {
    "an object": ('{"a": 1}', {"a": 1}),
    "no text": ("", {}),
    "a key twice": ('{"a": 1, "a": 2}', {"a": 2}),
    "cut off": ('{"a": "Os', {}),
    "no JSON": ("look here", {}),
    "no object": ("[1]", {}),
    "not a number": ('{"a": NaN}', {}),
}


@pytest.mark.parametrize(("written", "sent"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_that_are_no_object_go_as_an_empty_one(
    written: str, sent: object
) -> None:
    """This wire can't carry what is no JSON object (R1.2)."""
    told = write_history([user("hi"), assistant("", ToolCall("a", "look", written))])
    (block,) = told["messages"][1]["content"]
    assert block["input"] == sent


def test_blocks_of_other_wires_are_left_out() -> None:
    """A reasoning item of Responses has no place here."""
    item = {"type": "reasoning", "summary": []}
    thought = {"type": "thinking", "thinking": "So.", "signature": "s"}
    told = write_history([Message("assistant", "hi", blocks=(item, thought))])
    content = told["messages"][0]["content"]
    assert content == [thought, {"type": "text", "text": "hi"}]


@given(st.builds(ToolDef, NAMES, TEXTS))
def test_a_tool_comes_back_from_the_wire_as_it_was(tool: ToolDef) -> None:
    """Definitions are the same after they were sent."""
    assert read_tools([by_wire(write_tool(tool))]) == (tool,)
