"""Configuration and memory: checked at once, reusable, never the caller's list (R2)."""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Limits,
    LoopRules,
    Message,
    Response,
    RunResult,
    ToolCall,
    UsageError,
    assistant,
    breaches,
    system,
    tool_result,
    user,
)
from agentsim.runtime import AgentConfig, Conversation, run_agent
from tests.runtime.fakes import (
    ScriptedClient,
    asks,
    call,
    config,
    play,
    results,
    says,
    tool,
)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": ""}, "model: expected the name of a model"),
        ({"model": None}, "model: expected a text, got NoneType"),
        ({"prompt": None}, "prompt: expected a text, got NoneType"),
        ({"resolve": None}, "resolve: expected a function, got NoneType"),
        ({"stop": 3}, "stop: expected a function, got int"),
        ({"max_tokens": 0}, "max_tokens: expected a number above zero"),
        ({"temperature": -1}, "temperature: expected zero or more, got -1"),
        ({"tools": [print]}, "tools: expected objects of class Tool"),
        ({"tools": [tool("a"), tool("b"), tool("a")]}, "two tools are named 'a'"),
    ],
)
def test_a_wrong_configuration_is_refused_in_one_sentence(
    fields: dict[str, Any], words: str
) -> None:
    """Field, what was expected, what came."""
    with pytest.raises(UsageError, match=words):
        AgentConfig(**{"resolve": lambda: None, "model": "m", **fields})


@pytest.mark.parametrize(
    "name", ["max_iterations", "deadline_s", "token_budget", "max_parallel"]
)
@pytest.mark.parametrize("value", [0, -1])
def test_limits_of_zero_are_refused(name: str, value: int) -> None:
    """None means no limit; zero would mean nothing at all (R1.8)."""
    with pytest.raises(UsageError, match=name):
        Limits(**{name: value})


def test_a_window_under_2n_is_refused() -> None:
    """It could never end a loop (R5.4)."""
    with pytest.raises(UsageError, match="window"):
        LoopRules(window=5)


def test_a_configuration_is_immutable_and_keeps_its_own_list_of_tools() -> None:
    """What the caller does to his list later changes no allowlist."""
    tools = [tool()]
    agent = AgentConfig(
        resolve=lambda: ScriptedClient(says("x")), model="m", tools=tools
    )
    tools.append(tool("rm"))
    assert [t.name for t in agent.tools] == ["look"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        agent.model = "other"  # type: ignore[misc]


def test_two_runs_of_one_configuration_are_independent() -> None:
    """Detector, usage and history belong to the run: both give the same."""
    replies = [asks(call("look", f"id{n}")) for n in range(2)]
    agent = AgentConfig(
        resolve=lambda: ScriptedClient(*replies, says("x")), model="m", tools=[tool()]
    )
    first, second = (
        asyncio.run(run_agent(agent, "t")),
        asyncio.run(run_agent(agent, "t")),
    )
    assert first == second

    async def both() -> list[RunResult]:
        return list(await asyncio.gather(run_agent(agent, "t"), run_agent(agent, "t")))

    assert asyncio.run(both()) == [first, first]


def test_the_callers_history_is_read_and_never_changed() -> None:
    """The run goes on from a copy; the system prompt of before is replaced."""
    earlier = [system("old"), user("hi"), assistant("hello")]
    copy = list(earlier)
    result = play(says("x"), memory=earlier, prompt="new")
    assert earlier == copy
    assert list(result.history) == [
        system("new"),
        user("hi"),
        assistant("hello"),
        user("task"),
        assistant("x"),
    ]


def test_a_memory_carries_a_conversation_over_runs() -> None:
    """Every message enters it, the prompt does not; k runs, k times two messages."""
    memory = Conversation([user("before"), assistant("yes")])
    for n in range(3):
        play(says(f"answer {n}"), memory=memory)
        assert len(memory.load()) == 2 + 2 * (n + 1)
    assert memory.load()[-1] == assistant("answer 2")
    assert all(message.role != "system" for message in memory.load())


def test_calls_left_open_earlier_are_closed_by_the_new_message() -> None:
    """A new user message in place of an answer: not executed (R3.9)."""
    asked = assistant("", ToolCall("1", "a"), ToolCall("2", "b"))
    memory = Conversation([user("hi"), asked, tool_result("1", "ok")])
    client = ScriptedClient(says("x"))
    asyncio.run(run_agent(config(client, memory=memory), "go on"))
    assert breaches(client.sent[0]) == []
    assert client.sent[0][-2:] == [
        tool_result(
            "2",
            "Error: not executed: a new message came instead of an answer",
            is_error=True,
        ),
        user("go on"),
    ]
    assert breaches(memory.load()) == []


class Forgetful:
    """A memory that fails at its n-th message, counted from 0."""

    def __init__(self, fails_at: int, *, load: bool = False) -> None:
        self.fails_at = fails_at
        self.fails_load = load
        self.kept: list[Message] = []

    def load(self) -> Sequence[Message]:
        if self.fails_load:
            raise OSError("no disk")
        return ()

    def append(self, message: Message) -> None:
        if len(self.kept) == self.fails_at:
            self.fails_at = -1  # once only: what comes later must not leave a gap
            raise OSError("full")
        self.kept.append(message)


@pytest.mark.parametrize("fails_at", range(7))
def test_a_memory_that_fails_ends_the_run_failed_with_a_whole_history(
    fails_at: int,
) -> None:
    """It keeps a beginning of the history, without a gap (R2)."""
    memory = Forgetful(fails_at)
    two = asks(call("look", "1"), call("look", "2"))
    result = play(
        two, asks(call("look", "3")), says("x"), tools=[tool()], memory=memory
    )
    assert result.status == "failed"
    assert result.error == "memory raised OSError: full"
    assert breaches(result.history) == []
    assert list(result.history[1 : 1 + fails_at]) == memory.kept
    for message in result.history:
        for asked in message.tool_calls:
            assert any(m.tool_call_id == asked.id for m in result.history)


def test_a_memory_that_cant_be_read_ends_the_run_failed() -> None:
    """Nothing is asked without the conversation that belongs before it."""
    result = play(says("x"), memory=Forgetful(9, load=True))
    assert (result.status, result.error) == ("failed", "memory raised OSError: no disk")


def test_a_memory_that_fails_at_the_repair_is_told_beside_the_ending() -> None:
    """The ending stays what it was, and the failure is not swallowed."""
    result = play(
        asks(call("look"), reason="max_tokens"), tools=[tool()], memory=Forgetful(2)
    )
    assert result.status == "truncated"
    assert (result.error or "").endswith("\nmemory raised OSError: full")
    assert results(result)[0].startswith("Error: not executed")


@settings(max_examples=25)
@given(
    ids=st.lists(
        st.lists(
            st.sampled_from(["", "a", "b", "call_1_1", "call_2_1", "call_2_2"]),
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_ids_are_unique_and_fresh_ones_the_same_each_time(ids: list[list[str]]) -> None:
    """Missing, empty and repeated ids are replaced in call and result (R3.13)."""
    replies = [
        asks(*[ToolCall(i, "look", f'{{"n": {n}}}') for i in some])
        if some
        else says("t", "pause_turn")
        for n, some in enumerate(ids)
    ]
    memory = [user("x"), assistant("", ToolCall("a", "look")), tool_result("a", "y")]
    once, again = (
        play(*replies, says("x"), tools=[tool()], memory=memory) for _ in range(2)
    )
    assert breaches(once.history) == []
    assert once.history == again.history
    assert len(once.tools) == sum(len(some) for some in ids)
    kept = [c.id for m in once.history for c in m.tool_calls]
    known = ["a"]
    for come, stands in zip([i for some in ids for i in some], kept[1:], strict=True):
        assert (stands == come) or not come or come in known
        known += [come, stands]


def test_a_fresh_id_never_takes_one_that_stands_in_the_same_response() -> None:
    """An id that was fine stays as it is, whatever its neighbours get."""
    calls = ToolCall("", "look"), ToolCall("call_1_1", "look")
    result = play(asks(*calls), says("x"), tools=[tool()])
    assert [c.id for c in result.history[2].tool_calls] == ["call_1_1_2", "call_1_1"]


def test_a_missing_id_may_also_be_none() -> None:
    """Some wires leave the id out altogether."""
    nothing = cast(str, None)
    result = play(asks(ToolCall(nothing, "look")), says("x"), tools=[tool()])
    assert result.history[2].tool_calls[0].id == "call_1_1"
    assert isinstance(Response(result.history[2]), Response)
