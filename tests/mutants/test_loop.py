"""The loop that mutants are made from is correct as it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Confirm,
    Decision,
    Injected,
    Limits,
    LoopRules,
    Question,
    Response,
    Rights,
    RunResult,
    ToolCall,
    ToolFailed,
    Usage,
    assistant,
    breaches,
)
from agentsim.mutants import unbroken
from tests.mutants.fakes import (
    Bench,
    FakeEnv,
    asks,
    block,
    call,
    person,
    play,
    results,
    says,
)

READ = Rights()
PARALLEL = Rights(parallel=True)
WRITE = Rights(category="mutating", confirm=False)
ASKING = Rights(category="mutating")


def run(env: FakeEnv) -> RunResult:
    """Run the unbroken loop; what it leaves must always be a history to go on with."""
    result = play(unbroken(env))
    assert breaches(result.history) == []
    return result


def test_a_task_is_done_by_structure() -> None:
    """Calls are answered until a response without calls ends the run, whole and counted."""
    bench = Bench()
    env = FakeEnv(
        asks(call("look"), text="I am done with this", usage=Usage(10, 2)),
        says("It was the log.", usage=Usage(20, 3)),
        tools=[bench.tool("look", gives=lambda _: {"b": 1, "a": 2})],
    )
    result = run(env)
    assert (result.status, result.output, result.error) == (
        "done",
        "It was the log.",
        None,
    )
    assert (result.iterations, result.tools) == (2, ("look",))
    assert result.usage == Usage(30, 5)
    assert [message.role for message in result.history] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [message.content for message in results(result)] == ['{"b":1,"a":2}']
    assert env.declared == (env.limits, env.loop)
    assert env.kinds() == ["run_started", "final_answer", "run_ended"]


def test_results_keep_the_order_of_calls() -> None:
    """A slow first read does not give its place to a quick second one."""
    bench = Bench()
    reads = [call("read", f"c{n}", f'{{"s": {9 - n}}}') for n in range(4)]
    env = FakeEnv(asks(*reads), says("ok"), tools=[bench.tool("read", PARALLEL)])
    result = run(env)
    assert [message.tool_call_id for message in results(result)] == [
        "c0",
        "c1",
        "c2",
        "c3",
    ]


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from(["read", "write", "look"]), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_only_parallel_reads_overlap_and_at_most_k(names: list[str], k: int) -> None:
    """Whatever the calls are, a write or a plain read runs alone, and reads up to K."""
    bench = Bench()
    crowds: list[list[str]] = []

    def note(_arguments: dict[str, Any]) -> object:
        crowds.append(list(bench.flying))
        return "ok"

    tools = [
        bench.tool("read", PARALLEL, takes_s=1, gives=note),
        bench.tool("write", WRITE, takes_s=1, gives=note),
        bench.tool("look", READ, takes_s=1, gives=note),
    ]
    calls = [call(name, f"c{n}") for n, name in enumerate(names)]
    env = FakeEnv(
        asks(*calls),
        says("ok"),
        tools=tools,
        limits=Limits(max_parallel=k),
        loop=LoopRules(block_at=10),
    )
    result = run(env)
    assert [message.tool_call_id for message in results(result)] == [
        entry.id for entry in calls
    ]
    assert all(len(crowd) <= k for crowd in crowds)
    assert all(len(crowd) == 1 or set(crowd) == {"read"} for crowd in crowds)


def fail(_arguments: dict[str, Any]) -> object:
    """The output of a tool that can't."""
    raise ToolFailed("the disk is gone")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (call("nothing"), "Error: unknown tool nothing"),
        (call("fails"), "Error: the disk is gone"),
        (
            call("strict", arguments='{"n": "x"}'),
            "Error: invalid arguments of strict: ",
        ),
        (call("strict", arguments="{"), "Error: invalid arguments of strict: "),
    ],
)
def test_errors_are_flagged_results(asked: ToolCall, words: str) -> None:
    """An unknown tool, bad arguments and a failing tool give the model an error."""
    bench = Bench()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [bench.tool("fails", gives=fail), bench.tool("strict", parameters=schema)]
    result = run(FakeEnv(asks(asked), says("ok"), tools=tools))
    [answer] = results(result)
    assert answer.is_error
    assert answer.content.startswith(words)
    assert result.status == "done"


@pytest.mark.parametrize(
    ("confirm", "words"),
    [
        (
            None,
            "Error: tool requires confirmation but no Confirm callback configured",
        ),
        (person(approved=False), "Error: declined by user"),
        (person(approved=False, reason="too risky"), "Error: declined: too risky"),
        (person(approved=True, by=None), "Error: declined by user"),
    ],
)
def test_no_approval_no_run(confirm: Confirm | None, words: str) -> None:
    """A confirming tool does not run unless a person with an id approved."""
    bench = Bench()
    env = FakeEnv(
        asks(call("pay")),
        says("ok"),
        tools=[bench.tool("pay", ASKING)],
        confirm=confirm,
    )
    [answer] = results(run(env))
    assert (answer.content, answer.is_error) == (words, True)
    assert bench.log == []


def test_an_approved_call_carries_who_approved() -> None:
    """The tool sees the person's id, never the one that the model wrote."""
    bench = Bench()
    env = FakeEnv(
        asks(call("pay", arguments='{"confirmed_by": "me"}')),
        says("ok"),
        tools=[bench.tool("pay", ASKING)],
        confirm=person(approved=True),
    )
    assert run(env).status == "done"
    assert bench.arguments == [{"confirmed_by": "ann"}]


def test_a_repeated_call_is_blocked_then_ends_the_run() -> None:
    """The third equal result is replaced by a block, the sixth ends the run."""
    bench = Bench()
    env = FakeEnv(
        *(asks(call("look", f"c{n}")) for n in range(9)), tools=[bench.tool("look")]
    )
    result = run(env)
    assert (result.status, result.iterations) == ("loop", 6)
    block = "Error: loop detected: look called {} times with the same result; change approach"
    assert [(m.content, m.is_error) for m in results(result)] == [
        ("ok", False),
        ("ok", False),
        *((block.format(count), True) for count in (3, 4, 5, 6)),
    ]
    assert env.kinds().count("loop_blocked") == 4
    assert env.kinds()[-2:] == ["terminal", "run_ended"]


def test_calls_behind_the_end_of_a_loop_are_not_executed() -> None:
    """What stands behind the sixth repetition in one response gets an error result."""
    bench = Bench()
    env = FakeEnv(
        asks(*(call("look", f"c{n}") for n in range(8))), tools=[bench.tool("look")]
    )
    result = run(env)
    assert result.status == "loop"
    assert [m.content[:19] for m in results(result)][6:] == ["Error: not executed"] * 2
    assert bench.log.count("+look") == 6


def test_changing_results_are_no_loop() -> None:
    """Polling goes on while the answers differ, volatile parts left out."""
    bench = Bench()
    ticks = iter(range(20))
    polls = [asks(call("poll", f"c{n}")) for n in range(8)]
    tools = [bench.tool("poll", gives=lambda _: f"{next(ticks)} %")]
    assert run(FakeEnv(*polls, says("ok"), tools=tools)).status == "done"
    masked = [
        bench.tool("poll", Rights(volatile=(r"\d+",)), gives=lambda _: f"{next(ticks)}")
    ]
    assert run(FakeEnv(*polls, says("ok"), tools=masked)).status == "loop"


def test_a_blocked_write_takes_no_effect() -> None:
    """A write with equal arguments and output runs at most three times."""
    bench = Bench()
    env = FakeEnv(
        *(asks(call("write", f"c{n}")) for n in range(9)),
        tools=[bench.tool("write", WRITE)],
    )
    assert run(env).status == "loop"
    assert bench.log.count("+write") == 3


def test_edit_and_test_is_no_loop() -> None:
    """A new edit between equal test results is progress."""
    bench = Bench()
    replies: list[Response] = []
    for n in range(7):
        replies += [
            asks(call("edit", f"e{n}", f'{{"line": {n}}}')),
            asks(call("test", f"t{n}")),
        ]
    env = FakeEnv(
        *replies,
        says("ok"),
        tools=[bench.tool("edit", WRITE), bench.tool("test")],
        limits=Limits(max_iterations=None),
    )
    assert run(env).status == "done"


def test_the_limit_of_iterations_is_terminal() -> None:
    """A limit of n means n responses, no further request, and the exact text."""
    bench = Bench()
    ticks = iter(range(20))
    env = FakeEnv(
        *(asks(call("poll", f"c{n}")) for n in range(9)),
        tools=[bench.tool("poll", gives=lambda _: next(ticks))],
        limits=Limits(max_iterations=4),
    )
    result = run(env)
    assert (result.status, result.iterations) == ("max_iterations", 4)
    assert result.error == "agent: reached the limit of 4 iterations without finishing"
    assert len(env.client.requests) == 4


def test_the_budget_ends_the_run_before_tools_run() -> None:
    """Crossing the budget leaves the calls unexecuted and keeps the text."""
    bench = Bench()
    env = FakeEnv(
        asks(call("look"), text="looking", usage=Usage(90, 20)),
        tools=[bench.tool("look")],
        limits=Limits(token_budget=100),
    )
    result = run(env)
    assert (result.status, result.output) == ("token_budget", "looking")
    assert bench.log == []
    assert results(result)[0].content.startswith("Error: not executed")


def test_a_budget_that_is_just_spent_allows_no_request() -> None:
    """Cached tokens are left out, and billable = budget ends the run before a request."""
    bench = Bench()
    env = FakeEnv(
        asks(call("look"), usage=Usage(120, 30, cache_read=50)),
        says("never asked"),
        tools=[bench.tool("look")],
        limits=Limits(token_budget=100),
    )
    result = run(env)
    assert (result.status, len(env.client.requests)) == ("token_budget", 1)
    assert [m.content for m in results(result)] == ["ok"]


def test_the_deadline_cuts_what_is_in_flight() -> None:
    """A write in flight is of unknown outcome, and the next call never starts."""
    bench = Bench()
    env = FakeEnv(
        asks(call("write", "c1"), call("look", "c2")),
        tools=[bench.tool("write", WRITE, takes_s=60), bench.tool("look")],
        limits=Limits(deadline_s=10),
    )
    result = run(env)
    assert result.status == "deadline"
    first, second = results(result)
    assert first.content.startswith(
        "Error: write was interrupted, its outcome is unknown"
    )
    assert second.content.startswith("Error: not executed")
    assert bench.log == ["+write", "-write"]


@pytest.mark.parametrize("latency_s", [10.0, 11.0])
def test_an_answer_at_the_deadline_is_late(latency_s: float) -> None:
    """A response at the very instant of the deadline, or after it, is not taken."""
    env = FakeEnv(says("too late"), limits=Limits(deadline_s=10), latency_s=latency_s)
    result = run(env)
    assert (result.status, result.output, result.iterations) == ("deadline", None, 0)


def test_a_tool_that_answers_at_the_deadline_is_late() -> None:
    """Its outcome is told as unknown, and its waiting siblings never start."""
    bench = Bench()
    reads = [call("read", f"c{n}") for n in range(2)]
    env = FakeEnv(
        asks(*reads),
        tools=[bench.tool("read", PARALLEL, takes_s=10)],
        limits=Limits(deadline_s=10, max_parallel=1),
    )
    result = run(env)
    assert result.status == "deadline"
    assert [m.content.split(",")[0].split(":")[1] for m in results(result)] == [
        " read was interrupted",
        " not executed",
    ]
    assert bench.log == ["+read", "-read"]


def test_a_client_that_blocks_past_the_deadline_is_late() -> None:
    """Its answer is not taken, though no timer could fire before it."""
    env = FakeEnv(says("too late"), limits=Limits(deadline_s=10), blocks_s=11)
    result = run(env)
    assert (result.status, result.output, result.iterations) == ("deadline", None, 0)


def test_a_tool_that_blocks_past_the_deadline_is_the_last() -> None:
    """What waits behind it for a slot does not start in the same breath."""
    bench = Bench()
    env = FakeEnv(
        asks(call("read", "c1"), call("read", "c2")),
        tools=[bench.tool("read", PARALLEL, gives=lambda _: block(11))],
        limits=Limits(deadline_s=10, max_parallel=1),
    )
    assert run(env).status == "deadline"
    assert bench.log == ["+read", "-read"]


def test_a_cancellation_is_passed_on() -> None:
    """Cancelled from outside, the loop closes its history and lets the error out."""
    bench = Bench()
    env = FakeEnv(
        asks(call("look")),
        tools=[bench.tool("look", takes_s=60)],
        limits=Limits(deadline_s=None),
    )

    async def cancel_it() -> None:
        task = asyncio.create_task(unbroken_task(env))
        await asyncio.sleep(5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def unbroken_task(env: FakeEnv) -> RunResult:
        return await unbroken(env)

    play(cancel_it())
    assert bench.log == ["+look", "-look"]


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (says("half", "max_tokens"), "truncated"),
        (Response(assistant("", call("look")), "max_tokens"), "truncated"),
        (says("no", "refusal"), "refused"),
        (says("", "content_filter"), "failed"),
        (says("", "tool_use"), "failed"),
        (says(""), "failed"),
        (says("fine", "stop_sequence"), "done"),
    ],
)
def test_endings_by_structure(reply: Response, status: str) -> None:
    """Each stop reason has its own ending, and a call that was cut never runs."""
    bench = Bench()
    assert run(FakeEnv(reply, tools=[bench.tool("look")])).status == status
    assert bench.log == []


def test_calls_with_a_final_reason_are_run() -> None:
    """Structure beats reason: calls that come with `stop` are run."""
    bench = Bench()
    first = Response(assistant("", call("look")), "stop")
    assert run(FakeEnv(first, says("ok"), tools=[bench.tool("look")])).iterations == 2
    assert bench.log == ["+look", "-look"]


def test_a_pause_is_continued_before_anything_is_injected() -> None:
    """An injected message waits until the model's turn is complete."""
    bench = Bench()
    env = FakeEnv(
        says("thinking", "pause_turn"),
        asks(call("look")),
        says("ok"),
        tools=[bench.tool("look")],
        inject=[(), [Injected("m1", "hurry")]],
    )
    roles = [message.role for message in run(env).history]
    assert roles == [
        "system",
        "user",
        "assistant",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]


def test_bad_call_ids_are_replaced() -> None:
    """Missing and repeated ids get fresh ones, and every call is answered."""
    bench = Bench()
    tools = [bench.tool("look")]
    env = FakeEnv(
        asks(call("look", ""), call("look", "a"), call("look", "a")),
        says("ok"),
        tools=tools,
    )
    result = run(env)
    assert len({message.tool_call_id for message in results(result)}) == 3
    assert "call_ids_replaced" in env.kinds()


def test_a_failing_service_ends_the_run() -> None:
    """An error of the provider is a result with its words."""
    result = run(FakeEnv())
    assert (result.status, result.error) == (
        "failed",
        "agent: the model's service failed: the script ran out",
    )


async def shy(_question: Question) -> Decision:
    """A person who is not there, through a callback that says so by raising."""
    raise TimeoutError("nobody there")


@pytest.mark.parametrize("stop", [None, lambda _history: True])
def test_callbacks_end_the_run_with_a_result(
    stop: Callable[[Any], bool] | None,
) -> None:
    """A predicate stops the run, and a callback that raises fails it."""
    bench = Bench()
    asking = bench.tool("pay", ASKING if stop is None else WRITE)
    env = FakeEnv(asks(call("pay")), tools=[asking], confirm=shy, stop=stop)
    assert run(env).status == ("failed" if stop is None else "stopped")


@pytest.mark.parametrize("prompt", [None, ""])
def test_the_prompt_has_a_default_and_may_be_empty(prompt: str | None) -> None:
    """Without a prompt the default one is sent, and an empty one is not sent."""
    env = FakeEnv(says("ok"))
    env.prompt = prompt
    roles = [message.role for message in run(env).history]
    assert roles == ([] if prompt == "" else ["system"]) + ["user", "assistant"]
