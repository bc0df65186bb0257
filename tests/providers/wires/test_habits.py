"""What services accept and no loop should get used to, seen in growing histories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import History, Message, ToolCall, assistant, tool_result, user
from agentsim.providers.wires.habits import RESULTS_SWAPPED, Habits


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
def test_results_of_two_responses_are_not_compared(between: Message) -> None:
    """What stands behind another message is no result of the response before it."""
    messages = [*history([2]), between, tool_result("call_0", "text")]
    assert looked(messages, []) == []
