"""Ids in the shapes of the service, made of the number of a request."""

from __future__ import annotations

import hashlib

__all__ = ["completion_id", "fingerprint", "item_id", "request_id", "response_id"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def completion_id(number: int) -> str:
    """Id of the answer to a request: `chatcmpl-` and 29 letters and digits."""
    digest = int.from_bytes(_digest(f"completion {number}"))
    letters = []
    for _place in range(29):
        digest, letter = divmod(digest, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return f"chatcmpl-{''.join(letters)}"


def response_id(number: int) -> str:
    """Id of the response to a request: `resp_` and 50 hexadecimal digits."""
    return f"resp_{_digest(f'response {number}').hex()[:50]}"


def item_id(prefix: str, number: int, index: int) -> str:
    """Id of an item of a response: its prefix and 50 hexadecimal digits."""
    return f"{prefix}_{_digest(f'item {index} of response {number}').hex()[:50]}"


def request_id(number: int) -> str:
    """Id of a request: `req_` and 32 hexadecimal digits."""
    return f"req_{_digest(f'request {number}').hex()[:32]}"


def fingerprint(model: str) -> str:
    """Fingerprint of a model's configuration: `fp_` and 10 hexadecimal digits."""
    return f"fp_{_digest(f'model {model}').hex()[:10]}"


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
