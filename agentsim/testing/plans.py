"""Faults as Hypothesis draws them: which may strike, and which strike by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from agentsim.faults import CATALOGUE, Fault, FaultPlan, FaultRule, parse_rule
from agentsim.testing.drawing import picked
from agentsim.world import Spec, World, WorldTool

__all__ = ["any_faults", "fault_plans", "rules_for"]

OFFERED_MAX = 5

ATTEMPTS = (None, 1, 2, 3)


def any_faults(*faults: FaultRule | Fault | str) -> st.SearchStrategy[FaultPlan]:
    """Plans that offer some of the faults: whether one strikes is a choice of the run.

    Each run gets a few kinds of them only (swarm testing): with all at once, most runs
    would end early. They shrink to none.

    Args:
        *faults: Names, rules as text (`answer_lost:create_payment`), faults or rules;
            the whole catalogue unless given.

    Raises:
        UsageError: for the name of a fault that does not exist.
    """
    return _offered(faults).map(lambda offered: FaultPlan(offered=offered))


def fault_plans(
    world: Sequence[Spec] = (),
    *,
    faults: Iterable[FaultRule | Fault | str] = (),
    rules: int = 2,
) -> st.SearchStrategy[FaultPlan]:
    """Plans of faults that strike by rule, beside some that may strike.

    Args:
        world: The parts whose tools the rules name; without it they strike any tool.
        faults: What to draw from; the whole catalogue unless given.
        rules: How many strike by rule, at most.
    """
    tools = World(tuple(world)).tools
    known = [parse_rule(fault) for fault in faults or CATALOGUE.own]
    one = _specific(known, tools)
    return st.builds(
        lambda rules, offered: FaultPlan(tuple(rules), offered),
        st.lists(one, max_size=rules, unique=True),
        _offered(tuple(known)),
    )


def rules_for(world: Sequence[Spec]) -> st.SearchStrategy[FaultRule]:
    """Rules of the catalogue, each for something that there is in a world."""
    known = [parse_rule(fault) for fault in CATALOGUE.own]
    return _specific(known, World(tuple(world)).tools)


def _offered(
    faults: Sequence[FaultRule | Fault | str],
) -> st.SearchStrategy[tuple[FaultRule, ...]]:
    """Some of the rules, in their order."""
    known = [parse_rule(fault) for fault in faults or CATALOGUE.own]
    picked = st.lists(
        st.integers(0, len(known) - 1),
        unique=True,
        max_size=min(OFFERED_MAX, len(known)),
    )
    return picked.map(lambda places: tuple(known[at] for at in sorted(places)))


@st.composite
def _specific(
    draw: st.DrawFn, rules: Sequence[FaultRule], tools: Sequence[WorldTool]
) -> FaultRule:
    """One of the rules, for one attempt or all, and for a tool that it can strike."""
    rule = picked(draw, rules)
    name, attempt = rule.name, rule.attempt
    if rule.fault.target == "tool" and name is None:
        fitting = [t.name for t in tools if t.writes or not rule.fault.needs_write]
        name = picked(draw, [None, *fitting])
    if attempt is None:
        attempt = picked(draw, ATTEMPTS)
    return FaultRule(rule.fault, name, attempt)
