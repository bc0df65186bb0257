"""Invariants of what ends a run from outside of its course: deadline, cancellation."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import Limits
from agentsim.invariants.checks.limiting import closing
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Life, Operation, Question

__all__ = ["Deadline", "cancellation_kept", "deadline_kept", "shown"]

NS_PER_S = 1_000_000_000
TOLERANCE_NS = 1_000
"""How early an end may count as at the deadline: clocks are floats in between."""

GRACE_NS = NS_PER_S
"""How long what is cancelled at a deadline may take to be gone."""

OVERRIDING = (None, "deadline", "cancelled", "failed", "waiting_human")
"""Statuses that may stand in place of a deadline that came at the same time."""

UNCERTAIN = (
    "unknown",
    "may have",
    "might have",
    "could have",
    "may or may not",
    "might or might not",
    "uncertain",
    "unclear",
    "unsure",
    "not sure",
    "not known",
    "not clear",
    "unconfirmed",
    "indeterminate",
    "whether",
    "possibly",
    "perhaps",
)
"""What the report of a call may say whose outcome nobody knows."""


class Deadline:
    """When the deadline of a life is, counted from its declaration or beginning.

    Clocks are floats, which are coarser than a nanosecond after some weeks: an event is
    late only if it is so by an agent's own arithmetic, too.

    Attributes:
        due_ns: Nanoseconds since the run began.
    """

    __slots__ = ("_due_s", "due_ns")

    def __init__(self, life: Life, seconds: float) -> None:
        duration = seconds * NS_PER_S
        whole = round(duration) if duration < 2**62 else duration
        self.due_ns = life.start_ns + whole
        self._due_s = life.start_ns / NS_PER_S + seconds

    @classmethod
    def of(cls, life: Life, limits: Limits) -> Deadline | None:
        """The deadline of a life, or None where none is declared."""
        return None if limits.deadline_s is None else cls(life, limits.deadline_s)

    def passed(self, at_ns: int) -> bool:
        """Whether an event is late: its very instant is (R6.3)."""
        return at_ns >= self.due_ns and at_ns / NS_PER_S >= self._due_s

    def reached(self, at_ns: int) -> bool:
        """Whether an end may be one at the deadline."""
        return at_ns >= self.due_ns - max(TOLERANCE_NS, self.due_ns * 2**-51)

    def overrun(self, at_ns: int) -> bool:
        """Whether an event is so late that nobody can have been cut off at the deadline."""
        return at_ns > self.due_ns + GRACE_NS

    def outrun_by(self, operation: Operation) -> bool:
        """Whether a tool was cut off, and not until well after the deadline."""
        end = operation.end
        return end is not None and end.ending == "cancelled" and self.overrun(end.at_ns)

    def __str__(self) -> str:
        return seconds_of(self.due_ns)


def seconds_of(at_ns: float) -> str:
    """A time in words, exact to the nanosecond."""
    whole = f"{at_ns / NS_PER_S:.9f}".rstrip("0")
    return f"{whole.removesuffix('.')} s"


@invariant(
    "deadline-kept",
    "The run is over at its deadline: nothing starts from then on, and what comes at "
    "its very instant is late.",
    rationale="Who gave a run a minute has moved on after it; what a late run still does "
    "happens behind their back, and a late answer was never waited for.",
    spec=("R1.8", "R6.1", "R6.3"),
    exemptions=(
        "Agents that do not declare a deadline.",
        "Checkpoints and closing events may come later.",
        "The effect of a call that is reported as unknown.",
        "What ends within a second of it, or was left behind by a run that is over.",
        "A cancellation or a failure at the same time: its status counts.",
        "Lives are judged one by one, each from its own declaration.",
    ),
)
def deadline_kept(facts: Facts) -> Ruling:
    """Look for what comes at a deadline or after it, and for ends before it."""
    limits = facts.header.limits
    if limits is None or limits.deadline_s is None:
        return not_applicable("the agent does not declare a deadline")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        deadline = Deadline(life, limits.deadline_s)
        if deadline.passed(life.end_ns):
            evidence += 1
            violations += _behind(life, deadline)
        elif life.status == "deadline":
            evidence += 1
            violations += _early(life, deadline)
    return rule(evidence, violations, "no deadline was reached")


def _early(life: Life, deadline: Deadline) -> Iterator[Violation]:
    if life.outcome is not None and not deadline.reached(life.outcome.at_ns):
        yield Violation(
            "the run ends for its deadline before it",
            f"an end at {deadline} or later",
            seconds_of(life.outcome.at_ns),
            closing(life),
        )


def _behind(life: Life, deadline: Deadline) -> Iterator[Violation]:
    """The first of each kind that is late."""
    for at, request in life.requests:
        if deadline.passed(request.at_ns):
            yield _late(deadline, f"request {request.number}", (at,))
            break
    for question in asked_in(life):
        if deadline.passed(question.ask.at_ns):
            found = f"a question about {question.ask.name}"
            yield _late(deadline, found, (question.ask_at,))
            break
    for operation in life.operations:
        if deadline.passed(operation.start.at_ns):
            found = f"a start of {operation.start.name}"
            yield _late(deadline, found, shown(operation))
            break
    for operation in life.operations:
        late = any(deadline.passed(event.at_ns) for event in operation.effects)
        if late and not _told_unknown(life, operation):
            found = f"an effect of {operation.start.name}, told as certain"
            yield _late(deadline, found, shown(operation))
            break
    for operation in life.operations:
        if deadline.outrun_by(operation):
            found = f"{operation.start.name} cut off only later"
            yield _late(deadline, found, (operation.start_at, operation.end_at or 0))
            break
    yield from _awaited(life, deadline)
    yield from _taken_in_time(life, deadline)


def _awaited(life: Life, deadline: Deadline) -> Iterator[Violation]:
    """The first thing in flight at the deadline that the run waited for all the same."""
    ends = [
        (turn.response_at, turn.request_at, turn.response.at_ns, "the model's answer")
        for turn in life.turns
    ]
    for operation in life.operations:
        end, at = operation.end, operation.end_at
        if end is not None and at is not None and end.ending != "cancelled":
            ends.append((at, operation.start_at, end.at_ns, f"the end of {end.name}"))
    for question in asked_in(life):
        answer, at = question.answer, question.answer_at
        if answer is not None and at is not None:
            name = question.ask.name
            ends.append((at, question.ask_at, answer.at_ns, f"an answer about {name}"))
    for at, begun_at, at_ns, what in sorted(ends):
        over = life.outcome_at is not None and at > life.outcome_at
        if deadline.overrun(at_ns) and not over:
            found = f"a wait for {what} until {seconds_of(at_ns)}"
            yield _late(deadline, found, (begun_at, at))
            return


def asked_in(life: Life) -> Iterator[Question]:
    """The questions to a person that a life asked behind its responses."""
    for turn in life.turns:
        for question in turn.questions:
            if question.ask.life == life.number:
                yield question


def _late(deadline: Deadline, found: str, places: tuple[int, ...]) -> Violation:
    words = f"the deadline was at {deadline}, and the run goes on"
    return Violation(words, "nothing after it", found, places)


def _taken_in_time(life: Life, deadline: Deadline) -> Iterator[Violation]:
    """What came too late, in a run that ends as if it had not."""
    if life.status in OVERRIDING:
        return
    expected = f"an end as deadline: it was at {deadline}"
    if life.turns and deadline.passed(life.turns[-1].response.at_ns):
        turn = life.turns[-1]
        words = "an answer at or after the deadline is taken as in time"
        found = f"an answer at {seconds_of(turn.response.at_ns)}, status {life.status}"
        yield Violation(words, expected, found, (turn.response_at, *closing(life)))
        return
    for operation in life.operations:
        end = operation.end
        if end is not None and end.ending == "ok" and deadline.passed(end.at_ns):
            words = f"{end.name} ended at or after the deadline and is taken as in time"
            found = f"an end at {seconds_of(end.at_ns)}, status {life.status}"
            places = (operation.start_at, *closing(life))
            yield Violation(words, expected, found, places)
            return


def _told_unknown(life: Life, operation: Operation) -> bool:
    """Whether the model is told that the outcome is unknown, or the process died."""
    if operation.end is None or operation.end.ending in ("unknown", "cancelled"):
        return True
    for turn in life.turns:
        for asked in turn.asked:
            if operation in asked.operations and asked.result is not None:
                told = asked.result
                return told.is_error and is_uncertain(told.content)
    return False


def is_uncertain(text: str) -> bool:
    """Whether a text says that an outcome is unknown, in one of the usual words."""
    lower = text.lower()
    return any(word in lower for word in UNCERTAIN)


def shown(operation: Operation) -> tuple[int, ...]:
    """Where a run of a tool shows: its start, and its first effect."""
    return (operation.start_at, *operation.effects_at[:1])


@invariant(
    "cancellation-kept",
    "After a cancellation from outside nothing starts: no request, no question, no tool.",
    rationale="Who cancels a run wants it to stop now; reads that wait in a queue, and "
    "loops that catch every exception, go on as if nobody had said anything.",
    spec=("R1.9", "R3.9"),
    exemptions=(
        "What was under way: it may end, or take effect, as it was cut.",
        (
            "A life after the one that was cancelled, where the process died on the way "
            "out: whoever starts it again wants it to run."
        ),
    ),
)
def cancellation_kept(facts: Facts) -> Ruling:
    """Look for the first of each kind that starts behind the cancellation of a life."""
    cancelled = 0
    violations: list[Violation] = []
    for life in facts.lives:
        at = life.cancelled_at
        if at is None:
            continue
        cancelled += 1
        sent = [(place, event) for place, event in life.requests if place > at]
        starts = [entry for entry in life.operations if entry.start_at > at]
        asked = [entry for entry in asked_in(life) if entry.ask_at > at]
        if sent:
            place, request = sent[0]
            violations.append(_uncut(f"request {request.number}", (at, place)))
        if asked:
            found = f"a question about {asked[0].ask.name}"
            violations.append(_uncut(found, (at, asked[0].ask_at)))
        if starts:
            name = starts[0].start.name
            violations.append(_uncut(f"a start of {name}", (at, *shown(starts[0]))))
    return rule(cancelled, violations, "nobody cancelled the run")


def _uncut(found: str, places: tuple[int, ...]) -> Violation:
    words = "the run was cancelled and goes on"
    return Violation(words, "nothing that starts after it", found, places)
