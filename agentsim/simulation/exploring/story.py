"""The shortest story: fewer replies, calls and words that still show the same failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

from agentsim.core import ScenarioError, UsageError
from agentsim.providers import Call, Entry, Reply, Script, say
from agentsim.simulation.expectation import EXPECTED
from agentsim.simulation.exploring.shrink import Found, Step, Tries, shrink, steps_of
from agentsim.simulation.menu import Menu
from agentsim.simulation.run import Run
from agentsim.simulation.scenario import Scenario
from agentsim.world import Spec

__all__ = ["shortest_story"]

TEXT_MAX = 24
"""Characters from which a text is worth being replaced."""

DONE = say("Done.")

PLAIN_FIELDS = (
    "history",
    "inject",
    "faults",
    "tools",
    "start",
    "stop",
    "prompt",
    "human",
    "loop",
    "limits",
    "temperature",
    "seed",
)
"""Fields that a story may do without, in the order in which that is tried."""


def shortest_story(bad: Run, tries: Tries) -> Run:
    """Leave out of the scenario what the failure does not need.

    What fails the expectation of the whole story stays the whole story.

    Args:
        bad: A run that shows the failure, with the fewest deviations.
        tries: Knows the failure, and how much may still be tried.

    Returns:
        A run that shows the failure with a smaller menu, and where something can be left
        out, of a scenario of the same name with `, shortest` behind it.
    """
    told = _narrow(bad, tries)
    if tries.invariant == EXPECTED:
        return told
    renamed = replace(bad.scenario, name=f"{bad.scenario.name}, shortest")
    short = _shown(renamed, told.menu, told, tries)
    if short is None:
        return told
    before = None
    while short is not before:
        before = short
        for shorter in (_bare, _scripts, _worlds, _plainer, _lower):
            short = _shortened(short, shorter, tries)
    if short.scenario == renamed:
        return told
    return shrink(_narrow(short, tries), tries)


def _shortened(
    told: Run, shorter: Callable[[Scenario], Iterator[Scenario]], tries: Tries
) -> Run:
    """Take the first shorter scenario that shows the failure, again and again."""
    found: Run | None = told
    while found is not None:
        told, found = found, None
        for candidate in shorter(told.scenario):
            found = _shown(candidate, told.menu, told, tries)
            if found is not None:
                break
    return told


def _narrow(told: Run, tries: Tries) -> Run:
    """The run with as small a menu as shows the failure."""
    for menu in _narrower(told.menu, told):
        made = _shown(told.scenario, menu, told, tries)
        if made is not None:
            return made
    return told


def _shown(scenario: Scenario, menu: Menu, bad: Run, tries: Tries) -> Run | None:
    """A run of another scenario that shows the failure by the deviations of `bad`."""
    steps = tuple(steps_of(bad, bad.choices.deviations))
    for plan in _plans(steps):
        made = tries.run(scenario, menu, bad, Found(plan))
        if made is not None:
            return made
    return None


def _plans(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The steps as they are, and each of them a little or much earlier."""
    yield steps
    for number, step in enumerate(steps):
        for skip in dict.fromkeys((step.skip - 1, step.skip - 2, 0)):
            if 0 <= skip < step.skip:
                yield (*steps[:number], step._replace(skip=skip), *steps[number + 1 :])


def _narrower(menu: Menu, bad: Run) -> Iterator[Menu]:
    """Menus with only what struck, on time if nothing came out of order."""
    rules = [rule for rule in menu.rules if rule.fault.name in bad.struck]
    narrow = replace(
        menu,
        faults=rules,
        cancel="cancel" in bad.struck,
        crash="crash" in bad.struck,
    )
    yield from dict.fromkeys(
        entry for entry in (replace(narrow, policy="timed"), narrow) if entry != menu
    )


# -------------------------------------------------------------------- shorter scenarios


def _bare(scenario: Scenario) -> Iterator[Scenario]:
    """Without what was expected of the whole story."""
    return _without(scenario, "expect")


def _scripts(scenario: Scenario) -> Iterator[Scenario]:
    """Without some replies, then with shorter ones."""
    for script in _shorter_scripts(scenario.replies):
        yield from _changed(scenario, script=script)


def _worlds(scenario: Scenario) -> Iterator[Scenario]:
    """Without a part of the world, or with one as it is by default."""
    for number, spec in enumerate(scenario.world):
        before, after = scenario.world[:number], scenario.world[number + 1 :]
        yield from _changed(scenario, world=(*before, *after))
        usual = _usual(spec)
        if usual is not None:
            yield from _changed(scenario, world=(*before, usual, *after))


def _plainer(scenario: Scenario) -> Iterator[Scenario]:
    """With a field as by default, or a list by one entry shorter."""
    for name in PLAIN_FIELDS:
        yield from _without(scenario, name)


def _lower(scenario: Scenario) -> Iterator[Scenario]:
    """With one of its own faults at an earlier attempt."""
    for number, rule in enumerate(scenario.rules):
        for attempt in range(1, rule.attempt or 1):
            lower = replace(rule, attempt=attempt)
            rules = (*scenario.rules[:number], lower, *scenario.rules[number + 1 :])
            yield from _changed(scenario, faults=rules)


def _changed(scenario: Scenario, **changes: Any) -> Iterator[Scenario]:
    try:
        yield replace(scenario, **changes)
    except (ScenarioError, UsageError):
        return  # such as a script that calls a tool of the part that is left out


def _without(scenario: Scenario, name: str) -> Iterator[Scenario]:
    """The scenario with a field as by default, and a list by one entry shorter."""
    value = getattr(scenario, name)
    (field,) = (entry for entry in fields(scenario) if entry.name == name)
    plain: Any = field.default
    if field.default_factory is not MISSING:
        plain = field.default_factory()
    if value == plain:
        return
    yield from _changed(scenario, **{name: plain})
    if name in ("inject", "faults") and len(value) > 1:
        for number in range(len(value)):
            kept = (*value[:number], *value[number + 1 :])
            yield from _changed(scenario, **{name: kept})


def _usual(spec: Spec) -> Spec | None:
    """A part of a world as it is by default, where it is not and can be."""
    try:
        usual: Spec = type(spec)()
    except (TypeError, UsageError):
        return None
    return usual if usual != spec else None


def _shorter_scripts(script: Script) -> Iterator[list[Entry]]:
    """Scripts without some replies, then with shorter ones; the last one stays."""
    entries = list(script)
    size = len(entries) - 1
    step = size
    while step >= 1:
        for start in range(0, size, step):
            yield entries[:start] + entries[min(start + step, size) :]
        step //= 2
    for number, entry in enumerate(entries):
        if isinstance(entry, Reply):
            for shorter in _replies(entry, last=number == size):
                yield [*entries[:number], shorter, *entries[number + 1 :]]


def _replies(reply: Reply, *, last: bool) -> Iterator[Reply]:
    """The reply with less in it."""
    if last and not reply.calls and reply != DONE:
        yield DONE
    if len(reply.calls) > 1:
        for number in range(len(reply.calls)):
            calls = (*reply.calls[:number], *reply.calls[number + 1 :])
            yield replace(reply, calls=calls)
    if reply.calls and reply.text:
        yield replace(reply, text="")
    elif len(reply.text) > TEXT_MAX:
        yield replace(reply, text=DONE.text)
    if reply.latency_s is not None:
        yield replace(reply, latency_s=None)
    if reply.blocks:
        yield replace(reply, blocks=())
    if reply.usage != "counted":
        yield replace(reply, usage="counted")
    for number, call in enumerate(reply.calls):
        for shorter in _calls(call):
            calls = (*reply.calls[:number], shorter, *reply.calls[number + 1 :])
            yield replace(reply, calls=calls)


def _calls(call: Call) -> Iterable[Call]:
    """The call with short texts in its arguments."""
    import json

    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return
    if not isinstance(arguments, dict):
        return
    for name, value in arguments.items():
        if isinstance(value, str) and len(value) > TEXT_MAX:
            short = {**arguments, name: "x"}
            yield replace(call, arguments=json.dumps(short, ensure_ascii=False))
