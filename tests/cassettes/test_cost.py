"""What replaying costs, in calls of functions; `make bench` has the times.

Calls are the same on any machine, however busy: what takes a bar in seconds is measured
by the same code in `benchmarks`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentsim.simulation import load_scenario
from benchmarks.__main__ import SCENARIOS
from benchmarks.cassettes import CHUNKS, EXCHANGES, as_ours
from benchmarks.replays import NeutralReplay, matches
from benchmarks.sdk_replay import canned, replayed
from tests.support.effort import calls_made

Figure = Callable[[str], None]

pytestmark = (
    pytest.mark.slow
)  # under the counter everything takes several times as long


def warm(*actions: Callable[[], object]) -> list[int]:
    """The calls that each makes, once it has loaded and compiled what it needs."""
    for action in actions:
        action()
    return [calls_made(action) for action in actions]


def test_a_replay_makes_few_calls(tmp_path: Path, figure: Figure) -> None:
    """By the neutral client less than four times those of canned replies."""
    neutral = NeutralReplay(load_scenario(SCENARIOS / "high_cpu.yaml"), tmp_path, 2)
    replayed_calls, stock_calls = warm(neutral, neutral.stock)
    neutral.close()
    figure(f"cassettes: {replayed_calls} calls for five turns, {stock_calls} without")
    assert replayed_calls < 4 * stock_calls


def test_a_replay_by_an_sdk_makes_hardly_more_calls(figure: Figure) -> None:
    """No more than a tenth is added to those of the SDK on canned answers."""
    with canned() as transport, replayed(2) as cassette:
        canned_calls, sdk_calls = warm(transport, cassette)
    figure(f"cassettes: {sdk_calls} calls by the OpenAI SDK, {canned_calls} canned")
    assert sdk_calls < 1.1 * canned_calls


def test_a_match_costs_the_same_among_many(tmp_path: Path, figure: Figure) -> None:
    """A request is answered out of 1,000 exchanges with the calls of one out of 10."""
    with matches(10, tmp_path) as few, matches(1_000, tmp_path) as many:
        few_calls, many_calls = warm(few, many)
    figure(f"cassettes: {many_calls} calls for a match among 1,000, {few_calls} of 10")
    assert many_calls <= 1.01 * few_calls


def test_a_cassette_of_streams_is_loaded_without_a_call_for_each_chunk(
    figure: Figure,
) -> None:
    """5 MB in 33,200 chunks are read with fewer calls than there are chunks."""
    (calls,) = warm(as_ours())
    figure(f"cassettes: {calls} calls to load {EXCHANGES * CHUNKS} chunks")
    assert calls < EXCHANGES * CHUNKS
