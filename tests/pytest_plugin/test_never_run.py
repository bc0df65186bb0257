"""A test that sets up a simulation and never runs it is told so, and no other one is."""

from __future__ import annotations

import re
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from tests.support.inner import run_here

FORGOTTEN = """
import pytest

from agentsim import call, reference, say


def test_runs_nothing(sim):
    sim.script(call("check_disk"), say("Half full."))
    sim.limits()
    sim.human(None)


def test_awaits_nothing(sim):
    sim.script(say("Hello."))
    sim.faults()
    sim.arun(reference, "Say hello.").close()


@pytest.mark.parametrize("runs", [True, False])
def test_sometimes(sim, runs):
    sim.script(say("Hello."))
    sim.tools("check_disk")
    if runs:
        sim.run(reference, "Say hello.")
"""

RIGHT = """
import pytest

from agentsim import Scenario, call, explore, reference, say
from agentsim.core import UsageError
from agentsim.world import Disk


@pytest.fixture
def scripted(sim):
    sim.script(say("Hello."))
    return sim


@pytest.fixture
def runs_at_the_end(sim):
    yield
    sim.run(reference, "Say hello.")


def test_reads(sim):
    assert sim.world.disk.used_percent < 100


def test_sets_up_a_world_and_looks_at_it(sim):
    sim.add(Disk(used="10%"))
    sim.tools(Disk(used="20%"))
    assert sim.world.disk.used_percent == 20


def test_looks_at_what_others_run(scripted):
    assert scripted.recorded == []


def test_runs(sim):
    sim.script(say("Hello."))
    sim.run(reference, "Say hello.")


def test_runs_at_the_end(runs_at_the_end, sim):
    sim.script(say("Hello."))


def test_explores_its_scenario(sim):
    sim.script(say("Hello."))
    explore(sim.scenario("Say hello."), deviations=0).expect_holds()


def test_is_refused(sim):
    sim.script(say("Hello."))
    with pytest.raises(UsageError):
        sim.run(reference, "Say hello.", prompts="a slip")


def test_can_not_be_scripted(sim):
    with pytest.raises(UsageError):
        sim.script(3)


def test_skips(sim):
    sim.script(say("Hello."))
    pytest.skip("there is nothing to run")


@pytest.mark.xfail(raises=ZeroDivisionError)
def test_is_expected_to_fail(sim):
    sim.script(say("Hello."))
    1 // 0


def test_fails(sim):
    sim.script(say("Hello."))
    assert 1 == 2
"""


def test_a_simulation_that_is_never_run_is_told(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """An error at the teardown says where it is and what to do, in one sentence."""
    (tmp_path / "test_it.py").write_text(FORGOTTEN, "utf-8")
    done = run_here(tmp_path, "-q", "--agentsim-deviations=0")
    assert "4 passed, 3 errors" in done.out
    assert re.findall("^E .*", done.out, re.MULTILINE) == snapshot


def test_whoever_runs_or_only_looks_is_told_nothing(tmp_path: Path) -> None:
    """Nor who failed or skipped by itself: what failed is told as it is."""
    (tmp_path / "test_it.py").write_text(RIGHT, "utf-8")
    done = run_here(tmp_path, "-q")
    assert "1 failed, 8 passed, 1 skipped, 1 xfailed" in done.out
    assert "error" not in done.out.replace("AssertionError", "").lower()
