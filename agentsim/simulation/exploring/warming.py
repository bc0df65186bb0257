"""Warm-up: what only the first run of a process does is kept out of what is compared.

SDKs load modules, ask the platform for its name and fill caches in their first call, some
of it on threads and out of chance, so that the first run of a process may be another than
all that follow. So an exploration begins with a run that nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentsim.core import AgentsimError
from agentsim.engine import Replay
from agentsim.runtime import reference
from agentsim.simulation.menu import Menu
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario

__all__ = ["warm_up"]


def warm_up(scenario: Scenario, agent: Callable[..., Any], menu: Menu) -> Run | None:
    """Make the run without deviations once, to be thrown away.

    Returns:
        The run, or None: the reference runtime needs none, and what can't be run at all
        says so in the run that follows.
    """
    if agent is reference:
        return None
    try:
        return run(scenario, agent, menu=menu, choices=Replay({}))
    except AgentsimError:
        return None
