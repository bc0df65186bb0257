"""The shortest story shows the same failure, with less of all that does not matter."""

# ruff: noqa: T201 what agents print is the subject here

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis.strategies import characters, text
from syrupy.assertion import SnapshotAssertion

from agentsim import mutants
from agentsim.core import (
    Env,
    Injected,
    Message,
    Request,
    ScenarioError,
    ToolCall,
    ToolFailed,
    assistant,
    tool_result,
    user,
)
from agentsim.faults import FaultRule, raises
from agentsim.plain_yaml import load_yaml
from agentsim.providers import Reply, by, call, forever, say, together
from agentsim.simulation import (
    EXPLORING,
    Exploration,
    Failure,
    Menu,
    Run,
    Scenario,
    explore,
    load_scenario,
    replay,
    scenario_yaml,
)
from agentsim.simulation.exploring.capture import HEAD_BYTES, TAIL_BYTES, captured
from agentsim.simulation.exploring.shrink import Tries
from agentsim.simulation.exploring.story import shortest_story
from agentsim.simulation.files.scenario_file import build_scenario
from agentsim.world import Cpu, Disk, tool
from tests.simulation.fakes import ask, obedient, reading
from tests.support.scenarios import FOLDER, NAMES, scenario


async def fails_on_errors(env: Env) -> object:
    """Do what the model says, and fail where a tool does."""
    print("working on", env.task)
    try:
        return await obedient(env)
    except ToolFailed as error:
        logging.getLogger("my.agent").warning("a tool failed")
        print("lost", file=sys.stderr)
        raise ValueError("lost") from error


LONG = Scenario(
    task="How full is the disk, and how busy is the machine?",
    name="long",
    world=[Disk(), Cpu()],
    script=[
        call("check_cpu").but(text="I look at the processor first, of course."),
        call("check_cpu").but(latency_s=3.0),
        together(call("check_disk"), call("check_cpu")),
        call("list_top_processes", limit=3),
        say("The disk is half full, and there is little for the processor to do."),
    ],
    inject=[Injected("later", "Hurry.")],
    prompt="Be short.",
    seed=3,
    expect={"output": "half full"},
)


def explored(
    story: Scenario, agent: Callable[..., Any] = fails_on_errors, **options: Any
) -> Failure:
    """The one failure of `result-always` that an exploration finds."""
    found = explore(story, agent, **{"deviations": 1, **options})
    (failure,) = [f for f in found.failures if f.invariant == "result-always"]
    return failure


def told(failure: Failure) -> Run:
    """Its shortest story."""
    assert failure.story is not None
    return failure.story


def violates(made: Run, failure: Failure) -> bool:
    """Whether a run violates what a failure does."""
    return any(entry.id == failure.invariant for entry in made.verdict.violated)


def test_all_that_a_failure_does_not_need_is_left_out() -> None:
    """Replies, calls, words, parts of the world and fields go, and the failure stays."""
    story = told(explored(LONG, faults=["raises:check_disk"])).scenario
    assert list(story.replies) == [call("check_disk"), say("Done.")]
    assert story.world == (Disk(),)
    plain = (story.inject, story.prompt, story.seed, story.expectation.output)
    assert plain == ((), None, 0, None)
    assert story.name == "long, shortest"


def test_the_menu_of_a_story_has_only_what_struck() -> None:
    """So that the line which repeats it is short."""
    menu = Menu(EXPLORING.policy, ("slow", "raises", "hangs"), cancel=True)
    found = explored(LONG, menu=menu)
    assert told(found).menu == Menu("timed", ("raises",))
    assert len(told(found).choices.deviations) == len(found.run.choices.deviations) == 1


@pytest.mark.parametrize(
    "agent", [fails_on_errors, mutants.error_kills_loop], ids=["own", "mutant"]
)
def test_a_story_replays_and_shows_the_same_failure(agent: Callable[..., Any]) -> None:
    """Its token fits its own scenario and menu, and the run violates the same again."""
    failure = explored(reading(), agent, faults=["raises"])
    story = told(failure)
    again = replay(story.scenario, story.token, agent, menu=story.menu)
    assert again.trace.digest() == story.trace.digest()
    assert violates(again, failure)


def test_the_faults_of_a_scenario_strike_as_early_as_they_can() -> None:
    """A rule of a later attempt is brought to the first, and its calls before it go."""
    script = [call("check_disk"), call("check_disk"), call("check_disk"), say("Full.")]
    late = reading(script=script, faults=[raises("check_disk", attempt=3)])
    story = told(explored(late, deviations=0, faults=[])).scenario
    assert list(story.replies) == [call("check_disk"), say("Done.")]
    (rule,) = story.faults
    assert rule in (raises("check_disk", attempt=1), raises("check_disk"))


def test_an_unmet_expectation_is_left_whole() -> None:
    """A shorter story would break the expectation by itself."""
    found = explore(scenario("declined"), mutants.declined_call_runs, deviations=0)
    (failure,) = [f for f in found.failures if f.invariant == "expected"]
    assert told(failure).scenario == scenario("declined")
    assert told(failure).menu == Menu()


def test_making_a_story_shorter_ends() -> None:
    """With no try left the run stays as it is."""
    failure = explored(LONG, faults=["raises"])
    tries = Tries(fails_on_errors, failure.invariant, failure.kind)
    tries.left = 0
    assert shortest_story(failure.run, tries) is failure.run


async def its_own_helper(env: Env) -> str:
    """Answer `canned` by itself, and let every other tool end the run."""
    messages: list[Message] = []
    while calls := (message := (await ask(env, *messages)).message).tool_calls:
        messages.append(message)
        for asked in calls:
            output = "mine"
            if asked.name != "canned":
                (found,) = (t for t in env.tools if t.name == asked.name)
                output = str(await found.run({}))
            messages.append(tool_result(asked.id, output))
    return message.content


def answered(request: Request) -> Reply:
    """What the model says, by what was said before."""
    said = sum(message.role == "assistant" for message in request.messages)
    return (call("canned"), call("check_disk"), say("Half full."))[min(said, 2)]


def test_a_story_breaks_nothing_that_its_run_did_not() -> None:
    """A part is kept whose lack is another failure, and the test is named after its own."""
    world = [tool("canned", returns="theirs"), Disk()]
    story = reading(script=[forever(by(answered))], world=world)
    failure = explored(story, its_own_helper, faults=["raises"])
    assert {e.id for e in told(failure).verdict.violated} == {"result-always"}
    assert "def test_result_always()" in failure.test


def test_the_same_exploration_finds_the_same_story() -> None:
    """Shrinking is bounded by work and not by time, so it is repeatable."""

    def stories() -> list[tuple[str, str]]:
        agent = mutants.call_runs_twice
        found: Exploration = explore(
            scenario("disk_full"), agent, runs=8, faults=["raises", "slow"]
        )
        return [(told(f).scenario.digest, told(f).token) for f in found.failures]

    assert stories() == stories()


# ------------------------------------------------------------------ what the agent prints


def test_a_failing_run_has_what_its_agent_printed() -> None:
    """stdout, stderr and log records in their order, in the failure text before its end."""
    failure = explored(reading(), faults=["raises"])
    assert failure.run.printed.splitlines() == [
        "working on How full is the disk?",
        "WARNING my.agent: a tool failed",
        "lost",
    ]
    lines = failure.run.failure_text("again").splitlines()
    assert lines[-5:] == [
        "The agent printed:",
        "  | working on How full is the disk?",
        "  | WARNING my.agent: a tool failed",
        "  | lost",
        "Repeat it: again",
    ]


def test_runs_that_hold_are_not_captured(capsys: pytest.CaptureFixture[str]) -> None:
    """What an agent prints goes where it went, but in the run that is made for it."""
    explore(reading(), fails_on_errors, deviations=0)
    assert capsys.readouterr().out.count("working on") == 3  # a warm-up, run 0 twice


def test_an_agent_may_close_what_it_prints_to() -> None:
    """What it printed until then is there."""
    with captured() as printed:
        print("before")
        sys.stdout.close()
    assert printed.text == "before\n"


def test_of_a_long_output_begin_and_end_are_kept() -> None:
    """What is left out is counted, and any text can be written."""
    with captured() as printed:
        print("begin", "\ud800")
        sys.stdout.buffer.write(b"\xff\n")
        print("x" * 100_000)
        print("end")
    text = printed.text
    assert text.startswith("begin \\ud800\n\ufffd\n")
    assert text.endswith("x\nend\n")
    assert "bytes are left out here]" in text
    assert len(text) < HEAD_BYTES + TAIL_BYTES + 100


def test_printing_nothing_tells_nothing() -> None:
    """A silent agent has no part on what it printed."""
    failure = explored(reading(), mutants.error_kills_loop, faults=["raises"])
    assert failure.run.printed == ""
    assert "printed" not in failure.run.failure_text("again")


# ------------------------------------------------------------------------- as a file


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_is_written_as_it_was_read(name: str) -> None:
    """The text of each shipped story reads back with the same digest."""
    story = scenario(name)
    assert scenario_yaml(story)
    assert load_scenario(FOLDER / f"{name}.yaml").digest == story.digest


@given(text(min_size=1, alphabet=characters(codec="utf-8")))
@example("1e3")
@example("0x1f")
@example(".inf")
@example("two\nlines")
@example("next\x85line")
def test_any_text_is_written_so_that_it_reads_back(words: str) -> None:
    """Texts that look like numbers, and characters that end lines, get quotes."""
    story = reading(task=words)
    assert build_scenario(load_yaml(scenario_yaml(story), "x"), "x").task == words


def test_a_scenario_reads_well_as_a_file(snapshot: SnapshotAssertion) -> None:
    """Only what is not as by default stands in it."""
    odd = Reply(calls=call("check_disk").calls, latency_s=2.0, blocks=({"is": 1},))
    odd = odd.but(arguments='{"a": ')
    story = reading(
        script=[odd, say("Half.").but(usage=None), say("Full.", stop_reason="odd")],
        faults=[FaultRule(raises().fault, "check_disk", 2)],
        human=None,
        tools=[],
    )
    assert scenario_yaml(story) == snapshot


def test_earlier_turns_are_written_as_they_are() -> None:
    """Each message reads back as it was, with its calls, flags and blocks."""
    asked = assistant("Let me look.", ToolCall("c1", "check_disk", "{}"))
    thought = Message("assistant", "Half.", blocks=({"type": "thinking", "is": 1},))
    failed = tool_result("c2", "two\nlines", is_error=True)
    broken = assistant("", ToolCall("c2", "check_disk", '{"a": '))
    turns = [user("Hello."), asked, tool_result("c1", "50 %"), broken, failed, thought]
    written = scenario_yaml(reading(history=turns))
    again = build_scenario(load_yaml(written, "x"), "reading")
    assert list(again.history) == turns
    assert "    result: |-\n" in written or "- result: |-\n" in written


@pytest.mark.parametrize(
    "fields",
    [
        {"script": [by(lambda _request: say("x"))]},
        {"stop": lambda _history: False},
    ],
    ids=["a function", "a predicate"],
)
def test_what_a_file_cannot_say_is_refused(fields: dict[str, Any]) -> None:
    """Rather than a text that reads back as another scenario."""
    with pytest.raises(ScenarioError, match="can't be written as a file"):
        scenario_yaml(reading(**fields))
