"""The ruling of an invariant that is not ours: what its check gives is looked at first."""

from __future__ import annotations

from inspect import iscoroutine
from typing import TYPE_CHECKING, get_args

from agentsim.core import AgentsimError, UsageError, named_error
from agentsim.invariants.registry import (
    Invariant,
    Judgement,
    Ruling,
    VerdictStatus,
    Violation,
)

if TYPE_CHECKING:
    from agentsim.invariants.facts import Facts

__all__ = ["checked_ruling"]

STATUSES = get_args(VerdictStatus)


def checked_ruling(entry: Invariant, facts: Facts) -> Ruling:
    """Ask the check of an invariant, and read its answer.

    Raises:
        UsageError: naming the invariant, for a check that raises, or gives what is no
            ruling: one that nobody can read would pass for one that holds.
    """
    try:
        ruling: object = entry.check(facts)
    except AgentsimError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"invariant {entry.id!r} raised {named_error(error)}; it is asked of every run, of "
            "those too that it says nothing of"
        ) from error
    if iscoroutine(ruling):
        ruling.close()  # else Python warns, at some time, that nobody awaited it
    if not isinstance(ruling, tuple) or len(ruling) != len(Judgement._fields) - 1:
        got = "None" if ruling is None else f"a {type(ruling).__name__}"
        raise _unreadable(entry, f"got {got}")
    status, evidence, violations, why = ruling
    if status not in STATUSES or not isinstance(evidence, int) or evidence < 0:
        raise _unreadable(entry, f"got {status!r} with evidence {evidence!r}")
    if not isinstance(violations, tuple | list):
        raise _unreadable(entry, f"got violations in a {type(violations).__name__}")
    if (status == "violated") != bool(violations):
        raise _unreadable(entry, f"got {status!r} with {len(violations)} violations")
    for found in violations:
        if not _is_violation(found, len(facts.events)):
            raise _unreadable(
                entry,
                "got a violation that is none of three texts and of places in facts.events",
            )
    return status, evidence, tuple(violations), str(why)


def _unreadable(entry: Invariant, got: str) -> UsageError:
    return UsageError(
        f"invariant {entry.id!r} must return rule(...) or not_applicable(...), {got}"
    )


def _is_violation(found: object, events: int) -> bool:
    if not isinstance(found, Violation):
        return False
    texts: list[object] = [found.words, found.expected, found.found]
    given: object = found.events
    if not isinstance(given, tuple | list):
        return False
    places: list[object] = list(given)
    return all(isinstance(text, str) for text in texts) and all(
        isinstance(at, int) and 0 <= at < events for at in places
    )
