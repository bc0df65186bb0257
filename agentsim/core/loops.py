"""What counts as the same action again (spec R5): one rule for runtime and judge."""

from __future__ import annotations

import hashlib
from collections import deque
from functools import lru_cache

from agentsim.core.json_text import KNOWN_LENGTH, canonical_arguments
from agentsim.core.limits import LoopRules

__all__ = ["CallKey", "LoopWindow", "call_key", "key_signature", "signature"]

CallKey = tuple[str, str]
"""Name and canonical arguments of a call."""


def signature(name: str, arguments: str, output: str) -> str:
    """Signature of an answered call: 16 hexadecimal digits (R5.1).

    Args:
        arguments: The JSON text as the model wrote it.
        output: The raw output, volatile parts masked.
    """
    return key_signature(call_key(name, arguments), output)


def key_signature(key: CallKey, output: str) -> str:
    """`signature` of a call whose key is known, so that its JSON is read only once."""
    length = len(key[1]) + len(output)
    return (_known if length <= KNOWN_LENGTH else _lately)(key, output)


def _digest(key: CallKey, output: str) -> str:
    digest = hashlib.sha256()
    for part in (*key, output):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))  # lengths delimit: no separator can collide
        digest.update(data)
    return digest.hexdigest()[:16]


_known = lru_cache(maxsize=1024)(_digest)
_lately = lru_cache(maxsize=8)(_digest)  # long ones: a judge signs what a run signed


def call_key(name: str, arguments: str) -> CallKey:
    """What makes two calls the same request: name and canonical arguments (R5.5)."""
    return name, canonical_arguments(arguments)


class LoopWindow:
    """Counts signatures over the last answered calls (R5.2 to R5.5).

    Progress (a writing call that ran without error and whose signature is new to the
    window) makes the reads before it count no more. Writes before it still count:
    else two writes in turn would renew one another for ever, and a write with equal
    arguments and output would take effect more than N times.
    """

    __slots__ = ("_calls", "_counting", "rules")

    def __init__(self, rules: LoopRules) -> None:
        self.rules = rules
        self._calls: deque[tuple[str, CallKey, bool]] = deque(maxlen=rules.window)
        # The signatures of those calls, with None in place of one that counts no more.
        self._counting: deque[str | None] = deque(maxlen=rules.window)

    def count(self, sign: str) -> int:
        """How often a signature counts in the window now."""
        return self._counting.count(sign)

    def add(
        self, sign: str, key: CallKey, *, writes: bool, failed: bool = False
    ) -> int:
        """Count one answered call and return the count of its signature.

        Args:
            key: `call_key` of the call, by which a repeated write is refused.
            writes: Whether the tool is a writing one (not read-only).
            failed: Whether it ended with an error, or did not run.
        """
        calls, counting = self._calls, self._counting
        if writes and not failed and sign not in [known for known, _, _ in calls]:
            for position, (_, _, wrote) in enumerate(calls):
                if not wrote:
                    counting[position] = None
        calls.append((sign, key, writes))
        counting.append(sign)
        return counting.count(sign)

    def blocking(self, key: CallKey) -> str | None:
        """The signature that blocks a call with this key now, or None (R5.5)."""
        for sign, known, _ in self._calls:
            if known == key and self.count(sign) >= self.rules.block_at:
                return sign
        return None
