from dataclasses import fields
from sys import modules

import pytest

from agentsim.core import EVENT_KINDS, STATUSES, Event, RunStarted, ToolEnded


def subclasses(base: type[Event]) -> list[type[Event]]:
    """All classes under an event class, however deep."""
    return [found for one in base.__subclasses__() for found in (one, *subclasses(one))]


def test_every_event_class_is_a_kind() -> None:
    """Each event class of the package stands in the table under its own kind."""
    package = Event.__module__.rpartition(".")[0]
    ours = [one for one in subclasses(Event) if one.__module__.startswith(package)]
    # A class that got slots was made twice, and the first may not be gone yet.
    ours = [one for one in ours if vars(modules[one.__module__])[one.__name__] is one]
    assert {*ours} == {*EVENT_KINDS.values()}
    assert [one.kind for one in EVENT_KINDS.values()] == list(EVENT_KINDS)


def test_kinds_are_unique() -> None:
    """No two event classes share a kind."""
    assert len({*EVENT_KINDS}) == len(EVENT_KINDS) == len({*EVENT_KINDS.values()})


# The closed set of R11, in its words.
SAID = {
    "run started / ended": ("run_started", "run_ended"),
    "request, delta, response": ("request", "delta", "response"),
    "final answer": ("final_answer",),
    "retry, fallback": ("retry", "fallback"),
    "tool start / progress / end": ("tool_start", "tool_progress", "tool_end"),
    "call ids replaced": ("call_ids_replaced",),
    "loop blocked": ("loop_blocked",),
    "terminal, escalated": ("terminal", "escalated"),
    "condense started / ended / failed": (
        "condense_started",
        "condense_ended",
        "condense_failed",
    ),
    "call recovered": ("call_recovered",),
    "checkpoint": ("checkpoint",),
    "injected / acknowledged": ("injected", "acknowledged"),
    "confirmation asked / answered": ("confirmation_asked", "confirmation_answered"),
}
# What only the outside can say.
OUTSIDE = {
    *("incarnation_started", "declared", "request_failed", "effect", "fault", "cancel"),
    *("crash", "returned", "resume_probe", "outcome"),
}


def test_closed_set_of_events_is_covered() -> None:
    """Each event that R11 lists is a kind, and the others belong to the outside."""
    said = [kind for kinds in SAID.values() for kind in kinds]
    assert {*said} | OUTSIDE == {*EVENT_KINDS}
    assert not {*said} & OUTSIDE


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_event_is_stamped_by_keyword_and_slotted(kind: str) -> None:
    """Time, life and witness are set by name only; no event has a dictionary."""
    event_class = EVENT_KINDS[kind]
    stamps = [one for one in fields(event_class) if one.kw_only]
    assert [one.name for one in stamps] == ["at_ns", "life", "who"]
    own = [one.name for one in fields(event_class) if not one.kw_only]
    event = event_class(*own, at_ns=5, life=2, who="runtime")
    assert [getattr(event, name) for name in own] == own
    assert (event.at_ns, event.life, event.who) == (5, 2, "runtime")
    assert not hasattr(event, "__dict__")


def test_event_belongs_to_the_boundary_at_the_start_by_default() -> None:
    """An event made without stamps is one of the boundary, at 0 ns of life 1."""
    event = RunStarted("pay")
    assert (event.at_ns, event.life, event.who) == (0, 1, "boundary")


def test_events_are_equal_by_content() -> None:
    """Two events are equal when kind, content and stamps are."""
    one = ToolEnded(1, "read", "ok", "done", at_ns=5)
    assert one == ToolEnded(1, "read", "ok", "done", at_ns=5)
    assert one != ToolEnded(1, "read", "ok", "done", at_ns=6)


def test_statuses_are_those_of_the_specification() -> None:
    """The ways a run can end are those of R1.9."""
    success = ("done", "stopped")
    limits = ("max_iterations", "token_budget", "deadline", "loop")
    others = ("waiting_human", "truncated", "refused", "cancelled", "failed")
    assert (*success, *limits, *others) == STATUSES
