"""The one way to take times: in turn, and the best of many."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["ROUNDS", "seconds"]

ROUNDS = 7


def seconds(
    *actions: Callable[[], Any], times: int, rounds: int = ROUNDS
) -> list[float]:
    """The best seconds per call of each action, over rounds taken in turn."""
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for number, action in enumerate(actions):
            started = time.perf_counter()
            for _ in range(times):
                action()
            best[number] = min(best[number], (time.perf_counter() - started) / times)
    return best
