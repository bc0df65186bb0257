"""One request and its response: what is asked, taken in, and read by its structure.

Not here yet: retries, fallback and recovery (R7, R8). Until then a request that fails
and a response that is empty end the run `failed`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from agentsim.core import (
    FINAL_REASONS,
    CallIdsReplaced,
    Client,
    Message,
    MessageInjected,
    ProviderError,
    Request,
    RequestFailed,
    RequestSent,
    Response,
    ResponseReceived,
    user,
)
from agentsim.runtime.session import (
    RunOver,
    Session,
    Slot,
    await_callback,
    call_back,
)
from agentsim.runtime.texts import describe

_RUNNING_REASONS = (*FINAL_REASONS, "tool_use", "pause_turn")
"""Reasons with which a run goes on, or ends by itself; any other one cuts it short."""


async def resolve_client(session: Session) -> Client:
    """Get the client of the run, once (R2)."""
    client = await await_callback(session, "resolve", session.config.resolve)
    if not callable(getattr(client, "complete", None)):
        kind = type(client).__name__
        raise RunOver("failed", f"resolve returned {kind}; expected a Client")
    return cast(Client, client)


def take_injected(session: Session) -> None:
    """Append what a user sent meanwhile, right before a request (R9).

    Nothing is taken when no request will follow: it stays for the next run.
    """
    inject = session.config.inject
    if inject is None:
        return
    session.check()
    messages: object = call_back("inject", inject)
    if not isinstance(messages, (list, tuple, Sequence)):  # the usual ones first
        kind = type(messages).__name__
        raise RunOver("failed", f"inject returned {kind}; expected a list of Injected")
    for injected in messages:
        session.emit(MessageInjected(injected.id, injected.text))
    if messages:
        session.append(*(user(injected.text) for injected in messages))


async def ask(session: Session, client: Client) -> Response:
    """Send one request and account its answer, also one that comes too late.

    Raises:
        RunOver: `failed` with the provider's words; the run's own end, if that is first.
    """
    session.check()
    config, view = session.config, session.history.view()
    asked = (
        config.model,
        view,
        session.definitions,
        config.temperature,
        config.max_tokens,
    )
    request = Request(*asked)
    session.said = ""
    session.requests += 1
    session.open_request = session.requests
    session.emit(RequestSent(session.requests, *asked))
    try:
        response = await client.complete(request)
    except asyncio.CancelledError:
        if session.interrupted:
            raise
        raise _failure(session, None) from None
    except Exception as error:  # noqa: BLE001 the client's failure is an ending (R7)
        raise _failure(session, error) from None
    if isinstance(response, Response):
        session.meter.add(request, response)
    session.check()
    return _checked(session, response)


def _failure(session: Session, error: Exception | None) -> RunOver:
    """The ending for a request that failed; a failure that came too late is none."""
    session.check()
    number, session.open_request = session.open_request, 0
    if error is None:
        words = "the client was cancelled from within"
        session.emit(RequestFailed(number, None, "cancelled", words, definite=False))
        return RunOver("failed", words)
    words = describe(error)
    if isinstance(error, ProviderError):
        failed = RequestFailed(
            number, error.status, error.kind, words, definite=error.definite
        )
        session.emit(failed)
        return RunOver("failed", words)
    kind = type(error).__name__
    session.emit(RequestFailed(number, None, kind, words, definite=False))
    return RunOver("failed", f"the client raised {words}")


def _checked(session: Session, response: object) -> Response:
    """Take note of a response that came in time, and refuse what is none."""
    number, session.open_request = session.open_request, 0
    if isinstance(response, Response) and response.message.role == "assistant":
        session.emit(
            ResponseReceived(
                number, response.message, response.stop_reason, response.usage
            )
        )
        return response
    got = type(response).__name__
    if isinstance(response, Response):
        got = f"a message of role {response.message.role}"
    words = f"the client returned {got}; expected a Response of the assistant"
    session.emit(RequestFailed(number, None, "client", words, definite=False))
    raise RunOver("failed", words)


def take_response(session: Session, response: Response) -> Message:
    """Append the whole response, with an id of its own for each call (R3.2, R3.13).

    One that carries nothing but white space is no entry of a history: providers refuse
    it.
    """
    message = response.message
    session.refusal = response.refusal
    if _is_empty(response):
        return message
    session.iterations += 1
    message, replaced = session.ids.mend(message, session.iterations)
    session.said = message.content
    session.slots = [
        Slot(call, session.tools.get(call.name)) for call in message.tool_calls
    ]
    if replaced:
        session.emit(CallIdsReplaced(replaced))
    if message.content.strip() or message.tool_calls or message.blocks:
        session.append(message)
    return message


def read_ending(session: Session, response: Response) -> RunOver | None:
    """Whether a response ends the run, by its structure and never by its text.

    Returns:
        The ending, or None when calls are to be run or a pause is to be continued.
    """
    reason = response.stop_reason
    if reason == "max_tokens":
        return RunOver("truncated")
    if reason == "refusal":
        return RunOver("refused")
    if reason not in _RUNNING_REASONS:
        return RunOver("failed", f"agent: the model stopped for the reason {reason!r}")
    if _is_empty(response):
        return RunOver("failed", f"agent: the response is empty (reason {reason!r})")
    if session.slots or reason == "pause_turn":
        return None
    return RunOver("done")


def stops(session: Session) -> bool:
    """Whether the stop predicate ends the run after this iteration."""
    stop = session.config.stop
    if stop is None:
        return False
    return bool(call_back("stop", lambda: stop(session.history.view())))


def _is_empty(response: Response) -> bool:
    """Whether a response has neither calls nor text, or lacks the calls it names.

    White space is no text: nobody can read it, and providers refuse it in a history.
    """
    message, reason = response.message, response.stop_reason
    if message.tool_calls or reason not in _RUNNING_REASONS:
        return False
    if reason == "pause_turn" and message.blocks:
        return False
    return reason == "tool_use" or not message.content.strip()
