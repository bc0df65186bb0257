"""Reviewers on the Responses API with one usual fault each."""

from __future__ import annotations

from typing import Any

from openai.types.responses import Response

from tests.agents.reviewers.on_responses import (
    ChainedReviewer,
    ResponsesReviewer,
    calls_of,
)
from tests.agents.reviewers.reviewer import Result
from tests.agents.sdk import End


class TextOnly(ResponsesReviewer):
    """Keeps the text of the response: its calls are lost, and their outputs orphans."""

    def keep(self, response: Response) -> None:
        """Append `output_text` as a message."""
        self.input.append({"role": "assistant", "content": response.output_text})


class IdLost(ResponsesReviewer):
    """The output does not say which call it answers."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Leave the `call_id` out."""
        self.input.append({"type": "function_call_output", "output": result.text})


class ItemId(ResponsesReviewer):
    """The output bears the id of the item (`fc_...`) in place of its `call_id`."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Take the wrong one of two ids."""
        self.input.append(
            {
                "type": "function_call_output",
                "call_id": call.id,
                "output": result.text,
            }
        )


class ResultFirst(ResponsesReviewer):
    """The outputs stand before their calls."""

    def keep(self, response: Response) -> None:
        """Leave that to `work`."""

    async def work(self, response: Response) -> None:
        """Answer the calls, then keep the items."""
        await super().work(response)
        super().keep(response)


class ResultMissing(ResponsesReviewer):
    """Of two calls in one response only the first is answered."""

    async def work(self, response: Response) -> None:
        """Answer the first call."""
        for call in calls_of(response)[:1]:
            self.tell(call, await self.answer(call))


class FailureMissing(ResponsesReviewer):
    """A call that failed gets no output."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Append what went well."""
        if not result.is_error:
            super().tell(call, result)


class ResultTwice(ResponsesReviewer):
    """Each output is told twice."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Append it, and once more."""
        super().tell(call, result)
        super().tell(call, result)


class ResultLate(ResponsesReviewer):
    """Outputs are sent one request later than they are due."""

    async def work(self, response: Response) -> None:
        """Keep what is ready for the next turn."""
        calls = calls_of(response)
        ready = [(call, await self.answer(call)) for call in calls]
        for call, result in getattr(self, "waiting", ()):
            self.tell(call, result)
        self.waiting = ready


class RoleTool(ResponsesReviewer):
    """Tells outputs as on Chat Completions, in messages of the role `tool`."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Append a message."""
        self.input.append(
            {"role": "tool", "tool_call_id": call.call_id, "content": result.text}
        )


class ReasoningDropped(ResponsesReviewer):
    """Keeps messages and calls with their ids, and drops the reasoning before them."""

    def keep(self, response: Response) -> None:
        """Append the items that look as if they counted."""
        self.input += [item for item in response.output if item.type != "reasoning"]


class NobodyAsked(ResponsesReviewer):
    """Merges without a person's approval."""

    async def answer(self, call: Any) -> Result:  # noqa: ANN401
        """Ask nobody."""
        self.approve = _nobody
        return await super().answer(call)


class FailureHidden(ResponsesReviewer):
    """A failed call is told as if it had gone well."""

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Say ok."""
        super().tell(call, result._replace(text="ok") if result.is_error else result)


class StatusIgnored(ResponsesReviewer):
    """Only looks whether there are calls: an incomplete response is taken as whole."""

    def end(self, response: Response) -> End | None:
        """The text, whatever the status is."""
        return None if calls_of(response) else End("done", response.output_text)


class ChainedAndWhole(ChainedReviewer):
    """Goes on from the last response, and sends the whole history as well."""

    def keep(self, response: Response) -> None:
        """Append the items, though the service has them."""
        self.input += response.output


class ChainedUnanswered(ChainedReviewer):
    """Goes on from a response, and leaves one of its calls open."""

    async def work(self, response: Response) -> None:
        """Answer the first call."""
        for call in calls_of(response)[:1]:
            self.tell(call, await self.answer(call))


class ChainedFromFirst(ChainedReviewer):
    """Goes on from the first response each time: the ones between are forgotten."""

    async def ask(self) -> Response:
        """Keep the first id for good."""
        first = self.previous
        response = await super().ask()
        self.previous = first or response.id
        return response


class ResultsSwapped(ResponsesReviewer):
    """Outputs stand in the reverse order of their calls: accepted, a bad habit."""

    async def work(self, response: Response) -> None:
        """Append the last output first."""
        results = [(call, await self.answer(call)) for call in calls_of(response)]
        for call, result in reversed(results):
            self.tell(call, result)


async def _nobody(*_asked: object) -> None:
    return None
