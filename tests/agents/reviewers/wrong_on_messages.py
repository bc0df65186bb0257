"""Reviewers on Anthropic Messages with one usual fault each."""

from __future__ import annotations

import json
from typing import Any

from anthropic.types import Message

from tests.agents.reviewers.on_messages import MessagesReviewer, calls_of, text_of
from tests.agents.reviewers.reviewer import Result
from tests.agents.sdk import End


class TextOnly(MessagesReviewer):
    """Keeps the text of the reply: its calls are lost, and their results are orphans."""

    def keep(self, reply: Message) -> None:
        """Append `content[0].text`, or something in its place."""
        text = text_of(reply) or "(calls tools)"
        self.messages.append({"role": "assistant", "content": text})


class IdLost(MessagesReviewer):
    """The result does not say which call it answers."""

    def result(self, call: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401
        """Leave the id out."""
        block = super().result(call, result)
        del block["tool_use_id"]
        return block


class OrphanResult(MessagesReviewer):
    """The result bears an id that no call has."""

    def result(self, call: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401
        """Answer under the name of the tool."""
        return {**super().result(call, result), "tool_use_id": call.name}


class ResultFirst(MessagesReviewer):
    """The results stand before the message with their calls."""

    def keep(self, reply: Message) -> None:
        """Leave that to `work`."""

    async def work(self, reply: Message) -> None:
        """Answer the calls, then keep the reply."""
        await super().work(reply)
        super().keep(reply)


class ResultMissing(MessagesReviewer):
    """Of two calls in one reply only the first is answered."""

    async def work(self, reply: Message) -> None:
        """Answer the first call."""
        for call in calls_of(reply)[:1]:
            self.tell([self.result(call, await self.answer(call))])


class FailureMissing(MessagesReviewer):
    """A call that failed gets no result."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append what went well."""
        super().tell([block for block in results if not block["is_error"]])


class ResultTwice(MessagesReviewer):
    """Each result is told twice."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append the results, and once more."""
        super().tell([*results, *results])


class ResultLate(MessagesReviewer):
    """A message of the user comes between the calls and their results."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Say first that the tools were at work."""
        self.messages.append({"role": "user", "content": "The tools have run."})
        super().tell(results)


class TextBeforeResults(MessagesReviewer):
    """In the message with the results a text stands first."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Introduce the results."""
        super().tell([{"type": "text", "text": "Here are the results:"}, *results])


class RoleTool(MessagesReviewer):
    """Tells results as on the other vendor's wire, in messages of the role `tool`."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append one message for each."""
        self.messages += [
            {
                "role": "tool",
                "tool_call_id": block["tool_use_id"],
                "content": block["content"],
            }
            for block in results
        ]


class InputAsText(MessagesReviewer):
    """Writes the calls down itself, with arguments as a text of JSON."""

    def keep(self, reply: Message) -> None:
        """Append blocks of one's own making."""
        calls = [
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": json.dumps(call.input),
            }
            for call in calls_of(reply)
        ]
        self.messages.append({"role": "assistant", "content": calls})


class EmptyError(MessagesReviewer):
    """A call that failed is flagged, and says nothing."""

    def result(self, call: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401
        """Leave the words of an error out."""
        text = "" if result.is_error else result.text
        return super().result(call, result._replace(text=text))


class NobodyAsked(MessagesReviewer):
    """Merges without a person's approval."""

    async def answer(self, call: Any) -> Result:  # noqa: ANN401
        """Ask nobody."""
        self.approve = _nobody
        return await super().answer(call)


class FailureHidden(MessagesReviewer):
    """A failed call is told as if it had gone well."""

    def result(self, call: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401
        """Say ok."""
        if result.is_error:
            result = Result("ok", is_error=False)
        return super().result(call, result)


class ThinkingDropped(MessagesReviewer):
    """Keeps text and calls, and drops the thinking that came before them."""

    def keep(self, reply: Message) -> None:
        """Append the blocks that look as if they counted."""
        kept = [block for block in reply.content if block.type in ("text", "tool_use")]
        self.messages.append({"role": "assistant", "content": kept})


class ReasonIgnored(MessagesReviewer):
    """Only looks whether there are calls: a reply that was cut is taken as whole."""

    def end(self, reply: Message) -> End | None:
        """The text, whatever ended it."""
        return None if calls_of(reply) else End("done", text_of(reply))


class PauseIsEnd(MessagesReviewer):
    """Takes a pause of the model for its answer."""

    def end(self, reply: Message) -> End | None:
        """The text of a pause."""
        if reply.stop_reason == "pause_turn":
            return End("done", text_of(reply))
        return super().end(reply)


class RefusalIsAnswer(MessagesReviewer):
    """Takes a refusal for an answer."""

    def end(self, reply: Message) -> End | None:
        """The words of the refusal."""
        if reply.stop_reason == "refusal":
            return End("done", text_of(reply))
        return super().end(reply)


class ResultsSplit(MessagesReviewer):
    """Each result has a message of its own: accepted, a bad habit."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append one message for each."""
        for block in results:
            super().tell([block])


class ResultsSwapped(MessagesReviewer):
    """Results stand in the reverse order of their calls: accepted, a bad habit."""

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append the last result first."""
        super().tell(results[::-1])


async def _nobody(*_asked: object) -> None:
    return None
