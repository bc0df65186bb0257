"""The exact words that models and persons read (spec R3.5 to R3.9, R4.4, R5.2)."""

from __future__ import annotations

import re
from itertools import islice

from agentsim.core import Status, WorldError

__all__ = ["NO_CONFIRM", "describe"]

NO_CONFIRM = "Error: tool requires confirmation but no Confirm callback configured"

SUPERSEDED = "Error: not executed: a new message came instead of an answer"

_WHY: dict[Status, str] = {
    "token_budget": "the run had spent its token budget",
    "deadline": "the run had reached its deadline",
    "loop": "the run was ended because of a loop",
    "truncated": "the response was cut at its token limit",
    "refused": "the model refused to go on",
    "cancelled": "the run was cancelled",
    "failed": "the run failed",
}

_WORD = re.compile(r"\S+")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def iteration_limit(limit: int | None) -> str:
    """Say that the iterations are used up (R3.7)."""
    return f"agent: reached the limit of {limit} iterations without finishing"


def loop_block(name: str, count: int) -> str:
    """The result in place of a repeated one (R5.2)."""
    return (
        f"Error: loop detected: {name} called {count} times with the same result; "
        "change approach"
    )


def not_executed(status: Status) -> str:
    """The result of a call that never started (R3.9)."""
    return f"Error: not executed: {_WHY[status]}"


def not_finished(name: str, status: Status) -> str:
    """The result of a reading call that was cut off (R3.9)."""
    return f"Error: not finished: {_WHY[status]} while {name} was running"


def outcome_unknown(name: str, status: Status) -> str:
    """The result of a writing call that was cut off (R3.9, R6.3)."""
    return (
        f"Error: outcome unknown: {_WHY[status]} while {name} was running; "
        "it may have taken effect"
    )


def describe(error: BaseException) -> str:
    """What an exception of a tool or a callback says, without memory addresses.

    The simulated and the provider's errors speak for themselves; of any other one the
    class is named, since its message alone is often a single word.
    """
    try:
        message = _ADDRESS.sub("", str(error))
    except Exception:  # noqa: BLE001 an exception that can't even be printed
        message = ""
    if isinstance(error, WorldError):
        return message
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def clip(text: str, length: int = 200) -> str:
    """Shorten a text to one line of at most `length` characters."""
    # More words than `length` are too long in any case: a huge text has no need of all.
    words = [match[0] for match in islice(_WORD.finditer(text), length + 1)]
    line = " ".join(words)
    return line if len(line) <= length else line[: length - 1] + "…"
