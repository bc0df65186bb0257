"""Wrong types that only trouble brings to light are found, and not what ends the search."""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import pytest

from agentsim.core import (
    Env,
    Finished,
    ImproperRequest,
    Message,
    Request,
    ToolFailed,
    UsageError,
    tool_result,
    user,
)
from agentsim.providers import call, say
from agentsim.simulation import Menu, Run, Scenario, explore, replay, run
from agentsim.world import Disk

STORY = Scenario(
    "Look.", [call("check_disk"), say("Half full.")], world=[Disk()], name="story"
)

NUMBERS = Menu("any_order", faults=["number_output"])


async def trusting(env: Env) -> str:
    """Take for a text whatever a tool gives."""
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    messages: list[Message] = [user(env.task)]
    while True:
        request = Request(env.model, tuple(messages), definitions)
        message = (await env.client.complete(request)).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            output = await tools[asked.name].run(json.loads(asked.arguments))
            messages.append(tool_result(asked.id, output))  # type: ignore[arg-type]


WORDS = "messages[2].content: expected a text, got an object of type int"


def told(made: Run) -> str:
    """The first violation of a run."""
    return made.verdict.violated[0].violations[0].found


def test_a_request_that_a_fault_made_improper_is_a_failure_like_others() -> None:
    """It has a rule, a place, a token that repeats it, and the search goes on."""
    found = explore(STORY, trusting, deviations=1, menu=NUMBERS)
    assert found.complete
    [failure] = found.failures
    assert failure.invariant == "result-always"
    assert WORDS in told(failure.run)
    assert "in trusting (test_improper.py:" in told(failure.run)
    again = replay(STORY, failure.run.token, trusting, menu=NUMBERS)
    assert told(again) == told(failure.run)


def test_a_fault_of_the_story_counts_as_trouble_too() -> None:
    """A run in which a fault by rule struck is judged, and raises nothing."""
    made = run(replace(STORY, faults=["number_output:check_disk"]), trusting)
    assert WORDS in told(made)


def test_a_request_that_is_improper_in_any_case_is_no_finding() -> None:
    """Where nothing is unusual, an exploration ends with the sentence alone."""

    async def agent(env: Env) -> object:
        return await env.client.complete(Request(env.model, (3,)))  # type: ignore[arg-type]

    with pytest.raises(ImproperRequest, match="expected a Message") as caught:
        explore(STORY, agent, deviations=1, menu=NUMBERS)
    assert caught.value.token is None


async def calls_home(env: Env) -> object:
    """Report to a service of its own what fails."""
    try:
        return await trusting(env)
    except ToolFailed:
        socket.create_connection(("errors.example.com", 443))
        return "reported"


async def tells_the_error(env: Env) -> object:
    """Give the exception itself where its words are asked for."""
    try:
        return await trusting(env)
    except ToolFailed as error:
        return Finished("failed", error=error)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (calls_home, "errors.example.com"),
        (tells_the_error, "a Finished whose error is a ToolFailed"),
    ],
)
def test_what_ends_a_search_says_in_which_run(agent: object, words: str) -> None:
    """An error of usage in a run that is not as usual says what was not, and its token."""
    menu = Menu("any_order", faults=["raises"])
    with pytest.raises(UsageError, match=words) as caught:
        explore(STORY, agent, deviations=1, menu=menu)  # type: ignore[arg-type]
    first = caught.value
    assert first.__notes__ == ["What was not as usual: raises strikes check_disk"]
    assert first.token is not None
    with pytest.raises(UsageError, match=words) as caught:
        replay(STORY, first.token, agent, menu=menu)  # type: ignore[arg-type]
    assert caught.value.token == first.token
