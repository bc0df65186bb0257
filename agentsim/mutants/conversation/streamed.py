"""The loop of the mutants on streamed answers: correct as it stands, too."""

from __future__ import annotations

from collections.abc import AsyncIterator

from agentsim.core import (
    Delta,
    Env,
    ProviderError,
    Request,
    Response,
    RunResult,
    ToolCall,
    assistant,
)
from agentsim.mutants.answers import End
from agentsim.mutants.loop import Loop

__all__ = ["Gathered", "failed", "unbroken_streaming"]


class Gathered:
    """What has come of a streamed answer.

    Attributes:
        whole: The response, once the end of the stream has told it.
    """

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[ToolCall] = []
        self.whole: Response | None = None

    async def take(self, pieces: AsyncIterator[Delta]) -> Gathered:
        """Take all pieces there are.

        Raises:
            ProviderError: where the stream breaks off; what came is kept.
        """
        async for piece in pieces:
            self.text += piece.text
            if piece.call is not None:
                self.calls.append(piece.call)
            if piece.response is not None:
                self.whole = piece.response
        return self

    def as_it_came(self) -> Response:
        """A response made of what has come, as if that were all."""
        reason = "tool_use" if self.calls else "end_turn"
        return Response(assistant(self.text, *self.calls), reason, None)


def failed(words: object = "the stream ended before the response was whole") -> End:
    """The end of a run whose response did not come."""
    return End("failed", f"agent: the model's service failed: {words}")


class StreamingLoop(Loop):
    """Takes answers in pieces, and only such as come to their end."""

    async def ask(self, request: Request) -> Response:
        """Send a request; an answer that breaks off ends the run."""
        try:
            taken = await Gathered().take(self.env.client.stream(request))
        except ProviderError as error:
            raise failed(error) from error
        if taken.whole is None:
            raise failed()
        return taken.whole


async def unbroken_streaming(env: Env) -> RunResult:
    """The loop of the mutants with streamed answers: no invariant may catch it."""
    return await StreamingLoop(env).run()
