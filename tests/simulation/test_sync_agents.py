"""Synchronous agents and generators: as repeatable as their async twins."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentsim.core import (
    Env,
    Message,
    Question,
    Request,
    RunResult,
    SyncEnv,
    ToolFailed,
    Usage,
    UsageError,
    tool_result,
    user,
)
from agentsim.engine import Exhaustive
from agentsim.faults import hangs
from agentsim.providers import call, say
from agentsim.simulation import Menu, Run, Scenario, run
from agentsim.simulation.starting import STEPS_MAX
from agentsim.world import Disk, Files
from tests.simulation.fakes import reading, silent, writing

STRUCK = Menu("any_order", faults=("raises", "slow"), cancel=True, crash=True)

BOTH = Scenario(
    task="Look, then note it down.",
    script=[
        call("check_disk"),
        call("write_file", path="note", content="it"),
        say("Noted."),
    ],
    world=[Disk(used="50%"), Files()],
    name="both",
)


def request(env: Env, messages: list[Message]) -> Request:
    """The request that both twins send."""
    definitions = tuple(tool.definition for tool in env.tools)
    return Request(env.model, tuple(messages), definitions)


def blocking(env: Env) -> str:
    """A synchronous loop, as people write it."""
    tools = {tool.name: tool for tool in env.sync.tools}
    messages = [user(env.task)]
    while True:
        message = env.sync.client.complete(request(env, messages)).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            arguments = json.loads(asked.arguments)
            tool = tools[asked.name]
            try:
                if tool.rights.confirms and env.sync.confirm is not None:
                    env.sync.confirm(Question(asked.id, asked.name, arguments))
                output, failed = str(tool.run(arguments)), False
            except ToolFailed as error:
                output, failed = f"Error: {error}", True
            messages.append(tool_result(asked.id, output, is_error=failed))


async def awaiting(env: Env) -> str:
    """Its async twin, line by line."""
    tools = {tool.name: tool for tool in env.tools}
    messages = [user(env.task)]
    while True:
        message = (await env.client.complete(request(env, messages))).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            arguments = json.loads(asked.arguments)
            tool = tools[asked.name]
            try:
                if tool.rights.confirms and env.confirm is not None:
                    await env.confirm(Question(asked.id, asked.name, arguments))
                output, failed = str(await tool.run(arguments)), False
            except ToolFailed as error:
                output, failed = f"Error: {error}", True
            messages.append(tool_result(asked.id, output, is_error=failed))


def every_run(agent: Callable[..., object], scenario: Scenario) -> Iterator[Run]:
    """Run an agent with each single deviation."""
    search = Exhaustive(1)
    while (choices := search.next()) is not None:
        yield run(scenario, agent, menu=STRUCK, choices=choices)
        search.done(choices)


def told(made: Run) -> tuple[object, ...]:
    """What must be the same of twins: all but the name of the agent."""
    events = [repr(event) for event in made.trace.events]
    return events, made.words, made.value, made.token


def test_a_synchronous_agent_has_the_trace_of_its_async_twin() -> None:
    """Order, faults, cancellation and crash: each run is the same, event by event."""
    runs = [told(made) for made in every_run(blocking, BOTH)]
    assert runs == [told(made) for made in every_run(awaiting, BOTH)]
    assert len(runs) == 17


def test_a_stream_blocks_piece_by_piece() -> None:
    """`stream` gives the pieces, and the last one has the whole response."""

    def streams(env: Env) -> str:
        deltas = list(env.sync.client.stream(request(env, [user(env.task)])))
        assert deltas[-1].response is not None
        said = "".join(delta.text for delta in deltas)
        assert said == deltas[-1].response.message.content
        return said

    assert run(reading(script=[say("Half full, as it was.")]), streams).value == (
        "Half full, as it was."
    )


def test_anything_async_can_be_run_with_a_timeout() -> None:
    """`env.sync.run` gives the result, or cancels what takes too long."""

    def patient(env: Env) -> tuple[object, str]:
        found = env.sync.run(env.tools[0].run({}), timeout_s=60)
        try:
            env.sync.run(asyncio.sleep(3600), timeout_s=60)
        except TimeoutError:
            return found, "too late"
        return found, "in time"

    made = run(silent(), patient)
    assert made.value == ("Disk: 50% used (18.2 GB of 36.4 GB)", "too late")
    assert made.outcome.at_ns == 60_200_000_000


def test_nothing_is_left_unawaited_on_another_thread() -> None:
    """A coroutine that is given to `env.sync.run` in vain is closed."""

    async def on_the_loop(env: Env) -> None:
        env.sync.run(env.tools[0].run({}))

    with pytest.raises(UsageError, match="run was called outside"):
        run(silent(), on_the_loop)


def test_nobody_to_confirm_is_none() -> None:
    """Where no person is there, `env.sync.confirm` is None as `env.confirm` is."""

    def looks(env: Env) -> bool:
        return env.sync.confirm is None

    assert run(silent(human=None), looks).value is True
    assert run(silent(), looks).value is False


async def on_the_loop(env: Env) -> str:
    """Block where an async agent would wait."""
    env.sync.client.complete(request(env, [user(env.task)]))
    return "it answered"


def in_a_pool(env: Env) -> object:
    """Run a tool on a thread of its own."""
    with ThreadPoolExecutor() as pool:
        return pool.submit(env.sync.tools[0].run, {}).result()


def in_threads(env: Env) -> list[object]:
    """Run a tool on a thread of its own, and on one for which it need not wait."""
    seen: list[object] = [in_a_pool(env)]
    thread = threading.Thread(target=lambda: seen.append(env.sync.tools[0].run({})))
    thread.start()
    thread.join()
    return seen


def test_threads_that_an_agent_starts_may_block() -> None:
    """What `env.sync` gives works on its threads and on those of its pools."""
    value = run(reading(exact=False), in_threads).value
    assert isinstance(value, list)
    assert value[0] == value[1]


async def in_a_thread(env: Env) -> str:
    """Ask on a thread of its own, and swallow what comes of it."""

    def ask() -> None:
        try:
            env.sync.confirm  # noqa: B018 - looking is allowed
            env.sync.tools[0]()
        except UsageError:
            return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join()
    return "done"


@pytest.mark.parametrize("agent", [on_the_loop, in_a_thread])
def test_blocking_on_another_thread_is_told(agent: Callable[..., object]) -> None:
    """It is a named error at once, and the run fails even where it is swallowed."""
    with pytest.raises(UsageError, match="outside of a synchronous agent's own thread"):
        run(reading(), agent)


async def leaves_a_thread(env: Env) -> str:
    """Return while a thread of its own goes on."""
    threading.Thread(target=LEFT.wait, args=(10,)).start()
    return "done"


def leaves_a_job(env: Env) -> str:
    """Return while a pool is at work."""
    ThreadPoolExecutor().submit(time.sleep, 10)
    return "done"


def ends_its_thread(env: Env) -> str:
    """Return when a thread of its own is about to end."""
    threading.Thread(target=sum, args=([1, 2],)).start()
    threading.Thread(target=LEFT.wait, daemon=True).start()
    return "done"


LEFT = threading.Event()


@pytest.fixture
def no_thread_stays() -> Iterator[None]:
    """Let the threads of a test end, whatever becomes of it."""
    yield
    LEFT.set()
    for thread in threading.enumerate():
        if "(wait)" in thread.name:
            thread.join()
    LEFT.clear()


@pytest.mark.usefixtures("no_thread_stays")
def test_threads_that_are_left_are_a_leak() -> None:
    """They are told by name, without numbers; daemons and those that end are not."""
    runs = [run(silent(), agent) for agent in (leaves_a_thread, leaves_a_job)]
    assert [(made.outcome.ending, made.outcome.error) for made in runs] == [
        ("leak", "functions on threads go on after the end: wait"),
        ("leak", "functions on threads go on after the end: sleep"),
    ]
    assert {made.verdict.violated[0].id for made in runs} == {"ends"}
    run(silent(), ends_its_thread).expect_holds()


def test_an_event_loop_of_its_own_is_told() -> None:
    """`asyncio.run` in a synchronous agent says to give the async function itself."""

    def runs_async(env: Env) -> object:
        return asyncio.run(awaiting(env))

    with pytest.raises(UsageError, match="give the async function itself as the agent"):
        run(reading(), runs_async)


def test_a_mistake_in_a_loop_without_end_ends_the_run() -> None:
    """One that swallows its own wrong request again and again is stopped."""

    def insists(env: Env) -> None:
        while True:
            try:
                env.sync.client.complete("hello")  # type: ignore[arg-type]
            except Exception:  # noqa: BLE001 - as agents do
                continue

    before = threading.enumerate()
    with pytest.raises(UsageError, match="the agent sent no proper request"):
        run(reading(), insists)
    # It waits for an answer that never comes, and takes its burial for another error.
    assert [thread for thread in threading.enumerate() if thread not in before] == []


def test_sleep_takes_virtual_time() -> None:
    """A synchronous agent that backs off for an hour costs no real time."""

    def sleeps(env: Env) -> str:
        time.sleep(3600)
        return "rested"

    made = run(silent(), sleeps)
    assert (made.value, made.outcome.at_ns) == ("rested", 3_600_000_000_000)


async def async_steps(env: Env) -> AsyncIterator[object]:
    """Yield each message as it comes, the final text last."""
    message = (await env.client.complete(request(env, [user(env.task)]))).message
    yield {"step": 1, "calls": message.tool_calls}
    yield message.content


def sync_steps(env: Env) -> Iterator[object]:
    """The same, on a thread."""
    message = env.sync.client.complete(request(env, [user(env.task)])).message
    yield {"step": 1, "calls": message.tool_calls}
    yield message.content


def returning_steps(env: Env) -> Generator[str, None, str]:
    """Yield what it does, and return the answer."""
    yield "asking"
    answer = env.sync.client.complete(request(env, [user(env.task)])).message.content
    yield "asked"
    return answer


class Steps:
    """An object whose call is an async generator."""

    async def __call__(self, env: Env) -> AsyncIterator[object]:
        async for step in async_steps(env):
            yield step


def hands_on(env: Env) -> AsyncIterator[object]:
    """A plain function that gives an async generator."""
    return async_steps(env)


@pytest.mark.parametrize(
    "agent", [async_steps, sync_steps, returning_steps, Steps, Steps(), hands_on]
)
def test_a_generator_is_driven_to_its_end(agent: Callable[..., object]) -> None:
    """What it returns, or else the last text, is the value of the run."""
    made = run(reading(script=[say("Half full.")]), agent).expect_holds()
    assert (made.value, made.outcome.output) == ("Half full.", "Half full.")


async def result_steps(env: Env) -> AsyncIterator[object]:
    """Yield a result, and a word after it."""
    yield RunResult("done", "Half full.", None, 1, Usage(), (), [])
    yield "bye"


def test_a_result_goes_before_a_text() -> None:
    """The last `RunResult` that a generator yields is its outcome."""
    made = run(silent(), result_steps)
    assert (made.outcome.status, made.outcome.output) == ("done", "Half full.")


def test_a_generator_without_text_has_no_value() -> None:
    """Steps of other kinds are driven, and say nothing of the end."""

    def counts(env: Env) -> Iterator[int]:
        yield 1
        yield 2

    assert run(silent(), counts).value is None


def test_an_endless_generator_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that yields for ever without asking anything is a named error."""
    closed: list[str] = []

    async def endless(env: Env) -> AsyncIterator[str]:
        try:
            while True:
                yield "thinking"
        finally:
            closed.append("closed")

    monkeypatch.setattr("agentsim.simulation.starting.STEPS_MAX", 100)
    with pytest.raises(UsageError, match="endless yielded 100 steps and goes on"):
        run(silent(), endless)
    assert closed == ["closed"]
    assert STEPS_MAX == 1_000_000


def test_a_cancelled_generator_is_closed() -> None:
    """Cancellation comes out where it waits, in both kinds; `finally` blocks run."""
    for kind in (async_steps, sync_steps):
        endings = [
            made.outcome.ending
            for made in every_run(kind, reading(script=[say("Full.")]))
        ]
        assert "cancelled" in endings


def test_a_class_is_made_anew_for_each_life() -> None:
    """State in an object is of one incarnation when its class is the agent."""
    made: list[object] = []

    class Counting:
        def __init__(self) -> None:
            self.lives = 0
            made.append(self)

        def __call__(self, env: Env) -> int:
            self.lives += 1
            env.sync.tools[0].run({})
            return self.lives

    story = writing(world=[Disk(used="50%"), Files()], exact=False)
    runs = list(every_run(Counting, story))
    assert {run.value for run in runs} == {1, None}
    assert len(made) > len(runs)


def test_the_deadlock_of_a_synchronous_agent_names_it() -> None:
    """Who waits for what is told by the agent's own name."""

    def waits(env: Env) -> None:
        env.sync.tools[0].run({})

    made = run(silent(faults=[hangs("check_disk")]), waits)
    assert made.outcome.ending == "deadlock"
    assert "waits > " in str(made.outcome.error)


def test_an_environment_says_what_it_offers_to_threads() -> None:
    """`env.sync` is the same object each time, and has the tools with their rights."""

    def looks(env: Env) -> SyncEnv:
        assert env.sync is env.sync
        names = [(tool.name, tool.rights) for tool in env.tools]
        assert [(tool.name, tool.rights) for tool in env.sync.tools] == names
        return env.sync

    assert run(silent(), looks).value is not None


def test_a_coroutine_of_a_plain_function_is_awaited() -> None:
    """A function that only looks synchronous runs as what it returns."""

    def hands_over(env: Env) -> object:
        return awaiting(env)

    assert run(reading(), hands_over).value == "Half full."
