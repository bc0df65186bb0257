"""Loop detection: the same call with the same result again and again (spec R5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentsim.core import (
    CallKey,
    LoopRules,
    LoopWindow,
    Message,
    Rights,
    UsageError,
    call_key,
    key_signature,
)

__all__ = ["Detector", "detect_stuck"]


class Detector:
    """Counts answered calls and repeated texts of one run.

    Texts are counted in a window of their own: they have the terminal level only
    (R5.6), and must not push calls out of sight.
    """

    __slots__ = ("_calls", "_texts", "rules")

    def __init__(self, rules: LoopRules) -> None:
        self.rules = rules
        self._calls = LoopWindow(rules)
        self._texts: deque[str] = deque(maxlen=rules.window)

    def refuses(self, key: CallKey) -> str | None:
        """The signature for which a writing call must not run now, or None (R5.5)."""
        return self._calls.blocking(key)

    def count(
        self,
        key: CallKey,
        raw: str,
        *,
        rights: Rights | None,
        failed: bool,
        blocked_by: str | None,
    ) -> int:
        """Count an answered call and return how often its signature stands there.

        Args:
            raw: The result before any replacement.
            rights: Those of the tool, or None for an unknown one.
            blocked_by: The signature that refused the call, if one did.
        """
        output = rights.mask(raw) if rights is not None else raw
        sign = blocked_by or key_signature(key, output)
        writes = rights is not None and not rights.read_only
        return self._calls.add(sign, key, writes=writes, failed=failed)

    def repeats(self, text: str) -> bool:
        """Count a text answer; True when it stands there often enough to end the run."""
        sign = key_signature(("", ""), text)
        self._texts.append(sign)
        return self._texts.count(sign) >= self.rules.end_at


def detect_stuck(history: Sequence[Message], n: int) -> bool:
    """Whether the last `n` actions of a history are all the same (R5.7).

    The simple check, by itself and without a window: an action is name and canonical
    arguments of every call of one message; results are not looked at.

    Raises:
        UsageError: for an n under 1.
    """
    if n < 1:
        raise UsageError(f"n: expected 1 or more actions to compare, got {n!r}")
    actions: list[tuple[CallKey, ...]] = []
    for message in reversed(history):
        if message.tool_calls:
            actions.append(_action(message))
            if actions[-1] != actions[0]:
                return False
            if len(actions) == n:
                return True
    return False


def _action(message: Message) -> tuple[CallKey, ...]:
    return tuple(call_key(call.name, call.arguments) for call in message.tool_calls)
