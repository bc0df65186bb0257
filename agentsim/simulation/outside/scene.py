"""What answers one run, wherever its agent lives: script, faults, recorder, counters.

An agent under test lives in the engine, or in a program of its own that a server
answers. What both need of the outside is here; what only the engine has is in `stage`.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from agentsim.core import Declared
from agentsim.engine import Choices
from agentsim.faults import FaultPlan
from agentsim.providers import ScriptedClient, ScriptedModel
from agentsim.simulation.outside.striking import Striker
from agentsim.simulation.scenario import Scenario
from agentsim.trace import Recorder

__all__ = ["Scene"]


class Scene:
    """The part of a run's outside that answers requests, shared by all its lives.

    Args:
        replanned: Whether other faults may be asked for while the run goes on.

    Attributes:
        client: That of the latest life, or None before the first.
        declared: What the agent promised to keep, or None.
        request_numbers: Those of the requests, 1-based over all lives.
        kept: Wire -> what its service keeps of its answers, over all lives.
        warnings: What services accept, and loops should not get used to; each once.
    """

    def __init__(
        self,
        scenario: Scenario,
        plan: FaultPlan,
        choices: Choices,
        *,
        replanned: bool = False,
    ) -> None:
        self.scenario = scenario
        self.choices = choices
        self.recorder = Recorder()
        self.model = ScriptedModel(scenario.replies, earlier=None)
        self.striker = Striker(plan, replanned=replanned)
        self.client: ScriptedClient | None = None
        self.declared: Declared | None = None
        self.request_numbers = count(1)
        self.kept: dict[str, Any] = {}
        self.warnings: dict[str, None] = {}

    def warn(self, words: str) -> None:
        """Take down what a service accepts of a request, and a loop should not do."""
        self.warnings[words] = None

    @property
    def deviated(self) -> bool:
        """Whether anything but the dull choice was made; faults by rule are the story."""
        return bool(self.choices.deviations)

    @property
    def troubled(self) -> bool:
        """Whether anything was not as usual: a choice, or a fault of the story."""
        return self.deviated or bool(self.striker.strikes)
