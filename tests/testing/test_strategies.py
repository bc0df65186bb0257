"""What the strategies draw is valid, small by default, and readable."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from syrupy.assertion import SnapshotAssertion

from agentsim.core import InvalidArguments, Limits, UsageError, parse_arguments
from agentsim.faults import CATALOGUE, FaultPlan, answer_lost, check_rules
from agentsim.providers import Forever, Reply, Script, call, say
from agentsim.simulation import Menu, Scenario, source_of
from agentsim.testing import (
    Simulation,
    any_faults,
    devops,
    fault_plans,
    scripts,
    simulations,
    worlds,
)
from agentsim.testing.arguments import fitting, misfitting
from agentsim.world import SPECS, Disk, Files, Payments, Services, Spec, World
from tests.support.examples import FEWER

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "minLength": 2, "maxLength": 5},
        "b": {"type": "integer", "minimum": 3, "exclusiveMaximum": 9},
        "c": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1},
        "d": {"enum": ["x", 1, None]},
        "e": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 1},
        "f": {"anyOf": [{"const": 7}, {"type": "boolean"}]},
        "g": {"type": "string", "pattern": "^[a-c]+$"},
        "h": True,
        "i": {"type": "integer"},
    },
    "required": ["a", "c", "e", "i"],
    "additionalProperties": False,
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"of": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }
    },
}


@st.composite
def fitting_arguments(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments as scripts draw them."""
    return fitting(draw, schema, ("web-03", "nginx"))


@given(fitting_arguments(SCHEMA))
def test_drawn_arguments_fit_their_schema(arguments: dict[str, Any]) -> None:
    """Of all forms of schemas that tools have."""
    jsonschema_rs.validate(SCHEMA, arguments)


@st.composite
def misfitting_arguments(draw: st.DrawFn) -> str:
    """Wrong arguments as scripts draw them."""
    return misfitting(draw, SCHEMA, ())


@given(misfitting_arguments())
def test_wrong_arguments_do_not_fit(text: str) -> None:
    """They are no JSON object, or one with other fields."""
    try:
        arguments = parse_arguments(text)
    except InvalidArguments:
        return
    assert not jsonschema_rs.is_valid(SCHEMA, arguments)


@FEWER
@given(devops().flatmap(lambda world: st.tuples(st.just(world), scripts(world))))
def test_scripts_call_tools_of_their_world(
    drawn: tuple[tuple[Spec, ...], Script],
) -> None:
    """A scenario takes them: every call names a tool that there is."""
    world, script = drawn
    scenario = Scenario("Sort it out.", script, world=world, exact=False)
    assert len(scenario.replies) >= 1


@FEWER
@given(scripts([Disk(), Files()], tools=["check_disk"], replies=2, wrong=False))
def test_scripts_are_as_narrow_as_asked(script: Script) -> None:
    """Tools, length and faults of a script can be kept down."""
    assert {name for _, name in script.called_tools()} <= {"check_disk"}
    assert script[-1] == say("Done.")
    assert len(script) <= 2 * 7 + 1
    for entry in script:
        assert isinstance(entry, Reply)
        for asked in entry.calls:
            assert set(json.loads(asked.arguments)) <= {"host"}


SEARCH = settings(max_examples=2_000, database=None, phases=[Phase.generate])

KINDS: dict[str, Any] = {
    "two calls": lambda r: len(r.calls) > 1,
    "text beside a call": lambda r: r.calls and r.text,
    "a pause": lambda r: r.stop_reason == "pause_turn",
    "a cut call": lambda r: r.calls and r.stop_reason == "max_tokens",
    "no usage": lambda r: r.calls and r.usage is None,
    "a slow reply": lambda r: (r.latency_s or 0) > 3_600,
    "wrong arguments": lambda r: any(c.arguments[:1] != "{" for c in r.calls),
}


@pytest.mark.slow
def test_scripts_have_replies_and_repetitions_of_every_kind() -> None:
    """What a model can do is drawn, and found within the examples of a test."""
    sought = [*KINDS, "polls", "no end"]

    def none_is_left(script: Script) -> bool:
        replies = [reply for reply in script if isinstance(reply, Reply)]
        met = {kind for kind, fits in KINDS.items() if any(map(fits, replies))}
        if any(script[n : n + 6] == (script[n],) * 6 for n in range(len(script) - 6)):
            met.add("polls")
        if isinstance(script[-1], Forever):
            met.add("no end")
        sought[:] = [kind for kind in sought if kind not in met]
        return not sought

    with suppress(NoSuchExample):
        find(scripts([Disk()]), none_is_left, settings=SEARCH)
    assert sought == []


@pytest.mark.slow
def test_the_smallest_of_each_is_dull() -> None:
    """Shrinking leads to one part, one reply, no faults and no deviations."""
    every = settings(database=None, max_examples=20)
    assert find(worlds(), lambda _: True, settings=every) == (Disk(),)
    assert find(scripts([Disk()]), lambda _: True, settings=every) == Script(
        [say("Done.")]
    )
    assert find(any_faults(), lambda _: True, settings=every) == FaultPlan()
    assert find(fault_plans([Disk()]), lambda _: True, settings=every) == FaultPlan()
    assert find(simulations(), lambda _: True, settings=every) == Simulation(
        Scenario("Sort it out.", [say("Done.")], world=[Disk()], exact=False),
        Menu("any_order"),
    )


@pytest.mark.slow
def test_a_call_shrinks_to_one_without_needless_arguments() -> None:
    """Optional arguments go, and with them all that is unusual."""
    found = find(
        simulations(),
        lambda simulation: bool(list(simulation.scenario.replies.called_tools())),
        settings=settings(database=None),
    )
    assert list(found.scenario.replies) == [call("check_disk"), say("Done.")]


@FEWER
@given(worlds())
def test_worlds_are_of_parts_that_fit_together(world: tuple[Spec, ...]) -> None:
    """Each kind is there once at most, and there is one at least."""
    assert World(world).tools


@FEWER
@given(worlds(Disk, Payments(balance="1.00"), st.just(Files({"a": "b"}))))
def test_worlds_are_of_the_parts_that_are_given(world: tuple[Spec, ...]) -> None:
    """Classes are drawn, specs stay as they are, and strategies are drawn from."""
    for spec in world:
        assert isinstance(spec, Disk) or spec in (
            Payments(balance="1.00"),
            Files({"a": "b"}),
        )


@pytest.mark.slow
def test_every_part_of_ours_can_be_drawn() -> None:
    """A part that needs no other is among the worlds, and so is a class of one's own."""
    alone = [spec for spec in SPECS.own.values() if spec.kind != "suite"]
    left = {spec.kind for spec in alone}

    def none_is_left(world: tuple[Spec, ...]) -> bool:
        left.difference_update(spec.kind for spec in world)
        return not left

    with suppress(NoSuchExample):
        find(worlds(*alone), none_is_left, settings=settings(SEARCH, max_examples=300))
    assert left == set()


def test_what_is_no_part_is_refused() -> None:
    """The error says what is taken."""
    with pytest.raises(UsageError, match="expected a class of specs such as Disk"):
        worlds("disk")  # type: ignore[arg-type]


@FEWER
@given(fault_plans([Disk(), Services()]))
def test_plans_strike_what_is_there(plan: FaultPlan) -> None:
    """Rules name tools of the world that their fault can strike."""
    tools = {tool.name: tool.writes for tool in World([Disk(), Services()]).tools}
    check_rules(plan.rules, tools)


@FEWER
@given(any_faults("slow", "answer_lost:create_payment", CATALOGUE["raises"]))
def test_faults_are_offered_in_their_order(plan: FaultPlan) -> None:
    """Some of those that were given, each once."""
    order = ["slow", "answer_lost:create_payment", "raises"]
    texts = [rule.text for rule in Menu(faults=plan.offered).rules]
    assert texts == [text for text in order if text in texts]
    assert not plan.rules


@FEWER
@given(simulations(crash=True))
def test_simulations_are_valid_and_reproducible_from_their_source(
    simulation: Simulation,
) -> None:
    """Each is a scenario that reads back from its source."""
    names: dict[str, Any] = {}
    exec(source_of(simulation.scenario), names)
    assert names["scenario"] == simulation.scenario


STORY = Scenario(
    "Pay.",
    [call("create_payment", invoice=1, amount="1.00"), say("Paid.")],
    world=[Payments()],
)


@FEWER
@given(simulations(STORY, faults=["answer_lost"], cancel=False))
def test_of_a_scenario_only_the_choices_are_drawn(simulation: Simulation) -> None:
    """It stays as it is; what may happen is as given."""
    assert simulation.scenario is STORY
    assert not simulation.menu.cancel
    assert simulation.menu.rules in ((), (answer_lost(),))


@FEWER
@given(simulations(STORY, faults=fault_plans([Disk()])))
def test_rules_that_cannot_strike_are_left_out(simulation: Simulation) -> None:
    """A plan for another world gives a valid scenario all the same."""
    assert all(rule.name is None for rule in simulation.scenario.rules)
    simulation.run().expect_holds()


@FEWER
@given(
    simulations(
        world=[Disk()],
        script=[call("check_disk"), say("Done.")],
        faults=(),
        limits=st.just(Limits(max_iterations=5)),
        human=None,
        task="Look.",
        tools=["check_disk"],
    )
)
def test_what_is_given_is_not_drawn(simulation: Simulation) -> None:
    """Fields of the scenario may be values, or strategies for them."""
    scenario = simulation.scenario
    assert scenario.world == (Disk(),)
    assert list(scenario.replies) == [call("check_disk"), say("Done.")]
    assert scenario.limits == Limits(max_iterations=5)
    assert (scenario.human, scenario.task) == (None, "Look.")
    assert simulation.menu.rules == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"wrld": [Disk()]}, "no field 'wrld'"),
        ({"exact": True}, "no field 'exact'"),
        ({"scenario": "pay.yaml"}, "expected a Scenario or a strategy .*, got str"),
        ({"world": Disk()}, r"world: expected a list, .*, got Disk: write world=\["),
        ({"faults": "slow"}, r"faults: expected a list, .*, got str: write faults=\["),
        ({"scenario": STORY, "limits": Limits()}, "limits is a part of the scenario"),
        ({"scenario": STORY, "world": devops()}, "world is a part of the scenario"),
    ],
)
def test_a_wrong_parameter_is_told(arguments: dict[str, Any], words: str) -> None:
    """The error says what can be drawn, or where to change it."""
    with pytest.raises(UsageError, match=words):
        simulations(**arguments)


def test_a_simulation_is_printed_as_its_source(snapshot: SnapshotAssertion) -> None:
    """What Hypothesis shows of an example is Python."""
    simulation = Simulation(STORY, Menu("any_order", ("slow",), cancel=True), {3: 1})
    assert repr(simulation) == snapshot
    assert repr(Simulation(Scenario("x", []))) == (
        'Simulation(scenario=Scenario(task="x", script=[]))'
    )
