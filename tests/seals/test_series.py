"""A series of runs: each is as if it were alone, and what was there comes back after it."""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from agentsim.engine import Life, Series
from tests.engine.runs import run


@pytest.fixture
def far_from_utc() -> Iterator[None]:
    """A time zone that is not UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Pacific/Kiritimati")
        time.tzset()
        yield
    time.tzset()


async def looks(life: Life) -> list[object]:
    """Draw and look at the clock, and do both again later."""
    first = [random.random(), time.ctime(), time.tzname]
    await life.gate("a", latency_s=1)
    return [*first, random.random(), time.ctime()]


@pytest.mark.usefixtures("far_from_utc")
def test_runs_of_a_series_are_as_alone() -> None:
    """What they draw and see is what a run by itself draws and sees."""
    alone = run(looks).ending.value
    with Series():
        series = [run(looks).ending.value for _ in range(3)]
    assert series == [alone] * 3


@pytest.mark.usefixtures("far_from_utc")
def test_a_series_puts_back_what_was_there() -> None:
    """Generator, time zone and collector are as before, after an error as well."""
    random.seed(7)
    state, zone = random.getstate(), (os.environ["TZ"], time.tzname)
    thresholds = gc.get_threshold()
    with suppress(ZeroDivisionError), Series():
        run(looks)
        raise ZeroDivisionError
    assert (random.getstate(), os.environ["TZ"], time.tzname) == (state, *zone)
    assert gc.get_threshold() == thresholds


def test_a_series_leaves_a_collector_alone_that_is_off() -> None:
    """Who collects by hand set its threshold to zero, and means it."""
    thresholds = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with Series():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*thresholds)


def test_a_run_within_a_run_of_a_series_leaves_its_chance_alone() -> None:
    """Only between the runs of a series nobody looks: within one an agent does."""

    async def nests(life: Life) -> list[object]:
        drawn: list[object] = [random.random()]
        await life.gate("a", latency_s=1)
        run(looks)
        return [*drawn, random.random()]

    alone = run(nests).ending.value
    with Series():
        assert [run(nests).ending.value for _ in range(2)] == [alone] * 2
