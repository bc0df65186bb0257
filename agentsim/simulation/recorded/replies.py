"""What a model said in a recording, as replies of a script."""

from __future__ import annotations

from agentsim.cassettes import RecordedAnswer
from agentsim.cassettes.conversations import Spoken
from agentsim.providers import Call, Reply

__all__ = ["CLOSING", "latency_of", "reply_of"]

CLOSING = Reply("The recording ends here.", stop_reason="end_turn")
"""What a script ends with where the recording ends with calls."""


def reply_of(spoken: Spoken) -> Reply:
    """The reply, with usage and latency where its answer was recorded."""
    message = spoken.message
    calls = tuple(
        Call(call.name, call.arguments, call.id or None) for call in message.tool_calls
    )
    usual = None if calls else "end_turn"
    if spoken.heard is None:
        return Reply(message.content, calls, usual, blocks=message.blocks)
    response = spoken.heard.response
    assert response is not None
    fits = Reply(calls=calls, refusal=response.refusal).reason
    return Reply(
        message.content,
        calls,
        usual if response.stop_reason in ("", fits) else response.stop_reason,
        response.usage,
        latency_of(spoken.heard.exchange.answer),
        response.refusal,
        message.blocks,
    )


def latency_of(answer: RecordedAnswer) -> float | None:
    """Seconds until an answer was there; None where no time was recorded."""
    last = answer.chunks[-1].at_ms if answer.chunks else 0
    took_ms = max(last, answer.at_ms)
    return round(took_ms / 1000, 6) if took_ms else None
