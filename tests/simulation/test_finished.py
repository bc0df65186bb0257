"""What is judged of an agent that tells how it ended, and nothing more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from agentsim.core import Env, Finished, Limits, Request, UsageError, user
from agentsim.providers import Entry, call, say
from agentsim.simulation import Scenario, run
from agentsim.world import Disk

Ends = Callable[[str], Finished]


def asking(ends: Ends) -> Callable[[Env], Awaitable[Finished]]:
    """An agent that asks once, runs nothing, and ends as `ends` says of the answer."""

    async def agent(env: Env) -> Finished:
        env.declare(limits=Limits(1, None, None, None))
        tools = tuple(tool.definition for tool in env.tools)
        response = await env.client.complete(
            Request(env.model, (user(env.task),), tools)
        )
        return ends(response.message.content)

    return agent


def story(*script: Entry, **expect: str) -> Scenario:
    """A question, and what the model says."""
    return Scenario(task="How full?", world=[Disk()], script=script, expect=expect)


def test_a_status_without_a_history_is_judged() -> None:
    """It stands in the outcome, meets the scenario's expectation, and breaks no rule."""
    agent = asking(lambda text: Finished("done", text))
    made = run(story(say("Half."), status="done", output="Half."), agent)
    made.expect_holds()
    assert made.outcome.status == "done"
    assert made.outcome.history is None


@pytest.mark.parametrize(
    ("script", "ended", "invariant"),
    [
        (say("Half."), Finished("refused", None, "no"), "result-true"),
        (say("Half."), Finished("done", "Full."), "result-true"),
        (say("Half."), Finished("failed"), "result-always"),
        (say("Half."), Finished("over"), "result-always"),  # type: ignore[arg-type]
        (call("check_disk"), Finished("done", "Done."), "stops-by-structure"),
        (call("check_disk"), Finished("done", "Done."), "limit-exact"),
    ],
)
def test_an_untrue_status_is_found(
    script: Entry, ended: Finished, invariant: str
) -> None:
    """An end that is told as another one violates what a `RunResult` would."""
    found = run(story(script), asking(lambda _text: ended)).verdict.judgements
    assert [entry.status for entry in found if entry.id == invariant] == ["violated"]


def test_an_agent_that_never_asked_is_not_done() -> None:
    """Done is what the model said, and nobody asked it."""

    async def agent(env: Env) -> Finished:
        return Finished("done", "Done.")

    found = run(story(say("Half.")), agent).verdict.judgements
    violated = [entry.id for entry in found if entry.status == "violated"]
    assert violated == ["result-true"]


@pytest.mark.parametrize(
    ("field", "value"), [("status", 3), ("output", b"x"), ("error", ValueError("x"))]
)
def test_a_field_of_a_wrong_type_is_refused(field: str, value: object) -> None:
    """What no trace could carry is the fault of who wrote the agent."""

    async def agent(env: Env) -> Finished:
        given: dict[str, Any] = {"status": "done", field: value}
        return Finished(**given)

    with pytest.raises(UsageError, match=f"a Finished whose {field} is a "):
        run(story(say("Half.")), agent)


def test_a_generator_may_yield_it() -> None:
    """The last one that it yields is its outcome, before any text."""

    async def agent(env: Env) -> AsyncIterator[object]:
        yield Finished("failed", error="the service is down")
        yield "bye"

    outcome = run(story(), agent).outcome
    assert (outcome.status, outcome.error) == ("failed", "the service is down")
