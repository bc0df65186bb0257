"""What a scenario expects is compared field by field, and a near miss is a miss."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import Limits, UsageError
from agentsim.providers import call, forever, say, together
from agentsim.simulation import EXPECTED, Expectation, Run, Scenario, run
from agentsim.simulation.expectation import judge_expectation
from agentsim.trace import Header, Trace
from agentsim.world import Disk, Files
from tests.simulation.fakes import idle, obedient

FACTS: dict[str, Any] = {
    "status": "done",
    "output": "Two reads",
    "iterations": 3,
    "messages": 8,
    "calls": 3,
    "tools": ("read_file", "read_file", "write_file"),
    "effects": {"write_file": 1},
}

MISSES: list[tuple[str, object]] = [
    ("status", "stopped"),
    ("output", "two reads"),
    ("output", "Two  reads"),
    ("iterations", 2),
    ("messages", 9),
    ("calls", 2),
    ("first_block", 1),
    ("tools", ("read_file", "write_file", "read_file")),
    ("tools", ("read_file", "read_file")),
    ("tools", ()),
    ("effects", {}),
    ("effects", {"write_file": 2}),
    ("effects", {"write_file": 1, "clean_logs": 1}),
]


def story(**expected: object) -> Scenario:
    """Two reads and a write."""
    return Scenario(
        "Copy a to b.",
        [
            together(call("read_file", path="a"), call("read_file", path="b")),
            call("write_file", path="b", content="1"),
            say("Two reads and a write."),
        ],
        world=[Files({"a": "1", "b": ""}), Disk()],
        expect=expected,
    )


def expected(made: Run) -> Any:  # noqa: ANN401
    """The judgement on the expectation."""
    return next(entry for entry in made.verdict.judgements if entry.id == EXPECTED)


def test_what_is_as_expected_holds() -> None:
    """All fields together hold, with one piece of evidence each."""
    found = expected(run(story(**FACTS)))
    assert (found.status, found.evidence) == ("holds", len(FACTS))


@pytest.mark.parametrize("field", FACTS)
def test_each_field_alone_holds(field: str) -> None:
    """What is not asked for is not compared."""
    found = expected(run(story(**{field: FACTS[field]})))
    assert (found.status, found.evidence) == ("holds", 1)


@pytest.mark.parametrize(("field", "value"), MISSES)
def test_a_near_miss_is_told(
    field: str, value: object, snapshot: SnapshotAssertion
) -> None:
    """Only the field that misses is a violation, with both values."""
    found = expected(run(story(**{**FACTS, field: value})))
    assert found.status == "violated"
    (violation,) = found.violations
    assert (violation.words, violation.expected, violation.found) == snapshot


def test_an_effect_that_is_expected_never_is_compared_too() -> None:
    """A count of zero says that the tool has no effect."""
    calm = {"effects": {"write_file": 1, "clean_logs": 0}}
    assert expected(run(story(**calm))).status == "holds"
    assert expected(run(story(effects={"write_file": 0}))).status == "violated"


def test_the_first_block_is_counted_by_results() -> None:
    """The third of equal reads is the first that is answered as a loop."""
    looping = Scenario(
        "t",
        [forever(call("read_file", path="a"))],
        world=[Files({"a": "1"})],
        limits=Limits(max_iterations=30),
        expect={"first_block": 3, "status": "loop", "calls": 6},
    )
    assert run(looping).verdict.status == "holds"


def test_an_agent_that_does_nothing_meets_no_expectation() -> None:
    """Each field is told as missing, but for those that a text leaves open."""
    found = expected(run(story(**FACTS), idle))
    assert [violation.words.partition(" ")[0] for violation in found.violations] == [
        "the",
        "iterations",
        "calls",
        "tools",
        "effects",
    ]


def test_a_trace_without_an_outcome_meets_no_expectation() -> None:
    """What was cut off before its end is compared with nothing."""
    found = judge_expectation(Expectation(status="done"), Trace(Header(), ()))
    assert found.violations[0].found == "None"


def test_nothing_expected_is_nothing_judged() -> None:
    """A scenario without expectation says so, and an agent of one's own holds."""
    found = expected(run(story(), obedient))
    assert (found.status, found.why) == (
        "not_applicable",
        "the scenario expects nothing",
    )


def test_a_run_with_deviations_is_not_held_to_it() -> None:
    """The expectation is of the run that the script tells."""
    from agentsim.engine import Replay
    from agentsim.simulation import Menu

    menu = Menu(faults=("raises",))
    made = run(story(**FACTS), menu=menu, choices=Replay({0: 1}))
    assert EXPECTED not in [entry.id for entry in made.verdict.judgements]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("status", "doen", "did you mean 'done'"),
        ("iterations", -1, "expect.iterations: expected zero or more, got -1"),
        ("messages", -1, "expect.messages"),
        ("calls", -1, "expect.calls"),
        ("first_block", -1, "expect.first_block"),
        ("effects", {"write_file": -1}, "expect.effects.write_file"),
    ],
)
def test_what_can_never_be_is_refused(field: str, value: object, words: str) -> None:
    """An unknown status and negative counts are mistakes of the scenario."""
    with pytest.raises(UsageError, match=words):
        Expectation(**{field: value})  # type: ignore[arg-type]
