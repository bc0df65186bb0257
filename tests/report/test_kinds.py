"""Violations of one kind are one bug: an exception is told from others by class and place."""

from __future__ import annotations

import pytest

from agentsim.core import Outcome
from agentsim.invariants import Violation
from agentsim.report import violation_kind

RAISED = "the run raised an exception"


def kind(error: str) -> str:
    """The kind of a violation that shows an error which ended a run."""
    violation = Violation(RAISED, "a result with its status", ascii(error), ())
    return violation_kind(violation, Outcome("raised", None, None, error))


@pytest.mark.parametrize(
    "error",
    [
        "overloaded, in loop (agent.py:12)",
        "rate limit reached; try again later, in loop (agent.py:12)",
        "timeout: no answer came within 600 seconds, in loop (agent.py:12)",
    ],
)
def test_what_a_service_says_is_no_class(error: str) -> None:
    """One request whose errors nobody catches is one bug, whatever the service says."""
    assert kind(error) == f"{RAISED}, in loop (agent.py:12)"


def test_classes_and_places_tell_exceptions_apart() -> None:
    """A `KeyError` is another bug than a `ValueError`, and so is one in another line."""
    assert kind("KeyError: 'id', in loop (agent.py:12)") == (
        f"{RAISED}: KeyError, in loop (agent.py:12)"
    )
    assert kind("SystemExit, in loop (agent.py:12)") == (
        f"{RAISED}: SystemExit, in loop (agent.py:12)"
    )
    assert kind("ValueError: 'id', in loop (agent.py:12)") != kind(
        "ValueError: 'id', in loop (agent.py:13)"
    )
