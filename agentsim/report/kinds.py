"""Which violations are of one kind: one bug breaks a rule again and again.

Two bugs may break one invariant, and both should be told. What differs between two
violations of one bug are the names and numbers in their words, so these are left out. An
exception is told from others by its class and its place in the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agentsim.core import Outcome
from agentsim.invariants import Violation

__all__ = ["violation_kind"]

_DETAILS = re.compile(r"'[^']*'|\"[^\"]*\"|\b[\w-]*(?:\d|_)[\w-]*\b")

_PLACE = re.compile(r", in \S+ \([^()]+:\d+\)$")

_CLASS = re.compile(r"[A-Z]\w*(?=[:,]|$)")
"""What a service or a tool says of itself has no class before it, and begins small."""


def violation_kind(
    violation: Violation, outcome: Outcome | None = None, tools: Iterable[str] = ()
) -> str:
    """The words of a violation without its details.

    Args:
        violation: One violation of an invariant.
        outcome: How the run ended; the exception that it ended by tells bugs apart.
        tools: Names of tools, which are details.
    """
    words = _DETAILS.sub("…", violation.words)
    for name in tools:
        words = re.sub(rf"\b{re.escape(name)}\b", "…", words)
    error = outcome.error if outcome is not None else None
    if error is None or ascii(error) != violation.found:
        return words
    found = (_CLASS.match(error), _PLACE.search(error))
    exception, place = (match[0] if match is not None else "" for match in found)
    return words + (f": {exception}" if exception else "") + place
