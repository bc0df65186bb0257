"""All invariants there are, and the judgement of one trace by them (design 2.7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache, partial
from operator import attrgetter

from agentsim.core import Registry, UsageError
from agentsim.invariants.checks.asking import arguments_as_asked
from agentsim.invariants.checks.cutting import cut_calls_told
from agentsim.invariants.checks.effects import effect_once
from agentsim.invariants.checks.endings import (
    ends,
    no_work_after_end,
    result_always,
    resumable,
)
from agentsim.invariants.checks.histories import (
    every_call_answered,
    history_append_only,
    provider_accepts,
    results_in_order,
)
from agentsim.invariants.checks.limiting import limit_exact
from agentsim.invariants.checks.overlapping import (
    calls_in_order,
    reads_bounded,
    writes_alone,
)
from agentsim.invariants.checks.repeating import (
    loop_blocked,
    loop_terminal,
    no_false_loop,
)
from agentsim.invariants.checks.running import (
    allowlist,
    confirmed_before_effect,
    errors_visible,
)
from agentsim.invariants.checks.spending import budget_counted_once
from agentsim.invariants.checks.stopping import limit_terminal
from agentsim.invariants.checks.timing import cancellation_kept, deadline_kept
from agentsim.invariants.conversation.breaking import cut_is_not_success
from agentsim.invariants.conversation.keeping import (
    no_invented_messages,
    response_kept_whole,
)
from agentsim.invariants.conversation.models import one_model
from agentsim.invariants.conversation.prefixing import prefix_stable
from agentsim.invariants.conversation.returning import results_as_returned
from agentsim.invariants.conversation.structuring import stops_by_structure
from agentsim.invariants.conversation.telling import result_true
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Check,
    Invariant,
    Judgement,
    Ruling,
    VerdictStatus,
    not_applicable,
)
from agentsim.invariants.ruling import checked_ruling
from agentsim.trace import Trace

__all__ = ["INVARIANTS", "judge", "overall"]

_ALL = (
    results_in_order,
    every_call_answered,
    history_append_only,
    prefix_stable,
    provider_accepts,
    errors_visible,
    cut_calls_told,
    allowlist,
    arguments_as_asked,
    confirmed_before_effect,
    effect_once,
    writes_alone,
    calls_in_order,
    reads_bounded,
    loop_blocked,
    loop_terminal,
    no_false_loop,
    limit_exact,
    limit_terminal,
    budget_counted_once,
    deadline_kept,
    cancellation_kept,
    result_always,
    ends,
    response_kept_whole,
    results_as_returned,
    no_invented_messages,
    stops_by_structure,
    cut_is_not_success,
    one_model,
    resumable,
    result_true,
    no_work_after_end,
)

INVARIANTS: Registry[Invariant] = Registry(
    "invariant",
    "agentsim.invariants",
    _ALL,
    name_of=attrgetter("id"),
    fits=lambda entry: isinstance(entry, Invariant),
)
"""Every invariant by its id: ours in the order of the docs, then yours by name.

`INVARIANTS.add(...)` has one of yours judged from then on; a package offers one by an
entry point of the group `agentsim.invariants`.
"""


def judge(
    trace: Trace,
    ids: Collection[str] | None = None,
    *,
    extra: Sequence[Invariant] = (),
) -> tuple[Judgement, ...]:
    """Judge a trace.

    Args:
        ids: Which invariants to judge by; None is all there are.
        extra: Further invariants, not in the registry, judged after these.

    Returns:
        One judgement per invariant, in the order of `INVARIANTS`.

    Raises:
        UsageError: for an id that no invariant has, for an entry of `extra` that is no
            invariant, and for one of yours that raises or rules nothing.
    """
    chosen: Sequence[Invariant] = INVARIANTS.all
    if ids is not None:
        named = [INVARIANTS.find(name) for name in ids]
        chosen = [entry for entry in chosen if entry in named]
    for entry in extra:
        if not isinstance(entry, Invariant):
            raise UsageError(
                f"extra: expected an invariant, as @invariant(...) makes it, got "
                f"{type(entry).__name__}"
            )
    facts = Facts(trace)
    wire_only = facts.header.wire_only
    checks = _checks(tuple(chosen), wire_only=wire_only)
    if extra:  # yours are not kept: they may hold what they like, and be unhashable
        yours = [((entry.id,), _check(entry, wire_only=wire_only)) for entry in extra]
        checks = [*checks, *yours]
    # As `Judgement._make` makes it, without its two calls in Python.
    new = tuple.__new__
    return tuple([new(Judgement, name + check(facts)) for name, check in checks])


@lru_cache(maxsize=16)
def _checks(
    entries: tuple[Invariant, ...], *, wire_only: bool
) -> list[tuple[tuple[str], Check]]:
    """What to ask for each invariant, with its id as the beginning of a judgement."""
    return [((entry.id,), _check(entry, wire_only=wire_only)) for entry in entries]


def _check(entry: Invariant, *, wire_only: bool) -> Check:
    if wire_only and entry.needs_inside:
        return _unseen
    if INVARIANTS.own.get(entry.id) is entry:
        return entry.check
    return partial(checked_ruling, entry)


def _unseen(_facts: Facts) -> Ruling:
    return not_applicable("the agent is a program of its own: only the wire was seen")


def overall(
    judgements: Sequence[Judgement], *, named: Collection[str] = ()
) -> VerdictStatus:
    """What judgements come to: violated if any is; else unknown if a named one is.

    Args:
        named: Ids that the user asked for by name: without evidence on them the
            verdict is open.
    """
    if "violated" in [entry.status for entry in judgements]:
        return "violated"
    if named:
        unknown = [entry.id for entry in judgements if entry.status == "unknown"]
        if any(name in named for name in unknown):
            return "unknown"
    return "holds"
