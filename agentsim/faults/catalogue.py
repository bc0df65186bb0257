"""Every fault there is, by name. The sentences are shown to people and to the model."""

from __future__ import annotations

from agentsim.core import Registry
from agentsim.faults.kinds import Fault
from agentsim.faults.tampering import (
    cut_arguments,
    drop_ids,
    rename_tool,
    repeat_call,
    repeat_id,
)

__all__ = ["CATALOGUE", "SLOW_S"]

SLOW_S = 30.0
"""How many virtual seconds longer a slow tool takes."""

_TOOL_FAULTS = (
    Fault(
        "raises",
        "tool",
        "the tool fails before it does anything",
        definite=True,
        effect="skipped",
        answer="error",
        error_words="the tool failed before it did anything",
    ),
    Fault(
        "slow",
        "tool",
        f"the tool takes {SLOW_S:g} seconds longer",
        delay_s=SLOW_S,
    ),
    Fault(
        "hangs",
        "tool",
        "the tool does nothing and never answers",
        effect="skipped",
        answer="never",
    ),
    Fault(
        "answer_lost",
        "tool",
        "the write takes effect and its answer is lost",
        needs_write=True,
        effect="applied",
        answer="error",
        error_words="the connection was lost before the answer came; outcome unknown",
    ),
)

_MODEL_FAULTS = (
    Fault(
        "malformed_arguments",
        "model",
        "the JSON of the last call's arguments is cut in half",
        calls_min=1,
        tamper=cut_arguments,
    ),
    Fault(
        "unknown_tool",
        "model",
        "the first call names a tool that does not exist",
        calls_min=1,
        tamper=rename_tool,
    ),
    Fault(
        "duplicate_ids",
        "model",
        "all calls of the reply have the same id",
        calls_min=2,
        tamper=repeat_id,
    ),
    Fault(
        "missing_ids",
        "model",
        "the calls of the reply have no ids",
        calls_min=1,
        tamper=drop_ids,
    ),
    Fault(
        "same_call_forever",
        "model",
        "from now on the model asks for the same call again and again",
        calls_min=1,
        tamper=repeat_call,
        sticky=True,
    ),
)

CATALOGUE: Registry[Fault] = Registry(
    "fault",
    "agentsim.faults",
    (*_TOOL_FAULTS, *_MODEL_FAULTS),
    name_of=lambda fault: fault.name,
    fits=lambda found: isinstance(found, Fault),
)
"""Every fault by its name: our own first, those of tools before those of the model."""
