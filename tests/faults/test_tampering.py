import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    InvalidArguments,
    Message,
    ToolCall,
    assistant,
    canonical_json,
    parse_arguments,
)
from agentsim.faults import CATALOGUE, Operation

FEW = settings(max_examples=20)

MODEL_FAULTS = [fault for fault in CATALOGUE.values() if fault.target == "model"]

values = st.none() | st.integers() | st.text(max_size=5) | st.just([1, {"b": []}])
texts = (
    st.dictionaries(st.text(max_size=3), values).map(canonical_json)
    | st.sampled_from(["", " ", "{}", "{} {}", "12", '{"a": 1} ', "nonsense"])
    | st.text(max_size=12)
)


@st.composite
def replies(draw: st.DrawFn) -> Message:
    """Draw a reply with at least two calls."""
    texts_of = draw(st.lists(texts, min_size=2, max_size=4))
    calls = (
        ToolCall(f"call_{n}", f"tool_{n}", text) for n, text in enumerate(texts_of)
    )
    return assistant(draw(st.text(max_size=5)), *calls)


def tampered(name: str, message: Message, attempt: int = 1) -> Message:
    """What a fault makes of a reply."""
    tamper = CATALOGUE[name].tamper
    assert tamper is not None
    return tamper(message, Operation("model", "model", attempt))


@FEW
@given(replies())
def test_a_faulty_reply_shares_no_id_with_the_scripted_one(message: Message) -> None:
    """No scripted id is left, and text and role stay as they were."""
    scripted = {call.id for call in message.tool_calls}
    for fault in MODEL_FAULTS:
        faulty = tampered(fault.name, message)
        assert not scripted & {call.id for call in faulty.tool_calls}
        assert (faulty.role, faulty.content) == (message.role, message.content)


@FEW
@given(replies(), st.integers(1, 9), st.integers(1, 9))
def test_ids_are_unique_over_a_run_unless_they_are_the_fault(
    message: Message, first: int, second: int
) -> None:
    """Two operations give different ids; one operation gives the same reply twice."""
    for fault in MODEL_FAULTS:
        made = [
            tampered(fault.name, message, n) for n in dict.fromkeys((first, second))
        ]
        assert made[0] == tampered(fault.name, message, first)
        ids = [call.id for reply in made for call in reply.tool_calls]
        if fault.name not in ("duplicate_ids", "missing_ids"):
            assert len(set(ids)) == len(ids)


@FEW
@given(replies())
def test_cut_arguments_are_never_valid(message: Message) -> None:
    """The last call's arguments can't be read; the calls before it are untouched."""
    faulty = tampered("malformed_arguments", message)
    with pytest.raises(InvalidArguments):
        parse_arguments(faulty.tool_calls[-1].arguments)
    before = [(call.name, call.arguments) for call in message.tool_calls[:-1]]
    assert [(call.name, call.arguments) for call in faulty.tool_calls[:-1]] == before


def test_cut_arguments_keep_the_first_half() -> None:
    """What is left is how the model's text begins."""
    message = assistant("", ToolCall("c", "t", '{"host": "web-03"}'))
    faulty = tampered("malformed_arguments", message)
    assert faulty.tool_calls == (ToolCall("faulty-1-1", "t", '{"host": '),)


@FEW
@given(replies())
def test_an_unknown_tool_is_named_once(message: Message) -> None:
    """The first call alone gets another name, short enough for every provider."""
    faulty = tampered("unknown_tool", message)
    old = [call.name for call in message.tool_calls]
    new = [call.name for call in faulty.tool_calls]
    assert new[1:] == old[1:]
    assert new[0] == f"unknown_{old[0]}"
    long = assistant("", ToolCall("c", "t" * 64))
    assert len(tampered("unknown_tool", long).tool_calls[0].name) == 64


@FEW
@given(replies())
def test_ids_repeat_or_go_missing(message: Message) -> None:
    """One id stands in all calls, or none does; names and arguments stay."""
    for name, ids in (("duplicate_ids", ["faulty-1-1"]), ("missing_ids", [""])):
        faulty = tampered(name, message)
        assert [call.id for call in faulty.tool_calls] == ids * len(message.tool_calls)
        assert [(c.name, c.arguments) for c in faulty.tool_calls] == [
            (c.name, c.arguments) for c in message.tool_calls
        ]


@FEW
@given(replies())
def test_the_same_call_is_asked_for_alone(message: Message) -> None:
    """A stuck model asks for its first call, each time under a new id."""
    first = message.tool_calls[0]
    for attempt in (1, 2, 30):
        [call] = tampered("same_call_forever", message, attempt).tool_calls
        assert (call.name, call.arguments) == (first.name, first.arguments)
        assert call.id == f"faulty-{attempt}-1"
    assert CATALOGUE["same_call_forever"].sticky
