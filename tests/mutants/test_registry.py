"""The registry of mutants is complete, and each is a loop with a small change."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from pathlib import Path

import agentsim.mutants
from agentsim.mutants import MUTANTS, Loop, Mutant, mutants_page, unbroken
from agentsim.mutants.pages.faults import KNOWN_FAULTS
from tests.support.source import ROOT

METHODS_MAX = 3


def loop_of(mutant: Mutant) -> type[Loop]:
    """The class of a mutant: named like it, in the same module."""
    module = importlib.import_module(mutant.agent.__module__)
    name = "".join(word.capitalize() for word in mutant.name.split("_"))
    found = getattr(module, name)
    assert isinstance(found, type)
    assert issubclass(found, Loop)
    return found


def test_each_mutant_is_found_by_its_name() -> None:
    """`agentsim.mutants:NAME` is the agent itself: a function of the environment."""
    for name, mutant in MUTANTS.items():
        assert getattr(agentsim.mutants, name) is mutant.agent
        assert inspect.iscoroutinefunction(mutant.agent), name
        assert list(inspect.signature(mutant.agent).parameters) == ["env"], name


def test_each_mutant_differs_by_a_few_methods() -> None:
    """It replaces one to three methods of the loop, and every one of them exists there."""
    for name, mutant in MUTANTS.items():
        loop = loop_of(mutant)
        own = {
            method
            for method, value in vars(loop).items()
            if inspect.isfunction(value) and not method.startswith("__")
        }
        helpers = {method for method in own if not hasattr(Loop, method)}
        replaced = own - helpers
        assert loop.__bases__ == (Loop,), name
        assert len(replaced) <= METHODS_MAX, name
        assert replaced or "__init__" in vars(loop), name
        assert len(helpers) <= 1, name


def test_each_mutant_says_what_is_broken() -> None:
    """The sentence is one line that ends with a full stop; the scenario is a file."""
    for name, mutant in MUTANTS.items():
        assert "\n" not in mutant.sentence, name
        assert mutant.sentence.endswith("."), name
        assert (ROOT / "scenarios" / mutant.scenario).is_file(), name


def test_every_mutant_is_registered() -> None:
    """No class of a broken loop is left out of the table, and no sentence is said twice."""
    modules = {mutant.agent.__module__ for mutant in MUTANTS.values()}
    classes = [
        value
        for name in sorted(modules)
        for value in vars(importlib.import_module(name)).values()
        if inspect.isclass(value) and issubclass(value, Loop) and value is not Loop
    ]
    assert sorted(c.__name__ for c in classes) == sorted(
        loop_of(mutant).__name__ for mutant in MUTANTS.values()
    )
    sentences = Counter(mutant.sentence for mutant in MUTANTS.values())
    assert max(sentences.values()) == 1
    assert all(name == mutant.name for name, mutant in MUTANTS.items())
    assert unbroken not in [mutant.agent for mutant in MUTANTS.values()]


def test_the_page_is_true() -> None:
    """docs/reference/mutants.md is what the registry makes today."""
    page = Path(ROOT) / "docs" / "reference" / "mutants.md"
    assert page.read_text(encoding="utf-8") == mutants_page(), (
        "write it anew: python -c 'from agentsim.mutants import mutants_page; "
        'print(mutants_page(), end="")\' > docs/reference/mutants.md'
    )


def test_every_known_fault_is_shown_by_what_there_is() -> None:
    """Mutants and tests that the table names exist, and each fault has one of the three."""
    for fault in KNOWN_FAULTS:
        assert all(name in MUTANTS for name in fault.mutants), fault
        assert sum(map(bool, (fault.mutants, fault.test, fault.waits_for))) == 1, fault
        if fault.test:
            file, _, name = fault.test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text("utf-8"), fault
    assert len({fault.words for fault in KNOWN_FAULTS}) == len(KNOWN_FAULTS)
