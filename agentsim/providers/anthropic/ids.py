"""Ids in the shapes of the service, made of the number of a request."""

from __future__ import annotations

import hashlib

__all__ = ["message_id", "request_id"]

_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
"""Letters and digits that are not taken for one another."""


def message_id(number: int) -> str:
    """Id of the answer to a request: `msg_01` and 22 letters and digits."""
    return f"msg_01{_letters(f'message {number}', 22)}"


def request_id(number: int) -> str:
    """Id of a request: `req_011C` and 20 letters and digits."""
    return f"req_011C{_letters(f'request {number}', 20)}"


def _letters(text: str, count: int) -> str:
    digest = int.from_bytes(hashlib.sha256(text.encode()).digest())
    letters = []
    for _place in range(count):
        digest, letter = divmod(digest, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)
