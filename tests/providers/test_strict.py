"""Strictness: what services take passes, and each single fault is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    RULES,
    History,
    HistoryRules,
    Message,
    ProviderError,
    Request,
    ToolCall,
    ToolDef,
    assistant,
    breaches,
    system,
    tool_result,
    user,
)
from agentsim.providers import STRICT_RULES, Refusal, RequestRule, StrictRules
from tests.providers.fakes import request

TEXTS = st.sampled_from(["Hm.", "Go on.", "x"])


@st.composite
def accepted(draw: st.DrawFn) -> list[Message]:
    """Histories as careful runtimes make them; results may come in any order."""
    history = [system("Rules.")] * draw(st.integers(0, 2)) + [user("Task.")]
    for turn in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["user", "text", "calls"]))
        if kind == "user":
            history.append(user(draw(TEXTS)))
        elif kind == "text":
            history.append(assistant(draw(TEXTS)))
        else:
            ids = [f"id-{turn}-{n}" for n in range(draw(st.integers(1, 3)))]
            calls = [ToolCall(one, draw(TEXTS)) for one in ids]
            history.append(assistant(draw(st.sampled_from(["", "Text"])), *calls))
            history += [tool_result(one, "ok") for one in draw(st.permutations(ids))]
    return history


@st.composite
def any_history(draw: st.DrawFn) -> list[Message]:
    """Histories of any messages, most of them broken."""
    ids = st.sampled_from(["a", "b", "c", ""])
    calls = st.lists(st.builds(ToolCall, ids, TEXTS), max_size=2)
    return draw(
        st.lists(
            st.builds(system, TEXTS)
            | st.builds(user, TEXTS)
            | st.builds(lambda text, made: assistant(text, *made), TEXTS, calls)
            | st.builds(tool_result, ids, TEXTS)
            | st.just(assistant("")),
            max_size=8,
        )
    )


def fresh(messages: list[Message], **fields: object) -> Refusal | None:
    """The verdict of rules that have read nothing before."""
    return StrictRules().check(request(messages, **fields))


@settings(max_examples=30)
@given(accepted())
def test_what_careful_runtimes_send_is_accepted(history: list[Message]) -> None:
    """Every history that keeps the shared rules, but for order, is taken."""
    assert {breach.rule for breach in breaches(history)} <= {"order"}
    assert fresh(history) is None
    StrictRules().enforce(request(history))


@settings(max_examples=25)
@given(any_history(), st.lists(st.integers(0, 8), max_size=6))
def test_the_cursor_gives_the_verdict_of_a_fresh_reading(
    messages: list[Message], cuts: list[int]
) -> None:
    """Prefixes read in any order, and in two lists, get the same verdict as alone."""
    rules = StrictRules()
    history = History()
    for message in messages:
        history.append(message)
        expected = fresh(list(history.view()))
        assert rules.check(request(history.view())) == expected
        assert rules.check(request(list(history.view()))) == expected
    for cut in cuts:
        assert rules.check(request(messages[:cut])) == fresh(messages[:cut])


@settings(max_examples=25)
@given(any_history())
def test_the_first_breach_is_the_one_that_is_named(messages: list[Message]) -> None:
    """A refusal for a shared rule is one that the shared rules find at that message."""
    refusal = fresh(messages)
    found = [breach for breach in breaches(messages) if breach.rule != "order"]
    if refusal is None:
        assert not found
    elif refusal.rule in RULES:
        first = found[0]
        assert (refusal.rule, refusal.words) == (first.rule, first.words)
        assert refusal.param == f"messages[{first.position}]"


CALL = ToolCall("a", "check_disk")
ASKED = [user("Task."), assistant("", CALL)]
ANSWERED = [*ASKED, tool_result("a", "ok")]

BROKEN: dict[str, tuple[list[Message], str, str]] = {
    "no messages": ([], "no-messages", "messages"),
    "only a system prompt": ([system("Rules.")], "first-user", "messages"),
    "the model first": ([system("R"), assistant("Hi")], "first-user", "messages[1]"),
    "an empty message": (
        [*ASKED[:1], assistant(" \n")],
        "empty-assistant",
        "messages[1]",
    ),
    "no result": (ASKED, "unanswered", "messages[2]"),
    "a message in between": ([*ASKED, user("And?")], "unanswered", "messages[2]"),
    "a result of no call": (
        [user("Task."), tool_result("a", "ok")],
        "orphan",
        "messages[1]",
    ),
    "a result too late": (
        [*ANSWERED, user("And?"), tool_result("a", "ok")],
        "orphan",
        "messages[4]",
    ),
    "two results": (
        [*ANSWERED, tool_result("a", "ok")],
        "answered-twice",
        "messages[3]",
    ),
    "an id twice in a response": (
        [user("Task."), assistant("", CALL, CALL)],
        "duplicate-id",
        "messages[1]",
    ),
    "an id twice in a history": (
        [*ANSWERED, assistant("", CALL)],
        "duplicate-id",
        "messages[3]",
    ),
    "a call without an id": (
        [user("Task."), assistant("", replace(CALL, id=""))],
        "missing-id",
        "messages[1]",
    ),
    "a result without an id": (
        [*ASKED, Message("tool", "ok")],
        "missing-id",
        "messages[2]",
    ),
    "a late system prompt": ([user("Task."), system("Rules.")], "role", "messages[1]"),
    "a call of the user": ([Message("user", "x", (CALL,))], "role", "messages[0]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_broken_history_is_refused(name: str, snapshot: SnapshotAssertion) -> None:
    """Each fault gets status 400, its rule and its place, in the shape of a service."""
    messages, rule, param = BROKEN[name]
    refusal = fresh(messages)
    assert refusal is not None
    assert (refusal.rule, refusal.param) == (rule, param)
    error = refused(request(messages))
    assert (error.status, error.kind, error.param) == (
        400,
        "invalid_request_error",
        param,
    )
    assert error.definite
    assert not error.transient
    assert str(error) == snapshot


def refused(asked: Request) -> ProviderError:
    """The error with which a request is refused."""
    with pytest.raises(ProviderError) as caught:
        StrictRules().enforce(asked)
    return caught.value


SCHEMA = {"type": "object", "properties": {}}

FIELDS: dict[str, tuple[dict[str, object], str, str]] = {
    "a tool twice": (
        {"tools": (ToolDef("a"), ToolDef("b"), ToolDef("a"))},
        "duplicate-tool",
        "tools[2].name",
    ),
    "a name with a dot": ({"tools": (ToolDef("a.b"),)}, "tool-name", "tools[0].name"),
    "a name too long": ({"tools": (ToolDef("a" * 65),)}, "tool-name", "tools[0].name"),
    "no name": ({"tools": (ToolDef(""),)}, "tool-name", "tools[0].name"),
    "a line after a name": ({"tools": (ToolDef("a\n"),)}, "tool-name", "tools[0].name"),
    "a schema of an array": (
        {"tools": (ToolDef("a"), ToolDef("b", "", {"type": "array"}))},
        "tool-parameters",
        "tools[1].parameters",
    ),
    "no schema": (
        {"tools": (ToolDef("a", "", {}),)},
        "tool-parameters",
        "tools[0].parameters",
    ),
    "too hot": ({"temperature": 2.1}, "temperature", "temperature"),
    "too cold": ({"temperature": -0.1}, "temperature", "temperature"),
    "no number": ({"temperature": float("nan")}, "temperature", "temperature"),
    "no tokens": ({"max_tokens": 0}, "max-tokens", "max_tokens"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_each_broken_field_is_refused(name: str, snapshot: SnapshotAssertion) -> None:
    """Tools, temperature and max_tokens have their rules too."""
    fields, rule, param = FIELDS[name]
    refusal = fresh(ANSWERED, **fields)
    assert refusal is not None
    assert (refusal.rule, refusal.param) == (rule, param)
    assert str(refused(request(ANSWERED, **fields))) == snapshot


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": 0},
        {"temperature": 2},
        {"max_tokens": 1},
        {"tools": ()},
        {"tools": (ToolDef("a" * 64, "", SCHEMA), ToolDef("A-b_9"))},
    ],
)
def test_the_edges_of_each_field_are_accepted(fields: dict[str, object]) -> None:
    """The outermost values that services take are taken; so are calls of other tools."""
    assert fresh(ANSWERED, **fields) is None


@pytest.mark.parametrize(
    "message",
    [
        assistant("Text."),
        assistant("", CALL),
        Message("assistant", blocks=({"type": "thinking"},)),
    ],
)
def test_a_message_of_anything_is_not_empty(message: Message) -> None:
    """Text, calls or blocks each make a message of the model."""
    answers = [tool_result(call.id, "ok") for call in message.tool_calls]
    assert fresh([user("Task."), message, *answers]) is None


def test_a_refusal_of_tools_goes_with_the_tools() -> None:
    """Tools are judged once per list, and again when the list changes."""
    rules = StrictRules()
    bad = request(ANSWERED, tools=(ToolDef("a.b"),))
    assert [rules.check(asked) is None for asked in (bad, bad, request(ANSWERED))] == [
        False,
        False,
        True,
    ]


def test_every_rule_has_a_sentence_and_is_tried() -> None:
    """The table names each enforced rule, and the tests above break each of them."""
    tried = {rule for _, rule, _ in (*BROKEN.values(), *FIELDS.values())}
    assert tried == set(STRICT_RULES)
    assert set(STRICT_RULES) == ({*RULES} - {"order"}) | {*get_args(RequestRule)}


def test_a_growing_history_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over n requests on one history each message is judged once."""
    read: list[Message] = []
    feed = HistoryRules.feed

    def counting(rules: HistoryRules, message: Message) -> object:
        read.append(message)
        return feed(rules, message)

    monkeypatch.setattr(HistoryRules, "feed", counting)
    rules = StrictRules()
    history = History([user("Task.")])
    for turn in range(200):
        assert rules.check(request(history.view())) is None
        history.append(assistant("", ToolCall(f"id-{turn}", "a")))
        history.append(tool_result(f"id-{turn}", "ok"))
    assert len(read) == len(history) - 2
