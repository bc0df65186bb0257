"""One call: arguments, confirmation and what becomes of a result (R3.5, R4.4)."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    ConfirmationAnswered,
    Decision,
    Question,
    Tool,
    ToolCall,
    ToolEnded,
    ToolFailed,
    ToolStarted,
    parse_json,
)
from agentsim.runtime.calls import result_text
from agentsim.runtime.texts import clip, describe
from tests.runtime.fakes import Events, asks, call, play, results, says, tool


class Payments:
    """A confirming tool that notes what it was given."""

    def __init__(self, **fields: Any) -> None:
        self.got: list[dict[str, Any]] = []
        fields.setdefault("category", "mutating")
        self.tool: Tool = tool("pay", self._pay, **fields)

    async def _pay(self, arguments: dict[str, Any]) -> str:
        self.got.append(dict(arguments))
        arguments.clear()
        return "paid"


def answering(*decisions: Decision) -> Any:  # noqa: ANN401 a Confirm with a list
    """A person who gives these decisions, one after the other."""
    left = list(decisions)

    async def confirm(question: Question) -> Decision:
        return left.pop(0)

    return confirm


def test_a_confirming_tool_needs_somebody_to_ask() -> None:
    """Without a callback nothing runs, and the model is told why (R4.4)."""
    payments = Payments()
    result = play(asks(call("pay")), says("x"), tools=[payments.tool])
    assert results(result) == [
        "Error: tool requires confirmation but no Confirm callback configured"
    ]
    assert not payments.got


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision(approved=False, reason="too much"), "Error: declined: too much"),
        (Decision(approved=False), "Error: declined by user"),
        (Decision(approved=False, reason=""), "Error: declined by user"),
        (Decision(approved=False, confirmed_by="ann"), "Error: declined by user"),
    ],
)
def test_a_refusal_goes_to_the_model(decision: Decision, words: str) -> None:
    """With its reason, or with the fact alone; nothing runs (R4.4)."""
    payments = Payments()
    confirm = answering(decision)
    result = play(asks(call("pay")), says("x"), tools=[payments.tool], confirm=confirm)
    assert results(result) == [words]
    assert result.history[3].is_error
    assert not payments.got


@pytest.mark.parametrize("person", [None, ""])
def test_an_approval_without_a_person_is_no_approval(person: str | None) -> None:
    """Somebody must stand for it (R4.4)."""
    payments, events = Payments(), Events()
    confirm = answering(Decision(approved=True, confirmed_by=person))
    result = play(
        asks(call("pay")), says("x"), tools=[payments.tool], confirm=confirm, on=events
    )
    assert results(result)[0].startswith("Error: declined: an approval needs the id")
    assert not payments.got
    assert [event.approved for event in events.of(ConfirmationAnswered)] == [False]


def test_who_approved_is_on_the_executed_copy_only() -> None:
    """The tool sees `confirmed_by`; the history keeps what the model wrote (R4.4)."""
    payments = Payments()
    confirm = answering(Decision(approved=True, confirmed_by="ann"))
    asked = ToolCall("1", "pay", '{"amount": 9007199254740993}')
    result = play(asks(asked), says("x"), tools=[payments.tool], confirm=confirm)
    assert payments.got == [{"amount": 9007199254740993, "confirmed_by": "ann"}]
    assert result.history[2].tool_calls == (asked,)
    assert results(result) == ["paid"]


def test_a_confirmed_by_of_the_model_is_removed() -> None:
    """Before validation, for any tool: the model can't sign for a person (R4.4)."""
    schema = {"type": "object", "properties": {"n": {}}, "additionalProperties": False}
    payments = Payments(schema=schema)
    looked: list[dict[str, Any]] = []

    async def look(arguments: dict[str, Any]) -> str:
        looked.append(arguments)
        return ""

    play(
        asks(call("pay", n=1, confirmed_by="me"), call("look", confirmed_by="me")),
        says("x"),
        tools=[payments.tool, tool("look", look)],
        confirm=answering(Decision(approved=True, confirmed_by="ann")),
    )
    assert payments.got == [{"n": 1, "confirmed_by": "ann"}]
    assert looked == [{}]


def test_a_schema_may_require_confirmed_by() -> None:
    """The model's arguments are validated without that field."""
    schema = {"type": "object", "required": ["confirmed_by", "n"]}
    payments = Payments(schema=schema)
    confirm = answering(Decision(approved=True, confirmed_by="ann"))
    result = play(
        asks(call("pay", n=1), call("pay")),
        says("x"),
        tools=[payments.tool],
        confirm=confirm,
    )
    assert payments.got == [{"n": 1, "confirmed_by": "ann"}]
    assert results(result)[1] == 'Error: invalid arguments for pay: "n" is missing'


@pytest.mark.parametrize("text", ["null", '""', "[]", "3", "{"])
def test_a_person_is_not_asked_about_arguments_that_are_none(text: str) -> None:
    """Arguments come before confirmation; nothing is written into `null` (X)."""
    payments = Payments()
    result = play(
        asks(ToolCall("1", "pay", text)),
        says("x"),
        tools=[payments.tool],
        confirm=answering(),
    )
    words = results(result)[0]
    assert words.startswith("Error: invalid arguments for pay: ")
    assert words.endswith(f"; the arguments were: {text}")


def test_what_a_person_or_a_tool_does_to_arguments_stays_with_them() -> None:
    """Executed = approved = recorded: each gets a copy of its own."""
    payments, events = Payments(), Events()

    async def meddles(question: Question) -> Decision:
        assert isinstance(question.arguments, dict)
        question.arguments["items"].append("more")
        question.arguments.pop("n")
        return Decision(approved=True, confirmed_by="ann")

    play(
        asks(call("pay", n=1, items=["one"])),
        says("x"),
        tools=[payments.tool],
        confirm=meddles,
        on=events,
    )
    as_asked = {"n": 1, "items": ["one"], "confirmed_by": "ann"}
    assert payments.got == [as_asked]
    assert [event.arguments for event in events.of(ToolStarted)] == [as_asked]


def test_a_destructive_tool_asks_a_person() -> None:
    """Its category can't be talked out of a confirmation."""
    payments = Payments(category="destructive")
    result = play(asks(call("pay")), says("x"), tools=[payments.tool])
    assert results(result)[0].startswith("Error: tool requires confirmation")


@pytest.mark.parametrize(
    ("error", "words", "ending"),
    [
        (ToolFailed("disk full"), "Error: disk full", "error"),
        (
            ToolFailed("no answer", definite=False),
            "Error: outcome unknown, it may have taken effect: no answer",
            "unknown",
        ),
        (ValueError("odd"), "Error: ValueError: odd", "error"),
        (TimeoutError(), "Error: TimeoutError", "error"),
    ],
)
def test_an_error_says_what_happened_to_the_write(
    error: Exception, words: str, ending: str
) -> None:
    """Simulated errors speak for themselves; lost answers are told as unknown."""
    events = Events()
    writes = tool("pay", returns=error, category="mutating", confirm=False)
    result = play(asks(call("pay")), says("x"), tools=[writes], on=events)
    assert results(result) == [words]
    assert [event.ending for event in events.of(ToolEnded)] == [ending]


def test_a_lost_answer_of_a_read_is_just_an_error() -> None:
    """A read has no effect to be unsure about."""
    error = ToolFailed("no answer", definite=False)
    result = play(asks(call("look")), says("x"), tools=[tool(returns=error)])
    assert results(result) == ["Error: no answer"]


def test_a_plain_function_may_stand_in_for_an_async_one() -> None:
    """What needs no waiting for need not be awaited."""

    def plain(arguments: dict[str, Any]) -> Any:  # noqa: ANN401 not an awaitable
        return {"n": 1}

    result = play(asks(call("look")), says("x"), tools=[tool(run=plain)])
    assert results(result) == ['{"n":1}']


def test_no_address_of_memory_reaches_the_model() -> None:
    """It would differ from run to run."""

    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert describe(KeyError(object())) == "KeyError: <object object>"
    assert describe(Odd()) == "Odd"


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), b"x", {"a": {1}}])
def test_a_result_that_json_cant_carry_is_an_error_in_our_words(value: object) -> None:
    """The tool ran, and the words say so."""
    result = play(asks(call("look")), says("x"), tools=[tool(returns=value)])
    kind = type(value).__name__
    assert results(result) == [
        f"Error: look ran, but JSON can't carry its result, a {kind}"
    ]


Values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=25)
@given(value=Values)
def test_a_text_stays_as_it_is_and_other_values_become_json(value: object) -> None:
    """What the model reads is what the tool returned."""
    text, ending = result_text("look", value)
    assert ending == "ok"
    assert (text if isinstance(value, str) else parse_json(text)) == value


def test_clipping_keeps_one_short_line() -> None:
    """Long and broken texts are shortened for one line."""
    assert clip("a\n b") == "a b"
    assert clip("x" * 300, 10) == "x" * 9 + "…"
    assert clip(" a\n" * 300, 10) == "a a a a a…"


def test_confirmation_is_asked_when_the_turn_comes() -> None:
    """Not before earlier calls have finished, not for calls behind the end (R4)."""
    order: list[str] = []

    async def look(arguments: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        order.append("looked")
        return ""

    async def confirm(question: Question) -> Decision:
        order.append("asked")
        return Decision(approved=True, confirmed_by="ann")

    payments = Payments()
    play(
        asks(call("look"), call("pay"), call("look", n=1)),
        says("x"),
        tools=[tool("look", look, parallel=True), payments.tool],
        confirm=confirm,
    )
    assert order == ["looked", "asked", "looked"]
