"""Barriers and outstanding calls, over every order of what the outside may do.

A batch of calls is run on the engine under `any_order`: which gate opens next, whether
the deadline fires first, whether the run is cancelled, each is a choice, and all of
them are enumerated. What must hold is checked in every single run (R4.2, R3.9).
"""

from collections.abc import Callable, Coroutine, Iterable
from itertools import product
from typing import Any

import pytest

from agentsim.core import (
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Decision,
    Event,
    Limits,
    Message,
    Question,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    Rights,
    Terminal,
    Tool,
    ToolDef,
    ToolEnded,
    ToolStarted,
    breaches,
)
from agentsim.engine import Choices, Ending, Engine, Exhaustive, Life
from agentsim.runtime import run_agent
from tests.runtime.fakes import Events, ScriptedClient, asks, call, config, ended, says

READ, SOLO, WRITE, ASK = "read", "solo", "write", "ask"

RIGHTS = {
    READ: Rights(parallel=True),
    SOLO: Rights(),
    WRITE: Rights("mutating", confirm=False),
    ASK: Rights("mutating"),
}


class Outside:
    """Tools at gates, and a diary of what really happened, in order."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.flying: list[str] = []
        self.diary: list[tuple[str, str]] = []
        self.most = 0

    def tools(self) -> list[Tool]:
        return [
            Tool(ToolDef(kind, "", {"type": "object"}), self._runs(kind), rights)
            for kind, rights in RIGHTS.items()
        ]

    def _runs(self, kind: str) -> Callable[[dict[str, Any]], Coroutine[Any, Any, str]]:
        async def work(arguments: dict[str, Any]) -> str:
            name = f"{kind}{arguments['n']}"
            self.note("start", name)
            alone = kind != READ
            assert not self.flying or not alone, "started beside others"
            assert all(n.startswith(READ) for n in self.flying), "beside one alone"
            self.flying.append(name)
            self.most = max(self.most, len(self.flying))
            try:
                await self.life.gate(name)
                if kind in (WRITE, ASK):
                    self.note("effect", name)
                    await self.life.gate(f"{name}'s answer")
            finally:
                self.flying.remove(name)
            self.note("end", name)
            return f"result of {name}"

        return work

    async def confirm(self, question: Question) -> Decision:
        assert not self.flying, "a question before earlier calls have finished"
        self.note("question", f"{question.name}{question.arguments['n']}")
        await self.life.gate("the person")
        return Decision(approved=True, confirmed_by="ann")

    def note(self, what: str, name: str) -> None:
        self.diary.append((what, name))

    def names(self, what: str) -> list[str]:
        return [name for kind, name in self.diary if kind == what]


class Case:
    """One batch, run once for one source of choices, and then judged."""

    def __init__(self, kinds: tuple[str, ...], *, most: int, cancel: bool) -> None:
        self.kinds = kinds
        self.most = most
        self.cancel = cancel
        self.calls = [call(kind, f"id{n}", n=n) for n, kind in enumerate(kinds)]

    def play(self, choices: Choices) -> tuple[Ending, Outside, Events]:
        told, outside = Events(), []

        def record(event: Event) -> None:
            if isinstance(event, CancelRequested):
                told.append(event)

        async def main(life: Life) -> object:
            world = Outside(life)
            outside.append(world)
            client = ScriptedClient(asks(*self.calls), says("done"), life=life)
            limits = Limits(deadline_s=60, max_parallel=self.most)
            agent = config(
                client, *world.tools(), confirm=world.confirm, limits=limits, on=told
            )
            return await run_agent(agent, "task")

        engine = Engine(choices, policy="any_order", cancel=self.cancel, record=record)
        ending = engine.live(main)
        engine.bury()
        assert ending.error is None or ending.kind == "cancelled", ending
        return ending, outside[0], told

    def judge(self, ending: Ending, world: Outside, told: Events) -> str:
        end = ended(told)
        history = list(end.history or ())
        assert breaches(history) == []
        assert world.most <= self.most
        assert (ending.kind == "cancelled") is (end.status == "cancelled")
        assert not (ending.kind != "cancelled" and "cancel" in told.kinds)
        nothing_starts_after(told, CancelRequested, Terminal)
        every_start_has_its_end(told)
        self._judge_results(history, world)
        started = [f"{k}{n}" for n, k in enumerate(self.kinds)]
        assert [n for n in started if n in world.names("start")] == [
            f"{name}{n}" for n, name in enumerate(end.tools or ())
        ][: len(world.names("start"))]
        return end.status

    def _judge_results(self, history: list[Message], world: Outside) -> None:
        for n, kind in enumerate(self.kinds):
            name = f"{kind}{n}"
            found = [m for m in history if m.tool_call_id == f"id{n}"]
            if not any(m.tool_calls for m in history):
                assert not found
                continue
            (result,) = found
            if name in world.names("end") and result.content == f"result of {name}":
                assert not result.is_error
            elif name not in world.names("start"):
                assert result.content.startswith("Error: not executed: ")
            elif kind in (WRITE, ASK):
                assert result.content.startswith("Error: outcome unknown: ")
            else:
                assert result.content.startswith("Error: not finished: ")
            assert result.is_error is result.content.startswith("Error: ")


def nothing_starts_after(told: Events, *kinds: type[Event]) -> None:
    """After the end was asked for: no request, no tool, no question."""
    over = False
    for event in told:
        over = over or isinstance(event, kinds)
        starts = isinstance(event, RequestSent | ToolStarted | ConfirmationAsked)
        assert not (over and starts), event.kind


def every_start_has_its_end(told: Events) -> None:
    """Requests, tools, questions and the run itself are closed (R11)."""
    assert told.kinds.count("run_started") == told.kinds.count("run_ended") == 1
    own = [event for event in told if event.who == "runtime"]
    assert own[-1].kind == "run_ended"
    sent = [event.number for event in told.of(RequestSent)]
    answered = [event.number for event in told.of(ResponseReceived)]
    assert sent == answered + [event.number for event in told.of(RequestFailed)]
    begun = sorted(event.operation for event in told.of(ToolStarted))
    over = [event.operation for event in told.of(ToolEnded)]
    assert begun == sorted(number for number in over if number)
    asked = [event.question for event in told.of(ConfirmationAsked)]
    assert asked == [event.question for event in told.of(ConfirmationAnswered)]


def explore(case: Case, deviations: int) -> dict[str, int]:
    """Run a case for every choice there is; count the endings by status."""
    search, endings = Exhaustive(deviations), dict[str, int]()
    while (choices := search.next()) is not None:
        status = case.judge(*case.play(choices))
        endings[status] = endings.get(status, 0) + 1
        search.done(choices)
    assert search.complete
    return endings


SHORT = [
    (WRITE, READ),
    (READ, WRITE),
    (READ, ASK),
    (READ, READ, WRITE),
    (WRITE, READ, READ),
    (SOLO, READ),
]


@pytest.mark.parametrize("kinds", SHORT, ids="-".join)
def test_barriers_hold_and_no_call_is_left_open_in_any_order(
    kinds: tuple[str, ...],
) -> None:
    """Over every order, with cancellation and deadline at every gate: R4.2 and R3.9."""
    endings = explore(Case(kinds, most=2, cancel=True), 2)
    assert set(endings) == {"done", "cancelled", "deadline"}


def batches(longest: int) -> Iterable[tuple[str, ...]]:
    """Every batch of up to so many calls."""
    for length in range(1, longest + 1):
        yield from product(RIGHTS, repeat=length)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 3])
def test_every_batch_of_three_keeps_the_rules_in_any_order(most: int) -> None:
    """All batches of up to three calls of four kinds, all deviations there are."""
    runs = 0
    for kinds in batches(3):
        runs += sum(explore(Case(kinds, most=most, cancel=True), 20).values())
    assert runs > 1000


@pytest.mark.parametrize(("most", "orders"), [(1, 1), (2, 4), (3, 6)])
def test_three_reads_and_a_write_have_exactly_their_orders(
    most: int, orders: int
) -> None:
    """The write adds no order; K limits those of the reads (design 2.2)."""
    case = Case((READ, READ, READ, WRITE), most=most, cancel=False)
    search, seen = Exhaustive(9), set()
    while (choices := search.next()) is not None:
        _, world, told = case.play(choices)
        if ended(told).status == "done":
            seen.add(tuple(world.names("end")))
        search.done(choices)
    assert len(seen) == orders
    assert {order[3] for order in seen} == {"write3"}
