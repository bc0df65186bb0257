"""The failure text says what is wrong, where it shows, and how to repeat it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.invariants import INVARIANTS, Judgement, Violation
from agentsim.report import failure_text, invariant_sentence, unmet_text
from tests.report.traces import everything, trace, violated

REPEAT = "agentsim replay story.yaml '~0000'"


def told(*judgements: Judgement, deviations: tuple[str, ...] = ()) -> str:
    """The failure text over a trace of everything."""
    return failure_text(
        trace(*everything()), judgements, deviations=deviations, repeat=REPEAT
    )


def test_the_text_has_its_parts_in_order(snapshot: SnapshotAssertion) -> None:
    """Invariant, events, expected and found, deviations, and the line that repeats it."""
    assert told(violated(4, 5, 16), deviations=("cancelled", "slow")) == snapshot


def test_what_holds_is_not_told() -> None:
    """Only violated judgements have a part."""
    calm = Judgement("ends", "holds", 1, (), "")
    text = told(calm, violated(3))
    assert "ends" not in text
    assert "What was not as usual: nothing" in text


def test_many_violations_of_one_kind_are_counted() -> None:
    """One is shown, and how many more there are."""
    violations = tuple(Violation(f"no {n}", "a", "b", (n,)) for n in range(5))
    text = told(Judgement("ends", "violated", 5, violations, ""))
    assert text.count("expected:") == 1
    assert "and 4 more of this kind" in text


def test_events_outside_of_the_trace_are_left_out() -> None:
    """A violation that shows nowhere is told in words alone."""
    assert "no such event" in told(violated(999, words="no such event"))
    assert "nowhere" in told(violated(words="nowhere"))


def test_a_runtimes_own_events_are_not_shown() -> None:
    """The excerpt is of the boundary; an index of the runtime's marks no line."""
    text = told(violated(25))
    assert "✗" not in text


def test_what_was_never_met_is_told_with_what_to_do() -> None:
    """The names stand in the first line, and why that is a failure in the second."""
    first, second = unmet_text(["slow", "crash"]).split("\n")
    assert first == "unknown: never met: slow, crash"
    assert "let the story come to it, or leave it out" in second


def test_every_sentence_is_known() -> None:
    """Invariants and what runs are judged by beside them have a sentence."""
    beside = ("expected", "no-lost-errors", "runs-independent")
    for name in (*INVARIANTS, *beside):
        assert invariant_sentence(name).endswith(".")
    assert invariant_sentence("my-own-rule") == ""


@settings(max_examples=50)
@given(
    events=st.lists(st.integers(-3, 40), max_size=6),
    words=st.text(st.characters(codec=None), max_size=40),
)
def test_any_violation_can_be_told(events: list[int], words: str) -> None:
    """Whatever an invariant points at, each line can be printed."""
    text = told(violated(*events, words=words))
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.endswith(f"Repeat it: {REPEAT}")


def test_of_a_text_as_long_as_a_file_both_ends_are_told() -> None:
    """What was found may be anything that an agent returns; the report stays readable."""
    long = Violation("wrong", "short", f"begins {'x' * 100_000} ends", (0,))
    text = told(Judgement("expected", "violated", 1, (long,), ""))
    assert len(text) < 3_000
    assert "begins xxx" in text
    assert "xxx ends" in text
    assert "98012 characters are left out here" in text
