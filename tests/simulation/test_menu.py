"""Faults on the menu of a run: whichever way they are given, they are rules."""

from __future__ import annotations

import pytest

from agentsim.core import TokenError, UsageError
from agentsim.engine import Replay
from agentsim.faults import CATALOGUE, answer_lost, slow
from agentsim.simulation import EXPLORING, Menu, explore, replay, run
from tests.support.scenarios import scenario

HIGH_CPU = scenario("high_cpu")

LOST = "answer_lost:restart_service"


def test_faults_are_kept_as_rules_each_once() -> None:
    """Names, texts, faults and rules come to the same, and what stands twice is one."""
    given = ("slow", CATALOGUE["slow"], slow(), LOST, answer_lost("restart_service"))
    menu = Menu(faults=given)
    assert menu.faults == (slow(), answer_lost("restart_service"))
    assert menu == Menu(faults=("slow", LOST))
    assert hash(menu) == hash(Menu(faults=("slow", LOST)))


def test_a_menu_prints_as_what_makes_it() -> None:
    """Its `repr` is an expression, and its flags are those of the command line."""
    menu = Menu("any_order", ("slow@2", LOST), cancel=True, crash=True)
    assert eval(repr(menu)) == menu
    assert menu.flags == (
        "--policy=any_order",
        f"--faults=slow@2,{LOST}",
        "--cancel",
        "--crash",
    )


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ("slow", r"expected a list of faults, got 'slow': write \['slow'\]"),
        (3, r"expected a list of faults, got 3: write \['slow'\]"),
        (CATALOGUE["slow"]("ping"), r"got 'slow:ping': write \['slow:ping'\]"),
        (CATALOGUE["slow"], r"got 'slow': write \['slow'\]"),
        (("slwo:ping",), "faults: unknown fault 'slwo'.*did you mean 'slow'"),
        (("slow@0",), "faults: fault 'slow': attempt counts from 1"),
        ((3,), "faults: expected the name of a fault"),
    ],
)
def test_what_is_no_fault_is_refused(faults: object, words: str) -> None:
    """The error says what was expected."""
    with pytest.raises(UsageError, match=words):
        Menu(faults=faults)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("slow:check_cup", "unknown tool 'check_cup'; did you mean 'check_cpu'"),
        ("answer_lost:check_cpu", "strikes writes only, and 'check_cpu' only reads"),
    ],
)
def test_a_fault_that_can_never_strike_is_refused(fault: str, words: str) -> None:
    """A run and an exploration say so before anything happens."""
    menu = Menu(faults=(fault,))
    with pytest.raises(UsageError, match=words):
        run(HIGH_CPU, menu=menu)
    with pytest.raises(UsageError, match=words):
        explore(HIGH_CPU, menu=menu)


def test_a_rule_strikes_only_where_it_matches() -> None:
    """It is offered at its tool and attempt, and a strike there meets the rule."""
    menu = Menu(faults=("slow:check_cpu@2", LOST))
    calm = run(HIGH_CPU, menu=menu)
    assert calm.choices.log == [("fault restart_service", 2), ("fault check_cpu", 2)]
    made = run(HIGH_CPU, menu=menu, choices=Replay({1: 1}))
    assert made.struck == ("slow",)
    assert {"slow", "slow@2", "slow:check_cpu", "slow:check_cpu@2"} <= set(made.met)
    assert not {"slow@1", LOST} & set(made.met)


def test_a_rule_is_met_only_when_it_struck() -> None:
    """Of two rules of one fault, that which did not strike is told as such."""
    menu = Menu(faults=("slow:check_cpu@2", "slow@7"))
    found = explore(HIGH_CPU, deviations=1, menu=menu)
    assert found.never_struck == ("slow@7",)
    wide = Menu(faults=("slow", "answer_lost"))
    named = ("slow:check_cpu@2", LOST, "slow:check_cpu@3")
    found = explore(HIGH_CPU, deviations=1, menu=wide, named=named)
    assert found.unmet == ("slow:check_cpu@3",)


def test_a_rule_that_is_named_is_met_by_a_run() -> None:
    """A single run tells of what was named and did not strike."""
    menu = Menu(faults=(LOST,))
    made = run(HIGH_CPU, menu=menu, choices=Replay({0: 1}), named=(LOST,))
    assert made.verdict.status == "holds"
    calm = run(HIGH_CPU, menu=menu, named=(LOST,))
    assert (calm.verdict.status, calm.verdict.unmet) == ("unknown", (LOST,))
    with pytest.raises(UsageError, match="did you mean 'slow'"):
        run(HIGH_CPU, named=("slwo:check_cpu",))


def test_a_token_is_bound_to_the_rules_of_its_menu() -> None:
    """The same deviation with a narrower rule is another token."""
    narrow, wide = Menu(faults=(LOST,)), Menu(faults=("answer_lost",))
    token = run(HIGH_CPU, menu=narrow, choices=Replay({0: 1})).token
    assert replay(HIGH_CPU, token, menu=narrow).struck == ("answer_lost",)
    with pytest.raises(TokenError, match="another scenario, agent or menu"):
        replay(HIGH_CPU, token, menu=wide)


def test_the_faults_of_an_exploration_are_our_own() -> None:
    """What packages and tests add is offered only where it is named."""
    assert [rule.fault for rule in EXPLORING.rules] == list(CATALOGUE.own.values())
