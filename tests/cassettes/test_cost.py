"""What replaying costs, by the measures of the benchmarks: ratios above all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentsim.simulation import load_scenario
from benchmarks.__main__ import SCENARIOS
from benchmarks.cassettes import as_ours, as_vcr
from benchmarks.replays import NeutralReplay, match_s
from benchmarks.rounds import seconds
from benchmarks.sdk_replay import canned, replayed

pytestmark = pytest.mark.slow

Figure = Callable[[str], None]

ROUNDS = 40


def test_five_turns_are_replayed_fast(tmp_path: Path, figure: Figure) -> None:
    """By the neutral client in 3 ms, by an SDK in 1.3 times what canned answers take."""
    scenario = load_scenario(SCENARIOS / "high_cpu.yaml")
    neutral = NeutralReplay(scenario, tmp_path, ROUNDS)
    neutral_s, stock_s = seconds(neutral, neutral.stock, times=1, rounds=ROUNDS)
    neutral.close()
    with canned() as transport, replayed(ROUNDS) as cassette:
        canned_s, sdk_s = seconds(transport, cassette, times=1, rounds=ROUNDS)
    figure(
        f"cassettes: five turns in {neutral_s * 1e3:.2f} ms ({stock_s * 1e3:.2f} ms "
        f"without), by the OpenAI SDK {sdk_s / canned_s:.2f} x canned answers"
    )
    assert neutral_s <= 0.003
    assert sdk_s <= 1.3 * canned_s


def test_a_match_costs_the_same_among_many(tmp_path: Path, figure: Figure) -> None:
    """A request is answered out of 1,000 exchanges as fast as out of 10, within a half."""
    few_s, many_s = (match_s(exchanges, tmp_path) for exchanges in (10, 1_000))
    figure(
        f"cassettes: a match among 1,000 takes {many_s / few_s:.2f} x that among 10 "
        f"({many_s * 1e6:.0f} us)"
    )
    assert many_s <= 1.5 * few_s


def test_a_cassette_of_streams_loads_fast(figure: Figure) -> None:
    """5 MB in 33,200 chunks load in a second, and faster than vcrpy loads the bodies."""
    ours, (who, vcr) = as_ours(), as_vcr()
    ours_s, vcr_s = seconds(ours, vcr, times=1, rounds=5)
    figure(f"cassettes: 5 MB load in {ours_s:.3f} s, {ours_s / vcr_s:.2f} x {who}")
    assert ours_s <= 1
    assert ours_s < vcr_s
