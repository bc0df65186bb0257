"""A failure of ours shows nothing of the other plugins that run the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.inner import run_in

pytestmark = pytest.mark.slow  # it starts pytest

RUNNER = """
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    return (yield)
"""

TESTS = """
import pytest

from agentsim import reference, say




def test_overlap(sim):
    sim.script(say("Done."))
    sim.human(None)
    sim.faults("slow:check_disk")
    sim.run(reference, "Look.")


@pytest.mark.agentsim(fault=["slow"])
def test_wrong_marker(sim):
    pass
"""


def test_frames_of_other_plugins_are_left_out(tmp_path: Path) -> None:
    """Sentence and summary stand as without the plugin, wherever the error came up."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "runner_of_a_test.py").write_text(RUNNER, "utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, "utf-8")
    ini = "[pytest]\npythonpath = site-packages\naddopts = -p runner_of_a_test\n"
    (tmp_path / "pytest.ini").write_text(ini, "utf-8")
    done = run_in(tmp_path, "-q", "-p", "no:cacheprovider")
    assert done.code == 1
    assert "unknown: never met: slow on check_disk" in done.out
    assert "did you mean 'faults'?" in done.out
    assert "runner_of_a_test" not in done.out
    assert "return (yield)" not in done.out
    assert "FAILED test_it.py::test_overlap - agentsim.core.errors" in done.out
    assert "ERROR test_it.py::test_wrong_marker - agentsim.core.errors" in done.out
