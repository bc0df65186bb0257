"""Deadline and cancellation: told apart, repaired, final (R1.9, R3.9, R6.3)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentsim.core import (
    Decision,
    Event,
    Limits,
    Question,
    Request,
    Response,
    RunResult,
    Tool,
    Usage,
    assistant,
    breaches,
    user,
)
from agentsim.engine import Ending, Exhaustive, Life
from agentsim.runtime import Conversation, run_agent
from tests.runtime.fakes import (
    Events,
    ScriptedClient,
    asks,
    call,
    config,
    ended,
    results,
    says,
    simulate,
    tool,
)
from tests.runtime.test_interleavings import every_start_has_its_end


class Slow:
    """Answers after so many virtual seconds."""

    def __init__(self, seconds: float, then: Response) -> None:
        self.seconds = seconds
        self.then = then

    async def complete(self, request: Request) -> Response:
        await asyncio.sleep(self.seconds)
        return self.then


def sleeper(seconds: float, **fields: Any) -> Tool:
    """A tool that takes so many virtual seconds."""

    async def sleep(arguments: dict[str, Any]) -> str:
        await asyncio.sleep(seconds)
        return "slept"

    return tool("sleep", sleep, **fields)


def run_virtually(client: object, *tools: Tool, **fields: Any) -> RunResult:
    """Run on a virtual clock and return the result."""

    async def main(life: Life) -> object:
        return await run_agent(config(client, *tools, **fields), "task")

    value = simulate(main).value
    assert isinstance(value, RunResult)
    return value


def cancelled_after(
    seconds: float, client: object, *tools: Tool, **fields: Any
) -> tuple[Ending, Events]:
    """Run on a virtual clock, cancelled from outside after so many seconds."""
    events = Events()

    async def main(life: Life) -> object:
        task = asyncio.ensure_future(
            run_agent(config(client, *tools, on=events, **fields), "task")
        )
        asyncio.get_running_loop().call_later(seconds, task.cancel)
        return await task

    return simulate(main), events


@pytest.mark.parametrize(
    ("answer_s", "status"), [(9.999, "done"), (10.0, "deadline"), (10.001, "deadline")]
)
def test_an_answer_at_the_instant_of_the_deadline_is_late(
    answer_s: float, status: str
) -> None:
    """The deadline itself is no longer in time (R6.3)."""
    result = run_virtually(Slow(answer_s, says("x")), limits=Limits(deadline_s=10))
    assert result.status == status
    assert result.output == ("x" if status == "done" else None)


@pytest.mark.parametrize(
    ("tool_s", "status"), [(9.999, "done"), (10.0, "deadline"), (11.0, "deadline")]
)
def test_a_result_at_the_instant_of_the_deadline_is_late(
    tool_s: float, status: str
) -> None:
    """A tool that ends with the deadline is not reported as finished."""
    client = ScriptedClient(asks(call("sleep")), says("done"))
    result = run_virtually(client, sleeper(tool_s), limits=Limits(deadline_s=10))
    assert result.status == status
    assert (results(result) == ["slept"]) is (status == "done")


@pytest.mark.parametrize("late", ["answer", "result"])
def test_what_comes_first_at_the_instant_of_the_deadline_is_late_too(late: str) -> None:
    """The clock decides, not the order of two timers that are due at once."""

    async def main(life: Life) -> object:
        due = asyncio.Event()
        asyncio.get_running_loop().call_later(10, due.set)

        class Punctual(ScriptedClient):
            async def complete(self, request: Request) -> Response:
                if late == "answer":
                    await due.wait()
                return await super().complete(request)

        async def punctual(arguments: dict[str, Any]) -> str:
            await due.wait()
            return "seen"

        client = Punctual(asks(call("look")), says("done"))
        if late == "answer":
            client = Punctual(says("done"))
        limits = Limits(deadline_s=10)
        return await run_agent(
            config(client, tool(run=punctual), limits=limits), "task"
        )

    result = simulate(main).value
    assert isinstance(result, RunResult)
    assert result.status == "deadline"
    assert "done" not in [m.content for m in result.history]
    assert "seen" not in results(result)


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


def test_a_write_cut_by_the_deadline_is_reported_as_unknown() -> None:
    """It may have taken effect, and the model, if asked again, must know (R6.3)."""
    client = ScriptedClient(asks(call("sleep"), call("look")))
    result = run_virtually(
        client,
        sleeper(99, category="mutating", confirm=False),
        tool(),
        limits=Limits(deadline_s=10),
    )
    unknown, waiting = results(result)
    assert unknown == (
        "Error: outcome unknown: the run had reached its deadline while sleep was "
        "running; it may have taken effect"
    )
    assert waiting == "Error: not executed: the run had reached its deadline"
    assert result.tools == ("sleep",)


def test_a_read_cut_by_the_deadline_is_reported_as_not_finished() -> None:
    """A read has no effect to be unsure about."""
    client = ScriptedClient(asks(call("sleep")))
    result = run_virtually(client, sleeper(99), limits=Limits(deadline_s=10))
    assert results(result) == [
        "Error: not finished: the run had reached its deadline while sleep was running"
    ]


def test_what_finished_before_the_deadline_keeps_its_result() -> None:
    """Only what was cut is lost: a sibling's result stays."""
    client = ScriptedClient(asks(call("look"), call("sleep")))
    tools = tool(parallel=True), sleeper(99, parallel=True)
    result = run_virtually(client, *tools, limits=Limits(deadline_s=10))
    assert results(result)[0] == "seen"
    assert results(result)[1].startswith("Error: not finished: ")


@pytest.mark.parametrize(
    ("deadline_s", "cancel_s", "status"),
    [(10, 5, "cancelled"), (5, 10, "deadline"), (10, 10, "cancelled")],
)
def test_deadline_and_cancellation_are_told_apart(
    deadline_s: float, cancel_s: float, status: str
) -> None:
    """Each has its own status; at the same instant the cancellation is passed on."""
    ending, events = cancelled_after(
        cancel_s, Slow(99, says("x")), limits=Limits(deadline_s=deadline_s)
    )
    assert ended(events).status == status
    assert (ending.error is not None) is (status == "cancelled")


def test_a_cancelled_run_leaves_its_result_to_the_handler_and_to_the_memory() -> None:
    """The caller gets a CancelledError; the repaired history is not lost with it."""
    memory = Conversation()
    client = ScriptedClient(asks(call("sleep"), text="wait"))
    writes = sleeper(99, category="mutating", confirm=False)
    ending, events = cancelled_after(5, client, writes, memory=memory)
    end = ended(events)
    assert isinstance(ending.error, asyncio.CancelledError)
    assert (end.status, end.output) == ("cancelled", "wait")
    assert end.words == "agent: cancelled from outside"
    assert (end.iterations, end.tools, end.usage) == (1, ("sleep",), Usage(10, 1))
    history = list(end.history or ())
    assert breaches(history) == []
    assert memory.load() == tuple(history[1:])
    assert history[-1].content.startswith(
        "Error: outcome unknown: the run was cancelled"
    )
    every_start_has_its_end(events)


def test_a_timeout_of_the_caller_comes_out_as_his_timeout() -> None:
    """`asyncio.timeout` around a run works as around anything else."""

    async def main(life: Life) -> object:
        try:
            async with asyncio.timeout(5):
                await run_agent(config(Slow(99, says("x"))), "task")
        except TimeoutError:
            return "timeout"
        return "none"

    assert simulate(main).value == "timeout"


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


def test_a_question_cut_by_the_deadline_means_not_executed() -> None:
    """Human answers are within the deadline, and a late approval runs nothing."""

    async def confirm(question: Question) -> Decision:
        await asyncio.sleep(99)
        return Decision(approved=True, confirmed_by="ann")

    events = Events()
    client = ScriptedClient(asks(call("pay")))
    result = run_virtually(
        client,
        tool("pay", category="mutating"),
        confirm=confirm,
        on=events,
        limits=Limits(deadline_s=10),
    )
    assert results(result) == ["Error: not executed: the run had reached its deadline"]
    assert "tool_start" not in events.kinds
    every_start_has_its_end(events)


def test_a_deadline_while_the_client_is_resolved_ends_the_run() -> None:
    """The deadline is for the whole run, its beginning included."""

    async def resolve() -> object:
        await asyncio.sleep(99)
        return None

    result = run_virtually(None, resolve=resolve, limits=Limits(deadline_s=10))
    assert (result.status, result.iterations) == ("deadline", 0)


def test_callbacks_that_fail_at_the_deadline_are_late() -> None:
    """The deadline was first: the run ends by it, not by the failure."""

    def raising(error: Exception) -> Callable[[], Any]:
        async def resolve() -> object:
            try:
                await asyncio.sleep(99)
            except asyncio.CancelledError:
                raise error from None
            return None

        return resolve

    result = run_virtually(
        None, resolve=raising(OSError("x")), limits=Limits(deadline_s=10)
    )
    assert result.status == "deadline"


def test_resolve_that_cancels_itself_ends_the_run_failed() -> None:
    """A cancellation of its own is the callback's failure."""

    async def resolve() -> object:
        raise asyncio.CancelledError

    result = run_virtually(None, resolve=resolve)
    assert (result.status, result.error) == (
        "failed",
        "resolve was cancelled from within",
    )


@pytest.mark.parametrize("steps", range(40))
def test_a_cancellation_at_any_step_leaves_a_sound_history(steps: int) -> None:
    """Not only where the outside answers: after every single step of the loop."""
    events = Events()

    async def pause(arguments: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return "x"

    async def main() -> None:
        client = ScriptedClient(
            asks(call("look", "1"), call("look", "2"), call("pay", "3")), says("done")
        )
        tools = (
            tool(run=pause, parallel=True),
            tool("pay", pause, category="mutating", confirm=False),
        )
        task = asyncio.ensure_future(
            run_agent(config(client, *tools, on=events), "task")
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.done():
            return
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    if not events:
        assert steps == 0
        return
    end = ended(events)
    assert end.status in ("cancelled", "done")
    assert breaches(end.history or ()) == []
    every_start_has_its_end(events)


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


def test_the_history_of_an_ended_run_can_be_gone_on_from() -> None:
    """Any ending leaves a history to start from, with a new user message (R3.9)."""
    client = ScriptedClient(asks(call("sleep")))
    cut = run_virtually(client, sleeper(99), limits=Limits(deadline_s=10))
    again = ScriptedClient(says("done"))
    result = asyncio.run(run_agent(config(again, memory=cut.history), "go on"))
    assert breaches(again.sent[0]) == []
    assert again.sent[0] == [*cut.history, user("go on")]
    assert result.history[-1] == assistant("done")
