"""Tools, clients and handlers that do not do as they are told (R3.9, R6.3)."""

import asyncio
from typing import Any

import pytest

from agentsim.core import (
    Event,
    Limits,
    Request,
    Response,
    Usage,
    breaches,
    user,
)
from agentsim.engine import Exhaustive, Life
from agentsim.runtime import run_agent
from tests.runtime.fakes import (
    Events,
    ScriptedClient,
    asks,
    call,
    config,
    ended,
    results,
    run_virtually,
    says,
    simulate,
    tool,
)
from tests.runtime.test_interleavings import every_start_has_its_end


def test_a_cancellation_in_the_grace_of_the_deadline_is_passed_on() -> None:
    """Both happen: whoever cancelled gets his cancellation, and the status says so."""
    events = Events()

    async def deaf(arguments: dict[str, Any]) -> str:
        while True:
            try:
                await asyncio.sleep(99)
            except asyncio.CancelledError:
                continue

    async def main(life: Life) -> object:
        client = ScriptedClient(asks(call("look")))
        agent = config(client, tool(run=deaf), on=events, limits=Limits(deadline_s=10))
        task = asyncio.ensure_future(run_agent(agent, "task"))
        asyncio.get_running_loop().call_later(10.5, task.cancel)
        return await task

    assert isinstance(simulate(main).error, asyncio.CancelledError)
    assert ended(events).status == "cancelled"
    assert "terminal" not in events.kinds


def test_a_handler_that_holds_the_loop_past_the_deadline_starts_nothing() -> None:
    """The clock is asked before each start too."""
    lost = [0.0]

    class Blocked(asyncio.SelectorEventLoop):
        def time(self) -> float:
            return super().time() + lost[0]

    def slow(event: Event) -> None:
        lost[0] += 4000 if event.kind == "tool_end" else 0

    client = ScriptedClient(asks(call("look", "1"), call("look", "2")))
    with asyncio.Runner(loop_factory=Blocked) as runner:
        result = runner.run(run_agent(config(client, tool(), on=slow), "task"))
    assert result.status == "deadline"
    assert results(result)[0] == "seen"
    assert results(result)[1].startswith("Error: not executed: ")


def test_a_late_answer_is_accounted_and_not_consumed() -> None:
    """A client that answers in spite of its cancellation costs tokens, no iteration."""

    class Stubborn:
        async def complete(self, request: Request) -> Response:
            try:
                await asyncio.sleep(99)
            except asyncio.CancelledError:
                return asks(call("look"))
            raise AssertionError

    result = run_virtually(Stubborn(), tool(), limits=Limits(deadline_s=10))
    assert (result.status, result.iterations) == ("deadline", 0)
    assert result.usage == Usage(10, 1)
    assert result.history[-1] == user("task")


class Stubborn:
    """A tool or client that swallows every cancellation and goes on."""

    def __init__(self, life: Life, answer: object, log: list[str]) -> None:
        self.life = life
        self.answer = answer
        self.log = log

    async def __call__(self, arguments: object) -> Any:  # noqa: ANN401 a tool or client
        self.log.append("start")
        for _ in range(2):
            try:
                await self.life.gate("stubborn")
            except asyncio.CancelledError:
                self.log.append("swallowed")
        return self.answer

    complete = __call__


@pytest.mark.parametrize("parallel", [False, True])
def test_a_tool_that_swallows_its_cancellation_changes_nothing(
    *, parallel: bool
) -> None:
    """In any order: one true ending, a sound history, nothing more is started."""
    seen: set[tuple[str, str]] = set()
    search = Exhaustive(3)
    while (choices := search.next()) is not None:
        events, log = Events(), list[str]()

        async def main(
            life: Life, events: Events = events, log: list[str] = log
        ) -> object:
            client = ScriptedClient(
                asks(call("sleep", "1"), call("sleep", "2"), call("pay", "3")),
                says("done"),
            )
            agent = config(
                client,
                tool("sleep", Stubborn(life, "woke", log), parallel=parallel),
                tool(
                    "pay",
                    Stubborn(life, "paid", log),
                    category="mutating",
                    confirm=False,
                ),
                on=events,
                limits=Limits(deadline_s=60),
            )
            return await run_agent(agent, "task")

        ending = simulate(main, choices, policy="any_order", cancel=True)
        end = ended(events)
        assert breaches(end.history or ()) == []
        every_start_has_its_end(events)
        assert ("swallowed" in log) is (end.status != "done")
        assert len(client_requests(events)) == (2 if end.status == "done" else 1)
        seen.add((ending.kind, end.status))
        search.done(choices)
    assert {
        ("returned", "done"),
        ("returned", "deadline"),
        ("leak", "deadline"),
    } <= seen
    assert ("cancelled", "cancelled") in seen
    assert {status for _, status in seen} == {"done", "deadline", "cancelled"}


def client_requests(events: Events) -> list[int]:
    """Numbers of the requests that a run sent."""
    return [n for n, kind in enumerate(events.kinds) if kind == "request"]


def test_a_client_that_swallows_its_cancellation_is_left_behind() -> None:
    """The run ends one grace after its deadline, whatever the client does."""

    async def main(life: Life) -> object:
        class Deaf:
            async def complete(self, request: Request) -> Response:
                while True:
                    try:
                        await asyncio.sleep(99)
                    except asyncio.CancelledError:
                        continue

        result = await run_agent(config(Deaf(), limits=Limits(deadline_s=10)), "task")
        return result.status, asyncio.get_running_loop().time()

    ending = simulate(main)
    assert ending.kind == "leak"
    assert ending.value == ("deadline", 11.0)


def test_a_second_cancellation_ends_the_grace_at_once() -> None:
    """Who cancels twice does not wait for a deaf tool."""
    events = Events()

    async def deaf(arguments: dict[str, Any]) -> str:
        while True:
            try:
                await asyncio.sleep(99)
            except asyncio.CancelledError:
                continue

    async def main(life: Life) -> object:
        client = ScriptedClient(asks(call("look")))
        task = asyncio.ensure_future(
            run_agent(config(client, tool(run=deaf), on=events), "task")
        )
        loop = asyncio.get_running_loop()
        loop.call_later(5, task.cancel)
        loop.call_later(5.25, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            return loop.time()
        raise AssertionError

    assert simulate(main).value == 5.25
    assert ended(events).status == "cancelled"


@pytest.mark.parametrize("parallel", [False, True])
def test_a_tool_that_holds_the_loop_past_the_deadline_is_late(
    *, parallel: bool
) -> None:
    """Even if no timer could fire meanwhile: the clock is asked after each await."""
    lost = [0.0]

    class Blocked(asyncio.SelectorEventLoop):
        def time(self) -> float:
            return super().time() + lost[0]

    started: list[object] = []

    async def blocks(arguments: dict[str, Any]) -> str:
        started.append(arguments)
        await asyncio.sleep(0)
        lost[0] += 4000
        return "done"

    client = ScriptedClient(asks(*[call("look", f"id{n}") for n in range(3)]))
    agent = config(
        client, tool(run=blocks, parallel=parallel), limits=Limits(max_parallel=2)
    )
    with asyncio.Runner(loop_factory=Blocked) as runner:
        result = runner.run(run_agent(agent, "task"))
    assert result.status == "deadline"
    assert len(started) == 1 + parallel
    assert results(result)[0].startswith("Error: not finished: ")
    assert results(result)[2].startswith("Error: not executed: ")


@pytest.mark.parametrize("error", [ValueError("late"), TimeoutError(), None])
def test_what_a_tool_makes_of_its_cancellation_is_not_its_result(
    error: Exception | None,
) -> None:
    """An error or a value in place of the CancelledError comes too late to count."""

    async def converts(arguments: dict[str, Any]) -> str:
        try:
            await asyncio.sleep(99)
        except asyncio.CancelledError:
            if error is not None:
                raise error from None
        return "done after all"

    client = ScriptedClient(asks(call("pay")))
    pays = tool("pay", converts, category="mutating", confirm=False)
    result = run_virtually(client, pays, limits=Limits(deadline_s=10))
    assert result.status == "deadline"
    assert results(result)[0].startswith("Error: outcome unknown: ")


def test_a_tool_that_raises_a_cancellation_of_its_own_has_failed() -> None:
    """A CancelledError that nobody asked for is the tool's error, not the run's end."""
    client = ScriptedClient(asks(call("look")), says("done"))
    result = run_virtually(client, tool(returns=asyncio.CancelledError()))
    assert result.status == "done"
    assert results(result) == ["Error: look cancelled itself"]


def test_a_timeout_of_a_tool_is_not_the_deadline() -> None:
    """Three things are told apart: tool error, the tool's timeout, the run's (BR-072)."""

    async def impatient(arguments: dict[str, Any]) -> str:
        async with asyncio.timeout(1):
            await asyncio.sleep(99)
        return ""

    client = ScriptedClient(asks(call("look")), says("done"))
    result = run_virtually(client, tool(run=impatient), limits=Limits(deadline_s=10))
    assert result.status == "done"
    assert results(result) == ["Error: TimeoutError"]


def test_a_task_cancelled_by_somebody_else_is_passed_on_as_cancellation() -> None:
    """A tool that cancels the task it runs in cancels the run."""
    events = Events()

    async def cancels(arguments: dict[str, Any]) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)
        return ""

    async def main(life: Life) -> object:
        client = ScriptedClient(asks(call("look")))
        return await run_agent(config(client, tool(run=cancels), on=events), "task")

    assert isinstance(simulate(main).error, asyncio.CancelledError)
    assert ended(events).status == "cancelled"


def test_a_control_exception_of_a_tool_is_never_swallowed() -> None:
    """KeyboardInterrupt and its like end the program, also from parallel tools."""

    class Stop(BaseException):
        pass

    for parallel in (False, True):
        client = ScriptedClient(asks(call("look", "1"), call("look", "2")))
        with pytest.raises(Stop):
            asyncio.run(
                run_agent(
                    config(client, tool(returns=Stop(), parallel=parallel)), "task"
                )
            )


def test_a_control_exception_does_not_wait_for_the_siblings() -> None:
    """What ends the program ends the batch at once, and cancels who still runs."""

    class Stop(BaseException):
        pass

    log: list[str] = []

    async def sleeps(arguments: dict[str, Any]) -> str:
        try:
            await asyncio.sleep(99)
        finally:
            log.append("cancelled")
        return ""

    async def main(life: Life) -> object:
        client = ScriptedClient(asks(call("sleep"), call("stop")))
        tools = (
            tool("sleep", sleeps, parallel=True),
            tool("stop", returns=Stop(), parallel=True),
        )
        try:
            await run_agent(config(client, *tools), "task")
        except Stop:
            return asyncio.get_running_loop().time()
        raise AssertionError

    assert simulate(main).value == 0
    assert log == ["cancelled"]
