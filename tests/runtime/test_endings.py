"""Deadline and cancellation: told apart, repaired, final (R1.9, R3.9, R6.3)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentsim.core import (
    Decision,
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
from agentsim.engine import Ending, Life
from agentsim.runtime import Conversation, run_agent
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


def test_the_history_of_an_ended_run_can_be_gone_on_from() -> None:
    """Any ending leaves a history to start from, with a new user message (R3.9)."""
    client = ScriptedClient(asks(call("sleep")))
    cut = run_virtually(client, sleeper(99), limits=Limits(deadline_s=10))
    again = ScriptedClient(says("done"))
    result = asyncio.run(run_agent(config(again, memory=cut.history), "go on"))
    assert breaches(again.sent[0]) == []
    assert again.sent[0] == [*cut.history, user("go on")]
    assert result.history[-1] == assistant("done")
