"""Who may import what inside agentsim, as far as import-linter does not see it.

import-linter holds the table of packages (pyproject.toml). These tests hold the two
rules about the form of an import: siblings directly, other packages by their door.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.support.source import (
    PACKAGE,
    PACKAGES,
    Module,
    imports,
    modules,
    modules_of,
    parse,
)

# Served to every package, and below all of them.
DOORSTEP = "agentsim._lazy"


@dataclass(frozen=True)
class Tree:
    """The dotted names of a project.

    Attributes:
        modules: Of all modules.
        packages: Of those that are packages: their doors are open to everyone.
        exported: Of the names that packages export, which hide a module of the same
            name.
    """

    modules: frozenset[str]
    packages: frozenset[str] = frozenset()
    exported: frozenset[str] = frozenset()


def faults_of_form(module: Module, tree: Tree) -> list[str]:
    """Name the imports of a module that take a wrong way."""
    return [
        f"{module.path}:{node.lineno}: {reason}"
        for node, source, name in imports(module)
        if (reason := _reason(module, tree, source, name))
    ]


def _reason(module: Module, tree: Tree, source: str, name: str) -> str:
    parts = source.split(".")
    if parts[0] != PACKAGE or source == DOORSTEP:
        return ""
    if len(parts) == 1:
        return "import the package that owns the name, not the root"
    full = f"{source}.{name}"
    if full in tree.modules and full not in tree.exported:
        return f"import names, not the module {full}"
    own = parts[1] == module.package
    if own and len(parts) == 2:
        return f"inside {source} import the sibling module that defines {name}"
    if not own and len(parts) > 2 and source not in tree.packages:
        return f"outside agentsim.{parts[1]} import from the package, not {source}"
    return ""


def _exported() -> Iterator[str]:
    for module in modules():
        if module.is_init:
            for name in getattr(importlib.import_module(module.name), "__all__", ()):
                yield f"{module.name}.{name}"


@cache
def own_tree() -> Tree:
    """That of agentsim."""
    return Tree(
        frozenset(module.name for module in modules()),
        frozenset(module.name for module in modules() if module.is_init),
        frozenset(_exported()),
    )


@pytest.mark.parametrize("package", PACKAGES, ids=lambda name: name or "root")
def test_imports_take_the_right_way(package: str) -> None:
    """Siblings are imported directly, other packages by their door, the root never."""
    found = [faults_of_form(module, own_tree()) for module in modules_of(package)]
    assert [fault for faults in found for fault in faults] == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("import agentsim", "root"),
        ("from agentsim import Scenario", "root"),
        ("from agentsim.trace.codec import dump", "from the package"),
        ("import agentsim.trace.codec", "from the package"),
        ("from agentsim.core import Message", "sibling"),
        ("from agentsim.core import messages", "not the module"),
    ],
)
def test_a_wrong_way_is_named(line: str, word: str) -> None:
    """Each wrong form of import is found, and the message says what to write."""
    module = parse("agentsim/core/sample.py", line)
    tree = Tree(frozenset({"agentsim.core.messages", "agentsim.trace.codec"}))
    (fault,) = faults_of_form(module, tree)
    assert fault.startswith("agentsim/core/sample.py:1: ")
    assert word in fault


@pytest.mark.parametrize(
    "line",
    [
        "from agentsim.core.messages import Message",
        "from agentsim.trace import Trace",
        "from agentsim._lazy import attach",
        "import json",
    ],
)
def test_the_right_ways_pass(line: str) -> None:
    """The forms that the rules ask for are not reported."""
    module = parse("agentsim/core/sample.py", line)
    assert faults_of_form(module, Tree(frozenset({"agentsim.core.messages"}))) == []
