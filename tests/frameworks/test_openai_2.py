"""The loop on openai 2, which speaks through httpx, is the loop on the newer SDK."""

from collections.abc import Callable

import pytest

from tests.frameworks.child import Tried, made
from tests.frameworks.children import Children
from tests.frameworks.scenario import SCENARIO
from tests.simulation.sdk import loops, streaming
from tests.support.frameworks import OPENAI_2

LOOPS: dict[str, Callable[..., object]] = {
    "loops:awaiting": loops.awaiting,
    "loops:blocking": loops.blocking,
    "streaming:streaming_blocking": streaming.streaming_blocking,
}

RUNS = 25
"""Random schedules of each."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_the_older_sdk_has_the_traces_of_the_newer_one(
    children: Children, name: str
) -> None:
    """Over random schedules, time-outs of the SDK among them, no byte differs."""
    target = f"tests.simulation.sdk.{name}"
    found = children.ask(OPENAI_2, "runs", target, "orders", 0, RUNS)
    # The loops that stream tell a failure as their result.
    raised = {"raised"} if name.startswith("loops") else set()
    assert {*found["endings"]} == {"returned"} | raised
    assert found["threads"] == []
    tried = Tried(LOOPS[name], SCENARIO)
    here = [made(tried, "orders", seed).trace.digest() for seed in range(RUNS)]
    assert found["digests"] == here
