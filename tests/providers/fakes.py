"""What the tests of the providers share: a boundary of our own, scripts and histories."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from agentsim.core import Event, Message, Request, ToolCall, ToolDef, system, user
from agentsim.core import tool_result as result_of
from agentsim.providers import Reply, call, say, together

TOOLS = (ToolDef("check_disk"), ToolDef("clean_logs"))


@dataclass
class FakeBoundary:
    """Opens each gate at once, draws what it is told to, and keeps all it sees."""

    draws: list[int] = field(default_factory=list)
    on_gate: Callable[[], Awaitable[None]] | None = None
    events: list[Event] = field(default_factory=list)
    gates: list[tuple[str, float]] = field(default_factory=list)
    choices: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    now_ns: int = 0

    def record(self, event: Event) -> None:
        self.events.append(event)

    async def gate(self, label: str, *, latency_s: float = 0.0) -> None:
        self.gates.append((label, latency_s))
        if self.on_gate is not None:
            await self.on_gate()

    def choose(self, label: str, options: Sequence[str]) -> int:
        self.choices.append((label, tuple(options)))
        return self.draws.pop(0) if self.draws else 0


def request(messages: Sequence[Message], **fields: Any) -> Request:
    """A request with the tools of these tests."""
    return replace(Request("scripted", messages, TOOLS), **fields)


def start() -> list[Message]:
    """How every conversation of these tests begins."""
    return [system("You are careful."), user("Free some disk space.")]


def results(message: Message) -> list[Message]:
    """A result for each call of a response, in order."""
    return [result_of(call.id, f"{call.name} ran") for call in message.tool_calls]


def with_ids(message: Message, name: Callable[[int], str]) -> Message:
    """The message as a runtime writes it that gives calls ids of its own."""
    calls = tuple(
        ToolCall(name(number), call.name, call.arguments)
        for number, call in enumerate(message.tool_calls)
    )
    return replace(message, tool_calls=calls)


SINGLE_CALLS = (
    call("check_disk"),
    call("clean_logs", path="/var/log"),
    call("clean_logs", path="/tmp", older_than_days=7),
    call("check_disk").but(text="Let me look."),
    call("check_disk").but(arguments='{"path": '),
)

REPLIES = (
    *SINGLE_CALLS,
    say("Working on it."),
    say("Done."),
    together(call("check_disk"), call("clean_logs", path="/var/log")),
    together(call("check_disk"), call("check_disk"), text="Both."),
    call("check_disk").but(id="own-id"),
    call("clean_logs", path="/").but(id=""),
)
"""Replies of every shape; few, so that scripts hold equal ones."""


def scripts(max_size: int = 6) -> st.SearchStrategy[list[Reply]]:
    """Scripts of any of these replies, in any order."""
    return st.lists(st.sampled_from(REPLIES), max_size=max_size)
