"""One function per fault, so that a test reads like a sentence.

`answer_lost("create_payment", attempt=1)` is a rule: in a scenario's `faults` it always
strikes, in the faults of an exploration it may.
"""

from __future__ import annotations

from agentsim.faults.rules import FaultRule, fault_named

__all__ = [
    "answer_lost",
    "duplicate_ids",
    "hangs",
    "malformed_arguments",
    "missing_ids",
    "raises",
    "same_call_forever",
    "slow",
    "unknown_tool",
]


def raises(tool: str | None = None, *, attempt: int | None = None) -> FaultRule:
    """The tool fails before it does anything."""
    return FaultRule(fault_named("raises"), tool, attempt)


def slow(tool: str | None = None, *, attempt: int | None = None) -> FaultRule:
    """The tool takes `SLOW_S` virtual seconds longer."""
    return FaultRule(fault_named("slow"), tool, attempt)


def hangs(tool: str | None = None, *, attempt: int | None = None) -> FaultRule:
    """The tool does nothing and never answers."""
    return FaultRule(fault_named("hangs"), tool, attempt)


def answer_lost(tool: str | None = None, *, attempt: int | None = None) -> FaultRule:
    """The write takes effect and its answer is lost."""
    return FaultRule(fault_named("answer_lost"), tool, attempt)


def malformed_arguments(*, attempt: int | None = None) -> FaultRule:
    """The JSON of the last call's arguments is cut in half."""
    return FaultRule(fault_named("malformed_arguments"), None, attempt)


def unknown_tool(*, attempt: int | None = None) -> FaultRule:
    """The first call names a tool that does not exist."""
    return FaultRule(fault_named("unknown_tool"), None, attempt)


def duplicate_ids(*, attempt: int | None = None) -> FaultRule:
    """All calls of the reply have the same id."""
    return FaultRule(fault_named("duplicate_ids"), None, attempt)


def missing_ids(*, attempt: int | None = None) -> FaultRule:
    """The calls of the reply have no ids."""
    return FaultRule(fault_named("missing_ids"), None, attempt)


def same_call_forever(*, attempt: int | None = None) -> FaultRule:
    """From the n-th request on, the model asks for the same call again and again."""
    return FaultRule(fault_named("same_call_forever"), None, attempt)
