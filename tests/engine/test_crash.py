"""A crash is a power cut: the dead record nothing, do nothing and say nothing."""

import asyncio
import gc
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.engine import Choices, Engine, Life, Replay, burial
from agentsim.engine.threads import watchdog
from tests.engine.programs import Interpreter, Program, programs
from tests.engine.runs import Main, Noted, Observed, every_run, run
from tests.support.source import ROOT


class World:
    """Counts effects, which happen behind gates only."""

    def __init__(self) -> None:
        self.effects: list[tuple[int, str]] = []

    async def write(self, life: Life, name: str) -> None:
        """A write has two gates: its effect is between them."""
        await life.gate(name)
        self.effects.append((life.number, name))
        life.record(Noted(name))
        await life.gate(f"{name}'s answer")


def test_a_crash_may_come_at_every_gate() -> None:
    """Each gate is a place to die, once per run; the next life goes on with the clock."""
    world = World()

    async def main(life: Life) -> int:
        await asyncio.sleep(1)
        await world.write(life, "pay")
        return life.number

    runs = []
    for seen in every_run(main, crash=True):
        runs.append((seen.ending.value, list(world.effects), seen.engine.words))
        assert seen.engine.now_ns == len(seen.endings) * 10**9
        world.effects.clear()
    assert runs == [
        (1, [(1, "pay")], []),
        (2, [(2, "pay")], ["the process died before pay"]),
        (2, [(1, "pay"), (2, "pay")], ["the process died before pay's answer"]),
    ]


def test_several_crashes_may_be_allowed() -> None:
    """`crashes_max` bounds the crashes of a run, over all its lives."""

    async def main(life: Life) -> int:
        await life.gate("a")
        return life.number

    runs = list(every_run(main, crash=True, crashes_max=3))
    assert [seen.ending.value for seen in runs] == [1, 2, 3, 4]


def test_the_dead_never_act() -> None:
    """Retries, `finally` blocks and swallowed errors of a dead life have no effect."""
    world = World()
    after: list[str] = []

    async def stubborn(life: Life, name: str) -> None:
        while True:
            try:
                await world.write(life, name)
            except BaseException:  # noqa: BLE001 - as bad agents do
                life.record(Noted("retry"))
                continue
            finally:
                after.append(name)
            return

    async def main(life: Life) -> str:
        tasks = [asyncio.create_task(stubborn(life, name)) for name in "abc"]
        try:
            await asyncio.gather(*tasks)
        except Exception:  # noqa: BLE001 - as bad agents do
            await stubborn(life, "again")
        finally:
            life.record(Noted("cleaned up"))
            await world.write(life, "clean-up")
        return "done"

    for seen in every_run(main, deviations=1, crash=True):
        survivors = [number for number, _ in world.effects if number == 2]
        if len(seen.endings) == 2:
            died = [
                place for place, note in enumerate(seen.notes) if note[2] == "crash"
            ]
            assert all(life == 2 for _, life, _ in seen.notes[died[0] + 1 :])
            assert len(survivors) == 4
        assert seen.ending.value == "done"
        assert "retry" not in [words for *_, words in seen.notes]
        world.effects.clear()


@settings(max_examples=40)
@given(programs(5), st.integers(0, 12))
def test_nothing_of_a_random_life_comes_after_its_death(
    program: Program, place: int
) -> None:
    """Any program, crashed at any gate, is silent from then on, even while buried."""
    counts: list[int] = []
    interpreters: list[Interpreter] = []

    async def main(life: Life) -> None:
        if life.number > 1:
            counts.append(len(interpreters[0].log))
            return

        async def gate(label: str, latency_s: float) -> None:
            await life.gate(label, latency_s=latency_s)
            life.record(Noted(label))

        interpreters.append(Interpreter(gate))
        await interpreters[0].run(program)

    engine = Engine(Replay({place: 1}), crash=True)
    first = engine.live(main)
    if first.kind == "crashed":
        before = len(interpreters[0].log)
        engine.live(main)
        gc.collect()
        assert counts == [before] == [len(interpreters[0].log)]
    engine.bury()


def dead_life(main: Main) -> tuple[Engine, Life]:
    """Run a life into a crash at its first gate."""
    lives: list[Life] = []

    async def noted(life: Life) -> None:
        lives.append(life)
        await main(life)

    engine = Engine(Replay({0: 1}), crash=True)
    assert engine.live(noted).kind == "crashed"
    return engine, lives[0]


def test_a_dead_task_is_fenced_three_times_and_then_waits() -> None:
    """A loop that swallows everything is let go of at last."""
    caught: list[str] = []

    async def main(life: Life) -> None:
        while True:
            try:
                await life.gate("model")
            except BaseException as error:  # noqa: BLE001 - as bad agents do
                caught.append(type(error).__name__)

    engine, life = dead_life(main)
    assert life.dead
    assert caught == []
    engine.bury()
    assert caught.count("Fenced") == 3
    assert set(caught) == {"CancelledError", "Fenced"}
    assert len(caught) < 12


def test_a_dead_life_draws_no_choice() -> None:
    """A choice after death is the dull one, and not in the log."""
    drawn: list[int] = []

    async def main(life: Life) -> None:
        try:
            await life.gate("model")
        finally:
            drawn.append(life.choose("fault", ("no", "yes")))

    engine, _ = dead_life(main)
    engine.bury()
    assert drawn == [0]
    assert engine.words == ["the process died before model"]


def test_who_is_known_not_to_end_when_buried_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of it runs: neither is it cancelled, nor what else is alive there."""
    ran: list[str] = []

    async def worker(life: Life) -> None:
        try:
            await life.gate("tool")
        finally:
            ran.append("worker")

    async def main(life: Life) -> None:
        beside = asyncio.create_task(worker(life))
        try:
            await beside
        finally:
            ran.append("main")

    engine, _ = dead_life(main)
    monkeypatch.setitem(watchdog.HOPELESS, main.__code__, None)
    engine.bury()
    assert ran == []


def test_the_dead_are_buried_in_order_of_creation() -> None:
    """Clean-up code that can run does so in order, once judging is over."""
    buried: list[str] = []

    async def worker(life: Life, name: str) -> None:
        try:
            await life.gate(name)
        finally:
            buried.append(name)

    async def main(life: Life) -> None:
        tasks = [asyncio.create_task(worker(life, name)) for name in "cab"]
        await asyncio.wait(tasks)

    engine, _ = dead_life(main)
    assert buried == []
    engine.bury()
    assert buried == ["c", "a", "b"]
    engine.bury()
    assert buried == ["c", "a", "b"]


def test_generators_of_the_dead_are_closed() -> None:
    """A generator that a dead life still holds is closed at its burial."""
    buried: list[str] = []
    held: list[AsyncIterator[int]] = []

    async def stream(life: Life) -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            buried.append("stream")
            await life.gate("close")
            buried.append("never")

    async def main(life: Life) -> None:
        held.append(stream(life))
        await anext(held[0])
        await life.gate("model")

    engine, _ = dead_life(main)
    engine.bury()
    assert buried == ["stream"]


def test_generators_that_the_dead_drop_are_closed_too() -> None:
    """A stream that a dead task was reading runs its clean-up at the burial."""
    buried: list[str] = []

    async def stream(life: Life) -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            buried.append("stream")

    async def main(life: Life) -> None:
        async for _ in stream(life):
            await life.gate("model")

    engine, _ = dead_life(main)
    engine.bury()
    assert buried == ["stream"]


def test_one_of_the_dead_does_not_stop_the_burial_of_the_rest() -> None:
    """Refusals and exits while the dead are buried concern only who asked."""
    buried: list[int] = []

    async def worker(life: Life, number: int) -> None:
        try:
            await life.gate("tool")
        finally:
            buried.append(number)
            if number == 0:
                raise SystemExit
            if number == 1:
                await asyncio.to_thread(print)

    async def main(life: Life) -> None:
        tasks = [asyncio.create_task(worker(life, number)) for number in range(600)]
        await asyncio.wait(tasks)

    engine, _ = dead_life(main)
    engine.bury()
    assert buried == list(range(600))


def test_who_can_not_be_buried_is_off_the_books() -> None:
    """Asyncio does not list the tasks that stay in the graveyard."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def main(life: Life) -> None:
        loops.append(asyncio.get_running_loop())
        while True:
            try:
                await loops[0].create_future()
            except BaseException:  # noqa: BLE001 - as bad agents do
                continue

    async def started(life: Life) -> None:
        task = asyncio.create_task(main(life))
        await life.gate("model")
        await task

    engine, _ = dead_life(started)
    assert len(asyncio.all_tasks(loops[0])) == 2
    engine.bury()
    assert asyncio.all_tasks(loops[0]) == set()


def test_a_generator_that_has_ended_keeps_no_loop() -> None:
    """Errors hold the generators that they came through: nothing of those runs again."""
    held: list[AsyncIterator[int]] = []

    async def stream(life: Life) -> AsyncIterator[int]:
        await life.gate("model")
        yield 1

    async def main(life: Life) -> None:
        held.append(stream(life))
        async for _ in held[-1]:
            await life.gate("tool")

    before = len(burial._GRAVEYARD)
    for crashed_at in (0, 1):
        assert (
            run(main, Replay({crashed_at: 1}), crash=True).endings[0].kind == "crashed"
        )
    assert (len(held), len(burial._GRAVEYARD)) == (4, before)


def test_a_dead_agents_own_handlers_are_not_called() -> None:
    """What fails at a burial is not even told to the handler that the agent set."""
    told: list[object] = []

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda *context: told.append(context))
        try:
            await life.gate("model")
        finally:
            loop.call_soon(int, "x")
            await asyncio.sleep(0)

    engine, _ = dead_life(main)
    engine.bury()
    gc.collect()
    assert told == []


BURIALS = {
    "ends at once": "raise",
    "sleeps in its clean-up": "await asyncio.sleep(1)",
    "spins for ever": "while True: await asyncio.sleep(0)",
    "swallows all": """
            while True:
                try:
                    await asyncio.get_running_loop().create_future()
                except BaseException:
                    pass""",
    "asks for threads": "await asyncio.to_thread(print)",
    "exits": "raise SystemExit(3)",
    "fails": "raise ValueError('x')",
    "starts a task": "asyncio.create_task(main(life)); await asyncio.sleep(0)",
}

SCRIPT = """
import asyncio, gc
from agentsim.engine import Engine, Replay

async def forget():
    raise KeyError

async def main(life):
    if life.number == 1:
        task = asyncio.create_task(forget())
        try:
            await life.gate("model")
        except BaseException:
            {last}
    return "alive"

for _ in range(5):
    events = []
    engine = Engine(Replay({{0: 1}}), crash=True, record=events.append)
    engine.live(main)
    print(engine.live(main).value, len(events))
    engine.bury()
    gc.collect()
    print(len(events))
"""


@pytest.mark.slow
@pytest.mark.parametrize("last", BURIALS.values(), ids=BURIALS.keys())
def test_burial_is_silent_to_the_end_of_the_process(last: str) -> None:
    """Whatever the dead do: no error, no word on stderr, not even at exit."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT.format(last=last)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == ["alive 1", "1"] * 5


@pytest.mark.parametrize("last", BURIALS.values(), ids=BURIALS.keys())
def test_burial_comes_to_an_end(last: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The same in process: burial ends, raises nothing and prints nothing."""
    names: dict[str, Any] = {"print": lambda *_: None}
    exec(SCRIPT.format(last=last), names)
    assert capfd.readouterr() == ("", "")


def test_a_cancellation_that_fails_does_not_stop_the_burial() -> None:
    """Whatever the dead do to be cancelled, the others are still buried."""
    buried: list[str] = []

    class Stubborn(asyncio.Future[None]):
        def cancel(self, msg: object = None) -> bool:
            raise LookupError

    async def worker(life: Life) -> None:
        await Stubborn(loop=asyncio.get_running_loop())

    async def main(life: Life) -> None:
        task = asyncio.create_task(worker(life))
        try:
            await life.gate("model")
        finally:
            buried.append("main")
            await task

    engine, _ = dead_life(main)
    engine.bury()
    assert buried == ["main"]


def test_a_later_life_is_not_disturbed_by_a_dead_one() -> None:
    """Numbers of tasks begin anew in each life, and its tasks are its own."""

    async def main(life: Life) -> list[str]:
        task = asyncio.create_task(asyncio.sleep(0))
        names = [task.get_name() for task in asyncio.all_tasks()]
        await task
        await life.gate("model")
        return names

    first, second = run(main, crash=True), run(main, Replay({0: 1}), crash=True)
    assert first.ending.value == second.ending.value == ["main", "Task-2"]


def test_a_run_without_death_needs_no_burial() -> None:
    """`bury` after a clean life does nothing."""

    async def main(life: Life) -> None:
        await life.gate("a")

    seen: Observed = run(main, Choices())
    seen.engine.bury()
    assert seen.ending.kind == "returned"
