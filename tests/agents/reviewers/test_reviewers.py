"""A reviewer of pull requests on real SDKs: right ones hold, each usual fault is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.core import Finished, RequestFailed
from agentsim.engine import Seeded
from agentsim.simulation import EXPLORING, Menu, Run, explore, replay, run
from tests.agents.reviewers.faulty import HABITS, WRONG, Wrong
from tests.agents.reviewers.forge import STORIES
from tests.agents.reviewers.forms import RIGHT, faults_of
from tests.support.sampled import alarms, sampled


@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", STORIES)
def test_a_right_reviewer_tells_the_story(form: str, name: str) -> None:
    """Without deviations each reviewer does what the story expects, and none is warned."""
    made = run(STORIES[name], RIGHT[form]).expect_holds()
    assert made.notes == ()


STREAMED = [form for form in RIGHT if "streamed" in form or "by hand" in form]

BREAKS = [
    f"{fault}={place}@1"
    for fault in ("stream_cut", "stream_ends_early", "stream_error")
    for place in (0, 1, "end")
]


@pytest.mark.slow
@pytest.mark.parametrize("form", STREAMED)
def test_a_right_reviewer_fails_in_order_wherever_a_stream_breaks(form: str) -> None:
    """Before the first event too, where helpers of the SDKs raise an AssertionError."""
    for fault in BREAKS:
        made = run(replace(STORIES["review_pr"], faults=[fault]), RIGHT[form])
        violated = [judgement.id for judgement in made.verdict.violated]
        assert (fault, made.outcome.status, violated) == (fault, "failed", ["expected"])


RUNS = {"review_pr": 12, "declined_merge": 3, "missing_file": 3, "thoughtful": 3}


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", STORIES)
def test_a_right_reviewer_holds_whatever_happens(form: str, name: str) -> None:
    """Twenty-one random runs of the stories, with all faults, break no rule."""
    menu = Menu("any_order", faults_of(form), cancel=True)
    story = STORIES[name]
    made = sampled(story, RIGHT[form], runs=RUNS[name], seed=7, menu=menu)
    assert alarms(made) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
def test_a_right_reviewer_holds_through_crashes(form: str) -> None:
    """Nor does one where the process dies at any point, and starts over; it repeats."""
    menu = Menu("any_order", faults_of(form), cancel=True, crash=True)
    story = STORIES["review_pr"]
    *others, last = sampled(story, RIGHT[form], runs=6, seed=8, menu=menu)
    assert alarms([*others, last]) == []
    again = replay(story, last.token, RIGHT[form], menu=menu)
    assert again.trace.digest() == last.trace.digest()


@pytest.mark.parametrize("form", RIGHT)
def test_the_same_choices_give_the_same_review(form: str) -> None:
    """Each reviewer is repeatable, event by event, whatever strikes."""
    story, agent = STORIES["review_pr"], RIGHT[form]
    first, second = (
        run(story, agent, menu=EXPLORING, choices=Seeded(3)) for _ in range(2)
    )
    assert first.trace.digest() == second.trace.digest()


@pytest.mark.parametrize("name", WRONG)
def test_a_usual_fault_is_found(name: str) -> None:
    """Each wrong reviewer breaks the rule that it should break, and is told by whom."""
    wrong = WRONG[name]
    made = found(wrong)
    assert wrong.invariant in [judgement.id for judgement in made.verdict.violated]
    assert wrong.said in told(made)


def found(wrong: Wrong) -> Run:
    """The run that shows a fault: the plain one, or one of a few with what may strike."""
    story = STORIES[wrong.story]
    if not wrong.faults:
        return run(story, wrong.agent)
    menu = Menu("any_order", faults=wrong.faults)
    explored = explore(
        story, wrong.agent, deviations=1, runs=12, menu=menu, smallest=False
    )
    return explored.violations[wrong.invariant]


@pytest.mark.parametrize(
    "name", [name for name, wrong in WRONG.items() if wrong.said and not wrong.faults]
)
def test_what_is_refused_raises_the_error_of_the_sdk(name: str) -> None:
    """The SDK raises its own class for status 400, with the service's words."""
    wrong = WRONG[name]
    value = run(STORIES[wrong.story], wrong.agent).value
    assert isinstance(value, Finished)
    assert (value.error or "").startswith("BadRequestError: Error code: 400 - ")
    assert wrong.said in (value.error or "")


@pytest.mark.parametrize("name", HABITS)
def test_a_bad_habit_is_accepted_with_a_warning(name: str) -> None:
    """What services put up with is refused by none, and told in the notes of the run."""
    agent, words = HABITS[name]
    made = run(STORIES["review_pr"], agent)
    assert made.trace.of(RequestFailed) == []
    assert [note for note in made.notes if words in note] == [*made.notes]
    assert len(made.notes) == 1


def told(made: Run) -> str:
    """What the findings of a run say."""
    return "\n".join(
        violation.words
        for judgement in made.verdict.judgements
        for violation in judgement.violations
    )
