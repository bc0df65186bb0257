"""Whether runs are independent: the same choices must give the same trace again.

A run that hangs on the runs before it (a global counter, a cache, a mutable default)
can't be repeated from its token; nor can one that hangs on the clock, on chance or on
memory addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agentsim.core import AgentsimError, NondeterminismError
from agentsim.engine import Replay
from agentsim.invariants import Judgement, Violation
from agentsim.simulation.run import Run, run
from agentsim.simulation.verdict import RUNS_INDEPENDENT, Verdict
from agentsim.trace import diff

__all__ = ["dependence", "dependent"]


def dependence(made: Run, agent: Callable[..., Any]) -> str | None:
    """Make a run once more, and tell where the two part; None if they do not."""
    plan = Replay(made.choices.deviations, made.choices.log)
    try:
        again = run(made.scenario, agent, menu=made.menu, choices=plan)
    except NondeterminismError as error:
        return str(error)
    except AgentsimError as error:
        return f"the run was possible once, and not again: {error}"
    return diff(made.trace, again.trace)


def dependent(made: Run, found: str) -> Run:
    """The run with the verdict that it could not be repeated.

    Args:
        found: Where the two runs part, in words.
    """
    violation = Violation(
        "the same choices gave another run",
        "the same trace, whatever ran before in this process: no counter, no cache and "
        "nothing that an object given as the agent keeps may outlive a run",
        found,
        (len(made.trace.events) - 1,),
    )
    judgement = Judgement(RUNS_INDEPENDENT, "violated", 1, (violation,), "")
    verdict = made.verdict
    judgements = (*verdict.judgements, judgement)
    return replace(made, verdict=Verdict(judgements, verdict.unmet, verdict.named))
