"""Whatever a test is written as, its runs are judged, and repeated as asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.core import UsageError
from agentsim.providers import say
from agentsim.pytest_plugin.sim import Sim
from agentsim.pytest_plugin.simulated import trace_name
from tests.simulation.fakes import idle
from tests.support.inner import run_here, run_in

PROJECT = """
import unittest

import pytest

from agentsim import call, say
from agentsim.mutants import error_kills_loop

KEPT = []


def look(sim):
    sim.script(call("check_disk"), say("Half full."))
    sim.run(error_kills_loop, "How full is the disk?")


class Case(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def prepared(self, sim):
        self.sim = sim

    def test_method(self):
        look(self.sim)

    def test_method_that_fails(self):
        look(self.sim)
        self.fail("so")


class Later(unittest.IsolatedAsyncioTestCase):
    @pytest.fixture(autouse=True)
    def prepared(self, sim):
        self.sim = sim

    async def test_coroutine(self):
        look(self.sim)


@pytest.fixture
def looks_at_the_end(sim):
    yield
    look(sim)


def test_run_in_a_teardown(looks_at_the_end):
    pass


def test_run_for_nobody(sim):
    KEPT.append(sim)


def test_run_of_another():
    look(KEPT[0])


def test_documented(sim):
    KEPT.append(sim)
    look(sim)
"""

DOCTEST = """
>>> from test_it import look
>>> look(getfixture("sim"))
"""

REPEATED = (
    "test_it.py::Case::test_method",
    "test_it.py::Later::test_coroutine",
    "test_it.py::test_run_in_a_teardown",
    "test_it.py::test_documented",
    "more.txt::more.txt",
)


@pytest.mark.slow  # it starts pytest
def test_every_kind_of_test_is_repeated(tmp_path: Path) -> None:
    """Methods of a TestCase, coroutines, docstrings and what fixtures run, too."""
    (tmp_path / "test_it.py").write_text(PROJECT, "utf-8")
    (tmp_path / "more.txt").write_text(DOCTEST, "utf-8")
    flags = ("--agentsim-deviations=1", "--agentsim-faults=raises", "-q")
    done = run_in(tmp_path, *flags, "test_it.py", "more.txt")
    assert done.code == 1
    for name in REPEATED:
        assert f"Repeat it: pytest {name} " in done.out
    assert done.out.count("Repeat it: ") == len(REPEATED)
    assert "FAILED test_it.py::Case::test_method_that_fails" in done.out
    assert "FAILED test_it.py::test_run_of_another - " in done.out


JUDGED_LATE = """
import pytest

from agentsim import call, say
from agentsim.mutants import error_kills_loop

PROPERTIES = []


def look(sim, *, breaks):
    sim.script(call("check_disk"), say("Half full."))
    faults = ["raises"] if breaks else []
    sim.run(error_kills_loop, "How full is the disk?", faults=faults)


@pytest.fixture
def breaks_at_the_end(sim, request):
    PROPERTIES.append(request.node.user_properties)
    yield
    look(sim, breaks=True)


def test_late(breaks_at_the_end, sim):
    look(sim, breaks=False)


def test_verdicts():
    [late] = PROPERTIES
    assert [told for name, told in late if name == "agentsim_verdict"] == ["violated"]
"""


def test_the_verdict_left_is_that_of_all_runs(tmp_path: Path) -> None:
    """What a fixture ran once a test was judged makes a verdict of its own, and the last."""
    (tmp_path / "test_it.py").write_text(JUDGED_LATE, "utf-8")
    done = run_here(tmp_path, "-q")
    assert "2 passed, 1 error" in done.out


def test_a_sim_runs_nothing_when_its_test_is_over() -> None:
    """Nobody would judge the run, and a broken agent would pass."""
    sim = Sim()
    sim.script(say("Hello."))
    sim.over = "test_hello"
    with pytest.raises(UsageError, match="of the test test_hello, which is over"):
        sim.run(idle, "Say hello.")


def test_each_test_has_traces_of_its_own() -> None:
    """What a name of a file can't hold still tells one test from another."""
    assert trace_name("tests/test_a.py::T::test_b[1.5-x]") == (
        "tests-test_a.py-T-test_b-1.5-x"
    )
    ids = ["a b", "a/b", "a-b", "a+b", "-a-b", "é", "", "x" * 300, "x" * 300 + "y"]
    names = [trace_name(f"test_it.py::test_it[{one}]") for one in ids]
    assert len(set(names)) == len(ids)
    assert max(map(len, names)) < 250
