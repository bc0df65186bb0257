"""A recorded session as a scenario: what was said, what the tools gave, what is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.cassettes import Cassette, RecordedAnswer, RecordedTool
from agentsim.core import (
    Injected,
    Message,
    Response,
    ResponseReceived,
    ScenarioError,
    ToolCall,
    ToolDef,
    Usage,
    UsageError,
    assistant,
    tool_result,
    user,
)
from agentsim.mutants import error_kills_loop
from agentsim.plain_yaml import load_yaml
from agentsim.runtime import reference
from agentsim.simulation import (
    RecordedStory,
    Scenario,
    explore,
    load_scenario,
    run,
    scenario_of,
    stories_of,
)
from agentsim.simulation.files.scenario_file import build_scenario
from agentsim.world import Canned
from tests.simulation.recorded.told import (
    ASKED,
    DONE,
    RESULTS,
    TASK,
    WEATHER,
    pay,
    reading,
    session,
)
from tests.support.sessions import WIRES, answered, cassette, refused, written


def tools_of(scenario: Scenario) -> Canned:
    """The canned tools of a scenario."""
    [part] = scenario.world
    assert isinstance(part, Canned)
    return part


def said(scenario: Scenario) -> list[Message]:
    """What the model says in the run without deviations, which has to hold."""
    made = run(scenario, reference).expect_holds()
    return [event.message for event in made.trace.of(ResponseReceived)]


def only(made: Cassette) -> RecordedStory:
    """The one story of a cassette."""
    [story] = stories_of(made)
    return story


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("times_ms", [None, (500.0, 2500.0)], ids=["plain", "streamed"])
def test_a_session_runs_as_it_was_recorded(
    wire: str, times_ms: tuple[float, ...] | None
) -> None:
    """On every wire: the same replies, usage and latencies, results by their calls."""
    scenario = scenario_of(session(wire, times_ms))
    assert (scenario.task, scenario.prompt) == (TASK[1].content, "Be brief.")
    made = run(scenario, reference).expect_holds()
    heard = made.trace.of(ResponseReceived)
    calls = [
        (call.id, call.name, call.arguments.replace(" ", ""))
        for call in heard[0].message.tool_calls
    ]
    assert calls == [
        ("call_a", "weather", '{"city":"Rome"}'),
        ("call_b", "weather", '{"city":"Oslo"}'),
    ]
    assert [event.usage for event in heard] == [Usage(20, 5), Usage(40, 4)]
    assert [event.message.content for event in heard] == ["Let me look.", "In Rome."]
    assert heard[0].at_ns == (1_500_000_000 if times_ms is None else 2_500_000_000)
    results = [m.content for m in made.outcome.history or () if m.role == "tool"]
    assert results == ["sunny", "rain"]
    assert scenario.allowed_tools[0].definition == WEATHER


def test_a_session_reads_well_as_a_file(snapshot: SnapshotAssertion) -> None:
    """Notes at the top, and what reads back as the same scenario."""
    story = only(session("anthropic-messages"))
    assert story.yaml == snapshot
    again = build_scenario(load_yaml(story.yaml, "x"), "x")
    assert again.digest == story.scenario.digest


def test_each_turn_is_a_story() -> None:
    """A turn begins with what was said before it, and has its own results only."""
    wire = "anthropic-messages"
    more = [*TASK, ASKED.message, *RESULTS]
    again = [*more, DONE.message, user("And today?")]
    call = ToolCall("call_c", "weather", '{"city": "Rome"}')
    asked = Response(assistant("", call), "tool_use")
    last = [*again, asked.message, tool_result("call_c", "storm")]
    told: dict[str, Any] = {"tools": [WEATHER]}
    made = cassette(
        answered(1, wire, TASK, ASKED, **told),
        answered(2, wire, more, DONE, **told),
        answered(3, wire, again, asked, **told),
        answered(4, wire, last, DONE, **told),
    )
    one, two = stories_of(made)
    assert (one.scenario.name, two.scenario.name) == ("session-1", "session-2")
    assert two.title == 'conversation 1, turn 2, "And today?"'
    assert [message.role for message in two.scenario.history] == [
        *("user", "assistant", "tool", "tool", "assistant")
    ]
    answers = tools_of(two.scenario).tools["weather"].answers
    assert [answer.result for answer in answers] == ["storm"]
    for story in (one, two):
        assert said(story.scenario)
    assert "history:" in two.yaml
    with pytest.raises(ScenarioError) as error:
        scenario_of(made)
    assert "session.yaml: write one of its stories as a scenario" in str(error.value)
    assert "it holds 2 stories, 1: conversation 1, turn 1," in str(error.value)
    assert scenario_of(made, story=2) == two.scenario
    with pytest.raises(
        ScenarioError, match=r"session.yaml: has no story 3: it holds 2"
    ):
        scenario_of(made, story=3)


def test_a_turn_that_was_over_before_is_history() -> None:
    """Only what was recorded is replayed; what stands in its history is not."""
    before = [user("Hello."), assistant("Good day."), user("Pay."), user("Please.")]
    scenario = scenario_of(reading(before, DONE))
    assert (scenario.task, list(scenario.history)) == ("Please.", before[:3])
    assert len(scenario.replies) == 1


def test_a_recording_that_begins_amid_a_turn_tells_it_from_its_start() -> None:
    """Calls that only stand in a history are replies of the script too."""
    before = [*TASK, ASKED.message, *RESULTS]
    scenario = scenario_of(reading(before, DONE, tools=[WEATHER]))
    assert [message.content for message in said(scenario)] == [
        *("Let me look.", "In Rome.")
    ]


def test_a_text_that_was_put_before_an_answer_is_no_reply() -> None:
    """What the model was made to go on from would end the run."""
    before = [*TASK, assistant("Surely")]
    assert len(scenario_of(reading(before, DONE)).replies) == 1


def test_a_history_that_the_model_began_is_cut() -> None:
    """Services want a message of the user first; it is told."""
    story = only(reading([assistant("Where to?"), user("Rome.")], DONE))
    assert story.scenario.history == ()
    assert "begins with what the user did not say" in " ".join(story.notes)


# -------------------------------------------------------------------------- the tools


def test_tools_may_write_and_ask_nobody_unless_said() -> None:
    """No recording tells rights: what writes leaves effects, which are expected."""
    story = only(session())
    tool = tools_of(story.scenario).tools["weather"]
    assert (tool.category, tool.confirm) == ("mutating", False)
    assert story.scenario.expectation.effects == {"weather": 2}
    assert "weather may write and ask nobody" in story.notes[0]

    scenario = scenario_of(session(), read_only=["wea*"])
    assert tools_of(scenario).tools["weather"].rights.parallel
    assert scenario.expectation.effects is None
    assert stories_of(session(), read_only=["weather"])[0].notes == ()

    scenario = scenario_of(session(), confirm=["weather"])
    assert tools_of(scenario).tools["weather"].rights.confirms
    said(scenario)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"read_only": ["whether"]},
            "read_only: no recorded tool fits 'whether' (there are weather)",
        ),
        ({"confirm": "weather"}, "confirm: expected a list of names, got one text"),
    ],
)
def test_rights_of_no_tool_are_refused(given: dict[str, Any], words: str) -> None:
    """A name that fits no tool is a mistake, not a wish."""
    with pytest.raises(UsageError) as error:
        scenario_of(session(), **given)
    assert words in str(error.value)


def test_tools_that_were_recorded_count_more_than_histories() -> None:
    """By the id of the call, else by name and arguments in order; with their times."""
    made = pay(
        RecordedTool(9, "pay", "call_2", '{"to": "ann"}', "second", took_ms=300),
        RecordedTool(8, "pay", "", '{"to": "ann"}', "first", took_ms=700),
        RecordedTool(7, "pay", "", '{"to": "bob"}', "other"),
        results=3,
    )
    tool = tools_of(scenario_of(made)).tools["pay"]
    assert [answer.result for answer in tool.answers] == ["first", "second", "paid"]
    assert tool.latency_s == 0.7


def test_tools_are_those_of_their_turn() -> None:
    """A tool that ran in another turn is none of this one's, though it was called alike."""
    wire, call = "openai-chat", ToolCall("c", "pay", "{}")
    asked = Response(assistant("", call), "tool_use")
    first = [user("Pay."), asked.message, tool_result("c", "?")]
    second = [*first, DONE.message, user("Again.")]
    last = [*second, asked.message, tool_result("c", "?")]
    made = cassette(
        answered(1, wire, first[:1], asked),
        RecordedTool(2, "pay", "", "{}", "first"),
        answered(3, wire, first, DONE),
        answered(4, wire, second, asked),
        RecordedTool(5, "pay", "", "{}", "second"),
        answered(6, wire, last, DONE),
    )
    results = [
        [one.result for one in tools_of(story.scenario).tools["pay"].answers]
        for story in stories_of(made)
    ]
    assert results == [["first"], ["second"]]


def test_answers_that_only_repeat_the_last_are_left_out() -> None:
    """The last one stays anyway."""
    [answer] = tools_of(scenario_of(pay(results=3))).tools["pay"].answers
    assert (answer.arguments, answer.result) == ({"to": "ann"}, "paid")


def test_an_error_stays_an_error() -> None:
    """Recorded by a tool, or flagged in a history: the tool fails, and does nothing."""
    failed = RecordedTool(9, "pay", "call_1", error="no money")
    scenario = scenario_of(pay(failed))
    assert tools_of(scenario).tools["pay"].answers[0].error == "no money"
    assert scenario.expectation.effects == {}
    said(scenario)

    wire = "anthropic-messages"
    call = ToolCall("c", "pay", "{}")
    asked = Response(assistant("", call), "tool_use")
    more = [*TASK, asked.message, tool_result("c", "broke", is_error=True)]
    made = cassette(answered(1, wire, TASK, asked), answered(2, wire, more, DONE))
    assert tools_of(scenario_of(made)).tools["pay"].answers[0].error == "broke"


def test_a_call_of_what_was_not_offered_is_refused_again() -> None:
    """A tool that the model was not told of is none that the agent gets."""
    call = ToolCall("c", "fly", "{}")
    asked = Response(assistant("", call), "tool_use")
    more = [*TASK, asked.message, tool_result("c", "unknown tool")]
    told: dict[str, Any] = {"tools": [WEATHER]}
    made = cassette(
        answered(1, "openai-chat", TASK, asked, **told),
        answered(2, "openai-chat", more, DONE, **told),
    )
    scenario = scenario_of(made)
    assert scenario.tools == ("weather",)
    assert scenario.expectation.effects == {}
    said(scenario)


def test_arguments_that_are_no_json_run_no_tool() -> None:
    """They stand in the script as they came; the tool has no answer for them."""
    call = ToolCall("c", "weather", '{"city": ')
    asked = Response(assistant("", call), "tool_use")
    more = [*TASK, asked.message, tool_result("c", "invalid JSON")]
    told: dict[str, Any] = {"tools": [WEATHER]}
    made = cassette(
        answered(1, "openai-chat", TASK, asked, **told),
        answered(2, "openai-chat", more, DONE, **told),
    )
    scenario = scenario_of(made)
    assert tools_of(scenario).tools["weather"].answers == ()
    assert said(scenario)[0].tool_calls[0].arguments == '{"city": '


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"type": "custom", "format": {"type": "text"}}, "it takes a text and no JSON"),
        ({"type": "object", "required": 3}, "its schema is none that can be checked"),
    ],
)
def test_a_schema_that_a_scenario_cannot_have_is_told(
    parameters: dict[str, Any], words: str
) -> None:
    """The tool takes anything then."""
    tool = ToolDef("weather", "", parameters)
    story = only(reading(TASK, DONE, tools=[tool]))
    assert any(f"tool weather: {words}" in note for note in story.notes)


# ------------------------------------------------------------------------ what is told


def test_a_recording_that_ends_with_calls_is_closed() -> None:
    """A last reply says so, and the results that nobody recorded say so as well."""
    story = only(reading(TASK, ASKED, tools=[WEATHER]))
    assert [message.content for message in said(story.scenario)] == [
        *("Let me look.", "The recording ends here.")
    ]
    assert story.scenario.expectation.status is None
    assert "the recording ends with calls" in story.notes[-1]
    assert any("no result of weather was recorded" in note for note in story.notes)


def test_a_result_is_found_by_the_tool_where_nothing_else_tells() -> None:
    """A tool may have been recorded with arguments of another form than the model's."""
    told = RecordedTool(2, "weather", "", '{"city": {"name": "Rome"}}', "sunny")
    asked = answered(1, "openai-chat", TASK, ASKED, tools=[WEATHER])
    [first, second] = (
        tools_of(scenario_of(cassette(asked, told))).tools["weather"].answers
    )
    assert first.result == "sunny"
    assert second.result == "(The recording ends before the result of this call.)"


def test_what_is_in_no_story_is_told() -> None:
    """Exchanges of a wire that nobody knows, and further choices of an answer."""
    made = answered(1, "openai-chat", TASK, DONE)
    body = json.loads(made.answer.body)
    body["choices"] *= 2
    made = replace(made, answer=RecordedAnswer(body=json.dumps(body)))
    odd = replace(made, number=4, wire="smoke-signals")
    assert only(cassette(made, odd)).notes == (
        "the model gave several choices at once: the first of them is kept",
        "of the cassette this is in no story: exchange 4",
    )


def test_errors_of_the_service_are_left_to_explore() -> None:
    """They are told with their place, and are no part of the scenario."""
    wire = "openai-chat"
    more = [*TASK, ASKED.message, *RESULTS]
    broken = answered(4, wire, more, DONE, times_ms=(1.0, 2.0, 3.0, 4.0))
    assert broken.answer.chunks is not None
    cut = replace(broken.answer, chunks=broken.answer.chunks[:1])
    made = cassette(
        refused(1, wire, TASK),
        answered(2, wire, TASK, ASKED, tools=[WEATHER]),
        refused(3, wire, more, None),
        replace(broken, answer=cut),
        answered(5, wire, more, DONE, tools=[WEATHER]),
        answered(6, wire, TASK, DONE, tools=[WEATHER]),
    )
    story = only(made)
    said(story.scenario)
    assert story.notes[1:] == (
        "exchange 1: the service answered 429 before reply 1: left to explore",
        "exchange 3: an answer was not whole (no answer) before reply 2: left to explore",
        "exchange 4: a stream broke off before reply 2: left to explore",
        "exchange 6: this answer was asked for again before reply 1, and left",
    )


def test_what_has_no_place_in_a_scenario_is_told() -> None:
    """Images of a task and of results, and prompts and tools that change on the way."""
    part = {"type": "image_url", "image_url": {"url": "data:x"}}
    text = {"type": "text", "text": "What is this?"}
    task = {"role": "user", "content": [text, part]}
    call = ToolCall("c", "weather", '{"city": "Rome"}')
    asked = Response(assistant("", call), "tool_use")
    shown = {"role": "tool", "tool_call_id": "c", "content": [text, part]}
    head = {"role": "system", "content": "Now be long."}
    first = answered(
        1, "openai-chat", [], asked, tools=[WEATHER], body={"messages": [task]}
    )
    spoken = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c",
                "type": "function",
                "function": {"name": "weather", "arguments": call.arguments},
            }
        ],
    }
    more = {"messages": [head, task, spoken, shown]}
    tools = [ToolDef("weather", "Another.")]
    second = answered(2, "openai-chat", [], DONE, tools=tools, body=more)
    story = only(cassette(first, second))
    assert story.scenario.task == "What is this?"
    assert story.notes[1:] == (
        "the task holds image_url: only its text is kept",
        "the result of weather holds image_url: only its text is kept",
        "the system prompt changed within the turn: the first one is kept",
        "the tools changed within the turn: each is kept as it was told first",
    )


def test_what_the_user_said_amid_a_turn_may_enter_it() -> None:
    """It is offered as a message, at any gate."""
    more = [*TASK, ASKED.message, *RESULTS, user("Hurry up.")]
    told: dict[str, Any] = {"tools": [WEATHER]}
    made = cassette(
        answered(1, "openai-chat", TASK, ASKED, **told),
        answered(2, "openai-chat", more, DONE, **told),
    )
    story = only(made)
    assert story.scenario.inject == (Injected("recorded-1", "Hurry up."),)
    assert "offered as the message recorded-1" in story.notes[-1]
    said(story.scenario)


def test_a_recording_may_be_longer_than_the_usual_limits() -> None:
    """Equal calls, many replies and long waits: the limits of the scenario allow them."""
    made = pay(results=12)
    slow = replace(made.exchanges[0].answer, at_ms=3_000_000)
    slowed = replace(made.exchanges[0], answer=slow)
    scenario = scenario_of(cassette(slowed, *made.exchanges[1:]))
    assert scenario.limits.max_iterations == 13
    assert scenario.limits.deadline_s is not None
    assert scenario.limits.deadline_s > 6000
    assert scenario.loop.block_at == 13
    assert scenario.expectation.effects == {"pay": 12}
    said(scenario)


def test_a_cassette_without_a_story_is_refused() -> None:
    """Nothing that a user asked, or nothing that a model answered."""
    for made in (
        cassette(refused(1, "openai-chat", TASK)),
        reading([tool_result("x", "y")], DONE),
        cassette(),
    ):
        with pytest.raises(ScenarioError, match=r"session.yaml: no task of a user"):
            stories_of(made)


def test_a_tool_that_a_scenario_cannot_have_is_told_with_its_place() -> None:
    """The error names the cassette and the turn."""
    made = reading(TASK, DONE, tools=[ToolDef("a b")])
    with pytest.raises(ScenarioError) as error:
        stories_of(made)
    words = (
        'session.yaml: conversation 1, turn 1, "Is it nicer in Rome or in Oslo?": tool'
    )
    assert str(error.value).startswith(words)


def test_an_answer_without_times_or_usage_has_neither() -> None:
    """What was not recorded is not made up: the usual latency, and no usage."""
    made = answered(1, "openai-chat", TASK, Response(assistant("Hi."), "max_tokens"))
    body = made.answer.body
    made = replace(made, answer=RecordedAnswer(body=body))
    [reply] = scenario_of(cassette(made)).replies
    assert reply.plain() == {
        "text": "Hi.",
        "stop_reason": "max_tokens",
        "usage": None,
    }
    assert scenario_of(cassette(made)).expectation.status is None


# -------------------------------------------------------------------------- exploring


def test_a_cassette_is_loaded_as_a_scenario(tmp_path: Path) -> None:
    """Where a scenario file is expected, a cassette with one story is one."""
    path = written(tmp_path / "rome.yaml", *session().entries)
    assert load_scenario(path).name == "rome"
    assert load_scenario(path).replies == scenario_of(session()).replies


def test_a_recorded_session_is_explored() -> None:
    """Every order, fault, cancellation and crash: the reference runtime holds."""
    found = explore(scenario_of(session()), reference, deviations=1)
    assert (found.status, found.complete) == ("holds", True)


def test_a_faulty_agent_is_caught_over_a_recorded_session() -> None:
    """What never happened in the recording is found around it."""
    found = explore(
        scenario_of(session()), error_kills_loop, deviations=1, faults=["raises"]
    )
    assert found.status == "violated"
