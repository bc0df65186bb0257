"""Plans of faults are data: read, written, compared and made smaller."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.faults import (
    CATALOGUE,
    GROUPS,
    FaultPlan,
    FaultRule,
    Operation,
    family_of,
    flaky,
    folded,
    groups_of,
    raises,
    slow,
)
from tests.faults.test_parsing import rules

FEW = settings(max_examples=20)

plans = st.builds(
    FaultPlan,
    st.lists(rules(), max_size=4).map(tuple),
    st.lists(rules(), max_size=4).map(tuple),
)


def offered(plan: FaultPlan) -> list[str]:
    """The texts of what a plan offers."""
    return [rule.text for rule in plan.offered if isinstance(rule, FaultRule)]


@FEW
@given(plans)
def test_a_plan_is_read_back_from_data_and_from_its_repr(plan: FaultPlan) -> None:
    """JSON, `repr` and the plan say the same; equal plans hash alike."""
    read = FaultPlan.from_plain(json.loads(json.dumps(plan.plain())))
    written = eval(repr(plan))
    assert read == plan
    assert written == plan
    assert hash(read) == hash(plan)
    assert str(read) == str(plan)


@FEW
@given(plans)
def test_a_smaller_plan_has_fewer_rules(plan: FaultPlan) -> None:
    """Each leaves something out and adds nothing, the emptiest first."""
    sizes = []
    for smaller in plan.smaller():
        assert set(smaller.rules) <= set(plan.rules)
        assert set(smaller.offered) <= set(plan.offered)
        sizes.append((len(smaller.rules), len(smaller.offered)))
        assert sizes[-1] < (len(plan.rules), len(plan.offered))
    assert bool(sizes) == bool(plan.rules or plan.offered)


@FEW
@given(plans, st.lists(rules(), max_size=3))
def test_a_plan_takes_other_rules_and_offers_the_same(
    plan: FaultPlan, others: list[FaultRule]
) -> None:
    """What is made without reading the offer anew equals what is made from it."""
    assert plan.striking(others) == FaultPlan(tuple(others), plan.offered)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "plan: expected a mapping with rules, offered, or both"),
        ({"rule": []}, "plan: unknown field 'rule' (there are rules, offered)"),
        ({"rules": ["slwo"]}, "plan.rules[0]: unknown fault 'slwo'"),
        ({"rules": ["loops"]}, "plan.rules[0]: 'loops' stands for several faults"),
        ({"offered": "slow"}, "plan.offered: expected a list of faults, got text"),
    ],
)
def test_mistakes_in_a_plan_name_their_place(data: object, words: str) -> None:
    """The error begins with where it is."""
    with pytest.raises(UsageError) as caught:
        FaultPlan.from_plain(data)
    assert words in str(caught.value)


def test_a_group_is_offered_and_does_not_strike_by_rule() -> None:
    """A group offers each of its faults, with its tool and attempt, each once."""
    plan = FaultPlan.from_plain({"offered": ["loops", "wrong_type:look@2", "loops"]})
    texts = offered(plan)
    assert texts[: len(GROUPS["loops"])] == list(GROUPS["loops"])
    assert texts[len(GROUPS["loops"]) :] == [
        f"{name}:look@2" for name in GROUPS["wrong_type"]
    ]


def test_a_rule_of_a_fault_that_lasts_begins_once() -> None:
    """It strikes by rule at the first operation, or at its attempt, and not anew."""
    tries = [Operation("tool", "look", number) for number in (1, 2, 3, 4)]
    first, third = FaultPlan((flaky("look"),)), FaultPlan((flaky(attempt=3),))
    assert [first.strikes(one) is not None for one in tries] == [True, *[False] * 3]
    assert [third.strikes(one) is not None for one in tries] == [
        *[False] * 2,
        True,
        False,
    ]


def test_only_a_plan_with_a_stale_read_needs_older_answers() -> None:
    """Runs without it do not pay for keeping them."""
    assert FaultPlan(offered=("own",)).can_be_stale
    assert FaultPlan(rules=(CATALOGUE["stale"](),)).can_be_stale
    assert not FaultPlan((slow(),), ("raises",)).can_be_stale


# ------------------------------------------------------------------------------- groups


def test_groups_hold_faults_of_ours_and_have_names_of_their_own() -> None:
    """A name is that of a fault or of a group, and each fault is in its target's."""
    assert not set(GROUPS) & set(CATALOGUE.own)
    for names in GROUPS.values():
        assert set(names) <= set(CATALOGUE.own)
        assert len(names) > 1
    targets = [*GROUPS["tools"], *GROUPS["model"], *GROUPS["person"]]
    assert targets == list(CATALOGUE.own)
    assert set(groups_of("nan_output")) == set()
    assert list(groups_of("bytes_output")) == [
        "own",
        "tools",
        "bad_outputs",
        "wrong_type",
    ]
    assert (family_of("cycle_of_4"), family_of("slow")) == ("loops", "slow")


@FEW
@given(st.lists(st.sampled_from([*CATALOGUE.own, *GROUPS]), max_size=6))
def test_folded_texts_offer_the_same(names: list[str]) -> None:
    """The short form of an offer is never longer, and stands for the same rules."""
    plan = FaultPlan(offered=tuple(names))
    texts = offered(plan)
    short = tuple(folded(texts))
    assert FaultPlan(offered=short) == plan
    assert len(short) <= len(texts)
    assert tuple(folded(list(CATALOGUE.own))) == ("own",)


def test_a_fault_is_called_like_a_function() -> None:
    """What it gives is the rule of where it strikes."""
    assert raises("look", attempt=2) == FaultRule(CATALOGUE["raises"], "look", 2)
    assert slow() == FaultRule(slow)
