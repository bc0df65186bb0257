"""Every fault there is, by name. The sentences are shown to people and to the model."""

from __future__ import annotations

from agentsim.core import Registry
from agentsim.faults.kinds import Fault
from agentsim.faults.of_human import HUMAN_FAULTS
from agentsim.faults.of_model import MODEL_FAULTS
from agentsim.faults.of_streams import STREAM_FAULTS
from agentsim.faults.of_tools import TOOL_FAULTS

__all__ = ["CATALOGUE"]

CATALOGUE: Registry[Fault] = Registry(
    "fault",
    "agentsim.faults",
    (*TOOL_FAULTS, *MODEL_FAULTS, *STREAM_FAULTS, *HUMAN_FAULTS),
    name_of=lambda fault: fault.name,
    fits=lambda found: isinstance(found, Fault),
)
"""Every fault by its name: our own first, those of tools, the model and the person."""
