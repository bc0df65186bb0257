"""Each package serves its names lazily, and all readers see the same names."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source import ROOT, Module, inits, parse

LAZY = [m for m in inits() if "attach(" in m.text]


def names_for_tools(module: Module) -> dict[str, str]:
    """Read exported name -> module from the imports under TYPE_CHECKING."""
    found = {}
    for node in module.tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for statement in node.body:
                if isinstance(statement, ast.ImportFrom):
                    for alias in statement.names:
                        assert alias.asname == alias.name, (
                            f"{module.path}:{statement.lineno}: write "
                            f"`import {alias.name} as {alias.name}`"
                        )
                        found[alias.name] = statement.module or ""
    return found


def names_at_run_time(module: Module) -> dict[str, str]:
    """Read exported name -> module from the table given to `attach`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "attach":
            table: dict[str, str] = ast.literal_eval(node.args[1])
            return {name: f"{module.name}.{source}" for name, source in table.items()}
    raise AssertionError(f"{module.path} calls attach() without a table")


@pytest.mark.parametrize("module", LAZY, ids=lambda m: m.name)
def test_tools_and_run_time_see_the_same_names(module: Module) -> None:
    """The imports that type checkers read and the table that runs are equal."""
    assert names_for_tools(module) == names_at_run_time(module)


@pytest.mark.parametrize("module", LAZY, ids=lambda m: m.name)
def test_every_exported_name_resolves(module: Module) -> None:
    """`__all__` is the sorted table, and each name leads to its own object."""
    package = importlib.import_module(module.name)
    table = names_at_run_time(module)
    assert package.__all__ == sorted(table)
    for name, source in table.items():
        expected = getattr(importlib.import_module(source), name)
        assert getattr(package, name) is expected, name
        assert name in dir(package)


def test_one_public_path_per_name() -> None:
    """No name is exported by two packages; the root alone repeats names."""
    owners: dict[str, list[str]] = {}
    for module in LAZY:
        if module.name != "agentsim":
            for name in names_at_run_time(module):
                owners.setdefault(name, []).append(module.name)
    assert {name: where for name, where in owners.items() if len(where) > 1} == {}


def test_a_disagreement_is_seen() -> None:
    """The comparison above notices a name that only one of the halves has."""
    module = parse(
        "agentsim/core/__init__.py",
        "if TYPE_CHECKING:\n"
        "    from agentsim.core.messages import Message as Message\n"
        "else:\n"
        "    a, b, c = attach(__name__, {'Call': 'messages'})\n",
    )
    assert names_for_tools(module) != names_at_run_time(module)


@pytest.fixture
def lazy_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package on disk that exports `explore` from `explore.py` and `other`."""
    home = tmp_path / "lazy_sample"
    home.mkdir()
    table = "{'explore': 'explore', 'other': 'sibling'}"
    (home / "__init__.py").write_text(
        "from agentsim._lazy import attach\n"
        f"__getattr__, __dir__, __all__ = attach(__name__, {table})\n"
    )
    (home / "explore.py").write_text("def explore(): return 'explored'\n")
    (home / "sibling.py").write_text(
        "from lazy_sample.explore import explore\ndef other(): return explore()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "lazy_sample"


def test_an_exported_name_wins_over_its_module(lazy_package: str) -> None:
    """A sibling that loads `explore.py` first does not hide the function `explore`."""
    package = importlib.import_module(lazy_package)
    try:
        assert package.other() == "explored"
        assert package.explore() == "explored"
    finally:
        for name in [n for n in sys.modules if n.split(".")[0] == lazy_package]:
            del sys.modules[name]


def test_an_unknown_name_is_an_ordinary_attribute_error() -> None:
    """A misspelt name fails as it does on any module."""
    package = importlib.import_module("agentsim")
    with pytest.raises(AttributeError, match="module 'agentsim' has no attribute 'nn'"):
        _ = package.nn


def test_importing_agentsim_loads_nothing() -> None:
    """The root loads no other module of ours, nothing of others, and not even typing."""
    code = (
        "import sys; before = set(sys.modules); import agentsim\n"
        "new = set(sys.modules) - before\n"
        "std = sys.stdlib_module_names\n"
        "print(sorted(n for n in new if n == 'typing' or n.split('.')[0] not in std))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.strip() == "['agentsim', 'agentsim._lazy']"
