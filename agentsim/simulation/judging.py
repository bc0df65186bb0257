"""What is said of a run once it is over: judgements, and what it met."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from agentsim.core import CancelRequested, Crashed, UnscriptedRequest
from agentsim.invariants import Judgement
from agentsim.simulation.expectation import judge_expectation
from agentsim.simulation.outside.scene import Scene
from agentsim.simulation.verdict import Verdict, judge_lost_errors, judge_trace
from agentsim.trace import Trace

__all__ = ["Met", "judge_cut_off", "judge_whole", "met_in", "verdict_on"]

Judgements = tuple[Judgement, ...]


class Met(NamedTuple):
    """What a run met.

    Attributes:
        struck: Names of faults, `cancel`, `crash`.
        rules: Texts of all fault rules that the strikes fulfil, such as `slow@2`.
        unmet_rules: The scenario's own faults that never struck.
    """

    struck: tuple[str, ...]
    rules: tuple[str, ...]
    unmet_rules: tuple[str, ...]


def judge_whole(scene: Scene, trace: Trace, lost: Sequence[str] = ()) -> Judgements:
    """Judge a run that came to its end.

    Args:
        lost: Errors that nobody took, in words.

    Raises:
        UnscriptedRequest: when nothing else is wrong and the script was not used up, in
            a run without deviations.
    """
    judgements = (*judge_trace(trace), *judge_lost_errors(trace, lost))
    if scene.deviated:
        return judgements
    expected = judge_expectation(scene.scenario.expectation, trace)
    judgements = (*judgements, expected)
    # What an agent did wrong goes before what it therefore left unused.
    if "violated" not in [entry.status for entry in judgements]:
        _check_used_up(scene)
    return judgements


def judge_cut_off(trace: Trace) -> Judgements:
    """Judge what happened before the script ran out; how the run would end is not known."""
    return tuple(
        entry
        for entry in judge_trace(trace)
        if entry.id not in ("result-always", "ends")
    )


def met_in(scene: Scene) -> Met:
    """What the run met of what may be named."""
    strikes = scene.striker.strikes
    struck = list(dict.fromkeys([strike.fault.name for strike in strikes]))
    if scene.deviated:  # else neither can have happened: both are choices
        kinds = set(map(type, scene.recorder.events))
        struck += ["cancel"] if CancelRequested in kinds else []
        struck += ["crash"] if Crashed in kinds else []
    texts = [text for strike in strikes for text in strike.texts]
    unmet = scene.striker.unmet() if scene.scenario.exact else ()
    return Met(tuple(struck), tuple(texts), unmet)


def verdict_on(
    judgements: Judgements, met: Met, named: Collection[str] = ()
) -> Verdict:
    """What the judgements come to, with what was named and never met."""
    unmet = met.unmet_rules
    if named:
        evident = (entry.id for entry in judgements if entry.evidence)
        all_met = (*met.struck, *met.rules, *evident)
        unmet = (*unmet, *(name for name in named if name not in all_met))
    return Verdict(judgements, unmet, named)


def _check_used_up(scene: Scene) -> None:
    """Refuse a script that was not used up: what it says should happen did not."""
    unused = scene.model.unused() if scene.scenario.exact else None
    if unused is not None and not scene.striker.without_end:
        raise UnscriptedRequest(unused)
