"""Requests of Chat Completions as the neutral model has them, one conversation each.

A client sends its whole history with each request. What was sent before is compared,
and only what is new is converted and judged: the neutral messages of a growing history
stay the same objects, as boundary and judges expect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import (
    WIRE_BLOCK,
    History,
    Message,
    MessageView,
    ProviderError,
    Request,
    Response,
)
from agentsim.providers.openai.bodies import read_body
from agentsim.providers.openai.errors import wire_error
from agentsim.providers.openai.numbers import temperature_of, whole
from agentsim.providers.openai_chat.messages import read_message, write_message
from agentsim.providers.openai_chat.rulebook.judge import ChatRules
from agentsim.providers.openai_chat.rulebook.profile import STRICT, ChatProfile
from agentsim.providers.openai_chat.tools import read_tools
from agentsim.providers.wires.asked import Asked
from agentsim.providers.wires.growing import Growing
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["WIRE", "ChatReader", "read_body"]

WIRE = "openai-chat"


class ChatReader:
    """Reads the requests of one client, one after the other.

    Args:
        profile: How strict the service is, and what its model takes.
    """

    __slots__ = ("_history", "_profile", "_raw_tools", "_rules", "_seen", "_tools")

    def __init__(self, profile: ChatProfile = STRICT) -> None:
        self._profile = profile
        self._seen = Growing()
        self._history = History()
        self._rules = ChatRules(profile)
        self._raw_tools: object = None
        self._tools = read_tools(None)

    @property
    def wire(self) -> str:
        """The name of the wire."""
        return WIRE

    def read(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        """Read a request, and judge it.

        Args:
            body: Parsed, or the refusal of what could not be.
            headers: No rule of this wire hangs on them.
        """
        del headers
        if isinstance(body, WireRefusal):
            return Asked(Request("", MessageView([], 0)), body, self)
        messages = body.get("messages")
        view = self._follow(messages if isinstance(messages, list) else [])
        refusal = self._rules.check(body, view)
        return Asked(self._request(body, view), refusal, self)

    def answered(self, body: Mapping[str, Any]) -> None:
        """Nothing: a request of this wire refers to no answer before."""

    def carried(self, response: Response) -> Response:
        """What of a response reaches the client: no blocks of other wires, no pause."""
        return carried(response)

    def failed(self, error: ProviderError, request: Request) -> ProviderError:
        """An error of the service in the words of the wire."""
        return wire_error(error, model=request.model)

    def resumes(self, messages: Sequence[Message]) -> WireRefusal | None:
        """Why a history with a new message of the user after it is refused, or None."""
        rules = ChatRules(self._profile)
        rules.feed([write_message(message) for message in messages])
        return rules.of_history()

    def _follow(self, messages: list[Any]) -> MessageView:
        """Take over what is new of a history; one that was rewritten is read again."""
        before = self._seen.count
        count = self._seen.kept(messages, malformed=self._rules.malformed)
        if count < before or self._rules.malformed:
            self._history = History(self._history.view()[:count])
            self._rules.restart()
            self._rules.feed(messages[:count])
        new = messages[count:]
        for message in new:
            self._history.append(read_message(message))
        self._rules.feed(new)
        return self._history.view()

    def _request(self, body: Mapping[str, Any], view: MessageView) -> Request:
        raw = (body.get("tools"), body.get("functions"))
        if raw != self._raw_tools:
            self._raw_tools = raw
            self._tools = read_tools(*raw)
        model = body.get("model")
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        return Request(
            model if isinstance(model, str) else "",
            view,
            self._tools,
            temperature_of(body.get("temperature")),
            whole(limit),
        )


def carried(response: Response) -> Response:
    """What of a response this wire carries.

    Blocks of other wires have no place in a message, and the service never pauses: a
    turn ends, or asks for its calls.
    """
    message = response.message
    blocks = tuple(block for block in message.blocks if block.get("type") == WIRE_BLOCK)
    reason = response.stop_reason
    if reason == "pause_turn":
        reason = "tool_use" if message.tool_calls else "end_turn"
    if len(blocks) == len(message.blocks) and reason == response.stop_reason:
        return response
    if len(blocks) != len(message.blocks):
        message = Message(
            message.role, message.content, message.tool_calls, blocks=blocks
        )
    return Response(message, reason, response.usage, response.refusal)
