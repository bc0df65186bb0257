"""Runs that are made by many, in any order, are counted as if one had made them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim import mutants
from agentsim.core import Env, ToolFailed, UsageError
from agentsim.runtime import reference
from agentsim.simulation import Exploration, Menu, Run
from agentsim.simulation.exploring.ahead import (
    AHEAD_MAX,
    Ahead,
    Alone,
    Crew,
    CrewDied,
)
from agentsim.simulation.exploring.explorer import Explorer
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.plans import (
    Drawn,
    Enumerated,
    Plan,
    Plans,
    Random,
)
from agentsim.simulation.exploring.sharing.child import Told, glance_at
from agentsim.simulation.exploring.sharing.packing import Job
from tests.simulation.fakes import obedient, reading

MENU = Menu("any_order", faults=("raises", "unknown_tool"), cancel=True)


class Others:
    """A crew of two in this process, who are as fast as a list of numbers says."""

    strangers = 0

    def __init__(self, job: Job, pace: Sequence[int]) -> None:
        self.given: list[int] = []
        self._job = job
        self._pace = cycle(pace)
        self._queues: tuple[list[tuple[int, Plan]], ...] = ([], [])
        self._told = (Told(), Told())

    @property
    def out(self) -> tuple[int, ...]:
        return tuple(number for queue in self._queues for number, _ in queue)

    @property
    def begun(self) -> tuple[int, ...]:
        return tuple(queue[0][0] for queue in self._queues if queue)

    def expect(self, first: Run) -> None:
        assert not first.choices.deviations

    def room(self, left: int | None) -> int:
        assert left is None or left >= 0
        return sum(3 - len(queue) for queue in self._queues)

    def give(self, runs: Sequence[tuple[int, Plan]]) -> None:
        for number, plan in runs:
            self.given.append(number)
            min(self._queues, key=len).append((number, plan))

    def receive(self, *, wait: bool) -> list[tuple[int, Glance | None]]:
        found: list[tuple[int, Glance | None]] = []
        for _ in range(max(next(self._pace) % 4, int(wait))):
            who = next(self._pace) % 2
            who = who if self._queues[who] else 1 - who
            if self._queues[who]:
                number, plan = self._queues[who].pop(0)
                told = glance_at(self._job, plan, self._told[who])
                found.append((number, None if told is None else Glance(*told)))
        return found

    def end(self) -> None:
        raise AssertionError("who hires them ends them")


async def two_bugs(env: Env) -> object:
    """Fail in one way where a tool fails, and else in another."""
    try:
        await obedient(env)
    except ToolFailed as error:
        raise ValueError("one") from error
    raise KeyError("another")


AGENTS: dict[str, Callable[..., Any]] = {
    "reference": reference,
    "mutant": mutants.error_kills_loop,
    "two bugs": two_bugs,
}

MODES: dict[str, Callable[[], Plans]] = {
    "random": lambda: Random(3),
    "exhaustive": lambda: Enumerated(2),
}


def found_by(
    crew: Crew, agent: Callable[..., Any], mode: str, runs: int | None
) -> Exploration:
    """Explore with a crew."""
    explorer = Explorer(Exploration(reading(), "", MENU), agent, runs, None)
    explorer.explore(MODES[mode](), crew)
    explorer.close(["raises", "crash"])
    return explorer.found


def told(found: Exploration) -> dict[str, Any]:
    """All that a report tells, but how fast it was."""
    names = set(Exploration.__slots__) - {"failures", "elapsed_s", "scenario", "menu"}
    failures = [
        (one.invariant, one.kind, one.runs, one.run.token, one.run.trace.digest())
        for one in found.failures
    ]
    return {
        **{name: getattr(found, name) for name in sorted(names)},
        "failures": failures,
        "endings": list(found.endings.items()),
    }


@cache
def alone(agent: str, mode: str, runs: int | None) -> dict[str, Any]:
    """What one process finds."""
    return told(found_by(Alone(), AGENTS[agent], mode, runs))


@settings(max_examples=8)
@given(
    agent=st.sampled_from(sorted(AGENTS)),
    mode_and_runs=st.sampled_from([("random", 10), ("exhaustive", 14), ("random", 1)]),
    pace=st.lists(st.integers(0, 3), min_size=1, max_size=12),
)
def test_whoever_makes_the_runs_the_report_is_the_same(
    agent: str, mode_and_runs: tuple[str, int], pace: list[int]
) -> None:
    """Counts, failures, tokens and what is left are those of one process."""
    mode, runs = mode_and_runs
    crew = Others(Job(reading(), AGENTS[agent], MENU), pace)
    assert told(found_by(crew, AGENTS[agent], mode, runs)) == alone(agent, mode, runs)
    assert 0 not in crew.given, "the first run is made here"


def test_an_enumeration_by_many_is_complete() -> None:
    """Where a level of the tree waits for the one before, nothing is lost."""
    small = Menu(faults=("raises",))
    explorer = Explorer(Exploration(reading(), "", small), reference, None, None)
    crew = Others(Job(reading(), reference, small), [1, 0, 2])
    explorer.explore(Enumerated(2), crew)
    found = explorer.found
    assert (found.complete, found.stopped_by) == (True, None)
    assert found.deviations_left == (0, True)
    assert crew.given


# ----------------------------------------------------------------------- the order itself


class Numbers:
    """A series of as many plans as wanted, whose seeds are their numbers."""

    complete = False
    left = None

    def __init__(self) -> None:
        self.number = -1

    def next(self) -> Plan:
        self.number += 1
        return Drawn(self.number, 0)

    def done(self, plan: Plan, seen: Glance) -> None:
        """Nothing follows from it."""


class Scripted:
    """A crew that takes the first runs it can have, and answers as it was told."""

    strangers = 0

    def __init__(self, takes: int, answers: Sequence[Collection[int]]) -> None:
        self._takes = takes
        self._answers = [list(numbers) for numbers in answers]
        self.out: list[int] = []

    @property
    def begun(self) -> list[int]:
        return self.out[:1]

    def expect(self, first: Run) -> None:
        """Nobody asks."""

    def room(self, left: int | None) -> int:
        return self._takes

    def give(self, runs: Sequence[tuple[int, Plan]]) -> None:
        for number, plan in runs:
            assert plan == Drawn(number, 0)
            self._takes -= 1
            self.out.append(number)

    def receive(self, *, wait: bool) -> Sequence[tuple[int, Glance | CrewDied | None]]:
        if not wait:
            return []
        numbers = self._answers.pop(0)
        self.out = [number for number in self.out if number not in numbers]
        return [(number, None) for number in numbers]

    def end(self) -> None:
        """Nothing to end."""


def ahead(
    crew: Crew,
    make: Callable[[Plan], Any],
    *,
    most: int | None = None,
    late_after: int | None = None,
) -> Iterator[int]:
    """The numbers of the runs that are handed over; late after so many were made here."""
    made: list[Plan] = []

    def counted(plan: Plan) -> Any:  # noqa: ANN401 - runs are not looked at
        made.append(plan)
        return make(plan)

    runs = Ahead(
        Numbers(),
        crew,
        counted,
        most=most,
        is_late=lambda: late_after is not None and len(made) >= late_after,
    )
    for plan, _ in runs:
        assert isinstance(plan, Drawn)
        yield plan.seed


def test_runs_are_handed_over_in_their_order() -> None:
    """Whatever comes back first waits for those before it."""
    crew = Scripted(3, [[3], [1, 2]])
    assert list(ahead(crew, lambda plan: plan, most=8)) == [*range(8)]


def test_nobody_runs_far_ahead() -> None:
    """While one run is waited for, only so many of those after it are made here."""
    made: list[Plan] = []
    crew = Scripted(1, [[1]])
    assert [*zip(range(2), ahead(crew, made.append, most=500), strict=False)]
    assert len(made) == AHEAD_MAX


def test_after_the_time_what_was_begun_is_waited_for() -> None:
    """Of two runs in a queue the first is counted, and none after the gap that is left."""
    crew = Scripted(2, [[1, 2]])
    assert list(ahead(crew, lambda plan: plan, late_after=4)) == [0, 1]


def test_after_the_time_what_was_made_counts_up_to_the_first_gap() -> None:
    """Runs made here after one that is at work elsewhere are counted when that is done."""
    crew = Scripted(1, [[1]])
    assert list(ahead(crew, lambda plan: plan, late_after=4)) == [0, 1, 2, 3, 4]


def test_an_error_waits_for_its_turn() -> None:
    """A run that is impossible is so after those before it, as in one process."""

    def make(plan: Plan) -> object:
        if plan == Drawn(3, 0):
            raise UsageError("not possible")
        return plan

    crew = Scripted(2, [[2], [1]])
    runs = Ahead(Numbers(), crew, make, most=6, is_late=lambda: False)  # type: ignore[arg-type]
    assert [made for _, made in runs][1:4] == [None, None, None]
    with pytest.raises(UsageError, match="not possible"):
        list(ahead(Alone(), make, most=6))


class Mortal(Scripted):
    """A crew that dies of the last run that it takes, at once."""

    def receive(self, *, wait: bool) -> Sequence[tuple[int, Glance | CrewDied | None]]:
        *others, last = self.out or [0]
        if last:
            self.out = []
            return [(last, CrewDied("one of them ended")), *[(n, None) for n in others]]
        return []


def test_a_death_waits_for_its_turn() -> None:
    """The runs before it are made here and count; of those after it none is begun."""
    made: list[int] = []

    def make(plan: Plan) -> Plan:
        assert isinstance(plan, Drawn)
        made.append(plan.seed)
        return plan

    counted: list[int] = []
    with pytest.raises(CrewDied, match="one of them ended"):
        counted.extend(ahead(Mortal(3, []), make, most=40))
    assert counted == [0, 1, 2]
    assert made == [0, 4]


# ------------------------------------------------------------------ runs that don't repeat


class Elsewhere(Others):
    """A crew whose runs end otherwise than here."""

    def receive(self, *, wait: bool) -> list[tuple[int, Glance | None]]:
        kinds = (("result-always", "only there"),)
        return [
            (number, seen and seen._replace(ending="raised", kinds=kinds))
            for number, seen in super().receive(wait=wait)
        ]


def test_what_is_violated_elsewhere_only_is_no_secret() -> None:
    """A run that is another one here is told as a run that does not repeat."""
    crew = Elsewhere(Job(reading(), reference, MENU), [1])
    found = found_by(crew, reference, "random", 9)
    assert set(found.violations) == {"runs-independent"}
    made = found.violations["runs-independent"]
    told = made.verdict.violated[0].violations[0].found
    assert told.endswith("in this process, and raised in another")


class Parting(Others):
    """A crew in which no run with trouble repeats."""

    def receive(self, *, wait: bool) -> list[tuple[int, Glance | None]]:
        return [
            (number, seen and seen._replace(parts="event 3 is another one"))
            for number, seen in super().receive(wait=wait)
        ]


def test_a_run_that_does_not_repeat_elsewhere_is_told() -> None:
    """Of each kind of trouble one run is made twice where it is made."""
    crew = Parting(Job(reading(), reference, MENU), [1])
    made = found_by(crew, reference, "random", 9).violations["runs-independent"]
    assert made.verdict.violated[0].violations[0].found == "event 3 is another one"


class Noting(Others):
    """A crew that meets something beside the runs."""

    def receive(self, *, wait: bool) -> list[tuple[int, Glance | None]]:
        return [
            (number, seen and seen._replace(notes=("met there",)))
            for number, seen in super().receive(wait=wait)
        ]


def test_what_is_met_elsewhere_is_noted() -> None:
    """Notes of runs that are counted at a glance stand in the report, each once."""
    crew = Noting(Job(reading(), reference, MENU), [1])
    assert found_by(crew, reference, "random", 9).notes == ("met there",)


class Strangers(Others):
    """A crew that is given nothing, since its first run is another one."""

    strangers = 2

    def room(self, left: int | None) -> int:
        return 0


def test_a_crew_of_strangers_is_told() -> None:
    """All runs are then made here, and the report says that other processes differ."""
    found = found_by(
        Strangers(Job(reading(), reference, MENU), [0]), reference, "random", 5
    )
    assert (found.runs, set(found.violations)) == (5, {"runs-independent"})
