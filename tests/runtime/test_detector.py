"""Loop detection through whole runs, and the simple check (R5)."""

import asyncio
import json
from collections.abc import Callable, Iterator
from itertools import count, cycle, islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Decision,
    Limits,
    LoopBlocked,
    LoopRules,
    Message,
    Question,
    Request,
    Response,
    RunResult,
    Terminal,
    Tool,
    ToolCall,
    UsageError,
    assistant,
)
from agentsim.runtime import detect_stuck
from tests.runtime.fakes import Events, asks, call, play, results, says, tool

MANY = Limits(max_iterations=30)


def repeating(*names: str, **arguments: Any) -> Callable[[Request], Response]:
    """A model that asks for the named tools in turn, for ever, with fresh ids."""
    numbers, turn = count(), cycle(names)

    def reply(request: Request) -> Response:
        return asks(call(next(turn), f"id{next(numbers)}", **arguments))

    return reply


def blocked(result: RunResult) -> list[int]:
    """1-based numbers of the calls that were answered with a block."""
    return [
        n for n, text in enumerate(results(result), 1) if text.startswith("Error: loop")
    ]


def test_the_third_same_result_is_blocked_and_the_sixth_ends_the_run() -> None:
    """N and 2N, exact text, flagged as error, no further request (R5.2)."""
    events = Events()
    result = play(repeating("look"), tools=[tool()], limits=MANY, on=events)
    assert results(result)[:3] == [
        "seen",
        "seen",
        "Error: loop detected: look called 3 times with the same result; change approach",
    ]
    assert (result.status, result.iterations) == ("loop", 6)
    assert result.tools == ("look",) * 6
    assert [m.is_error for m in result.history if m.role == "tool"] == [
        *[False] * 2,
        *[True] * 4,
    ]
    assert [event.count for event in events.of(LoopBlocked)] == [3, 4, 5, 6]
    (terminal,) = events.of(Terminal)
    assert (terminal.boundary, terminal.words) == (
        "loop",
        "agent: loop detected: look called 6 times with the same result",
    )


def test_polling_is_no_loop() -> None:
    """A different output each time is progress of the world (R5.3)."""
    numbers = count()

    async def poll(arguments: dict[str, Any]) -> str:
        return f"{next(numbers)} %"

    result = play(repeating("poll"), tools=[tool("poll", poll)], limits=MANY)
    assert (result.status, blocked(result)) == ("max_iterations", [])


def test_volatile_parts_of_an_output_do_not_hide_a_loop() -> None:
    """What varies without meaning is masked, and the model still sees it (R1.3)."""
    numbers = count()

    async def status(arguments: dict[str, Any]) -> str:
        return f"down, pid {next(numbers)}"

    masked = tool("status", status, volatile=(r"pid \d+",))
    result = play(repeating("status"), tools=[masked], limits=MANY)
    assert (result.status, blocked(result)) == ("loop", [3, 4, 5, 6])
    assert results(result)[1] == "down, pid 1"


def test_alternating_searches_block_at_call_5_and_end_at_call_11() -> None:
    """A two-cycle with the default window: counts, not neighbours (R5.4)."""
    tools = [tool("a"), tool("b")]
    result = play(repeating("a", "b"), tools=tools, limits=MANY)
    assert (result.status, result.iterations) == ("loop", 11)
    assert blocked(result)[0] == 5


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("spare", [0, -1])
def test_a_cycle_ends_exactly_from_its_window_on(size: int, spare: int) -> None:
    """A cycle of k needs (2N - 1) k + 1 calls in sight, and not one less (R5.4).

    With N = 3 a two-cycle needs 11: between the first and the sixth `a` lie ten more
    calls. A window of 10 has forgotten the first when the sixth comes, so it counts
    five for ever: blocked, but never ended.
    """
    rules = LoopRules(window=5 * size + 1 + spare) if size > 1 or not spare else None
    if rules is None:
        with pytest.raises(UsageError, match="window"):
            LoopRules(window=5)
        return
    names = [f"t{n}" for n in range(size)]
    result = play(
        repeating(*names),
        tools=[tool(name) for name in names],
        limits=Limits(max_iterations=60),
        loop=rules,
    )
    assert result.status == ("max_iterations" if spare else "loop")
    assert result.iterations == (60 if spare else 5 * size + 1)


def test_edit_and_test_in_turn_is_no_loop() -> None:
    """A new write is progress: the reads before it count no more (R5.2)."""
    numbers = count()

    def reply(request: Request) -> Response:
        n = next(numbers)
        name = "edit" if n % 2 else "test"
        return asks(call(name, f"id{n}", **({"line": n} if n % 2 else {})))

    tools = [
        tool("edit", category="mutating", confirm=False, returns="ok"),
        tool("test", returns="2 failed"),
    ]
    result = play(reply, tools=tools, limits=MANY)
    assert (result.status, blocked(result)) == ("max_iterations", [])


def test_a_write_that_failed_is_no_progress() -> None:
    """Only a write without error renews the counts."""
    numbers = count()

    def reply(request: Request) -> Response:
        n = next(numbers)
        return asks(call("edit" if n % 2 else "test", f"id{n}", line=n if n % 2 else 0))

    tools = [
        tool("edit", category="mutating", confirm=False, returns=OSError("read-only")),
        tool("test", returns="2 failed"),
    ]
    assert play(reply, tools=tools, limits=MANY).status == "loop"


def test_an_identical_write_takes_effect_at_most_three_times() -> None:
    """While blocked it is refused before confirmation and execution (R5.5)."""
    effects, asked = [0], [0]

    async def pay(arguments: dict[str, Any]) -> str:
        effects[0] += 1
        return "paid"

    async def confirm(question: Question) -> Decision:
        asked[0] += 1
        return Decision(approved=True, confirmed_by=f"person {asked[0]}")

    events = Events()
    result = play(
        repeating("pay", amount=1),
        tools=[tool("pay", pay, category="mutating")],
        confirm=confirm,
        limits=MANY,
        on=events,
    )
    assert (effects, asked) == ([3], [3])
    assert (result.status, result.iterations) == ("loop", 6)
    assert blocked(result) == [3, 4, 5, 6]
    assert result.tools == ("pay",) * 6
    assert events.kinds.count("tool_start") == 3


def test_a_loop_inside_one_response_is_seen_in_the_order_of_the_calls() -> None:
    """Seven equal writes at once: three effects, six answered, the last not run."""
    effects: list[int] = []

    async def pay(arguments: dict[str, Any]) -> str:
        effects.append(1)
        return "paid"

    calls = [call("pay", f"id{n}") for n in range(7)]
    writes = tool("pay", pay, category="mutating", confirm=False)
    result = play(asks(*calls), tools=[writes])
    assert (result.status, len(effects), len(result.tools)) == ("loop", 3, 6)
    assert blocked(result) == [3, 4, 5, 6]
    assert (
        results(result)[6] == "Error: not executed: the run was ended because of a loop"
    )


def test_parallel_reads_are_counted_in_the_order_of_the_calls() -> None:
    """Whoever finishes first, the third call is the third (R4.3, R5.2)."""

    async def read(arguments: dict[str, Any]) -> str:
        for _ in range(9 - arguments.get("n", 0)):
            await asyncio.sleep(0)
        return "same"

    reads = tool("read", read, parallel=True)
    result = play(asks(*[call("read", f"id{n}") for n in range(7)]), tools=[reads])
    assert (result.status, blocked(result)) == ("loop", [3, 4, 5, 6, 7])


@pytest.mark.parametrize(
    ("name", "arguments", "tools"),
    [
        ("rm", "{}", []),
        ("look", "{", [tool()]),
        ("pay", "{}", [tool("pay", category="mutating")]),
    ],
    ids=["unknown tool", "bad arguments", "unconfigured confirm"],
)
def test_every_answered_call_counts_run_or_not(
    name: str, arguments: str, tools: list[Tool]
) -> None:
    """What is refused again and again is a loop like any other (R5.1)."""
    numbers = count()

    def reply(request: Request) -> Response:
        return asks(ToolCall(f"id{next(numbers)}", name, arguments))

    result = play(reply, tools=tools, limits=MANY)
    assert (result.status, result.iterations) == ("loop", 6)
    assert result.tools == (name,) * 6


def test_a_declined_call_that_is_asked_again_and_again_is_a_loop() -> None:
    """A refusal is an answer: asking on does not wear a person down for ever."""

    async def confirm(question: Question) -> Decision:
        return Decision(approved=False, reason="no")

    pays = tool("pay", category="mutating")
    result = play(repeating("pay"), tools=[pays], confirm=confirm, limits=MANY)
    assert (result.status, result.iterations) == ("loop", 6)


def test_arguments_are_compared_by_meaning() -> None:
    """White space, order of keys and escapes hide no loop (R5.1)."""
    texts = cycle(['{"a":1,"b":"é"}', '{ "b": "\\u00e9", "a": 1 }'])
    numbers = count()

    def reply(request: Request) -> Response:
        return asks(ToolCall(f"id{next(numbers)}", "look", next(texts)))

    result = play(reply, tools=[tool()], limits=MANY)
    assert (result.status, result.iterations) == ("loop", 6)


def test_the_same_text_again_and_again_ends_the_run() -> None:
    """Pauses with one text have the terminal level only (R5.6)."""
    result = play(says("thinking", "pause_turn"), limits=MANY)
    assert (result.status, result.iterations) == ("loop", 6)
    texts = islice((says(f"step {n}", "pause_turn") for n in count()), 40)
    assert play(*texts, limits=MANY).status == "max_iterations"


def test_texts_do_not_push_calls_out_of_sight() -> None:
    """Pauses between equal calls leave the window of the calls alone (R5.6)."""
    replies = [
        reply
        for n in range(9)
        for reply in (asks(call("look", f"i{n}")), says(f"step {n}", "pause_turn"))
    ]
    result = play(*replies, tools=[tool()], limits=MANY, loop=LoopRules(window=6))
    assert (result.status, result.iterations) == ("loop", 11)


def test_two_runs_of_one_configuration_do_not_share_a_detector() -> None:
    """Two times four equal calls are no eight (R2)."""
    for _ in range(2):
        result = play(
            *[asks(call("look", f"id{n}")) for n in range(4)], says("x"), tools=[tool()]
        )
        assert result.status == "done"


def test_stuck_means_that_the_last_actions_are_the_same() -> None:
    """An action is every call of a message, by name and canonical arguments (R5.7)."""
    one = assistant("", ToolCall("1", "a", '{"x":1,"y":2}'), ToolCall("2", "b"))
    same = assistant(
        "other words", ToolCall("3", "a", '{"y":2, "x":1}'), ToolCall("4", "b", "")
    )
    other = assistant("", ToolCall("5", "a", '{"x":1,"y":2}'))
    assert detect_stuck([one, assistant("text"), same], 2)
    assert not detect_stuck([one, same], 3)
    assert not detect_stuck([one, other], 2)
    assert detect_stuck([other, one, same], 2)
    assert not detect_stuck([], 1)
    with pytest.raises(UsageError, match="expected 1 or more"):
        detect_stuck([one], 0)


Actions = st.lists(st.sampled_from("abc"), max_size=8)


@settings(max_examples=25)
@given(actions=Actions, n=st.integers(1, 5))
def test_stuck_is_what_it_says_for_any_history(actions: list[str], n: int) -> None:
    """Compared with the definition, over histories with results in between."""

    def messages() -> Iterator[Message]:
        for number, name in enumerate(actions):
            yield assistant("", ToolCall(str(number), name, json.dumps({"n": 1})))
            yield Message("tool", str(number), (), str(number))

    last = actions[-n:]
    expected = len(last) == n and len(dict.fromkeys(last)) == 1
    assert detect_stuck(list(messages()), n) is expected
