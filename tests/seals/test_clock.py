"""The wall clock of a run: its epoch and its virtual time, and the real one around it."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import threading
import time
from collections.abc import Iterator

import freezegun
import pytest
import time_machine

from agentsim.engine import Life
from agentsim.engine.seals.epoch import EPOCH_NS
from tests.engine.runs import every_run, run

EPOCH_S = EPOCH_NS // 10**9

SDKS = ("anthropic", "openai")


def wall() -> tuple[float, int, str, str, str, str, int]:
    """What the ways to ask for the wall clock answer, where they stand in a run."""
    return (
        time.time() - EPOCH_S,
        time.time_ns() - EPOCH_NS,
        dt.datetime.now(dt.UTC).isoformat(),
        dt.datetime.now().isoformat(),  # noqa: DTZ005 - as agents do
        time.ctime(),
        time.asctime(),
        time.gmtime().tm_min,
    )


async def two_looks(life: Life) -> list[object]:
    """Look, wait for half an hour and a nanosecond, and look again."""
    seen: list[object] = [wall()]
    await life.gate("a", latency_s=1800.000000001)
    return [*seen, wall()]


TWO_LOOKS = [
    (
        0.0,
        0,
        "2026-01-01T00:00:00+00:00",
        "2026-01-01T00:00:00",
        *("Thu Jan  1 00:00:00 2026",) * 2,
        0,
    ),
    (
        1800.0,
        1_800_000_000_001,
        "2026-01-01T00:30:00+00:00",
        "2026-01-01T00:30:00",
        *("Thu Jan  1 00:30:00 2026",) * 2,
        30,
    ),
]


@pytest.fixture(params=["UTC", "Europe/Berlin", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """A time zone of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


def test_every_way_to_ask_shows_the_virtual_time(zone: str) -> None:
    """Epoch and elapsed time, to the nanosecond and in UTC, whatever the zone is."""
    names = time.tzname
    assert run(two_looks).ending.value == TWO_LOOKS
    assert (os.environ["TZ"], time.tzname) == (zone, names)


def test_the_clock_flows_around_a_run() -> None:
    """Before and after a run the wall clock is the real one, and so are its classes."""
    before, seen = time.time(), dt.datetime
    run(two_looks)
    assert 0 <= time.time() - before < 60
    assert dt.datetime is seen


def test_a_second_life_goes_on_at_its_time() -> None:
    """What crashed at 5 s starts over at 5 s."""
    looks: list[int] = []

    async def main(life: Life) -> None:
        looks.append(time.time_ns() - EPOCH_NS)
        await life.gate("a", latency_s=5)
        await life.gate("b", latency_s=1)

    found = []
    for seen in every_run(main, deviations=1, crash=True):
        found.append((len(seen.endings), list(looks)))
        looks.clear()
    assert (2, [0, 5 * 10**9]) in found
    assert (1, [0]) in found


def test_a_strange_thread_sees_the_real_time() -> None:
    """A thread that was there before a run sees the same clock all the time."""
    ask, answer = threading.Event(), threading.Event()
    times: list[float] = []

    def stranger() -> None:
        while ask.wait(10):
            ask.clear()
            times.append(time.time())
            answer.set()

    def asked() -> float:
        ask.set()
        assert answer.wait(10)
        answer.clear()
        return times.pop()

    thread = threading.Thread(target=stranger, daemon=True)
    thread.start()

    async def main(_: Life) -> float:
        await asyncio.sleep(1000)
        return asked()

    before = asked()
    within = run(main).ending.value
    assert isinstance(within, float)
    assert 0 <= within - before < 60
    ask.set()


def test_within_a_freeze_of_freezegun_a_run_has_its_own_time() -> None:
    """A user's freeze is in force before and after, and the run's within."""
    # It looks at each name of each module, and SDKs that other tests loaded have many.
    with freezegun.freeze_time("2001-02-03", ignore=[*SDKS]) as frozen:
        frozen.tick(5)
        seen = run(two_looks).ending.value
        assert time.time() == 981158405.0
        assert dt.datetime.now(dt.UTC).isoformat() == "2001-02-03T00:00:05+00:00"
    first, second = TWO_LOOKS
    # freezegun knows no nanoseconds.
    assert seen == [first, (1800.0, 1_800_000_000_000, *second[2:])]
    assert dt.datetime.__name__ == "datetime"


@pytest.mark.parametrize("tick", [True, False], ids=["ticking", "still"])
def test_within_a_journey_of_time_machine_a_run_has_its_own_time(tick: bool) -> None:
    """A user's travel is in force before and after, and the run's within."""
    with time_machine.travel(1_000_000.5, tick=tick) as traveller:
        assert run(two_looks).ending.value == TWO_LOOKS
        assert 1_000_000.5 <= time.time() < 1_000_060
        traveller.shift(100)
        assert 1_000_100.5 <= time.time() < 1_000_160


def test_runs_within_runs_have_clocks_of_their_own() -> None:
    """A run that an agent makes begins at the epoch, and the outer clock stands still."""

    async def main(life: Life) -> list[object]:
        await life.gate("a", latency_s=7)
        inner = run(two_looks).ending.value
        return [inner, time.time_ns() - EPOCH_NS]

    assert run(main).ending.value == [TWO_LOOKS, 7 * 10**9]
