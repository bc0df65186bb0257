"""The right reviewers: each wire, plain and streamed, async and blocking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentsim.faults import CATALOGUE
from tests.agents.reviewers import (
    on_chat,
    on_chat_streams,
    on_messages,
    on_messages_streams,
    on_responses,
    on_responses_streams,
)

RIGHT: dict[str, Callable[..., Any]] = {
    "chat": on_chat.ChatReviewer,
    "chat, blocking": on_chat.BlockingChatReviewer,
    "chat, streamed": on_chat_streams.StreamedChatReviewer,
    "chat, streamed, blocking": on_chat_streams.BlockingStreamedChatReviewer,
    "chat, by hand": on_chat_streams.ByHandChatReviewer,
    "messages": on_messages.MessagesReviewer,
    "messages, blocking": on_messages.BlockingMessagesReviewer,
    "messages, streamed": on_messages_streams.StreamedMessagesReviewer,
    "messages, streamed, blocking": on_messages_streams.BlockingStreamedMessagesReviewer,
    "messages, by hand": on_messages_streams.ByHandMessagesReviewer,
    "responses": on_responses.ResponsesReviewer,
    "responses, chained": on_responses.ChainedReviewer,
    "responses, blocking": on_responses.BlockingResponsesReviewer,
    "responses, streamed": on_responses_streams.StreamedResponsesReviewer,
    "responses, streamed, blocking": (
        on_responses_streams.BlockingStreamedResponsesReviewer
    ),
    "responses, by hand": on_responses_streams.ByHandResponsesReviewer,
}

# The SDK's helper reads `{"path": "tot` as `{}`, and the loop can't see it; for pieces
# that come twice, or out of their block, it raises what no loop can go on from.
_OF_THE_HELPER = ("arguments_cut", "stream_doubled", "stream_interleaved")

BEYOND_REPAIR = {
    # The service keeps the bad ids: no answer to such a call can be accepted.
    "responses, chained": ("missing_ids", "duplicate_ids"),
    "messages, streamed": _OF_THE_HELPER,
    "messages, streamed, blocking": _OF_THE_HELPER,
}
"""Form -> faults that no loop of it can make good."""


def faults_of(form: str) -> tuple[str, ...]:
    """All faults that may strike a form, and leave it a way to be right."""
    beyond = BEYOND_REPAIR.get(form)
    if beyond is None:
        return ("own",)
    return tuple(name for name in CATALOGUE if name not in beyond)
