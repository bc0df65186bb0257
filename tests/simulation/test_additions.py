"""What is written of a scenario or a run brings along what it names of a user's own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentsim.faults import CATALOGUE, Fault
from agentsim.invariants import INVARIANTS
from agentsim.providers import call, say
from agentsim.simulation import (
    Menu,
    Scenario,
    load_scenario,
    regression_test,
    run,
    scenario_yaml,
    source_of,
)
from agentsim.world import SPECS
from tests.simulation.fakes import obedient, writing

OWN = '''
from agentsim import tool
from agentsim.core import EffectApplied
from agentsim.faults import CATALOGUE, Fault
from agentsim.invariants import INVARIANTS, Violation, invariant, rule
from agentsim.world import SPECS, world_part


@SPECS.add
@world_part("lamp_of_a_test")
class Lamp:
    """A lamp."""

    on: bool = False

    @tool(confirm=False)
    def switch(self) -> str:
        """Switch it."""
        self.on = not self.on
        return "done"


def add_late(name):
    CATALOGUE.add(Fault(name, "tool", "it is late", delay_s=90))


add_late("late_of_a_test")


@INVARIANTS.add
@invariant("never-of-a-test", "Nothing is written.", rationale="A test.")
def never(facts):
    bad = [
        Violation("it was", expected="nothing", found="a write", events=(index,))
        for index, event in enumerate(facts.events)
        if isinstance(event, EffectApplied)
    ]
    return rule(1, bad, "nothing")
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A module that adds a part, a fault and an invariant; they are taken back."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_of_a_test.py").write_text(OWN, "utf-8")
    sys.path.insert(0, str(folder))
    importlib.import_module("own_of_a_test")
    yield "own_of_a_test"
    sys.path.remove(str(folder))
    SPECS.discard("lamp_of_a_test")
    CATALOGUE.discard("late_of_a_test")
    INVARIANTS.discard("never-of-a-test")
    del sys.modules["own_of_a_test"]


def lit(**fields: object) -> Scenario:
    """A story in an own world."""
    scenario = Scenario(
        "Light.", [call("switch"), say("On.")], world=[SPECS["lamp_of_a_test"]()]
    )
    return replace(scenario, **fields)  # type: ignore[arg-type]


def test_an_entry_knows_the_module_whose_import_adds_it(own: str) -> None:
    """By a decorator, by a function of the module, and by no module at all."""
    assert SPECS.added_by("lamp_of_a_test") == own
    assert CATALOGUE.added_by("late_of_a_test") == own
    assert INVARIANTS.added_by("never-of-a-test") == own
    assert CATALOGUE.added_by("slow") is None
    CATALOGUE.add(Fault("passing_of_a_test", "tool", "it passes", delay_s=1))
    assert CATALOGUE.added_by("passing_of_a_test") is None
    CATALOGUE.discard("passing_of_a_test")
    assert CATALOGUE.added_by("passing_of_a_test") is None


@pytest.mark.parametrize("what", ["a part", "a fault", "a menu", "an invariant"])
def test_a_file_uses_what_adds_what_it_names(
    own: str, what: str, tmp_path: Path
) -> None:
    """A story that is written as a file can be read where nothing is imported yet."""
    menu = Menu(faults=["late_of_a_test"])
    text = {
        "a part": lambda: scenario_yaml(lit()),
        "a fault": lambda: scenario_yaml(writing(faults=["late_of_a_test"])),
        "a menu": lambda: scenario_yaml(writing(), menu=menu),
        "an invariant": lambda: scenario_yaml(
            writing(), invariants=["never-of-a-test"]
        ),
    }[what]()
    assert f"uses: [{own}]" in text
    (tmp_path / "again.yaml").write_text(text, "utf-8")
    load_scenario(tmp_path / "again.yaml")


def test_a_file_that_names_nothing_of_ones_own_uses_nothing(own: str) -> None:
    """What comes with agentsim is known everywhere."""
    assert own
    text = scenario_yaml(writing(faults=["slow"]), menu=Menu(faults=["raises"]))
    assert "uses" not in text


def test_source_imports_what_adds_its_faults(own: str) -> None:
    """A part is imported by its class, a fault by the module that adds it."""
    assert f"from {own} import Lamp" in source_of(lit())
    source = source_of(writing(faults=["late_of_a_test"]))
    assert f"import {own}  # noqa: F401 - it adds late_of_a_test\n" in source
    assert f"import {own}  #" not in source_of(lit(faults=["late_of_a_test"]))


def test_a_test_imports_what_judges_it(own: str) -> None:
    """Without it the test would hold: the invariant would not be known."""
    menu = Menu(faults=["late_of_a_test"])
    made = run(writing(), obedient, menu=menu)
    assert "never-of-a-test" in [entry.id for entry in made.verdict.violated]
    source = regression_test(made, obedient)
    added = "it adds late_of_a_test, never-of-a-test"
    assert f"import {own}  # noqa: F401 - {added}\n" in source
