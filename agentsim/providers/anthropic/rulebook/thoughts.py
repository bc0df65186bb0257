"""The thinking of the model: what this service gave out, and what comes back of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agentsim.core import Message
from agentsim.providers.anthropic.conversation.reading import (
    is_blocks,
    read_assistant,
    read_message,
)
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["THINKING", "Altered", "Thoughts", "altered_refusal"]

THINKING = ("thinking", "redacted_thinking")

Altered = Literal["text", "signature"]
"""What of a thinking block is not as the service gave it."""


class Thoughts:
    """Which text each signature of this service belongs to, and where the model paused.

    Signatures of elsewhere can't be told from false ones here: they are taken, unless
    only the service's own are.
    """

    __slots__ = ("_paused", "_signed", "_texts")

    def __init__(self) -> None:
        self._signed: dict[str, list[str]] = {}
        self._texts: dict[str, None] = {}
        self._paused: list[Message] = []

    def given(self, body: Mapping[str, Any]) -> None:
        """Remember an answer."""
        content = body.get("content")
        if not is_blocks(content):
            return
        for block in content:
            text, signature = block.get("thinking"), block.get("signature")
            if isinstance(text, str) and isinstance(signature, str):
                self._signed.setdefault(signature, []).append(text)
                self._texts[text] = None
        if body.get("stop_reason") == "pause_turn":
            self._paused.append(read_assistant(content))

    def paused(self, message: object) -> bool:
        """Whether a message of the wire is an answer in which the model paused."""
        if not self._paused or not isinstance(message, Mapping):
            return False
        return read_message(message, after="user")[0] in self._paused

    def altered(self, block: Mapping[str, Any], *, own_only: bool) -> Altered | None:
        """What of a block that came back is not as it was given; None for nothing."""
        if block["type"] != "thinking":
            return None
        text, signature = block["thinking"], block["signature"]
        known = self._signed.get(signature)
        if known is not None:
            return None if text in known else "text"
        of_ours = bool(text) and text in self._texts
        return "signature" if not signature or of_ours or own_only else None


def altered_refusal(altered: Altered, path: str, *, latest: bool) -> WireRefusal:
    """The refusal of a thinking block that is not as it was given.

    Args:
        latest: Whether it stands in the last turn of the model.
    """
    if altered == "text" and latest:
        words = (
            "`thinking` or `redacted_thinking` blocks in the latest assistant message "
            "cannot be modified. These blocks must remain as they were in the original "
            "response."
        )
        return refuse("thinking-changed", words, path)
    return refuse("signature", "Invalid `signature` in `thinking` block", path)
