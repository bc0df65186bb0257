import pytest

from agentsim.core import Decision, Question, UsageError
from agentsim.world import Human

QUESTION = Question("c1", "restart_service", {"service": "nginx"})


def test_a_person_approves_by_default_and_says_who() -> None:
    """An approval carries the person's id, every time."""
    person = Human().build()
    decisions = [person.decide(QUESTION) for _ in range(2)]
    assert decisions == [Decision(approved=True, confirmed_by="operator-1")] * 2
    assert person.asked == 2
    assert person.latency_s == 30.0


def test_a_person_may_decline_with_a_reason() -> None:
    """A refusal carries the reason and no id."""
    person = Human(approves=False, reason="not at noon").build()
    assert person.decide(QUESTION) == Decision(approved=False, reason="not at noon")


def test_a_person_may_refuse_some_tools() -> None:
    """Named tools are declined, others approved."""
    person = Human(refuses=("clean_logs",), reason="logs are evidence").build()
    assert person.decide(QUESTION).approved
    declined = person.decide(Question("c2", "clean_logs", {}))
    assert declined == Decision(approved=False, reason="logs are evidence")


def test_decisions_can_be_scripted() -> None:
    """Decisions are taken in turn, an id is filled in; then the default holds again."""
    script = (
        Decision(approved=True),
        Decision(approved=False, reason="wait"),
        Decision(approved=True, confirmed_by="operator-2"),
    )
    person = Human(approves=False, decisions=script).build()
    assert [person.decide(QUESTION) for _ in range(4)] == [
        Decision(approved=True, confirmed_by="operator-1"),
        script[1],
        script[2],
        Decision(approved=False),
    ]


def test_two_runs_ask_two_persons() -> None:
    """What was asked in one run is not asked in another."""
    human = Human(decisions=(Decision(approved=False),))
    assert [human.build().decide(QUESTION).approved for _ in range(2)] == [False, False]


def test_an_approval_may_lack_its_person() -> None:
    """A nameless person gives approvals that are none (R1.10)."""
    decision = Human(name=None).build().decide(QUESTION)
    assert decision == Decision(approved=True, confirmed_by=None)


def test_no_person_answers_before_being_asked() -> None:
    """A negative latency is refused."""
    with pytest.raises(UsageError, match="latency_s: expected 0 or more, got -1"):
        Human(latency_s=-1)
