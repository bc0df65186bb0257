import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.faults import (
    CATALOGUE,
    FaultPlan,
    FaultRule,
    answer_lost,
    parse_rule,
    parse_rules,
    slow,
)

FEW = settings(max_examples=20)


@st.composite
def rules(draw: st.DrawFn) -> FaultRule:
    """Draw a rule that may strike."""
    fault = draw(st.sampled_from(list(CATALOGUE.values())))
    name = draw(st.none() | st.text(max_size=4)) if fault.target == "tool" else None
    return FaultRule(fault, name, draw(st.none() | st.integers(min_value=1)))


@FEW
@given(st.lists(rules(), max_size=4))
def test_plain_rules_are_read_back(listed: list[FaultRule]) -> None:
    """The plain form is JSON, and reading it gives the same rules."""
    plain = FaultPlan(tuple(listed), tuple(listed)).plain()
    data = json.loads(json.dumps(plain))
    assert parse_rules(data["rules"]) == tuple(listed)
    assert parse_rules(data["offered"]) == tuple(listed)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("slow", slow()),
        ({"slow": None}, slow()),
        ({"answer_lost": "restart_service"}, answer_lost("restart_service")),
        ({"fault": "slow"}, slow()),
        (
            {"fault": "slow", "tool": "check_cpu", "attempt": 2},
            slow("check_cpu", attempt=2),
        ),
        (slow("x"), slow("x")),
        (CATALOGUE["slow"], slow()),
    ],
)
def test_every_form_is_read(value: object, rule: FaultRule) -> None:
    """A name, a name with its tool, fields, and what is a rule already."""
    assert parse_rule(value) == rule


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("slow", "faults: expected a list of faults, got text"),
        ({}, "faults: expected a list of faults, got a mapping"),
        (None, "faults: expected a list of faults, got nothing"),
        ([[]], "faults[0]: expected the name of a fault, or a mapping"),
        ([3], "got a number"),
        ([object()], "got an object"),
        (["slow", "slwo"], "faults[1]: unknown fault 'slwo'"),
        ([{"slwo": "x"}], "did you mean 'slow'?"),
        (
            [{"fault": "slow", "tol": "x"}],
            "unknown field 'tol' (there are fault, tool,",
        ),
        ([{"tool": "x"}], "faults[0]: the field 'fault' is missing"),
        ([{}], "faults[0]: the field 'fault' is missing"),
        ([{"fault": 3}], "faults[0].fault: expected a name, got a number"),
        ([{"slow": True}], "faults[0].tool: expected a name, got true or false"),
        ([{"fault": "slow", "attempt": 0}], "faults[0]: fault 'slow': attempt counts"),
        ([{"missing_ids": "x"}], "faults[0]: fault 'missing_ids' strikes the model"),
    ],
)
def test_mistakes_name_their_place(value: object, words: str) -> None:
    """An error names the entry and the field, and what was expected there."""
    with pytest.raises(UsageError) as caught:
        parse_rules(value)
    assert words in str(caught.value)
