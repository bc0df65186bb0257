"""Streams of all wires, right and wrong, as the helpers of the real SDKs take them."""

from __future__ import annotations

from functools import partial

import anthropic
import httpx2
import openai
import pytest

from agentsim.core import RequestFailed, ResponseReceived
from agentsim.faults import (
    FaultRule,
    stream_cut,
    stream_cut_in_bytes,
    stream_doubled,
    stream_ends_early,
    stream_error,
    stream_in_portions,
    stream_interleaved,
    stream_noise,
    stream_stalls,
    stream_without_reason,
)
from agentsim.providers import Entry, call, say, together
from agentsim.simulation import Agent, Run, Scenario, run
from agentsim.world import tool
from tests.simulation.sdk.wires import PARAMETERS, WAYS, Seen, plain

TEXT = "It is 21 degrees in Málaga, and the sun shines."

BOTH = together(
    call("get_weather", city="Oslo"), call("get_weather", city="Málaga"), text="🌦 ?"
)

EACH = pytest.mark.parametrize(
    ("wire", "agent"), WAYS, ids=[agent.__name__ for _wire, agent in WAYS]
)


def struck(agent: Agent, reply: Entry, *faults: FaultRule) -> tuple[Seen, Run]:
    """One request whose answer is struck, and what came of it."""
    weather = tool("get_weather", returns="21", schema=PARAMETERS, read_only=True)
    scenario = Scenario(
        task="Ask.", script=[reply], world=[weather], faults=faults, name="struck"
    )
    made = run(scenario, agent)
    seen = made.value
    assert isinstance(seen, Seen), made.outcome.error
    return seen, made


def recorded(made: Run) -> list[str]:
    """What was recorded of the request, behind its text."""
    kinds = (ResponseReceived, RequestFailed)
    return [event.kind for event in made.trace.events if isinstance(event, kinds)]


HARMLESS: list[tuple[FaultRule, ...]] = [
    (),
    (stream_noise(),),
    *((stream_in_portions(at=size),) for size in (1, 3, 100, 0)),
]


@EACH
@pytest.mark.parametrize("reply", [say(TEXT), BOTH, call("get_weather", city="Rom")])
def test_every_helper_gives_what_a_plain_answer_gives(
    wire: str, agent: Agent, reply: Entry
) -> None:
    """With noise between, and whichever way the bytes are cut."""
    expected, _made = struck(partial(plain, wire=wire), reply)
    for faults in HARMLESS:
        seen, made = struck(agent, reply, *faults)
        assert (faults, vars(seen)) == (faults, vars(expected))
        assert (faults, seen.whole) == (faults, True)
        assert (faults, recorded(made)) == (faults, ["response"])


@EACH
def test_calls_come_in_turn_where_a_server_sends_them_so(
    wire: str, agent: Agent
) -> None:
    """Each is whole nevertheless."""
    expected, _made = struck(partial(plain, wire=wire), BOTH)
    seen, made = struck(agent, BOTH, stream_interleaved())
    assert vars(seen) == vars(expected)
    assert recorded(made) == ["response"]


@EACH
@pytest.mark.parametrize(
    "fault", [stream_cut(), stream_cut(at="end"), stream_cut_in_bytes(at="character")]
)
def test_a_lost_connection_is_an_error(
    wire: str, agent: Agent, fault: FaultRule
) -> None:
    """OpenAI's SDK wraps that of the library, Anthropic's passes it on."""
    seen, made = struck(agent, say(TEXT), fault)
    if wire == "messages":
        assert type(seen.error) is httpx2.RemoteProtocolError
    else:
        assert type(seen.error) is openai.APIConnectionError
    assert recorded(made) == ["request_failed"]


@EACH
def test_a_stalled_stream_is_given_up_in_virtual_time(wire: str, agent: Agent) -> None:
    """After the ten minutes that both SDKs wait for bytes."""
    seen, made = struck(agent, say(TEXT), stream_stalls())
    expected = httpx2.ReadTimeout if wire == "messages" else openai.APITimeoutError
    assert type(seen.error) is expected
    assert made.outcome.at_ns == 601_000_000_000
    assert recorded(made) == ["request_failed"]


@EACH
def test_a_stream_that_ends_early_looks_whole_but_for_its_reason(
    wire: str, agent: Agent
) -> None:
    """Only the helper of Responses raises; the others give what had come."""
    seen, made = struck(agent, say(TEXT), stream_ends_early(at="end"))
    assert recorded(made) == ["request_failed"]
    assert not seen.whole
    if wire == "responses":
        assert type(seen.error) is RuntimeError
    else:
        assert (seen.error, seen.text) == (None, TEXT)


@EACH
def test_an_error_in_the_stream_is_raised(wire: str, agent: Agent) -> None:
    """Without a status of its own: the answer had begun with 200."""
    seen, made = struck(agent, say(TEXT), stream_error())
    assert recorded(made) == ["request_failed"]
    if wire == "messages":
        assert type(seen.error) is anthropic.APIStatusError
        assert (seen.error.status_code, seen.error.type) == (200, "overloaded_error")
    else:
        assert type(seen.error) is openai.APIError


@EACH
def test_an_answer_may_lack_its_reason(wire: str, agent: Agent) -> None:
    """On Responses the event that has it is the end of the answer."""
    seen, made = struck(agent, say(TEXT), stream_without_reason())
    assert not seen.whole
    if wire == "responses":
        assert recorded(made) == ["request_failed"]
    else:
        assert (recorded(made), seen.text) == (["response"], TEXT)


@EACH
def test_what_comes_twice_is_recorded_as_it_is_read(wire: str, agent: Agent) -> None:
    """Where the answer is told once more at its end, that counts."""
    seen, made = struck(agent, say(TEXT), stream_doubled(at=0))
    assert seen.error is None
    twice = "" if wire == "responses" else "It is 21 degrees"
    assert seen.text == twice + TEXT
    (received,) = [e for e in made.trace.events if isinstance(e, ResponseReceived)]
    assert received.message.content == seen.text
