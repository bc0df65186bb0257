from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import Decision, Message, Response, ToolCall, UsageError, assistant
from agentsim.faults import (
    CATALOGUE,
    GROUPS,
    Fault,
    FaultPlan,
    FaultRule,
    Offer,
    Operation,
    answer_lost,
    arguments_cut,
    check_rules,
    declines,
    duplicate_ids,
    fault_named,
    hangs,
    missing_ids,
    raises,
    same_call_forever,
    slow,
    unknown_tool,
)

FEW = settings(max_examples=20)
fault: Any = Fault
NO = Decision(approved=False)
Make = Callable[..., object]

READ = Operation("tool", "check_cpu", 1)
WRITE = Operation("tool", "restart_service", 1, writes=True)
MODEL = Operation("model", "model", 1)
STREAMED = replace(MODEL, carried="bytes")
OUTDATED = Operation("tool", "check_cpu", 2, outdated=True)
QUESTION = Operation("human", "restart_service", 1)


def stop(response: Response, _operation: Operation) -> Response:
    """A tamper function that changes nothing."""
    return response


def reply(calls: int) -> Message:
    """A reply with so many calls."""
    return assistant("", *(ToolCall(f"c{n}", "check_cpu") for n in range(calls)))


operations = st.builds(
    Operation,
    st.sampled_from(["tool", "model", "human"]),
    st.sampled_from(["check_cpu", "restart_service", "model"]),
    st.integers(1, 4),
    writes=st.booleans(),
    outdated=st.booleans(),
)
replies = st.none() | st.builds(reply, st.integers(0, 3))


@st.composite
def rules(draw: st.DrawFn) -> FaultRule:
    """Draw a rule that may strike."""
    fault = draw(st.sampled_from(list(CATALOGUE.values())))
    names = st.none() | st.sampled_from(["check_cpu", "restart_service"])
    name = draw(names) if fault.target != "model" else None
    return FaultRule(fault, name, draw(st.none() | st.integers(1, 3)))


def names(offer: Offer) -> list[str]:
    """The names of what is offered."""
    return [fault.name for fault in offer.faults]


def test_the_menu_of_a_read_a_write_and_a_reply() -> None:
    """Everything offered, each operation gets what can strike it, and nothing else."""
    plan = FaultPlan(
        offered=(
            *("raises", "slow", "answer_lost", "stale", "server_error"),
            *("arguments_cut", "duplicate_ids", "declines"),
        )
    )
    of_calls = ["server_error", "arguments_cut"]
    assert names(plan.menu(READ)) == ["raises", "slow"]
    assert names(plan.menu(OUTDATED)) == ["raises", "slow", "stale"]
    assert names(plan.menu(WRITE)) == ["raises", "slow", "answer_lost"]
    assert names(plan.menu(MODEL, reply(0))) == ["server_error"]
    assert names(plan.menu(MODEL, reply(1))) == of_calls
    assert names(plan.menu(MODEL, reply(2))) == [*of_calls, "duplicate_ids"]
    assert names(plan.menu(QUESTION)) == ["declines"]


def test_an_offer_is_told_in_words() -> None:
    """The options of a choice say what strikes what; nothing is the first."""
    plan = FaultPlan(offered=("slow", "server_error", "declines"))
    assert plan.menu(READ).options == ("no fault", "slow strikes check_cpu")
    assert plan.menu(MODEL).options == ("no fault", "server_error strikes model")
    assert plan.menu(QUESTION).options == ("no fault", "declines strikes the person")
    assert plan.menu(READ).names == ("slow",)


@FEW
@given(st.lists(rules(), max_size=5), operations, replies)
def test_the_menu_is_what_matches_in_order_and_once(
    offered: list[FaultRule], operation: Operation, message: Message | None
) -> None:
    """A cached menu equals the plain definition, also when it is asked again."""
    plan = FaultPlan(offered=tuple(offered))
    matching = [rule.fault for rule in offered if rule.matches(operation, message)]
    expected = tuple({fault.name: fault for fault in matching}.values())
    assert plan.menu(operation, message).faults == expected
    again = FaultPlan(offered=tuple(offered)).menu(operation, message)
    assert again.faults == expected


@FEW
@given(st.lists(rules(), max_size=5), operations, replies)
def test_the_first_rule_that_matches_strikes(
    listed: list[FaultRule], operation: Operation, message: Message | None
) -> None:
    """A plan strikes with the first matching rule, and with none where none matches.

    One that lasts for some operations begins at the first or at its own.
    """
    matching = [
        rule.fault
        for rule in listed
        if rule.matches(operation, message)
        and (rule.fault.name != "flaky" or operation.attempt == (rule.attempt or 1))
    ]
    struck = FaultPlan(tuple(listed)).strikes(operation, message)
    assert struck is (matching[0] if matching else None)


@FEW
@given(rules(), operations, replies)
def test_a_fault_strikes_only_where_it_applies(
    rule: FaultRule, operation: Operation, message: Message | None
) -> None:
    """A match implies that target, kind of operation and reply fit the fault."""
    if rule.matches(operation, message):
        assert rule.fault.target == operation.target
        assert rule.fault.applies_to(operation)
        assert operation.writes or not rule.fault.needs_write
        assert len((message or assistant()).tool_calls) >= rule.fault.calls_min


def test_a_rule_keeps_to_its_tool_and_its_attempt() -> None:
    """A rule with a name and an attempt strikes that operation and no other."""
    plan = FaultPlan((answer_lost("restart_service", attempt=2),))
    second = Operation("tool", "restart_service", 2, writes=True)
    assert plan.strikes(WRITE) is None
    assert plan.strikes(second) is CATALOGUE["answer_lost"]
    assert plan.strikes(Operation("tool", "clean_logs", 2, writes=True)) is None


def test_a_menu_keeps_to_the_attempt_of_a_rule() -> None:
    """A rule offered for the second attempt is on the menu of the second only."""
    plan = FaultPlan(offered=(slow("check_cpu", attempt=2), CATALOGUE["raises"]))
    menus = [names(plan.menu(Operation("tool", "check_cpu", n))) for n in (1, 2, 3)]
    assert menus == [["raises"], ["slow", "raises"], ["raises"]]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("raises", raises),
        ("slow", slow),
        ("hangs", hangs),
        ("answer_lost", answer_lost),
        ("declines", declines),
    ],
)
def test_the_short_functions_of_tools(name: str, make: Make) -> None:
    """Each short function gives the rule of the fault that bears its name."""
    rule = make("check_cpu", attempt=3)
    assert rule == FaultRule(CATALOGUE[name], "check_cpu", 3)
    assert make() == FaultRule(CATALOGUE[name])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("arguments_cut", arguments_cut),
        ("unknown_tool", unknown_tool),
        ("duplicate_ids", duplicate_ids),
        ("missing_ids", missing_ids),
        ("same_call_forever", same_call_forever),
    ],
)
def test_the_short_functions_of_the_model(name: str, make: Make) -> None:
    """Faults of the model take an attempt and no tool."""
    assert make(attempt=3) == FaultRule(CATALOGUE[name], None, 3)


def test_rules_and_plans_read_as_sentences() -> None:
    """What is printed says which fault strikes where and when."""
    plan = FaultPlan(
        (answer_lost("create_payment", attempt=1),), ("slow", "unknown_tool")
    )
    assert str(plan) == (
        "strikes: answer_lost on create_payment, attempt 1 | "
        "may strike: slow on any tool; unknown_tool on the model"
    )
    assert str(FaultPlan()) == "strikes: none | may strike: none"


def test_plans_of_the_same_faults_are_equal() -> None:
    """Plans compare and hash by what they say, not by their caches."""
    one, other = (FaultPlan((slow("a"),), ("hangs",)) for _ in range(2))
    one.menu(READ)
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fault_named("slwo"), "did you mean 'slow'?"),
        (
            lambda: fault_named("zzzzz"),
            "unknown fault 'zzzzz' (there are raises, flaky, slow,",
        ),
        (lambda: FaultPlan(offered=("slwo",)), "did you mean 'slow'?"),
        (lambda: FaultRule(CATALOGUE["missing_ids"], "x"), "takes no tool, got 'x'"),
        (lambda: slow(attempt=0), "attempt counts from 1, got 0"),
        (lambda: FaultRule(CATALOGUE["slow"], None, True), "counts from 1, got True"),
        (lambda: Fault("f", "tool", "s"), "fault 'f': it changes nothing"),
        (lambda: Fault("F-1", "tool", "s", delay_s=1), "a name has small letters"),
        (lambda: fault("f", "disk", "s"), "expected one of tool, model, human"),
        (
            lambda: fault("f", "tool", "s", answer="err"),
            "answer: expected one of normal",
        ),
        (
            lambda: fault("f", "tool", "s", effect="skip"),
            "effect: expected one of normal",
        ),
        (lambda: Fault("f", "tool", "s", tamper=stop), "tamper belongs to a fault of"),
        (lambda: fault("f", "model", "s", garble=stop), "garble belongs to a fault of"),
        (
            lambda: Fault("f", "tool", "s", decision=NO),
            "belongs to a fault of target='h",
        ),
        (lambda: Fault("f", "tool", "s", answer="error"), "error_words are needed"),
        (
            lambda: Fault("f", "human", "s", answer="error", error_words="w"),
            "a person answers or does not",
        ),
        (
            lambda: Fault("f", "model", "s", answer="error", error_words="w"),
            "error_kind is needed for an error of the model",
        ),
        (lambda: Fault("f", "tool", "s", definite=True), "can be definite"),
        (lambda: Fault("f", "tool", "s", delay_s=1, lasts=0), "lasts counts from 1"),
    ],
)
def test_mistakes_are_told(make: Make, words: str) -> None:
    """Each mistake is a usage error that says what was expected."""
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)


def test_rules_that_can_never_strike_are_found() -> None:
    """A rule for an absent tool, or a write's fault on a read, is a usage error."""
    tools = {"check_cpu": False, "restart_service": True}
    check_rules((slow(), slow("check_cpu"), answer_lost("restart_service")), tools)
    with pytest.raises(UsageError, match="did you mean 'check_cpu'"):
        check_rules((slow("check_cup"),), tools)
    with pytest.raises(UsageError, match="'check_cpu' only reads"):
        check_rules((answer_lost("check_cpu"),), tools)


def test_every_fault_of_the_catalogue_can_strike_something() -> None:
    """No entry of the catalogue is dead: each strikes one of these operations."""
    plan = FaultPlan(offered=tuple(CATALOGUE))
    offers = [plan.menu(one) for one in (OUTDATED, WRITE, QUESTION)]
    offers += [plan.menu(one, reply(2)) for one in (MODEL, STREAMED)]
    struck = {name for offer in offers for name in offer.names}
    assert struck == set(CATALOGUE)


def test_a_fault_of_a_stream_strikes_nothing_else() -> None:
    """A plain answer comes whole; what only bytes can have strikes no neutral stream."""
    plan = FaultPlan(offered=("streams",))
    assert plan.menu(MODEL, reply(2)).names == ()
    assert plan.menu(STREAMED, reply(2)).names == GROUPS["streams"]
    pieces = plan.menu(replace(MODEL, carried="pieces"), reply(2)).names
    only = {*GROUPS["streams"]} - {*pieces}
    assert only == {"stream_noise", "stream_interleaved"}
    assert "stream_interleaved" not in plan.menu(STREAMED, reply(1)).names


@pytest.mark.parametrize("fault", CATALOGUE.values(), ids=lambda fault: fault.name)
def test_a_definite_fault_is_an_error_without_effect(fault: Fault) -> None:
    """Only what certainly did not happen is definite, and an agent is told of it."""
    if fault.definite:
        assert (fault.effect, fault.answer) == ("skipped", "error")
    assert fault.sentence
    assert not fault.sentence.endswith(".")
