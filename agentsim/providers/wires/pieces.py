"""Texts cut into the pieces in which they are streamed, the same on every wire."""

from __future__ import annotations

__all__ = ["cut_text"]

PIECES_MAX = 32

PIECE_CHARACTERS = 16


def cut_text(text: str) -> list[str]:
    """At most 32 pieces, each but the last of the same 16 characters or more."""
    size = max(PIECE_CHARACTERS, -(-len(text) // PIECES_MAX))
    return [text[start : start + size] for start in range(0, len(text), size)]
