"""Who may import what inside agentsim, as far as import-linter does not see it.

import-linter holds the table of packages (pyproject.toml). These tests hold the two
rules about the form of an import: siblings directly, other packages by their door.
"""

import pytest

from tests.support.source import PACKAGE, Module, imports, modules, parse

# Served to every package, and below all of them.
DOORSTEP = "agentsim._lazy"


def faults_of_form(module: Module, known: frozenset[str]) -> list[str]:
    """Name the imports of a module that take a wrong way.

    Args:
        module: The module to look at.
        known: The dotted names of all modules of the project.
    """
    return [
        f"{module.path}:{node.lineno}: {reason}"
        for node, source, name in imports(module)
        if (reason := _reason(module, known, source, name))
    ]


def _reason(module: Module, known: frozenset[str], source: str, name: str) -> str:
    parts = source.split(".")
    if parts[0] != PACKAGE or source == DOORSTEP:
        return ""
    if len(parts) == 1:
        return "import the package that owns the name, not the root"
    if f"{source}.{name}" in known and len(parts) > 1:
        return f"import names, not the module {source}.{name}"
    own = parts[1] == module.package
    if own and len(parts) == 2:
        return f"inside {source} import the sibling module that defines {name}"
    if not own and len(parts) > 2:
        return f"outside agentsim.{parts[1]} import from the package, not {source}"
    return ""


KNOWN = frozenset(module.name for module in modules())


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_imports_take_the_right_way(module: Module) -> None:
    """Siblings are imported directly, other packages by their door, the root never."""
    assert faults_of_form(module, KNOWN) == []


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
    known = frozenset({"agentsim.core.messages", "agentsim.trace.codec"})
    (fault,) = faults_of_form(module, known)
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
    assert faults_of_form(module, frozenset({"agentsim.core.messages"})) == []
