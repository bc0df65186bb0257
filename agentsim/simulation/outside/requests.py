"""What an agent sends, looked at before it is recorded: a wrong type is told its place.

A request of other types than `core` has can neither be judged nor written down. It is a
mistake in the agent's code, as a service's SDK would tell it, and ends the run.
"""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator, Mapping, Sequence

from agentsim.core import (
    Client,
    Delta,
    ImproperRequest,
    Message,
    MessageView,
    Request,
    Response,
    ToolCall,
    ToolDef,
    canonical_json,
)
from agentsim.simulation.outside.incarnation import Incarnation

__all__ = ["CheckedClient", "message_fault"]

ROLES = ("system", "user", "assistant", "tool")


class CheckedClient:
    """A client that refuses what is no request; implements `core.Client`."""

    __slots__ = ("_client", "_life", "_seen", "_tools")

    def __init__(self, client: Client, life: Incarnation) -> None:
        self._client = client
        self._life = life
        self._seen: Sequence[Message] = ()
        self._tools: object = ()

    def __repr__(self) -> str:
        return "<Client>"

    async def complete(self, request: Request) -> Response:
        """Answer a request whole.

        Raises:
            ImproperRequest: for what is no request; the run ends with it.
        """
        self._check(request)
        return await self._client.complete(request)

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer in pieces.

        Raises:
            ImproperRequest: for what is no request; the run ends with it.
        """
        self._check(request)
        return self._client.stream(request)

    def _check(self, request: Request) -> None:
        fault = None if _is_usual(request) else _request_fault(request)
        fault = (
            fault
            or self._tools_fault(request.tools)
            or _numbers_fault(request.temperature, request.max_tokens)
            or self._history_fault(request.messages)
        )
        if fault is not None:
            error = ImproperRequest(f"the agent sent no proper request: {fault}")
            self._life.halt(error)
            raise error

    def _tools_fault(self, tools: object) -> str | None:
        """Look at the tools, unless they are the tuple that was looked at before."""
        if tools is self._tools:
            return None
        if not isinstance(tools, (tuple, list, Sequence)):
            return f"tools: expected a list of ToolDef, got {_kind(tools)}"
        for number, tool in enumerate(tools):
            if not isinstance(tool, ToolDef):
                return (
                    f"tools[{number}]: expected a ToolDef (the definition of a tool), "
                    f"got {_kind(tool)}"
                )
        if type(tools) is tuple:
            self._tools = tools
        return None

    def _history_fault(self, messages: Sequence[Message]) -> str | None:
        """Look at the messages that were not seen before: a message never changes."""
        seen, start = self._seen, 0
        new: Sequence[Message]
        if isinstance(messages, MessageView):
            self._seen = messages
            if isinstance(seen, MessageView):
                start = messages.news(seen)
            new = messages.since(start)
        else:
            self._seen = messages = tuple(messages)
            if _extends(messages, seen):
                start = len(seen)
            new = messages[start:]
        for number, message in enumerate(new, start):
            fault = message_fault(message)
            if fault is not None:
                return f"messages[{number}]{fault}"
        return None


def _extends(messages: Sequence[Message], seen: Sequence[Message]) -> bool:
    """Whether messages are those that were seen, with nothing or something after them.

    They are compared by identity: what an agent put among them may have any equality.
    """
    return len(messages) >= len(seen) and all(map(operator.is_, seen, messages))


def _is_usual(request: Request) -> bool:
    """Whether a request is of the usual types: to ask for the general takes longer."""
    return (
        type(request) is Request
        and type(request.model) is str
        and type(request.messages) is MessageView
    )


def _request_fault(request: object) -> str | None:
    if not isinstance(request, Request):
        return f"expected a Request, got {_kind(request)}"
    # As objects: the agent may have put in whatever it liked.
    model: object = request.model
    messages: object = request.messages
    if not isinstance(model, str):
        return f"model: expected a text, got {_kind(model)}"
    # What is most likely comes first: to ask for the general is slow.
    if not isinstance(messages, (tuple, list, MessageView, Sequence)):
        return f"messages: expected a list, got {_kind(messages)}"
    if isinstance(messages, str):
        return f"messages: expected a list, got {_kind(messages)}"
    return None


def _numbers_fault(temperature: object, max_tokens: object) -> str | None:
    if type(temperature) is float and max_tokens is None:
        return None  # the usual case
    if isinstance(temperature, bool) or not isinstance(temperature, (int, float)):
        return f"temperature: expected a number, got {_kind(temperature)}"
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, (int, type(None))):
        return f"max_tokens: expected a whole number or None, got {_kind(max_tokens)}"
    return None


def message_fault(message: object) -> str | None:
    """What is wrong with a message, from the place in it on; None for nothing."""
    if not isinstance(message, Message):
        return (
            f": expected a Message, got {_kind(message)}; make one with system(...), "
            "user(...), assistant(...) or tool_result(...)"
        )
    content: object = message.content
    answered: object = message.tool_call_id
    calls: object = message.tool_calls
    if message.role not in ROLES:
        return f".role: expected one of {', '.join(ROLES)}"
    if not isinstance(content, str):
        return f".content: expected a text, got {_kind(content)}"
    if answered is not None and not isinstance(answered, str):
        return f".tool_call_id: expected a text, got {_kind(answered)}"
    if not isinstance(calls, tuple):
        return f".tool_calls: expected a tuple, got {_kind(calls)}"
    for number, call in enumerate(calls):
        if not _is_call(call):
            return f".tool_calls[{number}]: expected a ToolCall of texts, got {_kind(call)}"
    return _blocks_fault(message.blocks) if message.blocks else None


def _blocks_fault(blocks: object) -> str | None:
    """Look at what goes back to the service as it came from there."""
    if not isinstance(blocks, (tuple, list)):
        return f".blocks: expected a tuple, got {_kind(blocks)}"
    for number, block in enumerate(blocks):
        if not isinstance(block, Mapping):
            return f".blocks[{number}]: expected a dict, got {_kind(block)}"
        try:
            canonical_json(dict(block))
        except (TypeError, ValueError) as error:
            return f".blocks[{number}]: {error}"
    return None


def _is_call(call: object) -> bool:
    if not isinstance(call, ToolCall):
        return False
    kinds = (type(call.id), type(call.name), type(call.arguments))
    return kinds == _TEXTS or all(issubclass(kind, str) for kind in kinds)


_TEXTS = (str, str, str)


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"
