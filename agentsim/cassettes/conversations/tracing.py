"""A recorded conversation as a trace of what went over the wire, for judges.

Left out is what only one wire has beside the neutral form (ids of items, annotations):
clients need not send it back, and a recording has it in the form of its wire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentsim.cassettes.conversations.heard import Heard
from agentsim.cassettes.conversations.threads import RecordedConversation
from agentsim.core import (
    WIRE_BLOCK,
    Event,
    History,
    IncarnationStarted,
    Message,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    Who,
)
from agentsim.trace import Header, Trace

__all__ = ["trace_of"]

NS_PER_MS = 1_000_000

BOUNDARY: Who = "boundary"


def trace_of(conversation: RecordedConversation) -> Trace:
    """What of a conversation a trace has: requests, responses and failures."""
    return Trace(Header(wire_only=True), _events(conversation))


def _events(conversation: RecordedConversation) -> Iterator[Event]:
    heard = sorted(
        (*conversation.answered, *conversation.failed),
        key=lambda one: one.exchange.number,
    )
    history = History()
    now_ns = 0
    yield IncarnationStarted(at_ns=0, life=1, who="engine")
    for one in heard:
        request, number = one.request, one.exchange.number
        # What was imported has no times, and a trace goes forward.
        now_ns = max(now_ns, round(one.exchange.at_ms * NS_PER_MS))
        yield RequestSent(
            number,
            request.model,
            history.follow([_neutral(message) for message in request.messages]),
            tuple(request.tools),
            request.temperature,
            request.max_tokens,
            one.exchange.wire,
            at_ns=now_ns,
            life=1,
            who=BOUNDARY,
        )
        now_ns += round(_took_ms(one) * NS_PER_MS)
        yield _answer(one, now_ns)


def _answer(heard: Heard, at_ns: int) -> ResponseReceived | RequestFailed:
    number, response = heard.exchange.number, heard.response
    if response is not None:
        return ResponseReceived(
            number,
            _neutral(response.message),
            response.stop_reason,
            response.usage,
            at_ns=at_ns,
            life=1,
            who=BOUNDARY,
        )
    status = heard.exchange.answer.status
    told = status is not None and status != 200
    return RequestFailed(
        number,
        status if told else None,
        "api_error" if told else "connection_error",
        f"the service answered {status}" if told else "no whole answer came",
        heard.rule if status == 400 else None,
        told,
        at_ns=at_ns,
        life=1,
        who=BOUNDARY,
    )


def _neutral(message: Message) -> Message:
    kept = tuple(one for one in message.blocks if one.get("type") != WIRE_BLOCK)
    return message if kept == message.blocks else replace(message, blocks=kept)


def _took_ms(heard: Heard) -> float:
    answer = heard.exchange.answer
    return max(answer.chunks[-1].at_ms if answer.chunks else 0, answer.at_ms)
