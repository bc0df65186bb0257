"""Replies written by hand: what they carry, and what is refused with which words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import Usage, UsageError
from agentsim.providers import Call, Reply, call, call_id, say, together

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=20)
@given(st.dictionaries(st.sampled_from(["path", "a", "zone", "b"]), JSON_VALUES))
def test_arguments_keep_values_and_order(arguments: dict[str, Any]) -> None:
    """A call's JSON text says the arguments as given, in the order given."""
    written = call("tool", **arguments).calls[0].arguments
    read = json.loads(written)
    assert read == arguments
    assert list(read) == list(arguments)


def test_arguments_are_written_as_a_model_writes_them() -> None:
    """Arguments have spaces after marks, and letters of any script as they are."""
    asked = call("search", query="größe", name="also", limit=3).calls[0]
    assert asked.arguments == '{"query": "größe", "name": "also", "limit": 3}'


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (say("Done."), "end_turn"),
        (say("Half", stop_reason="max_tokens"), "max_tokens"),
        (say("No.", stop_reason=None).but(refusal="policy"), "refusal"),
        (call("check_disk"), "tool_use"),
        (call("check_disk").but(stop_reason="stop"), "stop"),
        (Reply("Done."), "end_turn"),
    ],
)
def test_the_stop_reason_fits_unless_given(reply: Reply, reason: str) -> None:
    """A reply's stop reason follows from its shape when none is given."""
    assert reply.reason == reason


def test_together_joins_calls_and_texts_in_order() -> None:
    """Calls of several replies become one response, with their ids and raw texts."""
    joined = together(
        call("check_disk").but(text="First this."),
        call("clean_logs").but(id="x", arguments="{", text="Then that."),
    )
    assert joined.text == "First this.\nThen that."
    assert joined.calls == (Call("check_disk"), Call("clean_logs", "{", "x"))
    assert together(call("a").but(text="old"), text="new").text == "new"


def test_but_changes_a_copy() -> None:
    """Changing a reply leaves the original alone, and both are frozen."""
    plain = call("check_disk")
    usage = Usage(10, 2)
    changed = plain.but(usage=usage, latency_s=2.5, blocks=({"type": "thinking"},))
    assert (changed.usage, changed.latency_s) == (usage, 2.5)
    assert changed.blocks == ({"type": "thinking"},)
    assert plain == call("check_disk")
    with pytest.raises(FrozenInstanceError):
        plain.text = "x"  # type: ignore[misc]


@given(st.integers(0, 5), st.integers(1, 4))
def test_derived_ids_differ_within_and_between_replies(index: int, of: int) -> None:
    """No two calls of one script have the same derived id, and all count from 1."""
    ids = [call_id(index, number, of=of) for number in range(of)]
    others = [call_id(index + 1, number, of=of) for number in range(of)]
    assert len({*ids, *others}) == 2 * of
    assert ids[0] == (f"call_{index + 1}" if of == 1 else f"call_{index + 1}_1")


def test_the_plain_form_says_what_is_not_a_default(
    snapshot: SnapshotAssertion,
) -> None:
    """The plain form is JSON, and shows every part of a reply that was given."""
    replies = [
        say("Done."),
        say("Half", stop_reason="max_tokens", usage=None, latency_s=0.5),
        say("No.", usage=Usage(9, 2, 4)).but(refusal="policy"),
        together(call("a", n=1), call("b").but(id="x", arguments="{"), text="Both."),
        call("a").but(blocks=({"type": "thinking", "signature": "s"},)),
    ]
    plain = [reply.plain() for reply in replies]
    assert json.loads(json.dumps(plain)) == plain
    assert plain == snapshot


FAULTY: dict[str, Callable[[], object]] = {
    "say no text": lambda: say(3),  # type: ignore[arg-type]
    "call no name": lambda: call(None),  # type: ignore[arg-type]
    "call with a set": lambda: call("delete", ids={1}),
    "call with NaN": lambda: call("pay", amount=float("nan")),
    "together nothing": together,
    "together text": lambda: together(call("a"), say("Done.")),
    "together no reply": lambda: together("a"),  # type: ignore[arg-type]
    "together with usage": lambda: together(call("a").but(usage=None), call("b")),
    "but a misspelling": lambda: call("a").but(argument="{"),  # type: ignore[call-arg]
    "but the id of two": lambda: together(call("a"), call("b")).but(id="x"),
    "but the arguments of none": lambda: say("Done.").but(arguments="{"),
    "a latency below zero": lambda: say("Done.", latency_s=-1),
    "an endless latency": lambda: say("Done.", latency_s=float("inf")),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_reply_is_refused_with_advice(
    name: str, snapshot: SnapshotAssertion
) -> None:
    """Each mistake in a reply is a usage error that says what to write instead."""
    with pytest.raises(UsageError) as caught:
        FAULTY[name]()
    assert str(caught.value) == snapshot
