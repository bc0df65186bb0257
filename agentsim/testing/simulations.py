"""Whole simulations as Hypothesis draws them, for `@given(simulations(...))`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeAlias

from hypothesis import strategies as st

from agentsim.core import Decision, Injected, Limits, UsageError, did_you_mean
from agentsim.faults import Fault, FaultPlan, FaultRule
from agentsim.providers import Entry, Reply, Script
from agentsim.simulation import Menu, Scenario
from agentsim.testing.choices import schedules
from agentsim.testing.drawing import strategy_of
from agentsim.testing.plans import any_faults
from agentsim.testing.scripts import scripts
from agentsim.testing.simulation import Simulation, warm_up
from agentsim.testing.worlds import devops
from agentsim.world import Human, Spec

__all__ = ["simulations"]

Offered: TypeAlias = "st.SearchStrategy[FaultPlan] | Sequence[FaultRule | Fault | str]"
"""Plans of faults, or faults of which some may strike."""

LIMITS = st.sampled_from(
    (
        *[Limits()] * 4,
        *[Limits(deadline_s=None)] * 6,
        Limits(max_iterations=None),
        Limits(max_iterations=3),
        Limits(max_iterations=1),
        Limits(deadline_s=60.0),
        Limits(deadline_s=6.0),
        Limits(token_budget=900),
        Limits(token_budget=120, cache_read_weight=0.1),
        Limits(max_parallel=1),
        Limits(max_parallel=2),
        Limits(max_parallel=None),
    )
)
"""Limits: the usual ones, or others that end runs."""

HUMANS = st.sampled_from(
    (
        *[Human()] * 4,
        Human(approves=False, reason="not today"),
        Human(approves=False),
        Human(decisions=(Decision(approved=False), Decision(approved=True))),
        Human(name=None),
        Human(latency_s=4_000.0),
        None,
    )
)
"""Persons who approve, refuse, are slow or have no id; or nobody at all."""

MESSAGES = st.sampled_from(((), (), (Injected("message-1", "Hurry."),)))
"""Messages that may enter the running turn."""

_USUAL: Mapping[str, Any] = {
    "task": "Sort it out.",
    "limits": LIMITS,
    "human": HUMANS,
    "inject": MESSAGES,
}
"""What is drawn of a scenario unless it is given."""

_SETTLED = ("script", "world", "faults", "exact")
"""Fields of a scenario that have a parameter of their own, or no choice."""


def simulations(
    scenario: Scenario | st.SearchStrategy[Scenario] | None = None,
    *,
    world: st.SearchStrategy[Sequence[Spec]] | Sequence[Spec] | None = None,
    script: st.SearchStrategy[Script] | Sequence[Entry] | None = None,
    faults: Offered | None = None,
    schedule: st.SearchStrategy[Mapping[int, int]] | None = None,
    cancel: bool = True,
    crash: bool = False,
    **others: Any,
) -> st.SearchStrategy[Simulation]:
    """Simulations: a scenario, what may happen beside it, and what does.

    They are small unless something makes them grow, and shrink towards a short script,
    few calls, no faults and no deviations. The scenarios are not `exact`: nobody wrote
    the script as a story that the agent has to follow to its end.

    Args:
        scenario: One scenario, or a strategy for them: then only what happens beside it
            is drawn, and its own faults, script and limits are as they are.
        world: The parts of the world, or a strategy for them; `devops()` unless given.
        script: What the model says, or a strategy for it; `scripts(world)` unless given.
        faults: Faults of which some may strike, or a strategy such as `any_faults()` or
            `fault_plans(...)`; the whole catalogue unless given.
        schedule: Deviations; `schedules()` unless given.
        cancel: Whether the run may be cancelled.
        crash: Whether the process may die; the agent then starts anew.
        **others: Further fields of the scenario, or strategies for them; `limits`,
            `human` and `inject` are drawn unless given.

    Raises:
        UsageError: for a field that a scenario does not have, or that is not drawn
            because the scenario is given, and for one thing where a list is asked for.
    """
    if not isinstance(scenario, Scenario | st.SearchStrategy | None):
        raise UsageError(
            "simulations(): expected a Scenario or a strategy for them, got "
            f"{type(scenario).__name__}"
        )
    for name, given in (("world", world), ("faults", faults)):
        _check_listed(name, given)
    warm_up()
    menus = _menus(_plans(faults), cancel=cancel, crash=crash)
    if scenario is not None:
        _refuse_fields({"world": world, "script": script, **others})
        stories = strategy_of(scenario)
    else:
        _check_fields(others)
        stories = _stories(world, script, others)
    return _simulations(stories, menus, schedule)


@st.composite
def _simulations(
    draw: st.DrawFn,
    stories: st.SearchStrategy[Scenario],
    menus: st.SearchStrategy[tuple[FaultPlan, Menu]],
    schedule: st.SearchStrategy[Mapping[int, int]] | None,
) -> Simulation:
    story = draw(stories)
    plan, menu = draw(menus)
    if schedule is None:
        schedule = schedules(positions=_choices_about(story, menu))
    return Simulation(_with_rules(story, plan), menu, draw(schedule))


def _choices_about(story: Scenario, menu: Menu) -> int:
    """How many choices a run has that follows its script: gates, and faults to strike."""
    writes = {tool.name: tool.writes for tool in story.known_tools}
    replies = [entry for entry in story.replies if isinstance(entry, Reply)]
    calls = [asked.name for reply in replies for asked in reply.calls]
    gates = len(replies) + 1 + sum(1 + writes[name] for name in calls)
    struck = sum(
        any(
            rule.fault.target == "tool"
            and rule.name in (None, name)
            and (writes[name] or not rule.fault.needs_write)
            for rule in menu.rules
        )
        for name in calls
    )
    model = any(rule.fault.target == "model" for rule in menu.rules)
    return gates + struck + model * len(replies)


@st.composite
def _stories(
    draw: st.DrawFn,
    world: Any,  # noqa: ANN401  # as given to `simulations`
    script: Any,  # noqa: ANN401  # the same
    others: Mapping[str, Any],
) -> Scenario:
    parts = tuple(draw(devops() if world is None else strategy_of(world)))
    given = {**_USUAL, **others}
    values = {name: draw(strategy_of(given[name])) for name in given}
    told = scripts(parts, tools=values.get("tools")) if script is None else script
    return Scenario(script=draw(strategy_of(told)), world=parts, exact=False, **values)


def _plans(faults: Offered | None) -> st.SearchStrategy[FaultPlan]:
    if faults is None:
        return any_faults()
    if isinstance(faults, st.SearchStrategy):
        return faults
    return any_faults(*faults) if faults else st.just(FaultPlan())


@st.composite
def _menus(
    draw: st.DrawFn,
    plans: st.SearchStrategy[FaultPlan],
    *,
    cancel: bool,
    crash: bool,
) -> tuple[FaultPlan, Menu]:
    """A plan with the menu that offers what it does."""
    plan = draw(plans)
    cancels = cancel and draw(st.booleans())
    crashes = crash and draw(st.booleans())
    return plan, Menu("any_order", plan.offered, cancel=cancels, crash=crashes)


def _with_rules(story: Scenario, plan: FaultPlan) -> Scenario:
    """The story with the faults of a plan that strike by rule."""
    rules = _possible(plan.rules, story)
    if not rules:
        return story
    return replace(story, faults=(*story.faults, *rules), exact=False)


def _possible(rules: Sequence[FaultRule], story: Scenario) -> tuple[FaultRule, ...]:
    """The rules that can strike in the world of a story."""
    writes = {tool.name: tool.writes for tool in story.known_tools}
    return tuple(
        rule
        for rule in rules
        if rule.name is None
        or (rule.name in writes and (writes[rule.name] or not rule.fault.needs_write))
    )


def _check_listed(name: str, given: object) -> None:
    """A list, or a strategy for it. A text is none, though it could be gone through."""
    listed = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    if given is not None and not (listed or isinstance(given, st.SearchStrategy)):
        raise UsageError(
            f"simulations(): {name}: expected a list, or a strategy for it, got "
            f"{type(given).__name__}: write {name}=[...]"
        )


def _check_fields(given: Iterable[str]) -> None:
    known = [entry.name for entry in fields(Scenario) if entry.name not in _SETTLED]
    for name in given:
        if name not in known:
            raise UsageError(
                f"simulations(): no field {name!r} to draw (there are "
                f"{', '.join(known)}){did_you_mean(name, known)}"
            )


def _refuse_fields(given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value is not None:
            raise UsageError(
                f"simulations(): {name} is a part of the scenario that is given: "
                "change it there, or leave the scenario out"
            )
