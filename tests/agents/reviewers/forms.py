"""The right reviewers: each wire, plain and streamed, async and blocking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.agents.reviewers import on_chat, on_chat_streams

RIGHT: dict[str, Callable[..., Any]] = {
    "chat": on_chat.ChatReviewer,
    "chat, blocking": on_chat.BlockingChatReviewer,
    "chat, streamed": on_chat_streams.StreamedChatReviewer,
    "chat, streamed, blocking": on_chat_streams.BlockingStreamedChatReviewer,
    "chat, by hand": on_chat_streams.ByHandChatReviewer,
}
