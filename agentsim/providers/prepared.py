"""A reply made ready to be sent, once for all requests and runs that get it."""

from __future__ import annotations

from agentsim.core import Message, Response, ToolCall, Usage, tokens_of
from agentsim.providers.reply import Reply, call_id


class Prepared:
    """The message of a reply at its place in a script, and what is derived from it.

    Attributes:
        derived: Those ids of its calls that the script did not give.
        reason: The stop reason.
        tokens: How many tokens the fake service counts for it.
    """

    __slots__ = ("_counted", "derived", "message", "reason", "reply", "tokens")

    def __init__(self, reply: Reply, index: int) -> None:
        count = len(reply.calls)
        own = [call_id(index, number, of=count) for number in range(count)]
        asked = list(zip(reply.calls, own, strict=True))
        calls = tuple(
            ToolCall(derived if call.id is None else call.id, call.name, call.arguments)
            for call, derived in asked
        )
        self.reply = reply
        self.message = Message("assistant", reply.text, calls, blocks=reply.blocks)
        self.derived = tuple(derived for call, derived in asked if call.id is None)
        self.reason = reply.reason
        self.tokens = tokens_of(self.message.characters)
        self._counted = Response(self.message)

    def counted(self, prompt: int, cached: int) -> Response:
        """The response with the tokens counted; in most runs that of the run before.

        Args:
            prompt: Tokens of the request.
            cached: How many of them were read from the cache.
        """
        usage = self._counted.usage
        if usage is None or (usage.prompt, usage.cache_read) != (prompt, cached):
            usage = Usage(prompt, self.tokens, cached)
            refusal = self.reply.refusal
            self._counted = Response(self.message, self.reason, usage, refusal)
        return self._counted

    def renumbered(self, taken: set[str]) -> Message:
        """The message with other derived ids, which are not taken."""
        again = 2
        while any(f"{own}-r{again}" in taken for own in self.derived):
            again += 1
        calls = tuple(
            call
            if asked.id is not None
            else ToolCall(f"{call.id}-r{again}", call.name, call.arguments)
            for call, asked in zip(
                self.message.tool_calls, self.reply.calls, strict=True
            )
        )
        reply = self.reply
        return Message("assistant", reply.text, calls, blocks=reply.blocks)
