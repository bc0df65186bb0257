"""Measures the bars of the design, and prints them as a table.

Times are the best of several rounds, taken in turn with what they are compared to: the
machines are noisy, so believe the ratios rather than the microseconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from agentsim.core import Limits
from agentsim.providers import call, say
from agentsim.simulation import Menu, Scenario, explore, load_scenario, run
from agentsim.world import Search
from benchmarks.cassettes import as_ours, as_vcr
from benchmarks.http_loop import constant_server, loop, served, up_s
from benchmarks.openai_loop import CannedOpenAI, agent
from benchmarks.peers import PEERS, measured
from benchmarks.replays import ASKED, NeutralReplay, matches
from benchmarks.rounds import ROUNDS, seconds
from benchmarks.sdk_replay import canned, replayed
from benchmarks.stock import StockRun
from benchmarks.threads import JOBS, fifteen_gates, simulated_jobs, stock_jobs

# Starts are measured as users have them: with what was compiled before kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SHORT_ROUNDS = 40
"""Rounds of what takes milliseconds: of many short ones some are undisturbed."""

SCENARIOS = Path(__file__).parents[1] / "scenarios"

TOOL_FAULTS = ("raises", "slow", "hangs", "answer_lost", "applied_twice")

MODEL_FAULTS = (
    "arguments_cut",
    "unknown_tool",
    "duplicate_ids",
    "missing_ids",
    "same_call_forever",
)

PAIRS = Menu("any_order", faults=(*TOOL_FAULTS, *MODEL_FAULTS), cancel=True)

Row = tuple[str, str, str]


def five_turns() -> list[Row]:
    """A run of five turns, strict, traced and judged, against a stock loop."""
    scenario = load_scenario(SCENARIOS / "high_cpu.yaml")
    stock = StockRun(scenario)
    simulated_s, stock_s = seconds(
        lambda: run(scenario), stock, times=20, rounds=SHORT_ROUNDS
    )
    stock.close()
    return [
        (
            "five-turn run, strict, traced, judged",
            f"{simulated_s * 1e3:.3f} ms",
            "≤ 0.5 ms",
        ),
        (
            "the same against a stock loop, unrecorded",
            f"{simulated_s / stock_s:.2f} x ({stock_s * 1e3:.3f} ms)",
            "≤ 3 x",
        ),
    ]


def peers() -> list[Row]:
    """The same story on frameworks with fake models of their own, in one process."""
    rows: list[Row] = []
    for peer in PEERS:
        taken = measured(peer)
        told = "no environment: make venvs"
        if taken is not None:
            theirs_s, ours_s = taken
            told = f"{theirs_s / ours_s:.1f} x ({theirs_s * 1e3:.1f} ms)"
        rows.append((f"{peer} on a fake model, against that run", told, "≥ 12 x"))
    return rows


def openai_loop() -> list[Row]:
    """A loop on the SDK of OpenAI, against the same on canned answers outside."""
    scenario = load_scenario(SCENARIOS / "high_cpu.yaml")
    canned = CannedOpenAI(scenario)
    simulated_s, canned_s = seconds(lambda: run(scenario, agent), canned, times=20)
    canned.close()
    return [
        (
            "five turns on the OpenAI SDK, against canned answers outside",
            f"{simulated_s / canned_s:.2f} x ({canned_s * 1e3:.1f} ms)",
            "",
        )
    ]


def server() -> list[Row]:
    """How soon a server answers, and a loop over HTTP against a constant application."""
    up = min(up_s() for _ in range(ROUNDS))  # without what its end takes
    with served() as ours, constant_server() as constant:
        served_s, constant_s = seconds(loop(ours), loop(constant), times=20)
    return [
        (
            "server, from its start to its first answer",
            f"{up * 1e3:.0f} ms",
            "≤ 350 ms",
        ),
        (
            "five turns over HTTP, against a constant starlette application",
            f"{served_s / constant_s:.2f} x ({constant_s * 1e3:.1f} ms)",
            "≤ 1.5 x",
        ),
    ]


def threads() -> list[Row]:
    """A synchronous agent, and jobs on threads against those of a stock loop."""
    (agent_s,) = seconds(fifteen_gates, times=20)
    ours_s, stock_s = seconds(simulated_jobs, stock_jobs, times=5)
    return [
        ("synchronous agent of 15 gates", f"{agent_s * 1e3:.2f} ms", "≤ 3 ms"),
        (
            "asyncio.to_thread, against a stock loop",
            f"{ours_s / stock_s:.2f} x ({ours_s / JOBS * 1e6:.0f} µs)",
            "",
        ),
    ]


def exploration() -> list[Row]:
    """Random and exhaustive explorations with the default menu."""
    scenario = load_scenario(SCENARIOS / "disk_full.yaml")
    rates = [explore(scenario, runs=1_000, seed=seed).runs_per_s for seed in range(3)]
    one_s, two_s, few_s, few_two_s = seconds(
        partial(explore, scenario, runs=2_000),
        partial(explore, scenario, runs=2_000, workers=2),
        partial(explore, scenario, runs=100),
        partial(explore, scenario, runs=100, workers=2),
        times=1,
        rounds=4,
    )
    story = load_scenario(SCENARIOS / "high_cpu.yaml")
    pairs = explore(story, deviations=2, menu=PAIRS)
    complete = "complete" if pairs.complete else "NOT complete"
    return [
        (
            "random runs with every fault, one core",
            f"{max(rates):.0f} runs/s",
            "≥ 2,000",
        ),
        (
            "2,000 random runs by 2 workers, against one",
            f"{one_s / two_s:.2f} x faster, 100 runs {few_s / few_two_s:.2f} x",
            "≥ 1.8 x",
        ),
        (
            "all pairs over orders, deadline, five faults per reply and tool",
            f"{pairs.elapsed_s:.2f} s for {pairs.runs} runs, {complete}",
            "≤ 2 s",
        ),
    ]


def growth() -> list[Row]:
    """A run of 2,000 turns against one of 1,000."""
    times: dict[int, list[float]] = {1_000: [], 2_000: []}
    for _ in range(ROUNDS):
        for turns, taken in times.items():
            scenario = _long(turns)
            started = time.perf_counter()
            run(scenario)
            taken.append(time.perf_counter() - started)
    ratio = median(times[2_000]) / median(times[1_000])
    return [("2,000 turns against 1,000", f"{ratio:.2f} x", "≤ 2.3 x")]


def _long(turns: int) -> Scenario:
    answers = {f"q{n}": f"answer {n}" for n in range(turns)}
    replies = [call("search", query=f"q{n}") for n in range(turns)]
    return Scenario(
        "Search a lot.",
        [*replies, say("Done.")],
        world=[Search(answers)],
        limits=Limits(max_iterations=None, deadline_s=None),
    )


def virtual_hour() -> list[Row]:
    """A model that answers after two hours, and a deadline of one."""
    waiting = Scenario(
        "Wait.",
        [say("Late.").but(latency_s=7200)],
        limits=Limits(deadline_s=3600),
    )
    (hour_s,) = seconds(lambda: run(waiting), times=20)
    return [("one virtual hour with a deadline", f"{hour_s * 1e3:.2f} ms", "≤ 5 ms")]


def cassettes() -> list[Row]:
    """5 MB of 33,200 chunks loaded, against the same content as vcrpy keeps it."""
    ours, (who, vcr) = as_ours(), as_vcr()
    load_s, vcr_s = seconds(ours, vcr, times=3)
    whole_s, _ = seconds(
        lambda: [len(e.answer.chunks or ()) for e in ours().exchanges], vcr, times=3
    )
    return [
        ("a cassette of 5 MB in 33,200 chunks, loaded", f"{load_s:.3f} s", "≤ 1 s"),
        (
            f"the same against {who}",
            f"{load_s / vcr_s:.2f} x, {whole_s / vcr_s:.2f} x with every chunk taken apart",
            "< 1 x",
        ),
    ]


def sdk_replay() -> list[Row]:
    """Five turns of the OpenAI SDK out of a cassette, against a canned transport."""
    with canned() as from_transport, replayed(SHORT_ROUNDS) as from_cassette:
        canned_s, replayed_s = seconds(
            from_transport, from_cassette, times=1, rounds=SHORT_ROUNDS
        )
    return [
        (
            "five turns of the OpenAI SDK out of a cassette, against a canned transport",
            f"{replayed_s / canned_s:.2f} x ({replayed_s * 1e3:.1f} ms)",
            "≤ 1.3 x",
        )
    ]


def replays() -> list[Row]:
    """Five turns of the neutral client replayed, and one request looked for among many."""
    scenario = load_scenario(SCENARIOS / "high_cpu.yaml")
    with TemporaryDirectory() as name:
        folder = Path(name)
        neutral = NeutralReplay(scenario, folder, SHORT_ROUNDS)
        neutral_s, opened_s, stock_s = seconds(
            neutral, neutral.opened, neutral.stock, times=1, rounds=SHORT_ROUNDS
        )
        neutral.close()
        with matches(10, folder) as few, matches(1_000, folder) as many:
            few_s, many_s = seconds(few, many, times=1, rounds=ASKED)
    return [
        (
            "five turns replayed by the neutral client",
            f"{neutral_s * 1e3:.2f} ms",
            "≤ 3 ms",
        ),
        (
            "the same with the cassette opened for it, and without any cassette",
            f"{opened_s * 1e3:.2f} ms, {stock_s * 1e3:.2f} ms",
            "",
        ),
        (
            "a request of 42 messages among 1,000 exchanges, against 10",
            f"{many_s / few_s:.2f} x ({many_s * 1e3:.2f} ms)",
            "≤ 1.5 x",
        ),
    ]


def start() -> list[Row]:
    """Seconds that `import agentsim` and the first `Scenario` add to bare Python."""

    def child(code: str) -> Callable[[], Any]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    bare_s, import_s, scenario_s = seconds(
        child("pass"),
        child("import agentsim"),
        child("from agentsim import Scenario"),
        times=1,
    )
    return [
        (
            "import agentsim, over bare Python",
            f"{(import_s - bare_s) * 1e3:.0f} ms",
            "≤ 30 ms",
        ),
        (
            "the first use of Scenario, more",
            f"{(scenario_s - import_s) * 1e3:.0f} ms",
            "≤ 150 ms",
        ),
    ]


def main() -> None:
    """Print the table."""
    table = Table(box=None, pad_edge=False)
    for title in ("what", "measured", "bar"):
        table.add_column(title)
    for measure in (
        five_turns,
        peers,
        openai_loop,
        server,
        threads,
        exploration,
        growth,
        virtual_hour,
        cassettes,
        replays,
        sdk_replay,
        start,
    ):
        for row in measure():
            table.add_row(*row)
    Console().print(f"Python {sys.version.split()[0]}")
    Console().print(table)


if __name__ == "__main__":
    main()
