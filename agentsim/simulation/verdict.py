"""The verdict on one run: all judgements, and what they come to (design 2.7)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from agentsim.core import AgentsimError, InternalError, UsageError, did_you_mean
from agentsim.faults import CATALOGUE, rule_from_text
from agentsim.invariants import (
    INVARIANTS,
    Judgement,
    VerdictStatus,
    Violation,
    judge,
    overall,
)
from agentsim.trace import Trace

__all__ = [
    "LOST_ERRORS",
    "RUNS_INDEPENDENT",
    "Verdict",
    "check_named",
    "judge_lost_errors",
    "judge_trace",
]

LOST_ERRORS = "no-lost-errors"
"""The id under which a verdict lists exceptions that nothing in the agent looked at."""

RUNS_INDEPENDENT = "runs-independent"
"""The id under which an exploration lists that a run could not be repeated."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """All judgements on one run.

    Attributes:
        judgements: One per invariant; after them, where there is something to say, that
            on lost errors and that on the scenario's own expectation.
        unmet: What the user named and the run never met, such as a fault.
    """

    judgements: tuple[Judgement, ...]
    unmet: tuple[str, ...] = ()
    named: Collection[str] = ()

    @property
    def status(self) -> VerdictStatus:
        """Violated if any is; else unknown if something named met no evidence."""
        status = overall(self.judgements, named=self.named)
        return "unknown" if status == "holds" and self.unmet else status

    @property
    def violated(self) -> tuple[Judgement, ...]:
        """The judgements that found a violation."""
        return tuple([one for one in self.judgements if one.status == "violated"])


def check_named(named: Collection[str]) -> None:
    """Refuse names that a run can't meet.

    Raises:
        UsageError: for one that is no fault or rule of one, no invariant, nor `cancel`
            or `crash`.
    """
    if isinstance(named, str):
        raise UsageError(f"named: expected a list, got {named!r}: write [{named!r}]")
    known = (*INVARIANTS, "cancel", "crash")
    for name in named:
        if name in known or name in CATALOGUE:
            continue
        if re.search("[:@]", name):
            rule_from_text(name)
        else:
            known = (*CATALOGUE, *known)
            raise UsageError(
                "what must be met: expected a fault, an invariant, cancel or crash, "
                f"got {name!r}"
                f"{did_you_mean(name, known)}"
            )


def judge_trace(trace: Trace) -> tuple[Judgement, ...]:
    """Judge by all invariants.

    Raises:
        InternalError: when an invariant fails at it, which is a bug of ours.
    """
    try:
        return judge(trace)
    except AgentsimError:
        raise
    except Exception as error:
        raise InternalError(
            f"judging the run failed with {type(error).__name__}: {error}"
        ) from error


def judge_lost_errors(trace: Trace, lost: Sequence[str]) -> Iterator[Judgement]:
    """Judge what went wrong where nobody looked; nothing to say if nothing did.

    asyncio only logs such errors, late and beside the program: the run looks fine, and
    a part of it has died. They are no part of the trace, which the agent's caller and
    the simulated outside witness.
    """
    last = (len(trace.events) - 1,)
    violations = [
        Violation("an exception was lost", "somebody who awaits the task", words, last)
        for words in lost
    ]
    if violations:
        yield Judgement(LOST_ERRORS, "violated", len(lost), tuple(violations), "")
