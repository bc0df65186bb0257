"""Runs pytest in this process, with our plugin alone: a process of its own takes 0.4 s more.

With an SDK in it it takes a second more.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentsim.pytest_plugin import hooks
from tests.support.command import Done

__all__ = ["run_as_usual", "run_here", "run_in"]


_WITHOUT = (
    *("cacheprovider", "doctest", "faulthandler", "junitxml", "pastebin", "unittest"),
    *("legacypath", "setuponly", "setupplan", "stepwise", "subtests"),
    *("threadexception", "unraisableexception"),  # they look for garbage at each end
)
"""Plugins of pytest that take time and have no part in this."""


def run_here(folder: Path, *arguments: str, **env: str) -> Done:
    """Run `pytest ARGUMENTS` in a folder, with as little of pytest as it takes.

    Args:
        env: More variables for it; `CI` is not set unless it is one of them.
    """
    if not (folder / "pytest.ini").exists():
        (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    without = [f"no:{name}" for name in _WITHOUT]
    options = ["-s", "-W", "error", "--import-mode=importlib"]
    options += [word for name in without for word in ("-p", name)]
    return run_in(folder, *options, *arguments, **env)


def run_in(folder: Path, *arguments: str, **env: str) -> Done:
    """Run `pytest ARGUMENTS` in a folder, with what else pytest has."""
    with contextlib.chdir(folder), _own_modules(folder):
        return run_as_usual(*arguments, **env)


def run_as_usual(*arguments: str, **env: str) -> Done:
    """Run `pytest ARGUMENTS` in the current folder, whose modules it leaves loaded.

    Args:
        env: More variables for it; `CI` is not set unless it is one of them.
    """
    out = io.StringIO()
    with (
        _variables(env),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        code = pytest.main([*arguments], plugins=[hooks])
    return Done(int(code), out.getvalue(), "")


@contextlib.contextmanager
def _variables(env: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.pop("CI", None)
    os.environ.update({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200", **env})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _own_modules(folder: Path) -> Iterator[None]:
    """Forget the modules of the project: the next one has modules of the same names."""
    try:
        yield
    finally:
        below = f"{folder}{os.sep}"  # as text: there are thousands of modules
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(below):
                del sys.modules[name]
