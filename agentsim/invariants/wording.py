"""Whether a text reached the model, in whatever form it was put."""

from __future__ import annotations

import json
import re

__all__ = ["is_gone", "telling_words"]

_WORD = re.compile(r"[^\W_]{4,}")


def telling_words(text: str) -> list[str]:
    """The words of a text that another form of it keeps, each once, in order."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


def is_gone(text: str, told: str) -> bool:
    """Whether nothing of a text is left: no word, plain or as JSON in ASCII has it."""
    told = told.lower()
    words = telling_words(text) or [text.strip().lower()]
    return not any(
        word in told or json.dumps(word)[1:-1].lower() in told for word in words
    )
