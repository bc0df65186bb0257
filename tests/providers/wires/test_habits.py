"""What services accept and no loop should get used to, seen in growing histories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import History, Message, ToolCall, assistant, tool_result, user
from agentsim.providers.wires.habits import (
    RESULTS_LATE,
    RESULTS_SWAPPED,
    RESULTS_TWICE,
    Habits,
)


def history(order: Sequence[int]) -> list[Message]:
    """Three calls of one response, and their results in an order."""
    calls = [ToolCall(f"call_{number}", "read", "{}") for number in range(3)]
    results = [tool_result(f"call_{number}", "text") for number in order]
    return [user("Read."), assistant("", *calls), *results]


def looked(messages: Sequence[Message], cuts: Sequence[int]) -> list[str]:
    """What is said of a history that grows, with a request at each length."""
    habits, growing = Habits(), History()
    told: list[str] = []
    for length in (*cuts, len(messages)):
        told += habits.look(growing.follow(messages[:length]))
    return told


@given(st.permutations(range(3)), st.lists(st.integers(0, 5)).map(sorted))
def test_another_order_is_told_once_wherever_requests_cut(
    order: list[int], cuts: list[int]
) -> None:
    """Results in another order than their calls are told of, and no other ones."""
    told = looked(history(order), cuts)
    assert set(told) == ({RESULTS_SWAPPED} if order != sorted(order) else set())


def test_a_history_that_was_rewritten_is_looked_at_anew() -> None:
    """What a rewritten history has before its end is seen too."""
    habits = Habits()
    habits.look(History(history([0, 1, 2])).view())
    assert habits.look(History(history([2, 1, 0])).view()) == (RESULTS_SWAPPED,)


@pytest.mark.parametrize("between", [user("And?"), assistant("Reading.")])
def test_a_result_behind_other_messages_is_late(between: Message) -> None:
    """What is answered later than directly after its response is told of."""
    messages = [*history([0, 1]), between, tool_result("call_2", "text")]
    assert looked(messages, []) == [RESULTS_LATE]
    assert looked(messages, [4, 5]) == [RESULTS_LATE]


@pytest.mark.parametrize("between", [(), (user("And?"),)])
def test_a_second_result_is_told_of(between: Sequence[Message]) -> None:
    """A call that is answered twice is told of, there and later."""
    messages = [*history([0, 1, 2]), *between, tool_result("call_2", "text")]
    assert looked(messages, []) == [RESULTS_TWICE]


def test_a_result_whose_call_is_elsewhere_is_no_habit() -> None:
    """A service may hold the call: nothing is said of its result."""
    assert looked([user("And?"), tool_result("call_9", "text")], []) == []
