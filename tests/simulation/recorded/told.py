"""A recorded session about the weather, as the tests of recorded stories tell it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentsim.cassettes import Cassette, RecordedTool
from agentsim.core import (
    Message,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from tests.support.sessions import answered, cassette

__all__ = ["ASKED", "DONE", "RESULTS", "TASK", "WEATHER", "pay", "reading", "session"]

WEATHER = ToolDef(
    "weather",
    "How the weather is.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)

TASK = [system("Be brief."), user("Is it nicer in Rome or in Oslo?")]

ASKED = Response(
    assistant(
        "Let me look.",
        ToolCall("call_a", "weather", '{"city":"Rome"}'),
        ToolCall("call_b", "weather", '{"city":"Oslo"}'),
    ),
    "tool_use",
    Usage(20, 5),
)

RESULTS = [tool_result("call_b", "rain"), tool_result("call_a", "sunny")]
"""They came the other way round."""

DONE = Response(assistant("In Rome."), usage=Usage(40, 4))


def session(
    wire: str = "openai-chat", times_ms: tuple[float, ...] | None = None
) -> Cassette:
    """Two calls at once, their results in another order, an answer."""
    more = [*TASK, ASKED.message, *RESULTS]
    told: dict[str, Any] = {"tools": [WEATHER], "times_ms": times_ms}
    return cassette(
        answered(1, wire, TASK, ASKED, **told), answered(2, wire, more, DONE, **told)
    )


def pay(*entries: RecordedTool, results: int = 1) -> Cassette:
    """A session that pays some times, with the same arguments."""
    wire, history = "openai-chat", [user("Pay.")]
    made = []
    for number in range(1, results + 1):
        call = ToolCall(f"call_{number}", "pay", '{"to":"ann"}')
        asked = Response(assistant("", call), "tool_use", Usage(9, 1))
        made.append(answered(number, wire, history, asked, tools=[ToolDef("pay")]))
        history = [*history, asked.message, tool_result(call.id, "paid")]
    last = answered(results + 1, wire, history, DONE, tools=[ToolDef("pay")])
    return cassette(*made, last, *entries)


def reading(messages: list[Message], response: Response, **told: Any) -> Cassette:
    """A session of one exchange."""
    return cassette(answered(1, "openai-chat", messages, response, **told))


def renamed(made: Cassette, name: str) -> Cassette:
    """The same under another name."""
    return replace(made, name=name)
