"""What each fault does at the boundary, and that a sound runtime gets over it."""

from __future__ import annotations

import pytest

from agentsim.core import (
    ConfirmationAnswered,
    EffectApplied,
    Env,
    FaultStruck,
    Limits,
    ProviderError,
    Question,
    RequestFailed,
    ResponseReceived,
    ToolEnded,
    ToolFailed,
    ToolStarted,
)
from agentsim.engine import Replay
from agentsim.faults import (
    CATALOGUE,
    GROUPS,
    HUGE_CHARACTERS,
    LATE_S,
    RETRY_AFTER_S,
    TIMEOUT_S,
    Fault,
    FaultRule,
    answers_late,
    applied_twice,
    flaky,
    never_answers,
    stale,
)
from agentsim.providers import call, say
from agentsim.simulation import Menu, Run, Scenario, explore, run
from agentsim.world import Disk, Human
from tests.simulation.fakes import ask, reading, silent, writing
from tests.support.scenarios import scenario

NS = 10**9


async def uses(env: Env, *calls: tuple[str, dict[str, object]]) -> list[object]:
    """What each call of a tool gives: its output, or its error as an exception."""
    tools = {tool.name: tool for tool in env.tools}
    given: list[object] = []
    for name, arguments in calls:
        try:
            given.append(await tools[name].run(dict(arguments)))
        except ToolFailed as error:
            given.append(error)
    return given


Called = tuple[str, dict[str, object]]

READ: Called = ("check_disk", {})
WRITE: Called = ("clean_logs", {})


def alone(*faults: FaultRule | Fault | str, **fields: object) -> Scenario:
    """A disk, and an agent's own use of its tools."""
    return silent(world=[Disk(used="90%", logs="10 GB")], faults=faults, **fields)


def told(made: Run) -> list[object]:
    """What the agent returned."""
    assert isinstance(made.value, list)
    return made.value


# ------------------------------------------------------------------------------ outputs


@pytest.mark.parametrize(
    ("name", "value", "recorded"),
    [
        ("number_output", 42, "42"),
        ("list_output", [1, None, "three"], '[1,null,"three"]'),
        ("object_output", {"ok": True, "data": None}, '{"ok":true,"data":null}'),
        ("null_output", None, "null"),
        ("bytes_output", b"\x89PNG\r\n\x1a\n\x00", "(no JSON: bytes)"),
        ("empty_output", "", ""),
    ],
)
def test_an_output_is_of_another_type(name: str, value: object, recorded: str) -> None:
    """The agent gets the value itself, and the trace a text of it."""
    made = run(alone(name), lambda env: uses(env, READ, READ))
    first, second = told(made)
    assert (first, second) == (value, value)
    assert [event.output for event in made.trace.of(ToolEnded)] == [recorded] * 2
    assert {event.ending for event in made.trace.of(ToolEnded)} == {"ok"}


def test_an_output_that_an_agent_changes_is_whole_the_next_time() -> None:
    """Each strike gives a value of its own."""

    async def agent(env: Env) -> object:
        [first] = await uses(env, READ)
        assert isinstance(first, list)
        first.clear()
        return await uses(env, READ)

    assert told(run(alone("list_output"), agent)) == [[1, None, "three"]]


def test_texts_are_huge_binary_or_half_a_character() -> None:
    """1 MiB in lines; NUL and control characters; a lone surrogate behind the output."""
    names = ("huge_output", "binary_output", "surrogate_output")
    outputs = [told(run(alone(n), lambda env: uses(env, READ)))[0] for n in names]
    huge, binary, surrogate = (str(output) for output in outputs)
    assert len(huge.encode()) == HUGE_CHARACTERS == 1 << 20
    assert "\x00" in binary
    assert "\ufffd" in binary
    assert surrogate[:-1] == "Disk: 90% used (32.8 GB of 36.4 GB)"
    with pytest.raises(UnicodeEncodeError):
        surrogate.encode()


# ------------------------------------------------------------------- before the effect


def test_a_flaky_tool_fails_twice_and_then_works() -> None:
    """One strike lasts for two operations, each told; the third one is as usual."""
    made = run(alone(flaky("clean_logs")), lambda env: uses(env, *[WRITE] * 3))
    kinds = [type(value) for value in told(made)]
    assert kinds == [ToolFailed, ToolFailed, str]
    assert len(made.trace.of(FaultStruck)) == 2
    assert len(made.trace.of(EffectApplied)) == 1


def test_a_flaky_tool_is_one_deviation() -> None:
    """Chosen once, it fails twice; the tool's next choice comes behind that."""
    menu = Menu(faults=("flaky",))
    made = run(alone(), lambda env: uses(env, *[READ] * 4), menu=menu)
    assert len(made.choices.log) == 4
    struck = run(
        alone(), lambda env: uses(env, *[READ] * 4), menu=menu, choices=Replay({1: 1})
    )
    assert [type(value) for value in told(struck)] == [
        str,
        ToolFailed,
        ToolFailed,
        str,
    ]
    assert struck.words == ("flaky strikes check_disk",)
    assert len(struck.choices.log) == 3


# --------------------------------------------------------------------- around the effect


def test_a_write_is_applied_twice_and_answered_once() -> None:
    """The ledger has two effects of one operation; what agents saw is one run."""
    made = run(writing(faults=[applied_twice]))
    effects = made.trace.of(EffectApplied)
    assert [effect.operation for effect in effects] == [1, 1]
    assert [effect.name for effect in made.world.ledger] == ["write_file"] * 2
    assert len(made.trace.of(ToolStarted)) == len(made.trace.of(ToolEnded)) == 1


def test_what_can_be_done_once_only_is_done_once() -> None:
    """The second time the world refuses; the answer is that of the first."""
    made = run(scenario("pay_invoice"), menu=Menu(faults=("applied_twice",)))
    again = run(
        scenario("pay_invoice"),
        menu=Menu(faults=("applied_twice",)),
        choices=Replay({0: 1}),
    )
    assert again.struck == ("applied_twice",)
    assert again.outcome.status == made.outcome.status == "done"


def test_an_answer_never_comes_and_the_effect_is_there() -> None:
    """The write took effect; the deadline ends the run, and it is told as unknown."""
    story = writing(
        faults=["answer_never_comes"],
        limits=Limits(deadline_s=60),
        expect={"status": "deadline", "effects": {"write_file": 1}},
        script=[call("write_file", path="note", content="it")],
    )
    made = run(story).expect_holds()
    assert made.outcome.history is not None
    assert "outcome unknown" in made.outcome.history[-1].content


def test_a_stale_read_answers_as_before_the_last_write() -> None:
    """It strikes the same read with the same arguments, after a write, and only there."""
    menu = Menu(faults=(stale,))
    calls = [WRITE, READ, WRITE, READ, READ]

    async def agent(env: Env) -> object:
        return await uses(env, READ, *calls)

    calm = run(alone(), agent, menu=menu)
    before, _, after, *_ = told(calm)
    assert before != after
    assert calm.choices.log == [("fault check_disk", 2)] * 3
    struck = run(alone(), agent, menu=menu, choices=Replay({0: 1}))
    assert told(struck)[2] == before
    assert told(struck)[4] == after
    assert struck.trace.of(FaultStruck)[0].answer == "outdated"


def test_a_read_that_was_never_answered_before_is_not_stale() -> None:
    """A rule on it does not strike, and is told as unmet."""
    made = run(alone(stale), lambda env: uses(env, WRITE, READ))
    assert made.struck == ()
    assert made.unmet_rules == ("stale on any tool",)


# ------------------------------------------------------------------ the model's service


@pytest.mark.parametrize(
    ("name", "status", "kind", "definite", "at_s"),
    [
        ("rate_limited", 429, "rate_limit_error", True, 1),
        ("server_error", 500, "api_error", True, 1),
        ("overloaded", 529, "overloaded_error", True, 1),
        ("model_timeout", None, "timeout", False, 1 + TIMEOUT_S),
        ("connection_lost", None, "connection_error", False, 1),
    ],
)
def test_the_service_fails_and_the_script_stands_where_it_stood(
    name: str, status: int | None, kind: str, definite: bool, at_s: float
) -> None:
    """The agent gets an error that a retry may help, and the reply the next time."""

    async def agent(env: Env) -> object:
        with pytest.raises(ProviderError) as caught:
            await ask(env)
        error = caught.value
        assert (error.status, error.kind, error.definite) == (status, kind, definite)
        assert error.transient
        waits = RETRY_AFTER_S if name == "rate_limited" else None
        assert error.retry_after_s == waits
        return (await ask(env)).message.content

    story = reading(script=[say("Half full.")], faults=[f"{name}@1"])
    made = run(story, agent)
    assert made.value == "Half full."
    [failed] = made.trace.of(RequestFailed)
    assert (failed.status, failed.error, failed.rule) == (status, kind, None)
    assert failed.at_ns == at_s * NS


def test_the_reference_agent_ends_failed_where_the_service_fails() -> None:
    """It has no retries yet: the run ends with a result that says why."""
    for name in GROUPS["service_errors"]:
        made = run(reading(), menu=Menu(faults=(name,)), choices=Replay({0: 1}))
        assert (made.outcome.status, made.verdict.status) == ("failed", "holds")
        assert CATALOGUE[name].error_words in str(made.outcome.error)


@pytest.mark.parametrize("name", GROUPS["empty_answers"])
def test_an_empty_answer_is_not_final(name: str) -> None:
    """Blank text, nothing at all, or a reason without calls: the run ends failed."""
    made = run(reading(), menu=Menu(faults=(name,)), choices=Replay({1: 1}))
    assert (made.struck, made.outcome.status) == ((name,), "failed")
    assert made.verdict.status == "holds"


def test_a_model_that_never_answers_is_ended_by_the_deadline() -> None:
    """Nothing else ends such a run."""
    made = run(reading(), menu=Menu(faults=("model_hangs",)), choices=Replay({0: 1}))
    assert made.outcome.status == "deadline"
    assert made.trace.of(ResponseReceived) == []


def test_a_cycle_asks_for_variants_from_its_strike_on() -> None:
    """Two, three, two, three: each asked under an id of its own."""
    story = reading(
        script=[call("check_disk"), call("check_disk"), say("Half full.")],
        limits=Limits(max_iterations=8),
    )
    made = run(story, menu=Menu(faults=("cycle_of_2",)), choices=Replay({1: 1}))
    asked = [r.message.tool_calls[0] for r in made.trace.of(ResponseReceived)]
    assert [one.arguments for one in asked[1:5]] == ["{}", '{"variant": 1}'] * 2
    assert len({one.id for one in asked}) == len(asked) == 8
    assert len(made.trace.of(FaultStruck)) == 1


# --------------------------------------------------------------------------- the person

QUESTION = Question("c1", "clean_logs", {})


async def asks(env: Env) -> object:
    """Ask the person once."""
    assert env.confirm is not None
    decision = await env.confirm(QUESTION)
    return decision.approved, decision.confirmed_by, decision.reason


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("declines", (False, None, "not without a ticket")),
        ("declines_without_reason", (False, None, None)),
        ("approves_without_id", (True, None, None)),
        ("answers_late", (True, "operator-1", None)),
    ],
)
def test_a_person_decides_otherwise(name: str, decision: object) -> None:
    """What the agent is told is in the trace, and only that answer is another one."""
    made = run(alone(name), asks)
    assert made.value == decision
    [answer] = made.trace.of(ConfirmationAnswered)
    assert (answer.approved, answer.confirmed_by, answer.reason) == decision
    late = LATE_S if name == "answers_late" else 0
    assert answer.at_ns == (Human().latency_s + late) * NS
    [struck] = made.trace.of(FaultStruck)
    assert (struck.fault, struck.target) == (name, "the person")


def test_a_person_who_never_answers_is_waited_for_until_the_deadline() -> None:
    """The run ends at its deadline, and nothing was done."""
    made = run(
        scenario("high_cpu"), menu=Menu(faults=(never_answers,)), choices=Replay({0: 1})
    )
    assert (made.outcome.status, made.verdict.status) == ("deadline", "holds")
    assert made.trace.of(EffectApplied) == []


def test_a_rule_on_the_person_names_the_tool_and_the_question() -> None:
    """The second question about that tool; others are answered as usual."""

    async def agent(env: Env) -> object:
        return [await asks(env) for _ in range(3)]

    made = run(alone(answers_late("clean_logs", attempt=2)), agent)
    times = [event.at_ns / NS for event in made.trace.of(ConfirmationAnswered)]
    assert times == [30, 30 + 30 + LATE_S, 30 + 30 + LATE_S + 30]
    assert {"answers_late:clean_logs@2", "person"} <= set(made.met)


# ----------------------------------------------------------------------- in a whole run


@pytest.mark.parametrize("group", ["tools", "model", "person"])
def test_the_reference_runtime_keeps_the_rules_under_each_fault(group: str) -> None:
    """Every single strike in a story with reads, a write and a question."""
    found = explore(scenario("disk_full"), deviations=1, menu=Menu(faults=(group,)))
    assert {entry.invariant for entry in found.failures} == set()
    assert found.complete


@pytest.mark.slow
def test_pairs_of_five_faults_per_reply_and_tool_are_complete() -> None:
    """Over orders, the deadline and the faults: every run with up to two deviations."""
    replies = ("server_error", "empty_answer", "unknown_tool", "missing_ids", "paused")
    tools = ("raises", "slow", "hangs", "flaky", "bytes_output")
    menu = Menu("any_order", (*replies, *tools))
    found = explore(scenario("high_cpu"), deviations=2, menu=menu).expect_holds()
    assert found.complete
    assert found.runs > 500
