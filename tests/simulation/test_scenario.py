"""A scenario is checked when it is made, and its digest stands for its content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from agentsim.core import (
    Env,
    Injected,
    Limits,
    LoopRules,
    Message,
    ScenarioError,
    ToolEnded,
    UsageError,
    assistant,
    user,
)
from agentsim.faults import CATALOGUE, answer_lost, raises
from agentsim.providers import Reply, Script, by, call, forever, say
from agentsim.simulation import EXPLORING, SCRIPTED, Expectation, Menu, Scenario, run
from agentsim.simulation.plain import plain
from agentsim.world import Disk, Files, Human, Service, Services, World
from tests.simulation.fakes import reading


def stop(history: object) -> bool:
    """Never stop."""
    return False


OTHER: dict[str, Any] = {
    "task": "Another.",
    "script": [say("At once.")],
    "name": "another",
    "world": [Disk(used="51%")],
    "tools": ["check_disk"],
    "human": None,
    "prompt": "Be brief.",
    "history": [user("Hello."), assistant("Yes?")],
    "exact": False,
    "model": "another",
    "temperature": 0.3,
    "limits": Limits(max_iterations=9),
    "loop": LoopRules(block_at=4),
    "faults": [raises("check_disk")],
    "inject": [Injected("m1", "Hurry.")],
    "stop": stop,
    "expect": {"status": "done"},
    "seed": 1,
    "profiles": {"openai-chat": "lenient"},
    "start": World((Disk(used="60%"),)).snapshot(),
}


@pytest.mark.parametrize("field", OTHER)
def test_the_digest_covers_every_field(field: str) -> None:
    """Another value gives another digest: a token then does not fit any more."""
    assert set(OTHER) == {entry.name for entry in fields(Scenario)}
    plain_one, other = reading(), reading(**{field: OTHER[field]})
    assert plain_one.digest != other.digest
    assert reading(**{field: OTHER[field]}).digest == other.digest


def test_lists_and_tuples_make_the_same_scenario() -> None:
    """How a sequence is written is no content; so is a mapping for an expectation."""
    tuples = reading(
        script=Script([call("check_disk"), say("Half full.")]),
        world=(Disk(used="50%"),),
        tools=("check_disk",),
        expect=Expectation(tools=("check_disk",)),
    )
    lists = reading(tools=["check_disk"], expect={"tools": ["check_disk"]})
    assert tuples.digest == lists.digest
    assert tuples == lists


def test_functions_count_by_name() -> None:
    """A digest holds no address: two runs of a program must agree on it."""

    def answer(request: object) -> Reply:
        return say("x")

    one = reading(script=[by(answer)]).digest
    assert one == reading(script=[by(answer)]).digest
    assert "0x" not in str(plain({"a": [answer, object()], "b": (1, None)}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tools": ["check_dsik"]}, "tools: unknown tool 'check_dsik'; did you mean"),
        ({"script": [call("check_dsik")]}, r"script\[0\]: unknown tool 'check_dsik'"),
        ({"script": [say("a"), forever(call("x"))]}, r"script\[1\]: unknown tool"),
        ({"faults": [raises("check_dsik")]}, "faults: fault 'raises': unknown tool"),
        ({"faults": [answer_lost("check_disk")]}, "only reads"),
        ({"expect": {"effects": {"clean_lgos": 1}}}, "expect.effects: unknown tool"),
        ({"expect": {"statsu": "done"}}, "expect.statsu: unknown field; did you mean"),
        ({"expect": {"status": "doen"}}, "expect.status: unknown status 'doen'"),
        ({"world": Disk()}, r"world: expected a list.* Disk: write world=\["),
        ({"world": {"disk": {}}}, "world: expected a list.* dict"),
        ({"script": say("a")}, "script: expected a list.* Reply"),
        ({"script": "a"}, "script: expected a list.* str"),
        ({"faults": "slow"}, "faults: expected a list.* str"),
        ({"tools": "check_disk"}, "tools: expected a list.* str"),
        ({"world": [Disk(), Disk()]}, "world: a world can have one 'disk' only"),
        ({"task": 3}, "task: expected a text, got int"),
        ({"name": None}, "name: expected a text, got NoneType"),
        ({"human": "Ada"}, "human: expected a Human, or None .*, got str"),
        ({"prompt": ["a"]}, "prompt: expected a text or None, got list"),
        ({"temperature": "hot"}, "temperature: expected a number, got str"),
        ({"temperature": True}, "temperature: expected a number, got bool"),
        (
            {"limits": {"max_iterations": 3}},
            r"limits: expected Limits\(...\), got dict",
        ),
        ({"loop": 3}, r"loop: expected LoopRules\(...\), got int"),
        ({"inject": ["stop"]}, r"inject\[0\]: expected Injected\(id, text\), got str"),
        ({"seed": "x"}, "seed: expected a whole number, got str"),
        ({"exact": 1}, "exact: expected True or False, got int"),
        ({"expect": "done"}, "expect: expected a mapping, or an Expectation, got str"),
        ({"expect": {"output": 3}}, "expect.output: expected a text, got 3"),
        ({"expect": {"calls": "3"}}, "expect.calls: expected a whole number, got '3'"),
        (
            {"expect": {"calls": True}},
            "expect.calls: expected a whole number, got True",
        ),
        ({"expect": {"tools": "look"}}, "expect.tools: expected names of tools"),
        ({"expect": {"tools": [3]}}, "expect.tools: expected names of tools, got 3"),
        ({"expect": {"effects": ["a"]}}, "expect.effects: expected a mapping"),
        (
            {"expect": {"effects": {"a": "b"}}},
            "expect.effects.a: expected a whole number",
        ),
    ],
)
def test_a_contradiction_is_refused(changes: dict[str, Any], words: str) -> None:
    """What can't fit together is told when the scenario is made, with its field."""
    with pytest.raises(UsageError, match=words):
        reading(**changes)


def test_a_contradiction_is_a_scenario_error() -> None:
    """Whoever catches scenario errors catches all of these."""
    with pytest.raises(ScenarioError):
        reading(expect={"statsu": "done"})
    with pytest.raises(ScenarioError):
        reading(world=[Disk(), Disk()])


def test_the_allowlist_is_what_the_agent_and_the_trace_see() -> None:
    """Tools off the list are neither given nor told in the header."""
    seen: list[str] = []

    async def agent(env: Env) -> str:
        seen.extend(tool.name for tool in env.tools)
        return "done"

    scenario = reading(script=[], tools=["check_disk"])
    made = run(scenario, agent)
    assert seen == ["check_disk"]
    assert [facts.name for facts in made.trace.header.tools] == seen
    assert "clean_logs" in [tool.name for tool in scenario.known_tools]


def test_the_stop_predicate_reaches_the_agent() -> None:
    """It sees the history and ends the run."""

    def after_a_tool(history: Sequence[Message]) -> bool:
        return any(message.role == "tool" for message in history)

    scenario = reading(
        script=[call("check_disk")], stop=after_a_tool, expect={"status": "stopped"}
    )
    assert run(scenario).verdict.status == "holds"


def test_without_a_person_there_is_nobody_to_ask() -> None:
    """`human=None` gives an agent no way to have a call confirmed."""
    seen: list[object] = []

    async def agent(env: Env) -> str:
        seen.append(env.confirm)
        return "done"

    run(reading(script=[], human=None), agent)
    run(reading(script=[], human=Human()), agent)
    assert seen[0] is None
    assert callable(seen[1])


def test_a_scenario_can_be_changed_by_copying() -> None:
    """`replace` makes another scenario, checked as the first."""
    assert replace(reading(), seed=1).digest == reading(seed=1).digest
    with pytest.raises(ScenarioError):
        replace(reading(), world=(Files(),))


@pytest.mark.parametrize(
    ("menu", "text"),
    [
        (SCRIPTED, "policy=timed faults=none"),
        (Menu("any_order", ("slow", "raises")), "policy=any_order faults=slow,raises"),
        (
            Menu(cancel=True, crash=True),
            "policy=timed faults=none cancel crash",
        ),
    ],
)
def test_a_menu_is_told_in_one_line(menu: Menu, text: str) -> None:
    """The line is that of its flags; equal menus have equal lines."""
    assert menu.text == text
    assert " ".join(menu.flags).replace("--", "") == text


def test_the_menu_of_an_exploration_has_all_but_the_crash() -> None:
    """Every fault of the catalogue and a cancellation, in any order."""
    assert [rule.text for rule in EXPLORING.rules] == list(CATALOGUE.own)
    assert (EXPLORING.cancel, EXPLORING.crash) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"policy": "tmied"}, "policy: expected one of timed, any_order, got 'tmied'"),
        ({"faults": ("slwo",)}, "unknown fault 'slwo'.*did you mean 'slow'"),
    ],
)
def test_a_menu_of_unknown_things_is_refused(
    arguments: dict[str, Any], words: str
) -> None:
    """A policy or fault that does not exist is told with those that do."""
    with pytest.raises(UsageError, match=words):
        Menu(**arguments)


# ------------------------------------------------------------------ where a run begins


def test_a_run_leaves_its_world_and_another_goes_on_from_it() -> None:
    """`Run.world` is the world as it was left; `start` is where the next run begins."""
    cleaning = reading(
        script=[call("clean_logs"), say("Cleaned.")],
        world=[Disk(used="90%", logs="30%")],
    )
    first = run(cleaning)
    assert first.world.disk.used_percent == 60
    again = run(cleaning)
    assert again.world.disk.used_percent == 60
    next_one = run(replace(cleaning, start=first.world.snapshot()))
    assert next_one.world.disk.used_percent == 60
    assert [effect.name for effect in next_one.world.ledger] == ["clean_logs"] * 2
    assert first.trace.events[-1] == again.trace.events[-1]


def test_the_time_of_a_world_goes_on_in_the_next_run() -> None:
    """What began in one run takes its time in the next one, whose clock begins anew."""
    asking = reading(
        script=[call("check_status", service="api"), say("Seen.")],
        world=[Services((Service("api", state="starting", ready_after_s=2.5),))],
    )
    first = run(asking)
    second = run(replace(asking, start=first.world.snapshot()))
    answers = [
        next(e.output for e in made.trace.events if isinstance(e, ToolEnded))
        for made in (first, second)
    ]
    assert answers == ["api: starting (1 s)", "api: running"]


def test_a_start_is_copied() -> None:
    """What happens to the snapshot afterwards does not reach the scenario."""
    snapshot = World((Disk(),)).snapshot()
    made = reading(start=snapshot)
    digest = made.digest
    snapshot["parts"]["disk"]["used_mb"] = 0
    assert made.build_world().disk.used_percent == 40
    assert replace(made).digest == digest


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (
            World().snapshot(),
            "start: the snapshot is of another world: it holds no parts,",
        ),
        ({}, "start: expected a snapshot, as World.snapshot"),
        ([], "start: expected a snapshot, as World.snapshot"),
        (
            {**World((Disk(),)).snapshot(), "parts": {"disk": {"free_mb": 1}}},
            "its disk holds free_mb, here it has used_mb, logs_mb",
        ),
    ],
)
def test_a_start_of_another_world_is_refused(start: object, words: str) -> None:
    """The scenario says at once that what it should begin from does not fit."""
    with pytest.raises(ScenarioError, match=re.escape(words)):
        reading(start=start)


def test_a_tool_that_nothing_resembles_is_told_with_where_tools_come_from() -> None:
    """Who has tools of an own program reads how to name them; a slip is only corrected."""
    with pytest.raises(ScenarioError) as caught:
        Scenario(task="Go.", script=[call("find_order")], world=[Disk()])
    assert str(caught.value) == (
        "script[0]: unknown tool 'find_order'; tools come with the parts of the world, or "
        "in Python by tool('find_order', returns=...)"
    )
    with pytest.raises(ScenarioError, match=r"did you mean 'check_disk'\?$"):
        Scenario(task="Go.", script=[call("check_disc")], world=[Disk()])
