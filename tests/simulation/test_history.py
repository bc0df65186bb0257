"""A run can go on from earlier turns, and a script need not be a story."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentsim.core import (
    Env,
    RequestSent,
    ResponseReceived,
    ScenarioError,
    UnscriptedRequest,
    system,
    user,
)
from agentsim.mutants import Loop
from agentsim.providers import Entry, call, say
from agentsim.runtime import reference
from agentsim.simulation import run
from tests.simulation.fakes import reading, silent


async def loop(env: Env) -> object:
    """The loop that mutants are made from."""
    return await Loop(env).run()


@pytest.mark.parametrize("agent", [reference, loop])
def test_a_run_goes_on_from_the_turns_before_it(
    agent: Callable[[Env], Awaitable[object]],
) -> None:
    """History stands between prompt and task, and its replies are none of the script's."""
    first = run(reading(), agent)
    earlier = [m for m in first.outcome.history or () if m.role != "system"]
    second = run(reading(history=earlier, task="And now?"), agent).expect_holds()
    requests = second.trace.of(RequestSent)
    assert list(requests[0].messages[1:]) == [*earlier, user("And now?")]
    assert [event.reply for event in second.trace.of(ResponseReceived)] == [0, 1]


@pytest.mark.parametrize("script", [[], [say("Half full."), call("check_disk")]])
def test_a_script_that_tells_no_story_may_run_out_or_be_left(
    script: list[Entry],
) -> None:
    """Without `exact` neither is an error in a run without deviations."""
    with pytest.raises(UnscriptedRequest):
        run(reading(script=script))
    run(reading(script=script, exact=False)).expect_holds()


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (["Hello."], r"history\[0\]: expected a Message, got str"),
        ([user("Hello."), system("Be brief.")], r"history\[1\]: a system message"),
    ],
)
def test_a_history_that_is_none_is_refused(history: list[Any], words: str) -> None:
    """What is no message, and a second system prompt, are told with their place."""
    with pytest.raises(ScenarioError, match=words):
        silent(history=history)
