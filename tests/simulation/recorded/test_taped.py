"""What was recorded of a run is a story that goes as the run did."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentsim.cassettes.tape import Tape, TapedClient, record_tools
from agentsim.core import (
    Delta,
    Request,
    RequestSent,
    Response,
    ResponseReceived,
    parse_arguments,
    tool_result,
)
from agentsim.runtime import reference
from agentsim.simulation import run, stories_of
from agentsim.simulation.recorded.replies import CLOSING
from agentsim.world import Canned
from tests.simulation.recorded.told import ASKED, DONE, TASK, WEATHER
from tests.support.scenarios import NAMES, scenario
from tests.support.sessions import answered, cassette


class Model:
    """Answers twice."""

    def __init__(self) -> None:
        self._left = [DONE, ASKED]

    async def complete(self, request: Request) -> Response:
        return self._left.pop()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(response=self._left.pop())


def weather(city: str) -> str:
    """How the weather is."""
    if city == "Oslo":
        raise ValueError("no such city")
    return "sunny"


async def session(tape: Tape) -> None:
    """A loop that streams its second answer."""
    client, tools = TapedClient(tape, Model()), record_tools(tape, [weather])
    said = list(TASK)
    asked = await client.complete(Request("m", said, [WEATHER]))
    said.append(asked.message)
    for call in asked.message.tool_calls:
        try:
            output = tools[0](**parse_arguments(call.arguments))
            said.append(tool_result(call.id, output))
        except ValueError as error:
            said.append(tool_result(call.id, f"Oh no: {error}", is_error=True))
    async for _ in client.stream(Request("m", said, [WEATHER])):
        pass


def test_what_a_tape_recorded_is_a_story(tmp_path: Path) -> None:
    """The tools give what they gave themselves, and not what the loop made of it."""
    path = tmp_path / "taped.yaml"
    with Tape(path, "record") as tape:
        asyncio.run(session(tape))
    [story] = stories_of(path, read_only=["weather"])
    assert story.notes == ()
    [part] = story.scenario.world
    assert isinstance(part, Canned)
    answers = part.tools["weather"].answers
    assert [(one.result, one.error) for one in answers] == [
        ("sunny", None),
        (None, "no such city"),
    ]
    made = run(story.scenario, reference).expect_holds()
    assert made.outcome.output == "In Rome."


@pytest.mark.slow
@pytest.mark.parametrize("wire", ["anthropic-messages", "neutral"])
def test_a_recorded_run_goes_as_it_did(wire: str) -> None:
    """Each shipped scenario, run and recorded: its story holds, with the same requests."""
    for name in NAMES:
        trace = run(scenario(name), reference).trace
        sent = {event.number: event for event in trace.of(RequestSent)}
        told = [
            answered(
                event.number,
                wire,
                list(sent[event.number].messages),
                Response(event.message, event.stop_reason, event.usage),
                tools=sent[event.number].tools,
            )
            for event in trace.of(ResponseReceived)
        ]
        # Where a user spoke amid a turn it is told as one message that may come.
        *_, story = stories_of(cassette(*told))
        made = run(story.scenario, reference).expect_holds()
        heard = [event.message.content for event in made.trace.of(ResponseReceived)]
        recorded = [event.message.content for event in trace.of(ResponseReceived)]
        assert [text for text in heard if text != CLOSING.text] == recorded[
            -len(heard) :
        ]
