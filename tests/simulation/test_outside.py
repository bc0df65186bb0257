"""The outside of a run: gates, faults, the person, injected messages, declared limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    EffectApplied,
    Env,
    Event,
    FaultStruck,
    Injected,
    Limits,
    LoopRules,
    Message,
    MessageInjected,
    Outcome,
    Question,
    Request,
    RequestSent,
    ResponseReceived,
    ToolEnded,
    ToolFailed,
    ToolStarted,
    UsageError,
    assistant,
    user,
)
from agentsim.engine import Replay
from agentsim.faults import (
    FaultRule,
    answer_lost,
    arguments_cut,
    hangs,
    raises,
    same_call_forever,
    slow,
)
from agentsim.providers import Reply, by, call, forever, say, together
from agentsim.simulation import Menu, Run, Scenario, run
from agentsim.trace import diff, to_jsonl
from agentsim.world import Cpu, Human, Services, tool
from tests.simulation.fakes import ask, obedient, reading, silent, writing

CUTS = Menu("timed", cancel=True, crash=True)


async def writes(env: Env) -> str:
    """Write one file, and tell what came of it."""
    tool = next(tool for tool in env.tools if tool.name == "write_file")
    try:
        return str(await tool.run({"path": "note", "content": "it"}))
    except ToolFailed as error:
        return f"{'definite' if error.definite else 'indefinite'}: {error}"


def written(*rules: FaultRule) -> Scenario:
    """A scenario in which only the agent's own write happens."""
    return writing(script=[], faults=rules)


def kinds(made: Run) -> list[str]:
    """The kinds of the events of the outside."""
    return [event.kind for event in made.trace.events if event.who != "runtime"]


# ------------------------------------------------------------------------ what tools do


@pytest.mark.parametrize(
    ("rule", "value", "effects", "ending", "at_s"),
    [
        (None, "Wrote note", 1, "ok", 0.1),
        (raises(), "definite: the tool failed before it did anything", 0, "error", 0.1),
        (slow(), "Wrote note", 1, "ok", 30.1),
        (answer_lost(), "indefinite: the connection was lost", 1, "unknown", 0.1),
    ],
    ids=["none", "raises", "slow", "answer_lost"],
)
def test_a_fault_does_what_it_says(
    rule: FaultRule | None, value: str, effects: int, ending: str, at_s: float
) -> None:
    """Effect, answer, kind of error and time are those of the fault."""
    made = run(written(*([rule] if rule else [])), writes)
    assert str(made.value).startswith(value)
    assert len(made.trace.of(EffectApplied)) == effects
    (end,) = made.trace.of(ToolEnded)
    assert (end.ending, end.at_ns) == (ending, round(at_s * 1e9))
    assert made.struck == ((rule.fault.name,) if rule else ())


def test_a_tool_that_hangs_never_answers() -> None:
    """Nothing happens, and an agent without a deadline waits for ever."""
    made = run(written(hangs()), writes)
    assert made.outcome.ending == "deadlock"
    assert made.trace.of(EffectApplied) == []
    ends = next(entry for entry in made.verdict.judgements if entry.id == "ends")
    assert ends.status == "unknown"


@pytest.mark.parametrize(
    ("gate", "option", "effects", "words"),
    [
        (0, 1, 0, "cancelled before write_file"),
        (1, 1, 1, "cancelled before write_file answer"),
        (0, 2, 1, "the process died before write_file"),
        (1, 2, 2, "the process died before write_file answer"),
    ],
)
def test_a_cut_falls_on_one_side_of_an_effect(
    gate: int, option: int, effects: int, words: str
) -> None:
    """Before its first gate a write has no effect, before its second it has one.

    After a crash the agent starts anew, and writes once more.
    """
    made = run(written(), writes, menu=CUTS, choices=Replay({gate: option}))
    assert made.words == (words,)
    assert len(made.trace.of(EffectApplied)) == effects
    cancelled = option == 1
    assert bool(made.trace.of(CancelRequested)) == cancelled
    assert bool(made.trace.of(Crashed)) == (not cancelled)
    ends = [event.ending for event in made.trace.of(ToolEnded)]
    assert ends == (["cancelled"] if cancelled else ["ok"])


def test_numbers_go_on_over_lives() -> None:
    """Operations, requests and attempts are counted once for all incarnations."""
    scenario = reading(faults=[raises("check_disk", attempt=2)])
    menu = Menu(crash=True)
    made = run(scenario, obedient, menu=menu, choices=Replay({2: 1}))
    assert [event.number for event in made.trace.of(RequestSent)] == [1, 2, 3]
    assert [event.operation for event in made.trace.of(ToolStarted)] == [1, 2]
    assert [event.life for event in made.trace.of(FaultStruck)] == [2]
    assert made.unmet_rules == ()


def test_arguments_that_do_not_fit_are_an_error_of_the_tool() -> None:
    """An agent that passes what the tool does not take is told so, as a model would be."""

    async def agent(env: Env) -> str:
        tool = env.tools[0]
        with pytest.raises(ToolFailed, match="colour"):
            await tool.run({"colour": "red"})
        return "told"

    made = run(silent(), agent)
    assert [event.ending for event in made.trace.of(ToolEnded)] == ["error"]


# ---------------------------------------------------------------------- what models say


def test_a_fault_of_the_model_wraps_a_reply() -> None:
    """The agent sees the tampered reply in the place of the scripted one."""
    seen: list[Message] = []

    async def agent(env: Env) -> str:
        seen.append((await ask(env)).message)
        return "asked"

    scenario = reading(
        script=[call("check_disk", host="web-03")],
        faults=[arguments_cut(attempt=1)],
    )
    made = run(scenario, agent)
    assert seen[0].tool_calls[0].arguments == '{"host": '
    assert made.struck == ("arguments_cut",)


def test_a_stuck_model_stays_stuck_over_lives() -> None:
    """`same_call_forever` is outside of the process that dies."""
    scenario = Scenario(
        "t",
        [call("check_cpu"), say("Done.")],
        world=[Cpu()],
        faults=[same_call_forever()],
        limits=Limits(max_iterations=None),
    )
    made = run(scenario, menu=Menu(crash=True), choices=Replay({4: 1}))
    lives = {event.life for event in made.trace.of(ResponseReceived)}
    assert lives == {1, 2}
    assert made.outcome.status == "loop"
    assert len(made.trace.of(FaultStruck)) == 1


def test_a_stuck_model_asks_other_conversations_for_nothing_they_lack() -> None:
    """A summarizer that offers no tools gets its answer, whatever the other one gets."""
    said: list[list[str]] = []

    async def talks(env: Env) -> str:
        offered = [tool.definition for tool in env.tools]
        for tools in (offered, [], offered):
            request = Request(env.model, (user(env.task),), tools)
            message = (await env.client.complete(request)).message
            said.append([asked.name for asked in message.tool_calls])
        return "done"

    def reply(request: Request) -> Reply:
        return call("check_cpu") if request.tools else say("Short.")

    run(
        Scenario(
            "t", [forever(by(reply))], world=[Cpu()], faults=[same_call_forever()]
        ),
        talks,
    )
    assert said == [["check_cpu"], [], ["check_cpu"]]


def test_a_drawn_fault_is_a_choice_and_told_in_words() -> None:
    """Without a rule a fault strikes where it is chosen, and only there."""
    menu = Menu(faults=("raises", "slow"))
    calm = run(reading(), menu=menu)
    assert calm.choices.log == [("fault check_disk", 3)]
    made = run(reading(), menu=menu, choices=Replay({0: 2}))
    assert (made.struck, made.words) == (("slow",), ("slow strikes check_disk",))
    assert kinds(calm).count("fault") == 0


# ------------------------------------------------------------------- person and messages


def confirming(**fields: object) -> Scenario:
    """One restart, which asks for an approval."""
    told: dict[str, object] = {
        "task": "Restart nginx.",
        "script": [
            call("restart_service", host="web-03", service="nginx"),
            say("Tried it."),
        ],
        "world": [Services()],
    }
    return Scenario(**{**told, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("human", "approved", "effects"),
    [
        (Human(name="ada", latency_s=7), True, 1),
        (Human(approves=False, reason="Not now."), False, 0),
    ],
    ids=["approves", "declines"],
)
def test_a_person_answers_when_their_gate_opens(
    human: Human, approved: bool, effects: int
) -> None:
    """Question and answer are in the trace, at the time that the person takes."""
    made = run(confirming(human=human))
    (asked,) = made.trace.of(ConfirmationAsked)
    (answered,) = made.trace.of(ConfirmationAnswered)
    assert (asked.question, answered.question) == (1, 1)
    assert answered.at_ns - asked.at_ns == round(human.latency_s * 1e9)
    assert (answered.approved, answered.reason) == (approved, human.reason)
    assert len(made.trace.of(EffectApplied)) == effects


def test_a_person_is_not_asked_twice_with_one_number() -> None:
    """Questions are numbered over lives, so that each answer has its own question."""
    made = run(confirming(), menu=Menu(crash=True), choices=Replay({1: 1}))
    numbers = [event.question for event in made.trace.of(ConfirmationAsked)]
    assert numbers == [1, 2]


def test_an_agent_of_ones_own_can_ask_the_person() -> None:
    """`env.confirm` gives the decision to whoever asks."""

    async def agent(env: Env) -> object:
        assert env.confirm is not None
        decision = await env.confirm(Question("c1", "check_disk", {"host": "web-03"}))
        return decision.confirmed_by

    assert run(silent(), agent).value == "operator-1"


def test_a_message_arrives_at_a_gate_and_is_taken_once() -> None:
    """It is offered beside each gate's opening, and recorded when the agent takes it."""
    scenario = reading(inject=[Injected("m1", "Hurry."), Injected("m2", "Please.")])
    calm = run(scenario)
    assert calm.trace.of(MessageInjected) == []
    made = run(scenario, choices=Replay({0: 2, 1: 1}))
    assert [event.message_id for event in made.trace.of(MessageInjected)] == [
        "m2",
        "m1",
    ]
    assert made.words == ("m2 came before model", "m1 came before model")
    assert made.verdict.status == "holds"


@settings(max_examples=25)
@given(st.data())
def test_each_message_arrives_at_most_once(data: st.DataObject) -> None:
    """However the choices fall, no message is offered again after it came."""
    entries = [Injected(f"m{n}", "x") for n in range(3)]
    scenario = reading(inject=entries)
    plan = data.draw(st.dictionaries(st.integers(0, 5), st.integers(1, 3), max_size=3))
    try:
        made = run(scenario, choices=Replay(plan))
    except UsageError:
        return
    taken = [event.message_id for event in made.trace.of(MessageInjected)]
    assert len(taken) == len(set(taken))


# ------------------------------------------------------------------------ declared limits


def test_only_what_is_declared_is_judged() -> None:
    """Limits that an agent promised stand in the header, in the last life's words."""
    limits, loop = Limits(max_iterations=3), LoopRules(block_at=4)

    async def agent(env: Env) -> str:
        env.declare(limits=limits, loop=loop)
        return "promised"

    header = run(silent(), agent).trace.header
    assert (header.limits, header.loop) == (limits, loop)
    silent_header = run(silent(), obedient_to_nobody).trace.header
    assert (silent_header.limits, silent_header.loop) == (None, None)


async def obedient_to_nobody(env: Env) -> str:
    """Promise nothing."""
    return "nothing promised"


@pytest.mark.parametrize("what", ["limits", "loop"])
def test_a_promise_of_a_wrong_type_is_refused(what: str) -> None:
    """A declaration that no trace could carry is told at once."""

    async def agent(env: Env) -> None:
        env.declare(**{what: {"max_iterations": 3}})  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=f"declare: expected {what} as a"):
        run(silent(), agent)


def test_what_a_runtime_says_is_recorded_as_its_own_word() -> None:
    """Events of the agent are no evidence: they carry who said them."""

    async def agent(env: Env) -> str:
        env.on(EffectApplied(7, "clean_logs", {}))
        return "said"

    made = run(silent(), agent)
    assert made.trace.of(EffectApplied) == []
    assert len(made.trace.of(EffectApplied, who="runtime")) == 1


@pytest.mark.parametrize("nonsense", [None, "tool_start", object()])
def test_what_is_no_event_is_refused(nonsense: object) -> None:
    """A runtime that reports something else is told so."""

    async def agent(env: Env) -> None:
        env.on(nonsense)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match="on: expected an event"):
        run(silent(), agent)


def test_the_environment_says_what_the_scenario_says() -> None:
    """Task, prompt, model, temperature, limits and stop are handed on as they are."""
    seen: list[Env] = []

    async def agent(env: Env) -> str:
        seen.append(env)
        return "seen"

    scenario = silent(
        prompt="Be brief.",
        model="m",
        temperature=0.7,
        limits=Limits(max_iterations=4),
        loop=LoopRules(block_at=5),
        history=[user("Hello."), assistant("Yes?")],
    )
    run(scenario, agent)
    env = seen[0]
    assert (env.task, env.prompt) == (scenario.task, "Be brief.")
    assert (env.model, env.temperature) == ("m", 0.7)
    assert (env.limits, env.loop, env.stop) == (scenario.limits, scenario.loop, None)
    assert env.history == (user("Hello."), assistant("Yes?"))


def test_each_incarnation_gets_an_environment_of_its_own() -> None:
    """Client and tools of a dead process are not those of the next."""
    clients: list[object] = []

    async def agent(env: Env) -> str:
        clients.append(env.client)
        await env.tools[0].run({})
        return "done"

    run(silent(), agent, menu=Menu(crash=True), choices=Replay({0: 1}))
    assert len(clients) == 2
    assert clients[0] is not clients[1]


def test_a_run_ends_with_its_outcome() -> None:
    """The last event is what the agent left, stamped with the time of the end."""

    async def agent(env: Env) -> str:
        await asyncio.sleep(2.5)
        return "late"

    events: tuple[Event, ...] = run(silent(), agent).trace.events
    assert isinstance(events[-1], Outcome)
    assert events[-1].at_ns == 2_500_000_000


def test_a_script_of_functions_is_asked_anew_in_each_run() -> None:
    """What a script hands out is the same in every run of the scenario."""

    def reply(n: int) -> Reply:
        return call("check_disk") if n < 3 else say("Enough.")

    story = reading(script=[forever(reply)])
    first, again = run(story), run(story)
    assert first.outcome.output == "Enough."
    assert first.trace.digest() == again.trace.digest()


@pytest.mark.slow
def test_a_long_run_that_its_limits_allow_is_no_livelock() -> None:
    """The bound on answers of the outside grows with the iterations that are allowed."""
    turns = 1_100
    script = [call("write_file", path=str(n), content="it") for n in range(turns)]
    for limit in (turns + 1, None):
        scenario = writing(
            script=[*script, say("Done.")],
            limits=Limits(max_iterations=limit, deadline_s=None),
        )
        outcome = run(scenario).outcome
        assert (outcome.status, outcome.iterations) == ("done", turns + 1)


# ----------------------------------------------------------------- tools that run others


def delegating(*calls: Reply, asks: bool = False) -> tuple[Scenario, list[Env]]:
    """A story with a tool that runs two others, in the environment noted last."""
    held: list[Env] = []

    async def delegate() -> str:
        """Look, then note it down."""
        env = held[-1]
        await asyncio.gather(env.functions["check_cpu"]())
        if asks:
            await env.client.complete(Request(env.model, (user("What now?"),)))
        return str(await env.functions["note"]())

    def note() -> str:
        """Note it down."""
        return "noted"

    mine = [tool(made, confirm=False) for made in (delegate, note)]
    return Scenario("t", [*calls, say("Done.")], world=[Cpu(), *mine]), held


def test_what_a_tool_runs_is_its_own_work() -> None:
    """It overlaps nothing: the tool waits for it, as for all else that it does."""
    story, held = delegating(call("delegate"))

    async def agent(env: Env) -> object:
        held.append(env)
        return await obedient(env)

    made = run(story, agent)
    outer, *inner = made.trace.of(ToolStarted)
    assert (outer.name, outer.inside) == ("delegate", None)
    assert [event.inside for event in inner] == [outer.operation] * 2
    assert made.verdict.violated == ()


def test_what_a_tool_asks_a_model_for_is_judged_as_what_an_agent_asks_for() -> None:
    """A helper, too, runs only what its model calls."""
    story, held = delegating(call("delegate"), asks=True)

    async def agent(env: Env) -> object:
        held.append(env)
        return await obedient(env)

    assert "allowlist" in {entry.id for entry in run(story, agent).verdict.violated}


def test_what_a_tool_runs_overlaps_what_others_run() -> None:
    """Beside a tool that the agent runs meanwhile it is in flight as any other."""
    story, held = delegating(together(call("delegate"), call("list_top_processes")))

    async def agent(env: Env) -> None:
        held.append(env)
        tools = {tool.name: tool for tool in env.tools}
        calls = (await ask(env)).message.tool_calls
        await asyncio.gather(*(tools[asked.name].run({}) for asked in calls))

    assert "writes-alone" in {entry.id for entry in run(story, agent).verdict.violated}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (None, "expected arguments by name, got None"),
        ([1], "expected arguments by name, got an object of type list"),
        ("host", "expected arguments by name, got an object of type str"),
        ({1: 2}, "expected texts as names of arguments, got an object of type int"),
    ],
)
def test_arguments_of_another_shape_are_an_error_of_the_tool(
    arguments: Any,  # noqa: ANN401  # wrong on purpose
    words: str,
) -> None:
    """Who passes on what a model wrote, unseen, gets an error in our words: nothing ran."""
    failed: list[ToolFailed] = []

    async def agent(env: Env) -> str:
        try:
            await env.tools[0].run(arguments)
        except ToolFailed as error:
            failed.append(error)
        return "caught"

    made = run(reading(script=[]), agent)
    assert (made.value, made.trace.of(ToolStarted)) == ("caught", [])
    assert [(str(error), error.definite) for error in failed] == [
        (f"check_disk: {words}", True)
    ]


class Secretive:
    """An object that refuses to be compared and shown."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __repr__(self) -> str:
        raise RuntimeError("not shown")


def test_a_trace_keeps_the_arguments_as_they_were() -> None:
    """Neither the tool nor the agent can change later what was recorded, and why."""

    def takes(items: Any, **_: Any) -> str:  # noqa: ANN401
        items.append("more")
        return "taken"

    own = tool(takes, name="takes", confirm=False, schema={"type": "object"})

    async def agent(env: Env) -> None:
        endless: list[object] = []
        endless.append(endless)
        arguments = {"items": ["a"], "own": Secretive(), "end": endless, "n": (1, None)}
        await env.tools[0].run(arguments)
        arguments.clear()

    story = Scenario("Take.", [], world=[own], expect={"effects": {"takes": 1}})
    made = run(story, agent)
    assert diff(made.trace, run(story, agent).trace) is None
    [started], [effect] = made.trace.of(ToolStarted), made.trace.of(EffectApplied)
    assert started.arguments == effect.arguments
    assert started.arguments["items"] == ["a"]
    assert started.arguments["own"] == "(no JSON: Secretive)"
    assert started.arguments["n"] == [1, None]
    assert to_jsonl(made.trace).count("list that has no end") == 2
