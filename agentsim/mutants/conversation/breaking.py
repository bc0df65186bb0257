"""Mutants that take a streamed response which broke off for a whole one."""

from __future__ import annotations

from agentsim.core import Env, ProviderError, Request, Response, RunResult
from agentsim.mutants.conversation.streamed import Gathered, failed
from agentsim.mutants.loop import Loop

__all__ = ["cut_stream_calls_run", "early_end_as_done", "lost_stream_as_done"]


class CutStreamCallsRun(Loop):
    async def ask(self, request: Request) -> Response:
        taken = Gathered()
        try:
            await taken.take(self.env.client.stream(request))
        except ProviderError as error:
            if not taken.calls:
                raise failed(error) from error
        if taken.whole is None and not taken.calls:
            raise failed()
        return taken.whole or taken.as_it_came()


async def cut_stream_calls_run(env: Env) -> RunResult:
    """The calls that came of a stream are run, whether or not it came to its end."""
    return await CutStreamCallsRun(env).run()


class EarlyEndAsDone(Loop):
    async def ask(self, request: Request) -> Response:
        try:
            taken = await Gathered().take(self.env.client.stream(request))
        except ProviderError as error:
            raise failed(error) from error
        if taken.whole is None and (taken.calls or not taken.text):
            raise failed()
        return taken.whole or taken.as_it_came()


async def early_end_as_done(env: Env) -> RunResult:
    """A stream that ends before its end is taken for whole: its text is the answer."""
    return await EarlyEndAsDone(env).run()


class LostStreamAsDone(Loop):
    async def ask(self, request: Request) -> Response:
        taken = Gathered()
        try:
            await taken.take(self.env.client.stream(request))
        except ProviderError as error:
            if taken.calls or not taken.text:
                raise failed(error) from error
            return taken.as_it_came()
        if taken.whole is None:
            raise failed()
        return taken.whole


async def lost_stream_as_done(env: Env) -> RunResult:
    """An error in mid-stream is swallowed, and the text so far is the answer."""
    return await LostStreamAsDone(env).run()
