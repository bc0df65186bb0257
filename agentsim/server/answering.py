"""The model's service as an ASGI application: each request goes to the run it is of."""

from __future__ import annotations

import asyncio

from agentsim.core import InternalError, ProviderError, UsageError
from agentsim.providers.transports import HttpRequest, NoAnswer, error_answer_to
from agentsim.providers.wires import HttpAnswer
from agentsim.server.asgi import (
    ClientLeft,
    Receive,
    Scope,
    Send,
    headers_of,
    not_retried,
    read_body,
    send_answer,
    too_large,
)
from agentsim.server.hosting.connections import Connections
from agentsim.server.hosting.presence import gone, while_there
from agentsim.server.runs import Runs, run_name
from agentsim.server.session import Session

__all__ = ["ModelApp"]


class ModelApp:
    """Answers requests to the model, on the paths of the vendors."""

    def __init__(self, runs: Runs, connections: Connections) -> None:
        self._runs = runs
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or break its connection off."""
        try:
            body = await read_body(receive)
        except ClientLeft:
            return
        request = _request(scope, body or b"")
        if body is None:
            await send_answer(error_answer_to(request, too_large()), send)
            return
        try:
            session = self._runs.named(run_name(request.headers))
        except UsageError as error:
            await send_answer(_refused(request, str(error)), send)
            return
        if not await while_there(_answer(session, request, send), receive):
            self._connections.cut(scope["client"])
            await gone(receive)


async def _answer(session: Session, request: HttpRequest, send: Send) -> bool:
    """Answer a request; False where its connection is to break off.

    Where the answer never comes, neither does this one come to an end.
    """
    try:
        await send_answer(await session.answer(request), send)
    except NoAnswer as error:
        if error.reason != "ReadTimeout":
            return False
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        session.left()
        raise
    except Exception as error:  # noqa: BLE001 - a bug of ours must not break off the server
        words = f"internal error of agentsim, please report it: {type(error).__name__}"
        session.life.halt(InternalError(f"{words}: {error}"))
        await send_answer(_refused(request, words, status=500), send)
    finally:
        session.life.forget()
    return True


def _request(scope: Scope, body: bytes) -> HttpRequest:
    headers = headers_of(scope)
    host = headers.get("host", "").partition(":")[0]
    query = scope["query_string"].decode("latin-1")
    return HttpRequest(
        scope["method"], host, scope["path"], body, headers=headers, query=query
    )


def _refused(request: HttpRequest, words: str, *, status: int = 400) -> HttpAnswer:
    kind = "invalid_request_error" if status < 500 else "api_error"
    error = ProviderError(words, status=status, kind=kind)
    return not_retried(error_answer_to(request, error))
