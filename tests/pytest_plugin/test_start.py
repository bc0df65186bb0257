"""A project that does not use agentsim does not notice that it is installed."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.support.projects import run_pytest

pytestmark = pytest.mark.slow  # each starts pytest in a process, some many times

STARTS = range(7, 22)
"""So many of each kind, in turns: more of them only where a busy machine got in the way.

The fastest count, since the others met something else, and of them the time of the
processor, which other processes stretch least.
"""

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
    done = run_pytest(stranger, "-s", "-W", "error", installed=installed)
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
    """A start with the entry point takes at most 30 ms more than one without."""

    def start_s(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run_pytest(stranger, "-q", *arguments, installed=installed)
        assert done.code == 0, done.out + done.err
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    start_s()  # the first one writes bytecode
    without: list[float] = []
    with_it: list[float] = []
    more_s = 0.0
    while len(with_it) < STARTS.stop - 1:
        without.append(start_s("-p", "no:agentsim"))
        with_it.append(start_s())
        more_s = min(with_it) - min(without)
        if len(with_it) >= STARTS.start and more_s <= ALLOWED_S:
            break
    else:
        pytest.fail(f"{more_s:.3f} s more, over {min(without):.3f} s")
    print(f"{1_000 * more_s:.1f} ms over {1_000 * min(without):.0f} ms")  # noqa: T201
