"""What a run is made of: one flat, immutable, reusable configuration (spec R2)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from agentsim.core import (
    Client,
    Confirm,
    HistoryRules,
    Inject,
    Limits,
    LoopRules,
    Message,
    Observe,
    Stop,
    Tool,
    UsageError,
    check_names,
)
from agentsim.runtime.arguments import Schema, compile_schema

__all__ = ["DEFAULT_PROMPT", "AgentConfig", "Conversation", "Memory", "Resolve"]

DEFAULT_PROMPT = (
    "You are an agent that works on a task with the tools you are given. "
    "When the task is done, answer with a summary of what you did and found. "
    "Do not call tools unnecessarily. "
    "When an action does not help, try another approach instead of repeating it."
)

Resolve = Callable[[], Client | Awaitable[Client]]
"""Gives the client of one run; plain or async."""


@runtime_checkable
class Memory(Protocol):
    """Keeps a conversation: read once at the start of a run, then appended to.

    Every message is appended in the moment it enters the history of the run, the
    results that repair it included; so a memory can be continued after any ending.
    """

    def load(self) -> Sequence[Message]:
        """All that was said so far."""

    def append(self, message: Message) -> None:
        """Add one message at the end."""


class Conversation:
    """A memory in the process: a list of its own, never the caller's."""

    __slots__ = ("_messages",)

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._messages = list(messages)

    def load(self) -> Sequence[Message]:
        """A copy of all that was said so far."""
        return tuple(self._messages)

    def append(self, message: Message) -> None:
        """Add one message at the end."""
        self._messages.append(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """The configuration of an agent: it holds no state, so that runs are independent.

    Attributes:
        resolve: Gives the client, once per run; its failure ends the run `failed`.
        model: Name of the model that every request of a run asks for.
        memory: Where the conversation lives over several runs, or an earlier history to
            go on from (read, never changed), or None.
        tools: The allowlist of the run.
        prompt: The system prompt, sent first in every request; the empty text sends
            none.
        inject: Gives the messages that a user sent meanwhile; asked before a request.
        stop: Ends the run as `stopped` when it returns True; asked after an iteration.
        confirm: Asks a person to approve a call, or None when nobody is there.
        on: Is told every event of a run; what it raises is never the run's trouble.
        max_tokens: Sent with every request; None leaves it to the service.

    Raises:
        UsageError: for two tools of one name, a schema that is none, and values of the
            wrong kind.
    """

    resolve: Resolve
    model: str
    memory: Memory | Sequence[Message] | None = None
    tools: Sequence[Tool] = ()
    prompt: str = DEFAULT_PROMPT
    inject: Inject | None = None
    stop: Stop | None = None
    confirm: Confirm | None = None
    limits: Limits = field(default_factory=Limits)
    loop: LoopRules = field(default_factory=LoopRules)
    on: Observe | None = None
    temperature: float = 0.2
    max_tokens: int | None = None
    schemas: dict[str, Schema] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_values()
        # A copy: a list that the caller changes later must not change the allowlist.
        object.__setattr__(self, "tools", tuple(self.tools))
        for tool in self.tools:
            if not isinstance(tool, Tool):
                raise UsageError(
                    f"tools: expected objects of class Tool, got {type(tool).__name__}"
                )
        check_names([tool.name for tool in self.tools])
        schemas = {tool.name: compile_schema(tool.definition) for tool in self.tools}
        object.__setattr__(self, "schemas", schemas)

    def _check_values(self) -> None:
        for name in ("resolve", "inject", "stop", "confirm", "on"):
            value = getattr(self, name)
            if not callable(value) and (value is not None or name == "resolve"):
                raise UsageError(
                    f"{name}: expected a function, got {type(value).__name__}"
                )
        for name in ("model", "prompt"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise UsageError(f"{name}: expected a text, got {type(value).__name__}")
        if not self.model:
            raise UsageError("model: expected the name of a model, got an empty text")
        if self.max_tokens is not None and not self.max_tokens > 0:
            raise UsageError(
                "max_tokens: expected a number above zero, or None for the service's "
                f"own, got {self.max_tokens!r}"
            )
        if not self.temperature >= 0:
            raise UsageError(
                f"temperature: expected zero or more, got {self.temperature!r}"
            )


def keeper(memory: Memory | Sequence[Message] | None) -> Memory | None:
    """The memory that a run appends to, if it was given one."""
    if memory is None or isinstance(memory, (tuple, list)):
        return None  # asking for a protocol is slow
    return memory if isinstance(memory, Memory) else None


def recall(memory: Memory | Sequence[Message] | None) -> Sequence[Message]:
    """What was said before this run, without the system prompt of an earlier one."""
    if memory is None:
        return ()
    earlier: Sequence[Message]
    if isinstance(memory, (tuple, list)):
        earlier = memory  # the usual cases first: asking for a protocol is slow
    else:
        earlier = memory.load() if isinstance(memory, Memory) else memory
    head = 0
    while head < len(earlier) and earlier[head].role == "system":
        head += 1
    return earlier[head:]


def open_calls(messages: Sequence[Message]) -> tuple[str, ...]:
    """Ids of the calls at the end of a history that have no result yet."""
    rules = HistoryRules()
    for message in messages:
        rules.feed(message)
    return rules.open_calls
