"""A project that does not use agentsim does not notice that it is installed."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from tests.support.projects import OTHERS, run_pytest

pytestmark = pytest.mark.slow  # it starts pytest in processes, at times in many

STARTS = 20
"""At most so many, until one is fast enough: the others met something else."""

ALLOWED_S = 0.030


LOADED = """
import sys

def pytest_unconfigure():
    names = sorted(n for n in sys.modules if n.partition(".")[0] == "agentsim")
    print("loaded:", *names)
"""


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A project that has never heard of agentsim."""
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n", "utf-8")
    (tmp_path / "conftest.py").write_text(LOADED, "utf-8")
    return tmp_path


def test_a_project_that_does_not_use_it_starts_as_fast(
    stranger: Path, installed: Path
) -> None:
    """Hooks, options and the form of snapshots are loaded, which takes 30 ms at most.

    That is what a start with the entry point imports beyond one without: nothing of
    agentsim that works. Times of whole starts differ by more than that from one to the
    next on a busy machine. To import is all that the plugin does in such a project.
    """

    def started(*arguments: str) -> tuple[list[str], dict[str, float]]:
        """What of agentsim is loaded, and what took how many seconds to import."""
        clock = {"PYTHONPROFILEIMPORTTIME": "1"}
        words = ("-q", "-s", "-W", "error", *arguments)
        done = run_pytest(
            stranger, *words, beside=OTHERS, installed=installed, env=clock
        )
        assert done.code == 0, done.out + done.err
        [loaded] = [line for line in done.out.splitlines() if "loaded:" in line]
        rows = [line.split("|") for line in done.err.splitlines() if "|" in line]
        return loaded.split()[1:], {
            name.strip(): int(own.removeprefix("import time:")) / 1e6
            for own, _total, name in rows[1:]
        }

    nothing, without = started("-p", "no:agentsim")  # it writes bytecode, too
    assert nothing == []
    more_s = [inf]
    while min(more_s) > ALLOWED_S and len(more_s) <= STARTS:
        loaded, imported_s = started()
        assert loaded == [
            "agentsim",
            "agentsim._lazy",
            "agentsim.pytest_plugin",
            "agentsim.pytest_plugin.hooks",
            "agentsim.pytest_plugin.options",
            "agentsim.pytest_plugin.snapshots",  # syrupy asks for it at once
        ]
        own = {
            name: seconds
            for name, seconds in imported_s.items()
            if name not in without or name.partition(".")[0] == "agentsim"
        }
        assert "agentsim.pytest_plugin.options" in own
        more_s.append(sum(own.values()))
    assert 0 < min(more_s) <= ALLOWED_S
