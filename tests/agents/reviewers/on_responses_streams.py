"""The reviewer on streams of Responses: by the SDK's helper, and by hand."""

from __future__ import annotations

from typing import Any

from openai import OpenAIError
from openai.types.responses import Response

from tests.agents.reviewers.forge import PROMPT
from tests.agents.reviewers.on_responses import (
    FUNCTIONS,
    BlockingResponsesReviewer,
    ResponsesReviewer,
)

LAST = ("response.completed", "response.incomplete", "response.failed")
"""Events that bring the whole response."""


class BrokenOff(OpenAIError):
    """A stream that ended before its response did."""


class StreamedResponsesReviewer(ResponsesReviewer):
    """Shows the text as it comes, with `responses.stream`."""

    shown = ""

    async def ask(self) -> Response:
        """One request, read to its end."""
        last: Response | None = None
        try:
            async with self.client.responses.stream(
                model=self.model, instructions=PROMPT, input=self.input, tools=FUNCTIONS
            ) as stream:
                async for event in stream:
                    if event.type == "response.output_text.delta":
                        self.shown += event.delta
                    last = brought(event) or last
        except (RuntimeError, ValueError) as error:  # what the helper can not read
            raise BrokenOff(f"the stream can't be read: {error}") from error
        return whole(last)


class BlockingStreamedResponsesReviewer(BlockingResponsesReviewer):
    """The same, blocking."""

    def ask(self, items: list[Any]) -> Response:
        """One request, read to its end."""
        last: Response | None = None
        try:
            with self.client.responses.stream(
                model=self.model, instructions=PROMPT, input=items, tools=FUNCTIONS
            ) as stream:
                for event in stream:
                    last = brought(event) or last
        except (RuntimeError, ValueError) as error:
            raise BrokenOff(f"the stream can't be read: {error}") from error
        return whole(last)


class ByHandResponsesReviewer(ResponsesReviewer):
    """Waits for the event that brings the whole response."""

    async def ask(self) -> Response:
        """One request, read to its end."""
        stream = await self.client.responses.create(
            model=self.model,
            instructions=PROMPT,
            input=self.input,
            tools=FUNCTIONS,
            stream=True,
        )
        last: Response | None = None
        async for event in stream:
            last = brought(event) or last
        return whole(last)


def brought(event: Any) -> Response | None:  # noqa: ANN401 - one of sixty classes
    """The whole response, where an event brings it."""
    if event.type not in LAST:
        return None
    response: Response = event.response
    return response


def whole(last: Response | None) -> Response:
    """The response that the stream brought.

    Raises:
        BrokenOff: when it brought none.
    """
    if last is None:
        raise BrokenOff("the stream ended before the response did")
    return last
