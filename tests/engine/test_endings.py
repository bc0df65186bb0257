"""How lives end, and the words for who waits for what."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, NoReturn, cast

import pytest

from agentsim.engine import Choices, Engine, Life
from tests.engine.runs import Noted, run


def test_a_value_is_returned() -> None:
    """What the agent returns is the ending's value."""

    async def main(life: Life) -> str:
        await life.gate("model")
        return "done"

    ending = run(main).ending
    assert (ending.kind, ending.value, ending.error, ending.words) == (
        "returned",
        "done",
        None,
        "",
    )


async def deep(depth: int) -> None:
    """Wait at the bottom of many calls."""
    if depth:
        await deep(depth - 1)
    else:
        await asyncio.Event().wait()


def test_a_deep_way_inwards_is_cut() -> None:
    """The words stay short however deep a task waits."""

    async def agent(life: Life) -> None:
        await deep(100)

    assert run(agent).ending.words.count(" > deep") == 19


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), GeneratorExit()])
def test_an_error_is_raised(error: BaseException) -> None:
    """What the agent raises is the ending's error, whatever its base class."""

    async def main(life: Life) -> None:
        await life.gate("model")
        raise error

    ending = run(main).ending
    assert (ending.kind, ending.error) == ("raised", error)


def test_an_exit_in_a_subtask_ends_the_life() -> None:
    """`sys.exit` anywhere ends the run as it would end `asyncio.run`."""

    async def leave() -> None:
        raise SystemExit(4)

    async def main(life: Life) -> None:
        task = asyncio.create_task(leave())
        await life.gate("model")
        await task

    ending = run(main).ending
    assert ending.kind == "raised"
    assert isinstance(ending.error, SystemExit)


def test_an_interrupt_goes_through() -> None:
    """The user's own Ctrl-C is never taken for an ending."""

    async def main(life: Life) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(main)


def test_a_cancellation_of_the_agents_own_is_an_error() -> None:
    """Only what the engine cancelled ends as `cancelled`."""

    async def main(life: Life) -> None:
        raise asyncio.CancelledError

    ending = run(main).ending
    assert ending.kind == "raised"
    assert isinstance(ending.error, asyncio.CancelledError)


async def wait_for(thing: asyncio.Event | asyncio.Task[Any]) -> None:
    """Wait in a function of its own name."""
    if isinstance(thing, asyncio.Event):
        await thing.wait()
    else:
        await thing


def test_a_deadlock_tells_who_waits_for_what() -> None:
    """Nothing ready, no gate, no timer: each task is named with its way inwards."""

    async def agent(life: Life) -> None:
        await life.gate("model")
        helper = asyncio.create_task(wait_for(asyncio.Event()), name="helper")
        await wait_for(helper)

    ending = run(agent).ending
    here = "test_a_deadlock_tells_who_waits_for_what.<locals>."
    assert ending.kind == "deadlock"
    assert ending.words == (
        "nothing can run and nothing is pending: "
        f"main waits in {here}agent > wait_for for helper; "
        "helper waits in wait_for > Event.wait"
    )


def test_a_deadlock_in_a_generator_is_told_through_it() -> None:
    """The way inwards is followed through async generators."""

    async def stream() -> AsyncIterator[int]:
        await wait_for(asyncio.Event())
        yield 1

    async def agent(life: Life) -> None:
        async for _ in stream():
            pass

    words = run(agent).ending.words
    assert words.endswith("wait_for > Event.wait")
    assert ".agent" in words


def test_many_waiting_tasks_are_counted() -> None:
    """A long list is cut, and says by how much."""

    async def agent(life: Life) -> None:
        tasks = [asyncio.create_task(wait_for(asyncio.Event())) for _ in range(40)]
        await asyncio.wait(tasks)

    assert run(agent).ending.words.endswith("; 21 more tasks")


def test_a_task_left_alive_is_a_leak() -> None:
    """The value is kept, and the leaked tasks are named with where they wait."""

    async def work(life: Life) -> None:
        await life.gate("tool")

    async def agent(life: Life) -> str:
        life.record(Noted("start"))
        asyncio.create_task(work(life), name="worker")  # noqa: RUF006 - the leak
        await life.gate("model")
        return "done"

    ending = run(agent, policy="any_order").ending
    assert (ending.kind, ending.value) == ("leak", "done")
    assert ending.words.startswith("tasks are alive after the end: worker waits in")
    assert ending.words.endswith("work > Life.gate")


def test_a_task_that_is_merely_finishing_is_no_leak() -> None:
    """What needs only a few callbacks to end may end."""

    async def slow_end() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            for _ in range(20):
                await asyncio.sleep(0)

    async def agent(life: Life) -> str:
        task = asyncio.create_task(slow_end())
        await asyncio.sleep(0)
        task.cancel()
        return "done"

    assert run(agent).ending.kind == "returned"


def test_a_task_that_spins_after_the_end_is_a_leak() -> None:
    """The patience for finishing tasks has an end."""

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - the subject
            await asyncio.sleep(0)

    async def agent(life: Life) -> str:
        asyncio.create_task(spin())  # noqa: RUF006 - the leak
        return "done"

    ending = run(agent).ending
    assert (ending.kind, ending.value) == ("leak", "done")


def test_a_raising_agent_that_leaks_keeps_its_error() -> None:
    """A leak does not hide what the agent raised."""

    async def agent(life: Life) -> None:
        asyncio.create_task(asyncio.sleep(9))  # noqa: RUF006 - the leak
        raise ValueError

    ending = run(agent).ending
    assert ending.kind == "leak"
    assert isinstance(ending.error, ValueError)


def test_a_stream_left_by_break_is_no_leak() -> None:
    """A dropped generator whose clean-up waits for the outside is not blamed."""

    async def stream(life: Life) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await life.gate("close the stream")

    async def agent(life: Life) -> str:
        async for _ in stream(life):
            break
        return "done"

    assert run(agent).ending.kind == "returned"


def test_an_exit_after_the_end_is_noted() -> None:
    """A leftover task that exits does not change how the agent ended."""

    async def leave() -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        raise SystemExit

    async def agent(life: Life) -> str:
        asyncio.create_task(leave())  # noqa: RUF006 - the leftover
        return "done"

    ending = run(agent).ending
    assert (ending.kind, ending.value) == ("returned", "done")
    assert "SystemExit in a task that outlived the agent" in ending.unhandled


def test_a_busy_wait_is_a_livelock() -> None:
    """Callbacks without end at one instant end the run, with the words for it."""

    async def agent(life: Life) -> None:
        while True:  # noqa: ASYNC110 - the subject
            await asyncio.sleep(0)

    ending = run(agent, steps_max=1_000).ending
    assert ending.kind == "livelock"
    assert ending.words.startswith(
        "1000 callbacks ran while the clock stood still and no gate opened: main waits"
    )


def test_a_patient_poller_is_no_livelock() -> None:
    """The count begins anew whenever the clock moves or a gate opens."""

    async def agent(life: Life) -> str:
        for _ in range(500):
            await asyncio.sleep(1)
            await life.gate("model")
            for _ in range(5):
                await asyncio.sleep(0)
        return "done"

    assert run(agent, steps_max=50, timers_max=5).ending.value == "done"


def test_waiting_by_timers_for_ever_is_a_livelock() -> None:
    """An agent that polls by sleeping, with nothing outside to change, is stopped."""

    async def agent(life: Life) -> None:
        while True:  # noqa: ASYNC110 - the subject
            await asyncio.sleep(1)

    ending = run(agent, timers_max=100).ending
    assert ending.kind == "livelock"
    assert ending.words.startswith("the clock moved 100 times while no gate opened")


def test_asking_for_ever_is_a_livelock() -> None:
    """An agent that never stops asking is stopped."""

    async def agent(life: Life) -> None:
        while True:
            await life.gate("model")

    ending = run(agent, gates_max=lambda: 100).ending
    assert ending.kind == "livelock"
    assert ending.words.startswith("too many gates opened (100)")


def test_the_end_may_come_nearer_while_an_agent_asks() -> None:
    """How many gates may open is asked again, and no more of them do."""
    opened = 0

    async def agent(life: Life) -> None:
        nonlocal opened
        while True:
            await life.gate("model")
            opened += 1

    ending = run(agent, gates_max=lambda: 1_000 if opened < 120 else 250).ending
    assert ending.kind == "livelock"
    assert ending.words.startswith("too many gates opened (250)")
    assert opened == 250


def test_a_task_of_another_kind_may_leak() -> None:
    """A factory may make futures that are no tasks; they are told and kept."""

    async def agent(life: Life) -> str:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def factory(_: object, coro: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401
            coro.close()
            return future

        loop.set_task_factory(cast(Any, factory))
        loop.create_task(asyncio.sleep(0))  # noqa: RUF006 - the leak
        future.cancel = lambda *_: False  # type: ignore[method-assign]
        return "done"

    ending = run(agent).ending
    assert ending.kind == "leak"
    assert ending.words.endswith("a future of another kind waits")


def test_an_agent_that_can_not_be_made_raises() -> None:
    """What `main` itself raises is the caller's, and the engine can go on."""

    def main(life: Life) -> NoReturn:
        raise LookupError

    engine = Engine(Choices())
    with pytest.raises(LookupError):
        engine.live(main)
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
