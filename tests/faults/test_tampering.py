"""What faults of the model make of a scripted reply."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    FINAL_REASONS,
    InvalidArguments,
    Response,
    ToolCall,
    Usage,
    assistant,
    parse_arguments,
)
from agentsim.faults import CATALOGUE, GROUPS, Operation
from tests.faults.replies import replies

FEW = settings(max_examples=20)

TAMPERING = [fault for fault in CATALOGUE.own.values() if fault.tamper is not None]

FRESH_IDS = [
    *("arguments_cut", "arguments_empty", "arguments_list", "unknown_tool"),
    *("duplicate_ids", "missing_ids", "same_call_forever", "cycle_of_3"),
]
"""Faults whose reply is another than the scripted one."""


def tampered(
    name: str, response: Response, attempt: int = 1, turn: int = 0
) -> Response:
    """What a fault makes of a reply."""
    tamper = CATALOGUE[name].tamper
    assert tamper is not None
    return tamper(response, Operation("model", "model", attempt, turn=turn))


def calls(response: Response) -> list[tuple[str, str]]:
    """Name and arguments of each call."""
    return [(call.name, call.arguments) for call in response.message.tool_calls]


@FEW
@given(replies(), st.integers(1, 9))
def test_a_faulty_reply_is_a_function_of_reply_and_operation(
    response: Response, attempt: int
) -> None:
    """The same twice gives the same, and it is always a reply of the model."""
    for fault in TAMPERING:
        faulty = tampered(fault.name, response, attempt)
        assert faulty == tampered(fault.name, response, attempt)
        assert faulty.message.role == "assistant"
        assert faulty != response


@FEW
@given(replies())
def test_a_reply_with_other_calls_shares_no_id_with_the_scripted_one(
    response: Response,
) -> None:
    """So it is never taken for the scripted reply, which still comes next."""
    scripted = {call.id for call in response.message.tool_calls}
    for name in FRESH_IDS:
        faulty = tampered(name, response).message
        assert not scripted & {call.id for call in faulty.tool_calls}
        assert faulty.content == response.message.content


@FEW
@given(replies(), st.integers(1, 9), st.integers(1, 9))
def test_ids_are_unique_over_a_run_unless_they_are_the_fault(
    response: Response, first: int, second: int
) -> None:
    """Two operations give different ids."""
    for name in FRESH_IDS:
        if name in GROUPS["bad_ids"]:
            continue
        made = [tampered(name, response, n) for n in dict.fromkeys((first, second))]
        ids = [call.id for reply in made for call in reply.message.tool_calls]
        assert len(set(ids)) == len(ids)


@FEW
@given(replies())
def test_malformed_arguments_are_those_of_the_last_call(response: Response) -> None:
    """The calls before it, the reason and the usage are untouched."""
    for name in GROUPS["malformed_arguments"]:
        faulty = tampered(name, response)
        assert calls(faulty)[:-1] == calls(response)[:-1]
        assert calls(faulty)[-1][0] == calls(response)[-1][0]
        assert (faulty.stop_reason, faulty.usage) == ("tool_use", Usage(10, 5))


def test_cut_arguments_keep_the_first_half() -> None:
    """What is left is how the model's text begins."""
    message = assistant("", ToolCall("c", "t", '{"host": "web-03"}'))
    faulty = tampered("arguments_cut", Response(message))
    assert faulty.message.tool_calls == (ToolCall("faulty-1-1", "t", '{"host": '),)


@FEW
@given(replies())
def test_an_unknown_tool_is_named_once(response: Response) -> None:
    """The first call alone gets another name, short enough for every provider."""
    old, new = calls(response), calls(tampered("unknown_tool", response))
    assert new[1:] == old[1:]
    assert new[0] == (f"unknown_{old[0][0]}", old[0][1])
    long = Response(assistant("", ToolCall("c", "t" * 64)))
    assert len(tampered("unknown_tool", long).message.tool_calls[0].name) == 64


@FEW
@given(replies())
def test_ids_repeat_or_go_missing(response: Response) -> None:
    """One id stands in all calls, or none does; names and arguments stay."""
    for name, ids in (("duplicate_ids", ["faulty-1-1"]), ("missing_ids", [""])):
        faulty = tampered(name, response)
        found = [call.id for call in faulty.message.tool_calls]
        assert found == ids * len(response.message.tool_calls)
        assert calls(faulty) == calls(response)


@FEW
@given(replies(), st.integers(1, 5), st.integers(0, 30))
def test_a_stuck_model_asks_for_variants_of_its_first_call_in_turn(
    response: Response, length: int, turn: int
) -> None:
    """Each turn one call alone; n variants that all differ, then the first again."""
    name = f"cycle_of_{length}" if length > 1 else "same_call_forever"
    asked = [tampered(name, response, 1, n) for n in range(length)]
    assert [len(calls(one)) for one in asked] == [1] * length
    assert len({calls(one)[0] for one in asked}) == length
    assert calls(asked[0])[0] == calls(response)[0]
    again = tampered(name, response, 9, turn)
    assert calls(again) == calls(asked[turn % length])
    assert CATALOGUE[name].lasts is None


@FEW
@given(replies())
def test_reason_and_structure_are_at_variance(response: Response) -> None:
    """Calls stay beside a reason that denies them, and are gone beside one that tells."""
    for name, reason in (
        ("stop_with_calls", "stop"),
        ("max_tokens_with_calls", "max_tokens"),
        ("paused", "pause_turn"),
        ("unknown_reason", "recitation"),
    ):
        faulty = tampered(name, response)
        assert (faulty.message, faulty.stop_reason) == (response.message, reason)
    for name in ("tool_use_without_calls", "empty_tool_use"):
        faulty = tampered(name, response)
        assert (faulty.message.tool_calls, faulty.stop_reason) == ((), "tool_use")


@FEW
@given(replies())
def test_what_ends_a_turn_has_no_calls(response: Response) -> None:
    """A refusal says why, a filter leaves nothing, and an empty answer has no text."""
    refused = tampered("refused", response)
    assert (refused.stop_reason, refused.refusal) == ("refusal", "policy")
    assert refused.message == assistant("I can't help with that.")
    filtered = tampered("content_filtered", response)
    assert filtered.message == assistant("")
    assert filtered.stop_reason == "content_filter"
    for name in ("empty_answer", "blank_answer"):
        faulty = tampered(name, response)
        assert not faulty.message.content.strip()
        assert not faulty.message.tool_calls
        assert faulty.stop_reason in FINAL_REASONS


@pytest.mark.parametrize(
    ("message", "left"),
    [
        (assistant("Two halves", ToolCall("c", "t", '{"a": 1}')), '{"a"'),
        (assistant("12345"), "123"),
    ],
    ids=["a call", "a text"],
)
def test_a_reply_is_cut_at_its_token_limit(message: object, left: str) -> None:
    """The last call loses its tail; without calls the text does."""
    assert hasattr(message, "tool_calls")
    faulty = tampered("max_tokens_cut", Response(message, "end_turn"))  # type: ignore[arg-type]
    assert faulty.stop_reason == "max_tokens"
    found = faulty.message.content
    if faulty.message.tool_calls:
        found = faulty.message.tool_calls[0].arguments
        with pytest.raises(InvalidArguments):
            parse_arguments(found)
    assert found == left


@FEW
@given(replies())
def test_a_text_beside_calls_and_a_missing_usage_leave_the_calls(
    response: Response,
) -> None:
    """The scripted calls stand there with their ids, so the script goes on."""
    done = tampered("done_beside_calls", response)
    assert done.message.tool_calls == response.message.tool_calls
    assert done.message.content == "Done."
    bare = tampered("missing_usage", response)
    assert (bare.message, bare.usage) == (response.message, None)


@pytest.mark.parametrize(
    "name", ["stop_with_calls", "unknown_reason", "max_tokens_cut", "empty_answer"]
)
def test_a_reply_with_another_reason_is_no_refusal(name: str) -> None:
    """What says why a model refuses goes with the reason: the two never contradict."""
    refusing = Response(
        assistant("No.", ToolCall("1", "ping")), "refusal", None, "policy"
    )
    assert tampered(name, refusing).refusal is None
