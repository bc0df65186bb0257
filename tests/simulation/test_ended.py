"""An error that ends an exploration carries what was found before it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    Env,
    HeldForEver,
    InternalError,
    InvariantViolation,
    ToolFailed,
    UsageError,
)
from agentsim.simulation import (
    Exploration,
    ExplorationStopped,
    KnownFailure,
    KnownFailures,
    Menu,
    Run,
    agent_name,
    explore,
)
from tests.simulation.fakes import obedient, reading
from tests.simulation.worker_agents import overstepping

MENU = Menu(faults=("unknown_tool", "raises"))

WORDS = "agent (mine.py:7) asked for what a simulation has not"


def failing(error: Exception, unless: Callable[[], bool] = bool) -> Callable[..., Any]:
    """An agent that fails where it lacks a tool, and ends all where a tool fails."""

    async def agent(env: Env) -> object:
        try:
            return await obedient(env)
        except KeyError:
            raise ValueError("no") from None
        except ToolFailed:
            if unless():
                return "it failed"
            raise error from None

    return agent


def ended_by(error: Exception, **how: Any) -> Exploration:
    """What an error carries that ends an exploration in its third run."""
    how = {"deviations": 1, "menu": MENU, "agent": failing(error), **how}
    with pytest.raises(type(error)) as raised:
        explore(reading(), **how)
    assert raised.value is error
    found: Exploration = raised.value.found  # type: ignore[attr-defined]
    assert (found.stopped_by, found.complete) == ("error", False)
    return found


def test_an_error_carries_what_was_found_before_it(snapshot: SnapshotAssertion) -> None:
    """It stays the error that it is; its last note tells the failures, made smaller."""
    error = UsageError(WORDS)
    found = ended_by(error)
    assert (found.runs, found.violated_runs, found.error) == (2, 1, WORDS)
    (failure,) = found.failures
    assert (failure.shrunk, bool(failure.test)) == (True, True)
    unusual, note = error.__notes__
    assert unusual == "What was not as usual: raises strikes check_disk"
    assert note == found.error_note
    assert re.sub(r"py:\d+", "py:N", note) == snapshot
    with pytest.raises(InvariantViolation, match="result-always is violated"):
        found.expect_holds()


def test_after_an_agent_that_held_failures_stay_as_found() -> None:
    """Another run like it would take half a minute again."""
    error = HeldForEver("held")
    (failure,) = ended_by(error).failures
    assert (failure.shrunk, failure.story) == (False, None)
    assert "result-always is violated" in error.__notes__[-1]


def test_failures_stay_as_found_where_that_is_asked_for() -> None:
    """An error makes no more runs than a whole exploration would."""
    (failure,) = ended_by(UsageError(WORDS), smallest=False).failures
    assert not failure.shrunk


def test_an_error_without_failures_before_it_is_alone() -> None:
    """It has no note of them, and what went well until then shows nothing."""
    error = UsageError(WORDS)
    found = ended_by(error, menu=Menu(faults=("raises",)))
    assert (found.runs, found.status) == (1, "unknown")
    assert error.__notes__ == ["What was not as usual: raises strikes check_disk"]
    with pytest.raises(InvariantViolation, match=re.escape(f"ended it: {WORDS}")):
        found.expect_holds()


@pytest.mark.parametrize(
    ("error", "smaller"),
    [(AssertionError("of mine"), True), (InternalError("of ours"), False)],
    ids=str,
)
def test_what_is_no_error_of_usage_has_the_note_too(
    error: Exception, smaller: bool
) -> None:
    """Such as an assertion of who is told of each run; after a bug of ours none is made."""

    def told(made: Run) -> None:
        if made.verdict.violated:
            raise error

    with pytest.raises(type(error)) as raised:
        explore(reading(), failing(error), deviations=1, menu=MENU, on_run=told)
    (note,) = raised.value.__notes__
    assert "result-always is violated" in note
    assert ("shortest story" in note) is smaller


def test_the_keyboard_after_an_error_hides_neither(tmp_path: Path) -> None:
    """Ctrl-C while failures are made smaller says by what the runs had ended."""
    seen: list[int] = []
    agent = failing(UsageError(WORDS))

    async def impatient(env: Env) -> object:
        seen.append(0)
        if len(seen) > 6:
            raise KeyboardInterrupt
        answer: object = await agent(env)
        return answer

    with pytest.raises(ExplorationStopped) as stopped:
        explore(reading(), impatient, deviations=1, menu=MENU, known=tmp_path)
    found = stopped.value.found
    assert (found.stopped_by, found.error) == ("keyboard", WORDS)
    assert [failure.shrunk for failure in found.failures] == [False]
    assert list(tmp_path.glob("*.json"))


def test_a_known_failure_that_ends_in_an_error_stays_known(tmp_path: Path) -> None:
    """It is not dropped as one that no longer fits; those found before it are kept too."""
    calm, runs, error = [True], list[Run](), UsageError(WORDS)
    agent = failing(error, unless=lambda: calm[0])
    explore(reading(), agent, deviations=1, menu=MENU, on_run=runs.append)
    kept = [KnownFailure("result-always", "…", made.token) for made in runs[1:]]
    store = KnownFailures(tmp_path, reading(), agent_name(agent), MENU)
    store.update([], kept)
    calm[0] = False
    known = ended_by(error, agent=agent, known=tmp_path).known
    assert known is not None
    assert (known.failing, known.dropped) == (kept[:1], [])
    assert "result-always is violated" in error.__notes__[-1]
    assert [entry.token for entry in store.load()] == [kept[1].token, kept[0].token]


@pytest.mark.slow  # it starts a process
@pytest.mark.skipif(os.name != "posix", reason="workers need Linux or macOS")
def test_workers_carry_the_same() -> None:
    """Whoever made the runs, those before the error count."""
    ended: list[Exploration] = []
    for workers in (1, 2):
        with pytest.raises(UsageError, match="has no such thing") as raised:
            explore(reading(), overstepping, deviations=1, menu=MENU, workers=workers)
        ended.append(raised.value.found)
    one, two = ended
    assert len(one.failures) == 1
    assert (one.runs, one.text) == (two.runs, two.text)
