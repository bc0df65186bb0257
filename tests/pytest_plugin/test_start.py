"""A project that does not use agentsim does not notice that it is installed."""

from __future__ import annotations

from functools import partial
from math import inf
from pathlib import Path

import pytest

from tests.support.projects import OTHERS, run_pytest

pytestmark = pytest.mark.slow  # each starts pytest in a process, some many times

run_beside = partial(run_pytest, beside=OTHERS)

STARTS = 20
"""At most so many, until one is fast enough: the others met something else."""

ALLOWED_S = 0.030

LOADED = """
import sys

def test_it():
    pass

def pytest_unconfigure():
    names = sorted(n for n in sys.modules if n.partition(".")[0] == "agentsim")
    print("loaded:", *names)
"""


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A project that has never heard of agentsim."""
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n", "utf-8")
    return tmp_path


def test_nothing_heavy_is_loaded(stranger: Path, installed: Path) -> None:
    """Hooks, options and the form of snapshots are loaded, and nothing of agentsim that works."""
    (stranger / "conftest.py").write_text(LOADED, "utf-8")
    done = run_beside(stranger, "-s", "-W", "error", installed=installed)
    assert done.code == 0, done.out + done.err
    [line] = [line for line in done.out.splitlines() if line.startswith("loaded:")]
    assert line.split()[1:] == [
        "agentsim",
        "agentsim._lazy",
        "agentsim.pytest_plugin",
        "agentsim.pytest_plugin.hooks",
        "agentsim.pytest_plugin.options",
        "agentsim.pytest_plugin.snapshots",  # syrupy asks for it at once
    ]


def test_a_project_that_does_not_use_it_starts_as_fast(
    stranger: Path, installed: Path
) -> None:
    """What a start with the entry point imports beyond one without takes 30 ms at most.

    Times of whole starts differ by more than that from one to the next on a busy
    machine. To import is all that the plugin does in a project that does not use it.
    """

    def imported_s(*arguments: str) -> dict[str, float]:
        clock = {"PYTHONPROFILEIMPORTTIME": "1"}
        done = run_beside(stranger, "-q", *arguments, installed=installed, env=clock)
        assert done.code == 0, done.out + done.err
        rows = [line.split("|") for line in done.err.splitlines() if "|" in line]
        return {
            name.strip(): int(own.removeprefix("import time:")) / 1e6
            for own, _total, name in rows[1:]
        }

    without = imported_s("-p", "no:agentsim")  # it writes bytecode, too
    more_s = [inf]
    while min(more_s) > ALLOWED_S and len(more_s) <= STARTS:
        own = {
            name: seconds
            for name, seconds in imported_s().items()
            if name not in without or name.partition(".")[0] == "agentsim"
        }
        assert "agentsim.pytest_plugin.options" in own
        more_s.append(sum(own.values()))
    assert 0 < min(more_s) <= ALLOWED_S
