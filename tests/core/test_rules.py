"""Mutates good histories once, and asks for exactly the breaches that this makes."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    RULES,
    HistoryRules,
    Message,
    Rule,
    ToolCall,
    assistant,
    breaches,
    system,
    tool_result,
    user,
)
from tests.support.examples import FEWER

Found = list[tuple[Rule, int, str | None]]


def built(shape: list[int]) -> list[Message]:
    """A history that breaks no rule: n > 0 is a response with n calls, c0, c1, ..."""
    messages = [system("be good")] * shape[0]
    messages.append(user("hello"))
    number = 0
    for count in shape[1:]:
        calls = [ToolCall(f"c{number + n}", "tool") for n in range(count)]
        number += count
        messages.append(assistant("well", *calls) if count else user("and?"))
        messages += [tool_result(call.id, "done") for call in calls]
    return messages


shapes = st.lists(st.integers(0, 3), min_size=1, max_size=4)
good_histories = shapes.map(built)
with_results = shapes.filter(lambda shape: any(shape[1:])).map(built)


def answered(messages: list[Message]) -> list[tuple[int, int]]:
    """Index of each result with the index of the response it belongs to."""
    found = []
    response = -1
    for index, message in enumerate(messages):
        if message.role == "tool":
            found.append((index, response))
        else:
            response = index
    return found


def due(messages: list[Message], response: int) -> int:
    """Index of the first message after a response and the results behind it."""
    index = response + 1
    while index < len(messages) and messages[index].role == "tool":
        index += 1
    return index


def found_in(messages: list[Message]) -> Found:
    """Rule, position and call of each breach of a closed history."""
    return [(one.rule, one.position, one.call_id) for one in breaches(messages)]


def pick(data: st.DataObject, messages: list[Message]) -> tuple[int, int, str]:
    """One result of a history: its index, its response's index and its call id."""
    index, response = data.draw(st.sampled_from(answered(messages)))
    call_id = messages[index].tool_call_id
    assert call_id is not None
    return index, response, call_id


@FEWER
@given(messages=good_histories)
def test_good_history_has_no_breach(messages: list[Message]) -> None:
    """A history made by the rules breaks none."""
    assert breaches(messages) == []


@FEWER
@given(messages=with_results, data=st.data())
def test_dropped_result_is_unanswered(
    messages: list[Message], data: st.DataObject
) -> None:
    """Without its result a call is unanswered, at the place where results end."""
    index, response, call_id = pick(data, messages)
    del messages[index]
    assert found_in(messages) == [("unanswered", due(messages, response), call_id)]


@FEWER
@given(messages=with_results, data=st.data())
def test_doubled_result_is_answered_twice(
    messages: list[Message], data: st.DataObject
) -> None:
    """A second result breaks one rule, wherever among its siblings it stands."""
    index, response, call_id = pick(data, messages)
    at = data.draw(st.integers(index + 1, due(messages, response)))
    messages.insert(at, messages[index])
    assert found_in(messages) == [("answered-twice", at, call_id)]


@FEWER
@given(messages=with_results, data=st.data())
def test_renamed_result_is_an_orphan_and_leaves_its_call_open(
    messages: list[Message], data: st.DataObject
) -> None:
    """A result under another id is an orphan, and its call stays unanswered."""
    index, response, call_id = pick(data, messages)
    messages[index] = replace(messages[index], tool_call_id="other")
    assert found_in(messages) == [
        ("orphan", index, "other"),
        ("unanswered", due(messages, response), call_id),
    ]


@FEWER
@given(messages=with_results, data=st.data())
def test_result_without_id_is_missing_it(
    messages: list[Message], data: st.DataObject
) -> None:
    """A result with an empty id or none names no call, so that one stays open."""
    index, response, call_id = pick(data, messages)
    empty = data.draw(st.sampled_from([None, ""]))
    messages[index] = replace(messages[index], tool_call_id=empty)
    assert found_in(messages) == [
        ("missing-id", index, None),
        ("unanswered", due(messages, response), call_id),
    ]


@FEWER
@given(messages=with_results, data=st.data())
def test_result_moved_behind_another_message_is_an_orphan_there(
    messages: list[Message], data: st.DataObject
) -> None:
    """A late result does not answer: its call was due before, and it has none."""
    index, response, call_id = pick(data, messages)
    messages.append(user("and?"))
    last = data.draw(st.integers(due(messages, response), len(messages) - 1))
    late = due(messages, last)
    result = messages.pop(index)
    messages.insert(late - 1, result)
    expected = [
        ("unanswered", due(messages, response), call_id),
        ("orphan", late - 1, call_id),
    ]
    assert found_in(messages) == expected


@FEWER
@given(messages=with_results, data=st.data())
def test_result_overtaken_by_siblings_is_out_of_order(
    messages: list[Message], data: st.DataObject
) -> None:
    """A result moved behind its later siblings is out of order, where it stands."""
    index, response, call_id = pick(data, messages)
    at = data.draw(st.integers(index, due(messages, response) - 1))
    messages.insert(at, messages.pop(index))
    assert found_in(messages) == ([("order", at, call_id)] if at > index else [])


@FEWER
@given(messages=with_results, data=st.data())
def test_result_moved_before_its_siblings_puts_these_out_of_order(
    messages: list[Message], data: st.DataObject
) -> None:
    """Each result that a hasty one overtook is out of order, where it comes late."""
    index, response, _ = pick(data, messages)
    at = data.draw(st.integers(response + 1, index))
    messages.insert(at, messages.pop(index))
    late = range(at + 1, index + 1)
    assert found_in(messages) == [
        ("order", place, messages[place].tool_call_id) for place in late
    ]


@FEWER
@given(messages=good_histories, data=st.data())
def test_late_system_prompt_breaks_the_role(
    messages: list[Message], data: st.DataObject
) -> None:
    """Each system message after the first other message is one breach."""
    tool_free = [
        index
        for index in range(1, len(messages) + 1)
        if messages[index - 1].role != "system"
        and (index == len(messages) or messages[index].role != "tool")
    ]
    at = data.draw(st.sampled_from(tool_free))
    count = data.draw(st.integers(1, 3))
    messages[at:at] = [system("new rules")] * count
    assert found_in(messages) == [("role", at + n, None) for n in range(count)]


@FEWER
@given(messages=with_results, data=st.data())
def test_calls_of_another_role_break_the_role(
    messages: list[Message], data: st.DataObject
) -> None:
    """Calls that a user's message carries break one rule; their results fit still."""
    _, response, _ = pick(data, messages)
    messages[response] = replace(messages[response], role="user")
    assert found_in(messages) == [("role", response, None)]


@FEWER
@given(messages=with_results, data=st.data())
def test_calls_of_a_result_break_the_role(
    messages: list[Message], data: st.DataObject
) -> None:
    """A result that carries calls breaks the role, and asks for nothing."""
    index, _, _ = pick(data, messages)
    messages[index] = replace(messages[index], tool_calls=(ToolCall("x", "tool"),))
    assert found_in(messages) == [("role", index, None)]


@FEWER
@given(messages=with_results, data=st.data())
def test_repeated_call_id_is_a_duplicate_over_the_history_only(
    messages: list[Message], data: st.DataObject
) -> None:
    """An id used before is a duplicate, unless ids count within a response only."""
    used = [messages[index].tool_call_id for index, _ in answered(messages)]
    call_id = data.draw(st.sampled_from(used))
    assert call_id is not None
    messages += [assistant("", ToolCall(call_id, "tool")), tool_result(call_id, "done")]
    assert found_in(messages) == [("duplicate-id", len(messages) - 2, call_id)]
    narrow = HistoryRules(unique_over="response")
    assert not [breach for message in messages for breach in narrow.feed(message)]


def test_repeated_call_id_in_one_response_is_always_a_duplicate() -> None:
    """Two calls of one response with one id break a rule; each takes one result."""
    twice = assistant("", ToolCall("c", "read"), ToolCall("c", "write"))
    rules = HistoryRules(unique_over="response")
    (breach,) = rules.feed(twice)
    assert (breach.rule, breach.call_id, breach.call_number) == ("duplicate-id", "c", 1)
    assert rules.feed(tool_result("c", "one")) == []
    assert rules.feed(tool_result("c", "two")) == []
    assert rules.close() == []


def test_call_without_id_is_named_by_its_number() -> None:
    """A call with an empty id is told by its place and its tool."""
    response = assistant("", ToolCall("c", "read"), ToolCall("", "write"))
    (breach,) = breaches([response, tool_result("c", "done")])
    assert breach.rule == "missing-id"
    assert (breach.position, breach.call_number) == (0, 1)
    assert breach.words == "call 1 (write) has no id"


def test_orphan_has_no_asker() -> None:
    """A result without a call belongs to no response, not even at the very start."""
    for before in ([], [user("hello")]):
        (breach,) = breaches([*before, tool_result("c", "done")])
        assert breach.rule == "orphan"
        assert (breach.asked_at, breach.call_number) == (None, None)


@FEWER
@given(messages=with_results, data=st.data())
def test_breach_knows_who_asked(messages: list[Message], data: st.DataObject) -> None:
    """An unanswered call is told with its response and its number in it."""
    index, response, call_id = pick(data, messages)
    del messages[index]
    (breach,) = breaches(messages)
    assert breach.asked_at == response
    assert breach.call_number is not None
    assert messages[response].tool_calls[breach.call_number].id == call_id


ANY_MESSAGE = st.one_of(
    st.builds(system),
    st.builds(user),
    st.lists(st.builds(ToolCall, st.sampled_from(["", "a", "b", "c"]), st.just("t")))
    .map(lambda calls: assistant("", *calls)),
    st.builds(tool_result, st.sampled_from(["", "a", "b", "c"]), st.just("done")),
)  # fmt: skip

MODES = st.sampled_from(
    [
        HistoryRules,
        lambda: HistoryRules(unique_over="response"),
        lambda: HistoryRules(results="anywhere"),
    ]
)


@FEWER
@given(messages=st.lists(ANY_MESSAGE, max_size=8), make=MODES)
def test_feeding_on_equals_feeding_afresh(
    messages: list[Message], make: Callable[[], HistoryRules]
) -> None:
    """After each message a reader is where a new one is that reads all before."""
    growing = make()
    for count, message in enumerate(messages, start=1):
        last = growing.feed(message)
        fresh = make()
        for again in messages[: count - 1]:
            fresh.feed(again)
        assert fresh.feed(message) == last
        assert fresh.open_calls == growing.open_calls
        assert fresh.close() == growing.close()


@FEWER
@given(messages=st.lists(ANY_MESSAGE, max_size=8))
def test_open_calls_are_those_that_close_reports(messages: list[Message]) -> None:
    """What is open at the end is what closing reports, in the order of the calls."""
    rules = HistoryRules()
    for message in messages:
        rules.feed(message)
    assert [breach.call_id for breach in rules.close()] == list(rules.open_calls)
    assert [one.rule for one in rules.close()] == ["unanswered"] * len(rules.open_calls)


def test_open_calls_shrink_with_each_result() -> None:
    """Calls are open from their response to their result, and till then only."""
    rules = HistoryRules()
    rules.feed(assistant("", ToolCall("a", "t"), ToolCall("b", "t")))
    seen = [rules.open_calls]
    for message in (tool_result("a", "done"), user("never mind")):
        rules.feed(message)
        seen.append(rules.open_calls)
    assert seen == [("a", "b"), ("b",), ()]


def test_history_may_end_with_open_calls_where_it_goes_on() -> None:
    """Not closed, a history may end with calls that wait for a person."""
    messages = [user("hello"), assistant("", ToolCall("a", "t"))]
    assert breaches(messages, closed=False) == []
    assert found_in(messages) == [("unanswered", 2, "a")]


def test_results_may_stand_anywhere_on_some_wires() -> None:
    """Where pairing goes by id, a late result answers; a missing one is told once."""
    rules = HistoryRules(results="anywhere")
    messages = [
        assistant("", ToolCall("a", "t"), ToolCall("b", "t")),
        user("and?"),
        tool_result("a", "done"),
        tool_result("x", "done"),
    ]
    found = [breach for message in messages for breach in rules.feed(message)]
    assert [breach.words for breach in found] == [
        "the result of x has no call in the history before it"
    ]
    assert [breach.words for breach in rules.close()] == ["the call b has no result"]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_says_what_should_be(rule: Rule) -> None:
    """Each rule has a sentence of what holds in a good history."""
    assert RULES[rule]
