"""An agent on a wire gets what was recorded, from the HTTP client and from an SDK."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.cassettes.conversations import hear
from agentsim.core import (
    Env,
    Request,
    Response,
    tool_result,
    user,
)
from agentsim.simulation import explore, run, scenario_of
from tests.simulation.recorded.told import session
from tests.simulation.recorded.wired import URLS, on_wire
from tests.simulation.sdk.loops import awaiting


@pytest.mark.parametrize("wire", URLS)
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_an_agent_on_a_wire_gets_what_was_recorded(
    wire: str, *, streamed: bool
) -> None:
    """The same texts, ids, arguments, reasons and blocks, on the wire of the recording."""
    made = session(wire, (5.0, 9.0) if streamed else None)
    heard: list[Response] = []
    scenario = scenario_of(made, read_only=["weather"])
    run(scenario, on_wire(wire, heard, streamed=streamed)).expect_holds()
    recorded = [one.response for one in hear(made)]
    assert [(one.message, one.stop_reason) for one in heard] == [
        (one.message, one.stop_reason) for one in recorded if one is not None
    ]


def test_an_agent_on_the_real_sdk_works_in_a_recorded_session() -> None:
    """What a loop on the SDK is given is the recorded session, and faults around it."""
    scenario = scenario_of(session(), read_only=["weather"])
    scenario = replace(scenario, prompt=None)  # this loop sends none
    made = run(scenario, awaiting).expect_holds()
    assert made.value == "In Rome."
    assert explore(scenario, awaiting, runs=5, faults=["slow"]).failures == []


def test_what_an_agent_asks_beyond_the_recording_is_told() -> None:
    """A script that runs out is an error in the run without deviations."""

    async def goes_on(env: Env) -> str:
        said = [user(env.task)]
        for _ in range(3):
            answer = await env.client.complete(Request(env.model, said))
            results = [tool_result(c.id, "ok") for c in answer.message.tool_calls]
            said = [*said, answer.message, *(results or [user("And?")])]
        return ""

    made = run(scenario_of(session(), read_only=["weather"]), goes_on)
    assert made.verdict.status == "violated"
    assert "the script ran out: the agent asked for reply 3" in str(made.outcome.error)
