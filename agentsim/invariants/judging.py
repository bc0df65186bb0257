"""All invariants there are, and the judgement of one trace by them (design 2.7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from agentsim.core import UsageError, did_you_mean
from agentsim.invariants.checks.endings import ends, result_always
from agentsim.invariants.checks.histories import (
    every_call_answered,
    history_append_only,
    prefix_stable,
    provider_accepts,
    results_in_order,
)
from agentsim.invariants.checks.limiting import limit_exact
from agentsim.invariants.checks.overlapping import reads_bounded, writes_alone
from agentsim.invariants.checks.repeating import loop_blocked, loop_terminal
from agentsim.invariants.checks.running import (
    allowlist,
    confirmed_before_effect,
    errors_visible,
)
from agentsim.invariants.checks.stopping import limit_terminal
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import Invariant, Judgement, VerdictStatus
from agentsim.trace import Trace

__all__ = ["INVARIANTS", "judge", "overall"]

_ALL = (
    results_in_order,
    every_call_answered,
    history_append_only,
    prefix_stable,
    provider_accepts,
    errors_visible,
    allowlist,
    confirmed_before_effect,
    writes_alone,
    reads_bounded,
    loop_blocked,
    loop_terminal,
    limit_exact,
    limit_terminal,
    result_always,
    ends,
)

INVARIANTS: Mapping[str, Invariant] = MappingProxyType(
    {entry.id: entry for entry in _ALL}
)
"""Every invariant that comes with agentsim, by its id, in the order of the docs."""


def judge(
    trace: Trace,
    ids: Collection[str] | None = None,
    *,
    extra: Sequence[Invariant] = (),
) -> tuple[Judgement, ...]:
    """Judge a trace.

    Args:
        ids: Which invariants to judge by; None is all that come with agentsim.
        extra: Invariants of your own, judged after these.

    Returns:
        One judgement per invariant, in the order of `INVARIANTS`.

    Raises:
        UsageError: for an id that no invariant has.
    """
    chosen: Sequence[Invariant] = _ALL
    if ids is not None:
        for name in ids:
            if name not in INVARIANTS:
                near = did_you_mean(name, INVARIANTS)
                raise UsageError(f"there is no invariant {name!r}{near}")
        chosen = [entry for entry in _ALL if entry.id in ids]
    facts = Facts(trace)
    return tuple(
        [Judgement(entry.id, *entry.check(facts)) for entry in (*chosen, *extra)]
    )


def overall(
    judgements: Sequence[Judgement], *, named: Collection[str] = ()
) -> VerdictStatus:
    """What judgements come to: violated if any is; else unknown if a named one is.

    Args:
        named: Ids that the user asked for by name: without evidence on them the
            verdict is open.
    """
    if any(entry.status == "violated" for entry in judgements):
        return "violated"
    if any(entry.status == "unknown" and entry.id in named for entry in judgements):
        return "unknown"
    return "holds"
