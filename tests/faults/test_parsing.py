import json
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import StreamPlace, UsageError
from agentsim.faults import (
    CATALOGUE,
    FaultPlan,
    FaultRule,
    answer_lost,
    parse_option,
    parse_rule,
    parse_rules,
    rate_limited,
    rule_from_text,
    server_error,
    slow,
    stream_cut,
    stream_cut_in_bytes,
    stream_ends_early,
    stream_in_portions,
)

FEW = settings(max_examples=20)


@st.composite
def rules(draw: st.DrawFn) -> FaultRule:
    """Draw a rule that may strike."""
    fault = draw(st.sampled_from(list(CATALOGUE.values())))
    names = st.none() | st.from_regex(r"[^:@,\s]{1,4}", fullmatch=True)
    name = draw(names) if fault.target != "model" else None
    return FaultRule(fault, name, draw(st.none() | st.integers(1, 10**9 - 1)))


@FEW
@given(st.lists(rules(), max_size=4))
def test_plain_rules_are_read_back(listed: list[FaultRule]) -> None:
    """The plain form is JSON, and reading it gives the same rules."""
    plain = FaultPlan(tuple(listed), tuple(listed)).plain()
    data = json.loads(json.dumps(plain))
    assert parse_rules(data["rules"]) == tuple(listed)
    assert parse_rules(data["offered"]) == tuple(dict.fromkeys(listed))


@FEW
@given(rules())
def test_the_text_of_a_rule_is_read_back(rule: FaultRule) -> None:
    """A rule has one text, in one line without commas, and reading it gives the rule."""
    assert rule_from_text(rule.text) == rule
    assert parse_rule(rule.text) == rule
    assert not set(", \n") & set(rule.text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (slow(), "slow"),
        (slow("check_cpu"), "slow:check_cpu"),
        (slow(attempt=2), "slow@2"),
        (answer_lost("create_payment", attempt=1), "answer_lost:create_payment@1"),
        (rate_limited(attempt=1, retry_after_s=30), "rate_limited=30@1"),
        (rate_limited(retry_after_s=20), "rate_limited"),
        (server_error(retry_after_s=0.25), "server_error=0.25"),
        (stream_cut(at=2, attempt=1), "stream_cut=2@1"),
        (stream_cut(at="end"), "stream_cut=end"),
        (stream_cut_in_bytes(at="character"), "stream_cut_in_bytes=character"),
        (stream_in_portions(at=0), "stream_in_portions=0"),
    ],
)
def test_a_rule_is_written_as_name_tool_and_attempt(rule: FaultRule, text: str) -> None:
    """`NAME[:TOOL][@ATTEMPT]`: what is not said stands for all."""
    assert rule.text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "unknown fault ''"),
        ("slwo:check_cpu", "did you mean 'slow'?"),
        ("slow:", "expected the name of a tool, got ''"),
        ("slow:a b", "expected the name of a tool, got 'a b'"),
        ("slow@", "attempt counts from 1, got ''"),
        ("slow@0", "attempt counts from 1, got '0'"),
        ("slow@02", "attempt counts from 1, got '02'"),
        ("slow@x", "the form is NAME[:TOOL][@ATTEMPT]"),
        ("slow:a:b", "'slow:a:b' is no fault: expected NAME[:TOOL][@ATTEMPT]"),
        ("missing_ids:x", "strikes the model: it takes no tool, got 'x'"),
        ("rate_limited=", "expected the seconds to wait, got ''"),
        ("rate_limited=-1@1", "expected the seconds to wait, got '-1'"),
        ("rate_limited=1e3", "the form is NAME=SECONDS"),
        ("stream_cut=", "at: expected 0 to 999,999,999, 'middle', 'end', got ''"),
        ("stream_cut=-1", "got '-1'"),
        ("stream_cut=character", "'middle', 'end', got 'character'"),
        ("stream_noise=1", "'stream_noise' strikes at no place of a stream"),
        ("slow=3", "'slow' is no answer of a service that could ask to wait"),
        ("model_hangs=3", "is no answer of a service that could ask to wait"),
    ],
)
def test_mistakes_in_a_text_are_told(text: str, words: str) -> None:
    """Each says what was wrong with which part."""
    with pytest.raises(UsageError) as caught:
        rule_from_text(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("slow", slow()),
        ("slow:check_cpu@2", slow("check_cpu", attempt=2)),
        ({"slow": None}, slow()),
        ({"answer_lost": "restart_service"}, answer_lost("restart_service")),
        ({"fault": "slow"}, slow()),
        (
            {"fault": "slow", "tool": "check_cpu", "attempt": 2},
            slow("check_cpu", attempt=2),
        ),
        (
            {"fault": "rate_limited", "attempt": 1, "retry_after_s": 30},
            rate_limited(attempt=1, retry_after_s=30),
        ),
        ("rate_limited=20", rate_limited()),
        ({"fault": "stream_cut", "at": 3}, stream_cut(at=3)),
        ({"fault": "stream_cut", "at": "end"}, stream_cut(at="end")),
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
        ("slow", "a list of faults, got text 'slow': write ['slow']"),
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


def anywhere(at: Any) -> FaultRule:  # noqa: ANN401 - of a wrong type
    """A rule for a place that may be none."""
    return stream_cut(at=at)


@pytest.mark.parametrize("at", [-1, True, 2.0, "somewhere", 1_000_000_000])
def test_a_place_in_a_stream_is_a_number_or_one_of_some_names(at: object) -> None:
    """Anything else is refused, with its value; so is a place of what has none."""
    with pytest.raises(UsageError, match=r"at: expected 0 to 999,999,999, 'middle'"):
        anywhere(at)
    with pytest.raises(UsageError, match="strikes at no place of a stream"):
        slow(at=0)


@FEW
@given(st.integers(0, 999_999_999) | st.sampled_from(["middle", "end"]))
def test_a_place_is_read_as_it_was_written(at: int | StreamPlace) -> None:
    """Text and fields give the same rule back."""
    rule = stream_ends_early(at=at, attempt=2)
    assert rule_from_text(rule.text) == rule
    assert parse_rule(rule.plain()) == rule


@FEW
@given(st.floats(0, 999_999_999), st.none() | st.integers(1, 99))
def test_a_wait_is_read_as_it_was_written(seconds: float, attempt: int | None) -> None:
    """Text and fields give the same rule back, whatever the service asks to wait."""
    rule = rate_limited(attempt=attempt, retry_after_s=seconds)
    assert rule_from_text(rule.text) == rule
    assert parse_rule(rule.plain()) == rule


def test_a_wait_stands_in_the_sentence_of_its_fault() -> None:
    """What happens is told with the seconds that the service asks for."""
    assert rate_limited(retry_after_s=30).fault.sentence == (
        "the service refuses the request for 30 seconds: too many of them"
    )
    assert server_error(retry_after_s=2.5).fault.sentence == (
        "the service fails, and asks to wait 2.5 seconds"
    )


@pytest.mark.parametrize("seconds", [-1, inf, nan, True])
def test_a_wait_is_a_number_of_seconds(seconds: float) -> None:
    """Anything else is refused, with its value."""
    with pytest.raises(UsageError, match="retry_after_s: expected 0 to 999,999,999"):
        rate_limited(retry_after_s=seconds)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("none", []),
        ("", []),
        ("all", [*CATALOGUE]),
        ("slow , raises", ["slow", "raises"]),
        ("empty_answer,slow:ping@2", ["empty_answer", "slow"]),
    ],
)
def test_an_option_offers_what_it_names(text: str, names: list[str]) -> None:
    """Names with commas between, or one word for all there are, or for none."""
    assert [rule.fault.name for rule in parse_option(text, "--faults")] == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "slow,,raises",
            "--faults: a fault is missing beside a comma in 'slow,,raises'",
        ),
        ("slow,", "--faults: a fault is missing beside a comma in 'slow,'"),
        ("none,slow", "--faults: none stands alone, got 'none,slow'"),
        ("slow,all", "--faults: all stands alone, got 'slow,all'"),
        ("slwo", "--faults: unknown fault 'slwo'"),
    ],
)
def test_an_option_that_can_not_be_read_is_told_by_its_name(
    text: str, words: str
) -> None:
    """With what stands where it should not, or is missing."""
    with pytest.raises(UsageError) as refused:
        parse_option(text, "--faults")
    assert str(refused.value).startswith(words)
