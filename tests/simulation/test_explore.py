"""Exploring finds what is wrong, tells what it did not see, and never flatters."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim import mutants
from agentsim.core import Env, InvariantViolation, ToolFailed, UsageError
from agentsim.faults import answer_lost, raises
from agentsim.invariants import INVARIANTS
from agentsim.runtime import reference
from agentsim.simulation import (
    EXPLORING,
    ExplorationStopped,
    Menu,
    Run,
    explore,
    replay,
)
from agentsim.simulation.exploring.findings import KINDS_MAX
from tests.simulation.fakes import ask, obedient, reading, writing
from tests.support.scenarios import scenario

CALM = Menu()

ONE_FAULT = Menu(faults=("raises",))


async def raises_always(env: Env) -> None:
    """Fail at once."""
    raise ValueError("no")


# ------------------------------------------------------------------------- how it counts


def test_an_exhaustive_exploration_is_complete() -> None:
    """Every run within the bound is made once, and nothing is left."""
    tokens: list[str] = []
    found = explore(
        reading(),
        deviations=2,
        menu=ONE_FAULT,
        on_run=lambda made: tokens.append(made.token),
    )
    assert found.complete
    assert found.deviations_left == (0, True)
    assert found.runs == len(tokens) == len(set(tokens))
    assert sum(found.endings.values()) == found.runs
    assert found.expect_holds() is found


def test_a_capped_exploration_says_what_is_left() -> None:
    """Fewer runs than the bound has are honestly told."""
    found = explore(reading(), deviations=2, runs=2, menu=EXPLORING)
    assert (found.runs, found.complete) == (2, False)
    assert found.deviations_left is not None
    assert found.deviations_left[0] > 0


def test_a_random_exploration_has_no_bound() -> None:
    """It is never complete, and has as many runs as asked for."""
    found = explore(reading(), runs=7)
    assert (found.runs, found.complete, found.deviations_left) == (7, False, None)
    assert found.runs_per_s > 0


def test_the_same_seed_makes_the_same_runs() -> None:
    """Another seed makes others; the first run is always the calm one."""

    def tokens(seed: int) -> list[str]:
        made: list[str] = []
        explore(
            reading(), runs=15, seed=seed, on_run=lambda one: made.append(one.token)
        )
        return made

    assert tokens(1) == tokens(1)
    assert tokens(1) != tokens(2)
    assert tokens(1)[0] == tokens(2)[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"deviations": -1},
            "deviations: expected a whole number of 0 or more, got -1",
        ),
        ({"deviations": "2"}, "deviations: expected a whole number of 0 .* got '2'"),
        ({"runs": 0}, "runs: expected a whole number of 1 or more, got 0"),
        ({"faults": "slow"}, r"expected a list of faults, got 'slow': write"),
        ({"named": "cancel"}, r"named: expected a list, got 'cancel': write"),
        ({"time_s": 0}, "time_s: expected more than 0 seconds, got 0"),
        ({"time_s": float("nan")}, "time_s: expected more than 0 seconds, got nan"),
        ({"named": ["answer_lots"]}, "did you mean 'answer_lost'"),
    ],
)
def test_a_senseless_exploration_is_refused(
    arguments: dict[str, object], words: str
) -> None:
    """A negative bound, no run at all, and a name that nothing has are mistakes."""
    with pytest.raises(UsageError, match=words):
        explore(reading(), **arguments)  # type: ignore[arg-type]


def test_the_keyboard_stops_an_exploration() -> None:
    """Ctrl-C is not counted as an ending of the agent."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) == 4:
            raise KeyboardInterrupt
        return await reference(env)

    with pytest.raises(KeyboardInterrupt):
        explore(reading(), agent, runs=100)
    assert len(runs) == 4


@pytest.mark.parametrize("mode", [{"runs": 30}, {"deviations": 2}], ids=str)
def test_a_stopped_exploration_hands_over_what_it_found(mode: dict[str, int]) -> None:
    """Ctrl-C carries the runs and failures until then, which were not made smaller."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) == 9:
            raise KeyboardInterrupt
        await ask(env)
        raise ValueError("no")

    with pytest.raises(ExplorationStopped) as stopped:
        explore(reading(), agent, **mode)  # type: ignore[arg-type]
    found = stopped.value.found
    assert (found.stopped_by, found.complete) == ("keyboard", False)
    assert found.runs >= found.violated_runs > 0
    assert not any(failure.shrunk for failure in found.failures)
    assert found.agent


def test_an_exploration_without_a_run_shows_nothing() -> None:
    """Ctrl-C before the first run leaves a verdict that is open, and the agent's name."""

    async def agent(env: Env) -> object:
        raise KeyboardInterrupt

    with pytest.raises(ExplorationStopped) as stopped:
        explore(reading(), agent)
    found = stopped.value.found
    assert (found.runs, found.status) == (0, "unknown")
    assert found.agent.endswith("agent")
    with pytest.raises(InvariantViolation, match="unknown: no run was made"):
        found.expect_holds()


def test_the_keyboard_stops_the_shrinking_too() -> None:
    """Ctrl-C after the runs keeps all of them, and says that they were not shrunk."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) > 7:  # one to warm up, 5 that count, one of them twice
            raise KeyboardInterrupt
        raise ValueError("no")

    with pytest.raises(ExplorationStopped) as stopped:
        explore(reading(), agent, runs=5, menu=ONE_FAULT)
    found = stopped.value.found
    assert (found.runs, found.stopped_by) == (5, "keyboard")
    assert [failure.shrunk for failure in found.failures] == [False]


@pytest.mark.parametrize("deviations", [None, 3])
def test_the_time_stops_an_exploration(deviations: int | None) -> None:
    """It makes one run at least, no run after its time, and says why it ended."""
    found = explore(reading(), deviations=deviations, time_s=1e-9)
    assert (found.runs, found.stopped_by, found.complete) == (1, "time", False)
    if deviations is not None:
        assert found.deviations_left is not None
        assert found.deviations_left[0] > 0
    long = explore(reading(), deviations=1, time_s=60)
    assert (long.stopped_by, long.complete) == (None, True)


def test_random_runs_go_on_until_the_time_is_over() -> None:
    """With a time and no number of runs, the number is what the time allows."""
    seen: list[Run] = []

    def enough(made: Run) -> None:
        seen.append(made)

    found = explore(reading(), time_s=0.05, on_run=enough)
    assert found.stopped_by == "time"
    assert found.runs == len(seen)
    assert found.elapsed_s >= 0.05
    assert explore(reading(), runs=3, time_s=60).stopped_by == "runs"


# ------------------------------------------------------------------------- what it tells


def test_what_never_happened_is_told() -> None:
    """Faults, cancellation and crash that never struck, and invariants without evidence."""
    menu = Menu(faults=("answer_lost", "raises"), cancel=True, crash=True)
    found = explore(reading(), deviations=0, menu=menu)
    assert found.never_struck == ("answer_lost", "raises", "cancel", "crash")
    assert "writes-alone" in found.no_evidence
    assert "every-call-answered" not in found.no_evidence
    assert set(found.no_evidence) <= set(INVARIANTS)
    wide = explore(reading(), deviations=1, menu=menu)
    assert wide.never_struck == ("answer_lost",)
    assert wide.unmet == ()


def test_what_a_report_shows_is_not_said_never_to_have_happened() -> None:
    """A failure is made smaller to another fault, which then struck as well."""
    menu = Menu("any_order", faults=["service_errors"])
    shown = 0
    for seed in range(6):
        found = explore(reading(), obedient, runs=8, seed=seed, menu=menu)
        struck = [name for one in found.failures for name in one.run.struck]
        shown += len(struck)
        assert [name for name in struck if name in found.never_struck] == []
    assert shown > 0


def test_what_is_named_must_be_met_in_some_run() -> None:
    """Named and never met makes the verdict unknown; met once is enough."""
    found = explore(reading(), deviations=0, menu=ONE_FAULT, named=["raises"])
    assert (found.status, found.unmet) == ("unknown", ("raises",))
    with pytest.raises(InvariantViolation, match="unknown: never met: raises"):
        found.expect_holds()
    met = explore(reading(), deviations=1, menu=ONE_FAULT, named=["raises"])
    assert (met.status, met.unmet) == ("holds", ())


def test_faults_that_are_given_must_have_struck() -> None:
    """They take the place of the menu's, and one that never struck leaves it open."""
    struck = explore(writing(), faults=[answer_lost("write_file")], deviations=1)
    assert [rule.text for rule in struck.menu.rules] == ["answer_lost:write_file"]
    assert struck.menu.cancel
    assert (struck.status, struck.unmet) == ("holds", ())
    never = explore(writing(), faults=["slow", "raises@7"], deviations=1)
    assert (never.status, never.unmet) == ("unknown", ("raises@7",))
    with pytest.raises(InvariantViolation, match="never met: raises@7"):
        never.expect_holds()


def test_what_is_named_beside_the_faults_counts_too() -> None:
    """A cancellation and a crash are named like faults; the menu must offer them."""
    menu = Menu(cancel=True, crash=True)
    named = ["cancel", "crash"]
    found = explore(reading(), faults=["slow"], deviations=1, menu=menu, named=named)
    assert (found.status, found.unmet) == ("holds", ())
    calm = explore(reading(), faults=["slow"], deviations=1, menu=CALM, named=named)
    assert (calm.status, calm.unmet) == ("unknown", ("cancel", "crash"))


def test_a_fault_of_the_scenario_must_strike_in_some_run() -> None:
    """One that deviations alone bring about is met; one that nothing does is not."""
    menu = Menu(faults=("arguments_cut",))
    second = reading(faults=[raises("check_disk", attempt=2)])
    found = explore(second, deviations=1, menu=menu)
    assert found.unmet == ("raises on check_disk, attempt 2",)
    assert found.status == "unknown"
    struck = explore(reading(faults=[raises("check_disk")]), deviations=1, menu=menu)
    assert (struck.unmet, struck.status) == ((), "holds")


def test_endings_are_counted_by_status_or_kind() -> None:
    """A run with a result counts by its status, another one by how it ended."""
    found = explore(reading(expect={"status": "done"}), raises_always, runs=3)
    assert found.endings == {"raised": 3}
    assert explore(reading(), deviations=0).endings == {"done": 1}


# ------------------------------------------------------------------------- what it finds


def test_the_first_violating_run_is_kept_and_shrunk() -> None:
    """Each invariant has a run with as few deviations as violate it, which replays."""
    agent = mutants.unknown_tool_kills_loop
    found = explore(scenario("high_cpu"), agent, runs=60, seed=2)
    made = found.violations["result-always"]
    assert len(made.choices.deviations) == 1
    assert found.violated_runs > 1
    again = replay(scenario("high_cpu"), made.token, agent, menu=EXPLORING)
    assert again.trace.digest() == made.trace.digest()
    with pytest.raises(InvariantViolation, match="result-always is violated"):
        found.expect_holds()


def test_failures_may_go_without_their_shortest_story() -> None:
    """Who tells the run alone gets the least one, and no scenario is looked for."""
    agent = mutants.error_kills_loop
    story = scenario("high_cpu")
    [told, *_] = explore(story, agent, runs=5).failures
    [failure, *_] = explore(story, agent, runs=5, stories=False).failures
    assert (failure.shrunk, failure.story, failure.test) == (True, None, "")
    assert failure.run.token == told.run.token
    assert told.story is not None


def test_failures_may_stay_as_they_were_found() -> None:
    """Who asks for it gets them fast: no smaller run and no story is looked for."""
    made: list[Run] = []
    found = explore(
        scenario("high_cpu"),
        mutants.error_kills_loop,
        runs=20,
        smallest=False,
        on_run=made.append,
    )
    [failure, *_] = found.failures
    assert not failure.shrunk
    assert failure.story is None
    assert failure.run in made


async def two_bugs(env: Env) -> None:
    """Fail in one place on an error of a tool, and in another without one."""
    try:
        await obedient(env)
    except ToolFailed:
        one_bug()
    another_bug()


def one_bug() -> None:
    """Fail."""
    raise ValueError("one")


def another_bug() -> None:
    """Fail elsewhere."""
    raise KeyError("another")


def test_two_bugs_that_break_one_invariant_are_both_told() -> None:
    """Each kind of failure has its least run, and how many runs show it."""
    found = explore(reading(), two_bugs, deviations=1, menu=ONE_FAULT)
    told = [entry for entry in found.failures if entry.invariant == "result-always"]
    assert [entry.kind.partition(",")[0] for entry in told] == [
        "the run raised an exception: KeyError",
        "the run raised an exception: ValueError",
    ]
    assert sum(entry.runs for entry in told) == found.runs
    assert [entry.shrunk for entry in told] == [True, True]
    assert [len(entry.run.choices.deviations) for entry in told] == [0, 1]
    with pytest.raises(InvariantViolation, match=r"(?s)KeyError.*ValueError"):
        found.expect_holds()


def test_one_bug_is_told_once() -> None:
    """Runs that fail alike, but for names and numbers, are one failure."""
    found = explore(reading(), raises_always, runs=20)
    (failure,) = found.failures
    assert (failure.runs, found.violated_runs) == (20, 20)


def test_kinds_beyond_the_bound_are_counted() -> None:
    """More ways to break one rule than are kept are told by their number of runs."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        kinds = [type(f"Error{letter}", (Exception,), {}) for letter in "ABCDEFG"]
        raise kinds[len(runs) % len(kinds)]

    found = explore(reading(), agent, runs=14, menu=CALM)
    kept = [entry for entry in found.failures if entry.invariant == "result-always"]
    assert len(kept) == KINDS_MAX
    assert found.other_kinds["result-always"] > 0
    whole = sum(entry.runs for entry in kept) + found.other_kinds["result-always"]
    assert whole == found.runs


def test_a_violation_goes_before_what_was_not_met() -> None:
    """The verdict on an agent that breaks a rule is not softened to unknown."""
    found = explore(reading(), raises_always, deviations=0, named=["crash"])
    assert (found.status, found.unmet) == ("violated", ("crash",))


# ---------------------------------------------------------------- runs that are not apart


def counting() -> Callable[[Env], object]:
    """An agent that is slower in each run."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        import asyncio

        runs.append(0)
        await asyncio.sleep(len(runs))
        return await reference(env)

    return agent


def growing() -> Callable[[Env], object]:
    """An agent that asks once more in each run: it meets other choices."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        for _ in runs:
            await ask(env)
        return await obedient(env)

    return agent


def forgetful() -> Callable[[Env], object]:
    """An agent that is itself in the first runs only, up to the first that counts."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) > 3:
            raise ValueError("no more")
        return await reference(env)

    return agent


@pytest.mark.parametrize("mode", [{"runs": 4}, {"deviations": 1}], ids=str)
@pytest.mark.parametrize("make", [counting, growing])
def test_runs_that_hang_on_each_other_are_found(
    make: Callable[[], Callable[[Env], object]],
    mode: dict[str, int],
    snapshot: SnapshotAssertion,
) -> None:
    """The first run is made twice: where the two part is told, and is a violation."""
    found = explore(reading(), make(), menu=ONE_FAULT, **mode)  # type: ignore[arg-type]
    made = found.violations["runs-independent"]
    assert found.status == "violated"
    violation = next(
        entry for entry in made.verdict.violated if entry.id == "runs-independent"
    ).violations[0]
    assert violation.found == snapshot
    assert "an object given as the agent keeps may outlive" in str(violation.expected)
    with pytest.raises(InvariantViolation, match="runs-independent is violated"):
        found.expect_holds()


def test_an_enumeration_stops_where_runs_do_not_repeat() -> None:
    """What differs only later ends the enumeration, honestly incomplete."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) <= 3:
            return await reference(env)
        return await ask(env)

    found = explore(reading(), agent, deviations=2, menu=ONE_FAULT)
    assert not found.complete
    assert set(found.violations) == {"runs-independent"}


def test_a_violation_that_does_not_repeat_is_told_as_such() -> None:
    """It is kept as it was found, beside the word that it can't be repeated."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) == 4:
            raise ValueError("now and then")
        return await reference(env)

    found = explore(reading(), agent, runs=5, menu=EXPLORING)
    assert set(found.violations) == {"result-always", "runs-independent"}
    text = found.violations["runs-independent"].failure_text("")
    assert "A second run with the same choices gives the same trace" in text


def test_a_run_that_is_not_possible_again_is_told_as_such() -> None:
    """An error of the second run is no error of the user: it is what was found."""
    runs: list[int] = []

    async def agent(env: Env) -> object:
        runs.append(0)
        if len(runs) > 2:
            for _ in range(3):
                await ask(env)
        return "fine"

    found = explore(reading(script=[]), agent, deviations=0, menu=CALM)
    made = found.violations["runs-independent"]
    found_words = made.verdict.violated[0].violations[0].found
    assert found_words.startswith(
        "the run was possible once, and not again: the script"
    )


def test_independent_runs_are_not_accused() -> None:
    """Agents that keep nothing between runs hold, also one made by a factory."""

    def factory() -> Callable[[Env], object]:
        return reference

    for agent in (reference, factory):
        assert explore(reading(), agent, runs=10).status == "holds"


def test_progress_is_told_run_by_run() -> None:
    """`on_run` gets each counted run, and not those that only check."""
    seen: list[Run] = []
    found = explore(reading(), raises_always, runs=4, on_run=seen.append)
    assert len(seen) == found.runs == 4


@pytest.mark.parametrize("mode", [{"runs": 40}, {"deviations": 1}], ids=str)
def test_runs_that_differ_are_counted(mode: dict[str, int]) -> None:
    """A random run that chose what another one chose is the same run, and no new one."""
    tokens: list[str] = []
    found = explore(
        reading(),
        menu=ONE_FAULT,
        on_run=lambda made: tokens.append(made.token),
        **mode,  # type: ignore[arg-type]
    )
    assert found.different == len(set(tokens))
    assert (found.different == found.runs) == ("deviations" in mode)
