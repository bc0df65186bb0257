"""What goes on next: gates, timers and the unexpected, under both policies."""

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import NondeterminismError, TokenError, UsageError
from agentsim.engine import Choices, Engine, Life, Replay, Seeded
from tests.engine.programs import Interpreter, Program, programs
from tests.engine.runs import Main, Noted, every_run, run


async def read(life: Life, name: str, latency_s: float = 0.0) -> None:
    """One operation with one gate."""
    await life.gate(name, latency_s=latency_s)
    life.record(Noted(name))


def reads(*named: tuple[str, float]) -> Main:
    """An agent that makes several reads at once."""

    async def main(life: Life) -> None:
        async with asyncio.TaskGroup() as group:
            for name, latency_s in named:
                group.create_task(read(life, name, latency_s))

    return main


def test_timed_follows_the_due_times() -> None:
    """Answers come when they are due, equal ones in order of arrival."""
    seen = run(reads(("a", 3), ("b", 1), ("c", 1), ("d", 0)))
    assert seen.notes == [
        (0, 1, "d"),
        (1_000_000_000, 1, "b"),
        (1_000_000_000, 1, "c"),
        (3_000_000_000, 1, "a"),
    ]
    assert seen.choices.log == []


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_the_dull_run_of_any_order_is_the_timed_one(latencies: list[int]) -> None:
    """Without timers, all zeros under `any_order` is exactly `timed`."""
    main = reads(*((f"r{n}", latency) for n, latency in enumerate(latencies)))
    assert run(main, policy="any_order").notes == run(main).notes


@pytest.mark.parametrize(("at_once", "orders"), [(3, 6), (2, 4), (1, 1)])
def test_three_reads_and_a_write_have_so_many_orders(at_once: int, orders: int) -> None:
    """Every order of three reads with K at once, then a write alone, comes once."""

    async def main(life: Life) -> None:
        room = asyncio.Semaphore(at_once)

        async def limited(name: str) -> None:
            async with room:
                await read(life, name)

        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(limited(name))
        await life.gate("write")
        life.record(Noted("effect"))
        await life.gate("write's answer")

    runs = list(every_run(main, policy="any_order"))
    found = {tuple(words for _, _, words in seen.notes) for seen in runs}
    assert len(runs) == len(found) == orders
    assert {seen.ending.kind for seen in runs} == {"returned"}


def test_all_orders_of_parallel_operations_are_found() -> None:
    """Two tasks of two gates each have C(4, 2) = 6 interleavings, each once."""

    async def main(life: Life) -> None:
        async def two(name: str) -> None:
            await read(life, name + "1")
            await read(life, name + "2")

        await asyncio.gather(two("a"), two("b"))

    runs = [
        tuple(w for *_, w in seen.notes) for seen in every_run(main, policy="any_order")
    ]
    assert len(runs) == len(set(runs)) == 6


async def hurried(life: Life) -> str:
    """Ask with a deadline."""
    try:
        async with asyncio.timeout(5):
            await life.gate("model", latency_s=2)
    except TimeoutError:
        return "late"
    return "in time"


def test_any_order_meets_every_deadline_early_and_late() -> None:
    """An answer may beat its timeout or lose to it; the deviation is told."""
    runs = list(every_run(hurried, policy="any_order"))
    assert [
        (seen.ending.value, seen.engine.now_ns, seen.engine.words) for seen in runs
    ] == [
        ("in time", 2_000_000_000, []),
        ("late", 5_000_000_000, ["the timer due at 5 s fired before model"]),
    ]


@pytest.mark.parametrize(
    ("latency_s", "value", "end_s"), [(4.9, "in", 4.9), (5, "late", 5), (6, "late", 5)]
)
def test_an_answer_at_the_deadline_is_late(
    latency_s: float, value: str, end_s: float
) -> None:
    """Under `timed` the timer goes before the gate of the same instant."""

    async def main(life: Life) -> str:
        try:
            async with asyncio.timeout(5):
                await life.gate("model", latency_s=latency_s)
        except TimeoutError:
            return "late"
        return "in"

    seen = run(main)
    assert (seen.ending.value, seen.engine.now_ns) == (value, round(end_s * 1e9))


@pytest.mark.parametrize(("latency_s", "now_s"), [(4, 4), (5, 0), (9, 0)])
def test_an_answer_before_its_time_leaves_the_clock(
    latency_s: float, now_s: int
) -> None:
    """Under `any_order` a gate due after the next timer comes early, at once."""

    async def main(life: Life) -> str:
        async with asyncio.timeout(5):
            await life.gate("model", latency_s=latency_s)
        return "in time"

    seen = run(main, policy="any_order")
    assert (seen.ending.value, seen.engine.now_ns) == ("in time", now_s * 10**9)


def test_the_clock_never_goes_back() -> None:
    """An answer that was due before the one that came first comes at the later time."""
    seen = run(reads(("a", 1), ("b", 5)), Replay({0: 1}), policy="any_order")
    assert seen.notes == [(5_000_000_000, 1, "b"), (5_000_000_000, 1, "a")]


def test_each_interference_comes_once() -> None:
    """After a cancellation the next deviation is the crash, and then the injection."""

    async def main(life: Life) -> None:
        for _ in range(3):
            try:
                await read(life, "a")
            except asyncio.CancelledError:
                life.record(Noted("ignored"))

    seen = run(
        main,
        Replay({0: 1, 1: 1, 2: 1}),
        cancel=True,
        crash=True,
        inject=[("a message", list)],
    )
    assert seen.engine.words == [
        "cancelled before a",
        "the process died before a",
        "a message came before a",
    ]
    assert [arity for _, arity in seen.choices.log] == [4, 3, 2]


def test_the_options_stand_in_order() -> None:
    """First due, the others as they came, timer, cancel, crash, injections."""
    arrived: list[str] = []
    inject = [(name, lambda name=name: arrived.append(name)) for name in ("m1", "m2")]

    async def main(life: Life) -> None:
        asyncio.get_running_loop().call_later(9, int)
        await reads(("a", 3), ("b", 1), ("c", 2))(life)

    told = []
    for value in range(8):
        arrived.clear()
        seen = run(
            main,
            Replay({0: value} if value else {}),
            policy="any_order",
            cancel=True,
            crash=True,
            inject=inject,
        )
        assert seen.choices.log[0] == ("next b", 8)
        told.append((seen.engine.words, list(arrived)))
    assert told == [
        ([], []),
        (["a came before b"], []),
        (["c came before b"], []),
        (["the timer due at 9 s fired before b"], []),
        (["cancelled before b"], []),
        (["the process died before b"], []),
        (["m1 came before b"], ["m1"]),
        (["m2 came before b"], ["m2"]),
    ]


def test_interference_is_offered_under_timed_as_well() -> None:
    """Cancel, crash and injections are options at every gate, each until it is used."""
    arrived: list[int] = []
    options: dict[str, Any] = {
        "cancel": True,
        "crash": True,
        "inject": [("a message", lambda: arrived.append(1))],
    }

    async def main(life: Life) -> None:
        await read(life, "a")
        await read(life, "b")

    seen = run(main, **options)
    assert seen.choices.log == [("next a", 4), ("next b", 4)]
    seen = run(main, Replay({0: 3}), **options)
    assert seen.choices.log == [("next a", 4), ("next a", 3), ("next b", 3)]
    assert arrived == [1]
    assert seen.engine.told == [(0, "next a", "a message came before a")]


def test_equal_labels_are_told_apart() -> None:
    """Of two operations of one name it is told that another came first."""
    seen = run(reads(("a", 0), ("a", 0)), Replay({0: 1}), policy="any_order")
    assert seen.engine.words == ["another a came first"]


@pytest.mark.parametrize(
    ("at_s", "text"),
    [(3600, "3600"), (0.25, "0.25"), (100, "100"), (1e-9, "0.000000001")],
)
def test_times_are_told_exactly(at_s: float, text: str) -> None:
    """Seconds are written without noise and without needless zeros."""

    async def main(life: Life) -> None:
        asyncio.get_running_loop().call_later(at_s, int)
        await life.gate("a")

    seen = run(main, Replay({0: 1}), policy="any_order")
    assert seen.engine.words == [f"the timer due at {text} s fired before a"]


def test_an_endless_latency_never_answers() -> None:
    """A gate without end is no option; its task waits until it is cancelled."""

    async def main(life: Life) -> str:
        try:
            await asyncio.wait_for(life.gate("model", latency_s=math.inf), 60)
        except TimeoutError:
            return "gave up"
        return "never"

    for policy in ("timed", "any_order"):
        seen = run(main, policy=policy, cancel=True)
        assert (seen.ending.value, seen.engine.now_ns) == ("gave up", 60 * 10**9)
        assert seen.choices.log == []


@pytest.mark.parametrize("latency_s", [-1.0, math.nan, -math.inf])
def test_an_impossible_latency_is_refused(latency_s: float) -> None:
    """A negative latency fails the run, even if the agent swallows the error."""

    async def main(life: Life) -> None:
        try:
            await life.gate("model", latency_s=latency_s)
        except BaseException:  # noqa: BLE001 - as bad agents do
            return

    with pytest.raises(UsageError, match="latency_s must be 0 or more, got"):
        run(main)


def test_a_cancelled_wait_leaves_no_option() -> None:
    """A gate whose task gave up is not offered any more."""

    async def main(life: Life) -> str:
        task = asyncio.create_task(read(life, "slow", 9))
        await read(life, "a")
        task.cancel()
        await read(life, "b")
        await asyncio.wait([task])
        return "done"

    seen = run(main, policy="any_order")
    assert seen.choices.log == [("next a", 2)]
    assert (seen.ending.value, seen.engine.now_ns) == ("done", 0)


def test_cancellation_is_recorded_and_comes_out() -> None:
    """The engine's cancellation is an event, and the ending is `cancelled`."""

    async def main(life: Life) -> None:
        try:
            await read(life, "a")
        finally:
            life.record(Noted("saved"))

    seen = run(main, Replay({0: 1}), cancel=True)
    assert seen.ending.kind == "cancelled"
    assert isinstance(seen.ending.error, asyncio.CancelledError)
    assert [(event.kind, event.who) for event in seen.events] == [
        ("cancel", "engine"),
        ("noted", "boundary"),
    ]


def test_an_agent_may_swallow_its_cancellation() -> None:
    """Who goes on after a cancellation goes on, and has returned."""

    async def main(life: Life) -> str:
        for _ in range(3):
            try:
                await read(life, "a")
            except asyncio.CancelledError:
                life.record(Noted("ignored"))
        return "stubborn"

    seen = run(main, Replay({1: 1}), cancel=True)
    assert (seen.ending.kind, seen.ending.value) == ("returned", "stubborn")
    assert [words for *_, words in seen.notes] == ["a", "cancel", "ignored", "a"]


def test_choices_of_the_outside_are_told() -> None:
    """A world's own choice is logged, and its deviation told in its words."""

    async def main(life: Life) -> list[int]:
        options = ("no fault", "rate limit")
        return [life.choose("fault model", options) for _ in range(2)]

    seen = run(main, Replay({1: 1}))
    assert seen.ending.value == [0, 1]
    assert seen.engine.told == [(1, "fault model", "rate limit")]


@pytest.mark.parametrize(
    ("choices", "error"),
    [
        (Replay({0: 5}), TokenError),
        (Replay({}, expected=[("other", 2)]), NondeterminismError),
    ],
)
def test_a_choice_that_does_not_fit_ends_the_run(
    choices: Choices, error: type[Exception]
) -> None:
    """What a source objects to comes out, even if the agent swallows everything."""

    async def main(life: Life) -> str:
        while True:
            try:
                life.choose("fault model", ("no fault", "rate limit"))
            except BaseException:  # noqa: BLE001 - as bad agents do
                return "swallowed"

    with pytest.raises(error):
        run(main, choices)


def test_an_hour_with_a_deadline_is_quick() -> None:
    """One virtual hour costs a handful of callbacks, not a second of real time."""

    async def main(life: Life) -> None:
        async with asyncio.timeout(3600):
            await asyncio.sleep(3599)

    seen = run(main, steps_max=10)
    assert (seen.ending.kind, seen.engine.now_ns) == ("returned", 3599 * 10**9)


def program_run(program: Program, choices: Choices, policy: str) -> object:
    """Run a random program with real gates; give all that can be observed of it."""
    log: list[tuple[str, str]] = []

    async def main(life: Life) -> None:
        async def gate(label: str, latency_s: float) -> None:
            await life.gate(label, latency_s=latency_s)
            life.record(Noted(label))

        await Interpreter(gate, log).run(program)

    seen = run(
        main, choices, policy=policy, cancel=True, crash=True, inject=[("m", list)]
    )
    choices.finish()
    endings = [(e.kind, e.words, e.unhandled) for e in seen.endings]
    return log, seen.notes, endings, seen.engine.told, choices.log, seen.engine.now_ns


@settings(max_examples=25)
@given(programs(5), st.integers(), st.sampled_from(["timed", "any_order"]))
def test_a_run_is_its_deviations(program: Program, seed: int, policy: str) -> None:
    """Any program, any seed: replaying the deviations gives the very same run."""
    choices = Seeded(seed, 0.3)
    first = program_run(program, choices, policy)
    again = Replay(choices.deviations, expected=choices.log)
    assert program_run(program, again, policy) == first


def test_engines_do_not_know_each_other() -> None:
    """A run inside of another run leaves both as they would be alone."""

    async def inner(life: Life) -> int:
        await asyncio.sleep(7)
        await life.gate("inner", latency_s=1)
        return life.now_ns

    async def outer(life: Life) -> tuple[object, int]:
        await asyncio.sleep(1)
        value = Engine(Choices()).live(inner).value
        await life.gate("outer")
        return value, life.now_ns

    assert run(outer).ending.value == (8_000_000_000, 1_000_000_000)


def test_a_callback_may_open_what_the_agent_waits_for() -> None:
    """An injection runs on the loop: it may wake tasks by asyncio's own means."""
    wake: list[Callable[[], None]] = []

    async def main(life: Life) -> str:
        event = asyncio.Event()
        wake.append(event.set)
        waiting = asyncio.create_task(event.wait())
        await life.gate("model")
        return "woken" if waiting.done() else "asleep"

    def arrive() -> None:
        wake[0]()

    inject = [("a message", arrive)]
    assert run(main, Replay({0: 1}), inject=inject).ending.value == "woken"
    assert run(main, inject=inject).ending.kind == "leak"


def test_a_life_can_be_halted_from_outside() -> None:
    """A failure of the outside ends the run; the agent neither sees nor swallows it."""
    seen: list[str] = []

    async def outside(life: Life) -> None:
        life.halt(UsageError("the script ran out"))
        life.halt(UsageError("and then this"))
        await life.gate("for ever", latency_s=math.inf)

    async def main(life: Life) -> None:
        try:
            await outside(life)
        finally:
            seen.append("went on")

    with pytest.raises(UsageError, match="the script ran out"):
        run(main)
    assert seen == []
