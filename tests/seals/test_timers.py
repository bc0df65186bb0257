"""The clocks that go on and the blocking sleep, by whatever name they are called."""

from __future__ import annotations

import asyncio
import copy
import importlib.util
import pickle
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from time import monotonic, perf_counter_ns, sleep
from types import ModuleType
from typing import Any

import freezegun
import pytest

from agentsim.core import UsageError
from agentsim.engine import Baton, Life
from agentsim.engine.seals import inside
from tests.engine.runs import run

NAMES = (
    *("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
    *("process_time", "process_time_ns", "thread_time", "thread_time_ns"),
    *("sleep", "clock_gettime", "clock_gettime_ns", "ctime", "asctime"),
)


def readings() -> dict[str, float]:
    """What each clock shows, and the loop's."""
    return {
        "loop": asyncio.get_running_loop().time(),
        "monotonic": time.monotonic(),
        "monotonic_ns": time.monotonic_ns() / 10**9,
        "perf_counter": time.perf_counter(),
        "perf_counter_ns": time.perf_counter_ns() / 10**9,
        "clock_gettime": time.clock_gettime(time.CLOCK_MONOTONIC),
        "clock_gettime_ns": time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 10**9,
        "alias": monotonic(),
        "other alias": perf_counter_ns() / 10**9,
    }


def test_all_clocks_that_go_on_show_the_loops_time() -> None:
    """They agree, to the last bit, before and after a wait."""

    async def main(life: Life) -> list[dict[str, float]]:
        first = readings()
        await life.gate("a", latency_s=0.1)
        await asyncio.sleep(0.2)
        return [first, readings()]

    ending: Any = run(main).ending
    first, second = ending.value
    assert set(first.values()) == {0.0}
    assert set(second.values()) == {0.3}


def test_code_takes_no_processor_time() -> None:
    """The clocks of processor time stand at zero."""

    async def main(life: Life) -> list[float]:
        await life.gate("a", latency_s=9)
        return [
            time.process_time(),
            time.process_time_ns(),
            time.thread_time(),
            time.thread_time_ns(),
        ]

    assert run(main).ending.value == [0.0, 0, 0.0, 0]


def test_every_name_is_what_it_was_outside_of_runs() -> None:
    """The very objects of the standard library are back, here and in `time`."""
    before = {name: getattr(time, name) for name in NAMES}
    here = monotonic, perf_counter_ns, sleep
    within: dict[str, object] = {}

    async def main(_: Life) -> None:
        within.update({name: getattr(time, name) for name in NAMES})

    run(main)
    assert {name: getattr(time, name) for name in NAMES} == before
    assert all(within[name] is not before[name] for name in NAMES)
    assert (monotonic, perf_counter_ns, sleep) == here
    assert monotonic is time.monotonic
    assert sleep is time.sleep


def test_a_stand_in_that_is_kept_gives_real_time_outside() -> None:
    """Who keeps the function beyond the run gets what is real by it."""
    kept: list[Callable[[], float]] = []

    async def main(_: Life) -> None:
        kept.append(time.monotonic)

    run(main)
    before = time.monotonic()
    assert before <= kept[0]() <= time.monotonic()


def test_a_stand_in_serves_as_the_function_does() -> None:
    """It is no method of classes that hold it, and can be copied and pickled."""

    async def main(life: Life) -> list[bool]:
        class Holder:
            clock: Any = time.monotonic

        await life.gate("a", latency_s=2)
        return [
            Holder().clock() == 2.0,
            copy.deepcopy(time.monotonic) is not None,
            copy.deepcopy(time.monotonic)() == 2.0,
            pickle.loads(pickle.dumps(time.monotonic))() == 2.0,
        ]

    assert run(main).ending.value == [True] * 4


def test_a_sleep_on_the_loops_thread_moves_the_clock_alone() -> None:
    """Nothing else happens meanwhile, and what came due is made up for after it."""
    log: list[tuple[str, float]] = []

    def note(words: str) -> None:
        log.append((words, time.monotonic()))

    async def other() -> None:
        await asyncio.sleep(1)
        note("timer")

    async def main(life: Life) -> None:
        task = asyncio.create_task(other())
        await asyncio.sleep(0)
        time.sleep(30)  # noqa: ASYNC251 - as bad agents do
        note("slept")
        await life.gate("a", latency_s=1)
        note("gate")
        await task
        sleep(0.5)  # noqa: ASYNC251
        note("by another name")

    seen = run(main)
    assert seen.ending.kind == "returned"
    assert log == [
        ("slept", 30.0),
        ("timer", 30.0),
        ("gate", 31.0),
        ("by another name", 31.5),
    ]
    assert seen.engine.now_ns == 31_500_000_000


def test_a_sleep_on_a_baton_thread_lets_others_go_on() -> None:
    """It is a timer of the loop, by whatever name it is called."""
    log: list[tuple[str, float]] = []

    def blocking() -> None:
        sleep(2)
        log.append(("thread", monotonic()))
        time.sleep(1)
        log.append(("thread", time.perf_counter()))

    async def other() -> None:
        await asyncio.sleep(2.5)
        log.append(("task", monotonic()))

    async def main(_: Life) -> None:
        task = asyncio.create_task(other())
        await Baton(blocking, name="blocking").drive()
        await task

    assert run(main).ending.kind == "returned"
    assert log == [("thread", 2.0), ("task", 2.5), ("thread", 3.0)]


def test_deadlines_of_waits_are_virtual_where_waits_are() -> None:
    """Queues and conditions take the time of the run on its threads, and on no other."""
    clocks = vars(queue)["time"], vars(threading)["_time"]

    def deadlines() -> list[float]:
        return [vars(queue)["time"](), vars(threading)["_time"]()]

    def elsewhere() -> list[float]:
        real: list[float] = []
        thread = threading.Thread(target=lambda: real.extend(deadlines()), daemon=True)
        thread.start()
        thread.join()
        return real

    async def main(life: Life) -> list[object]:
        await life.gate("a", latency_s=3)
        on_a_baton = await Baton(deadlines, name="deadlines").drive()
        return [on_a_baton, deadlines(), elsewhere()]

    before = time.monotonic()
    ending: Any = run(main).ending
    on_a_baton, on_the_loop, real = ending.value
    assert on_a_baton == on_the_loop == [3.0, 3.0]
    assert before <= min(real) <= max(real) <= time.monotonic()
    assert (vars(queue)["time"], vars(threading)["_time"]) == clocks


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (-1, ValueError),
        (float("nan"), ValueError),
        (float("inf"), OverflowError),
        ("1", TypeError),
    ],
)
def test_a_sleep_refuses_what_the_real_one_refuses(
    seconds: float, error: type[Exception]
) -> None:
    """Negative, endless and other things are no length of a sleep, on no thread."""

    def blocking() -> None:
        time.sleep(seconds)

    async def here(_: Life) -> None:
        blocking()

    async def there(_: Life) -> None:
        await Baton(blocking, name="blocking").drive()

    for main in (here, there):
        assert type(run(main).ending.error) is error
    with pytest.raises(error):
        blocking()


def test_strange_threads_have_real_clocks() -> None:
    """A thread that was there before the run sees no other time, and sleeps for real."""
    ask, answer = threading.Event(), threading.Event()
    found: list[float] = []

    def stranger() -> None:
        while ask.wait(10):
            ask.clear()
            before = time.monotonic()
            time.sleep(0.002)
            found.append(time.monotonic() - before)
            found.append(time.perf_counter())
            answer.set()

    threading.Thread(target=stranger, daemon=True).start()

    async def main(_: Life) -> None:
        ask.set()
        assert answer.wait(10)

    before = time.perf_counter()
    assert run(main).ending.error is None
    slept, seen = found
    assert 0.002 <= slept < 5
    assert before <= seen <= time.perf_counter()


def module_from(folder: Path, name: str, text: str) -> ModuleType:
    """Import a module from a file that is written for it."""
    file = folder / f"{name}.py"
    file.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


ALIASED = "from time import monotonic as clock, sleep\nfrom time import time\n"


def test_a_module_imported_in_a_run_is_served_and_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names give virtual time at once, real time afterwards, and virtual again."""
    name = "agent_imported_in_a_run"
    monkeypatch.delitem(sys.modules, name, raising=False)
    modules: list[Any] = []

    async def importing(life: Life) -> float:
        await life.gate("a", latency_s=3)
        modules.append(module_from(tmp_path, name, ALIASED))
        modules[0].sleep(1)
        return float(modules[0].clock())

    async def using(life: Life) -> float:
        await life.gate("a", latency_s=5)
        return float(modules[0].clock())

    assert run(importing).ending.value == 4.0
    assert modules[0].clock is time.monotonic
    assert modules[0].sleep is time.sleep
    assert run(using).ending.value == 5.0
    assert modules[0].clock is time.monotonic


def test_a_freeze_goes_on_around_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What freezegun put into modules is the run's within, and freezegun's around it."""
    name = "agent_imported_before_a_freeze"
    monkeypatch.delitem(sys.modules, name, raising=False)
    module: Any = module_from(tmp_path, name, ALIASED)

    async def main(life: Life) -> list[float]:
        await life.gate("a", latency_s=3)
        return [module.clock(), time.monotonic(), monotonic(), module.time()]

    with freezegun.freeze_time("2001-02-03"):
        frozen = module.clock, time.monotonic, monotonic
        expected = [3.0, 3.0, 3.0, 1767225603.0]
        assert run(main).ending.value == expected
        assert (module.clock, time.monotonic, monotonic) == frozen
        assert module.clock() == 981158400.0
    assert module.clock is time.monotonic
    assert run(main).ending.value == expected
    assert module.clock is time.monotonic


def test_own_replacements_are_left_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user put in the place of `time.sleep` is back after the run."""
    calls: list[float] = []
    monkeypatch.setattr(time, "sleep", calls.append)

    async def main(_: Life) -> float:
        time.sleep(4)  # noqa: ASYNC251
        return time.monotonic()

    assert run(main).ending.value == 4.0
    time.sleep(5)
    assert calls == [5]


def by_name() -> float:
    """Look at the clock by the name that it has at this time."""
    return time.monotonic()


@pytest.mark.parametrize("look", [time.time, by_name])
def test_who_waits_by_looking_at_the_clock_is_refused(
    look: Callable[[], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time passes only where something waits: such a loop would never end."""
    monkeypatch.setattr(inside, "LOOKS_MAX", 100)

    async def main(_: Life) -> None:
        end = look() + 1
        while look() < end:
            pass

    with pytest.raises(UsageError) as caught:
        run(main)
    assert "asked for the time 100 times, but nothing else can happen" in str(
        caught.value
    )


def test_who_polls_by_sleeping_on_the_loops_thread_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it waits for can't come: in life it would hang."""
    monkeypatch.setattr(inside, "LOOKS_MAX", 100)

    async def main(_: Life) -> None:
        while True:
            time.sleep(1)  # noqa: ASYNC251

    with pytest.raises(
        UsageError, match="a sleep on the event loop's thread 100 times"
    ):
        run(main)


def test_looks_with_waits_between_them_are_as_many_as_one_likes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The count begins anew where anything happens."""
    monkeypatch.setattr(inside, "LOOKS_MAX", 20)

    async def main(life: Life) -> None:
        for _ in range(100):
            for _ in range(9):
                time.time()
            await life.gate("a")

    assert run(main).ending.kind == "returned"


def test_a_burial_takes_no_time() -> None:
    """What the dead still sleep in their `finally` blocks comes after the run's end."""
    slept: list[float] = []

    async def main(life: Life) -> None:
        await life.gate("a", latency_s=3)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            time.sleep(100)  # noqa: ASYNC251
            slept.append(time.monotonic())

    seen = run(main)
    assert (seen.ending.kind, slept) == ("deadlock", [103.0])
    assert seen.engine.now_ns == 3 * 10**9
