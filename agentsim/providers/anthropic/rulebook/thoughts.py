"""The thinking of the model: what this service gave out, and what comes back of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["THINKING", "Altered", "Thoughts", "altered_refusal"]

THINKING = ("thinking", "redacted_thinking")

Altered = Literal["text", "signature"]
"""What of a thinking block is not as the service gave it."""


class Thoughts:
    """Which text each signature of this service belongs to.

    Signatures of elsewhere can't be told from false ones here: they are taken, unless
    only the service's own are.
    """

    __slots__ = ("_own_only", "_signed", "_texts")

    def __init__(self, *, own_only: bool = False) -> None:
        self._own_only = own_only
        self._signed: dict[str, list[str]] = {}
        self._texts: dict[str, None] = {}

    def given(self, block: object) -> None:
        """Remember a block of an answer."""
        if not isinstance(block, Mapping) or block.get("type") != "thinking":
            return
        text, signature = block.get("thinking"), block.get("signature")
        if isinstance(text, str) and isinstance(signature, str):
            self._signed.setdefault(signature, []).append(text)
            self._texts[text] = None

    def altered(self, block: Mapping[str, Any]) -> Altered | None:
        """What of a block that came back is not as it was given; None for nothing."""
        if block["type"] != "thinking":
            return None
        text, signature = block["thinking"], block["signature"]
        known = self._signed.get(signature)
        if known is not None:
            return None if text in known else "text"
        of_ours = bool(text) and text in self._texts
        return "signature" if not signature or of_ours or self._own_only else None


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
