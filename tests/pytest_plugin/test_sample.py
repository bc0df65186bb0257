"""The sample project, run as its user runs it: what the plugin shows and repeats."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.command import Done
from tests.support.inner import run_in
from tests.support.projects import run_pytest

pytestmark = pytest.mark.slow  # the first ones start pytest in processes

run_sample = partial(run_pytest, beside=["anyio"])

WITH_ANYIO = ("-p", "anyio.pytest_plugin", "--import-mode=importlib")

BUG = "test_server.py::test_a_hasty_agent_looks_at_the_server"

IN_ORDER = (
    "E   agentsim.core.errors.InvariantViolation: results-in-order is violated: Results",
    "✗     1.000 s  model   response 1: check_disk({}), check_cpu({})",
    "    expected: results in the order of the calls",
    "    found:    message 4, a result of call_1_1",
    "What was not as usual: check_cpu came before check_disk",
    "The agent printed:\n      | agent: runs 2 tools\n",
    f"Repeat it: pytest {BUG} '--agentsim-replay=0:1~",
    "agentsim: timeline of 0:1~",
    "tool    ╭ check_disk()",
    "tool    │╰ check_cpu: CPU: 31%, load average: 2.1",
    'model   response 2: "The disk is full."',
)
"""What the failure shows, in this order."""


@pytest.fixture(scope="module")
def shown(sample: Path, installed: Path) -> Done:
    """What the sample project shows."""
    return run_sample(sample, "--junitxml=plain.xml", installed=installed)


@pytest.fixture(scope="module")
def spread(sample: Path, installed: Path) -> Done:
    """What it shows where two workers run its tests."""
    return run_sample(sample, "-n", "2", "--junitxml=spread.xml", installed=installed)


def run_again(folder: Path, *arguments: str, **env: str) -> Done:
    """Run it in this process, for what is compared with what a process shows."""
    return run_in(folder, *WITH_ANYIO, *arguments, **env)


def failure(printed: str) -> list[str]:
    """The text of the one failure, from its sentence to the line that repeats it."""
    lines = printed.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("E   agentsim"))
    end = next(n for n, line in enumerate(lines) if "Repeat it:" in line)
    return lines[start : end + 1]


def repeat_line(printed: str) -> list[str]:
    """The words of the line that repeats the failing run, as a shell reads them.

    Where CI is set, pytest prints the whole text in its summary too: the same line twice.
    """
    [line] = set(re.findall(r"Repeat it: pytest (.*)", printed))
    return shlex.split(line)


def assert_in_order(parts: tuple[str, ...], text: str) -> None:
    """Find each part behind the one before."""
    place = 0
    for part in parts:
        place = text.find(part, place)
        assert place >= 0, f"not found, or not there: {part!r} in\n{text}"


def test_a_failure_shows_what_was_violated_where_and_how_to_repeat_it(
    shown: Done,
) -> None:
    """Sentence, events, deviations in words, repeat line, timeline, in this order."""
    assert shown.code == 1, shown.out + shown.err
    assert "1 failed, 2 passed" in shown.out
    assert_in_order(IN_ORDER, shown.out)
    assert re.search(r"^agentsim: \d\d runs in 3 tests$", shown.out, re.MULTILINE)
    assert "entries are hidden" not in shown.out


def test_the_repeat_line_gives_the_same_failure(shown: Done, sample: Path) -> None:
    """The line, run literally, fails with the very same text."""
    again = run_again(sample, *repeat_line(shown.out))
    assert again.code == 1, again.out + again.err
    assert failure(again.out) == failure(shown.out)
    assert "1 failed" in again.out


def test_workers_show_the_same(
    shown: Done, spread: Done, sample: Path, installed: Path
) -> None:
    """Under xdist the failure is the same, and its line too."""
    assert spread.code == 1, spread.out + spread.err
    assert failure(spread.out) == failure(shown.out)
    assert_in_order(IN_ORDER, spread.out)
    words = ("-n", "2", *repeat_line(spread.out))
    again = run_sample(sample, *words, installed=installed)
    assert failure(again.out) == failure(shown.out)


@pytest.mark.parametrize("value", ["", "true"], ids=["at-home", "in-ci"])
def test_the_line_is_the_same_where_ci_runs_the_tests(
    shown: Done, sample: Path, value: str
) -> None:
    """Pytest shows more where the variable CI is set: nothing else in it."""
    there = run_again(sample, CI=value)
    assert there.code == 1, there.out + there.err
    assert failure(there.out) == failure(shown.out)
    assert repeat_line(there.out) == repeat_line(shown.out)


def test_the_line_names_the_test_from_where_it_is_printed(sample: Path) -> None:
    """Pytest run in another folder names the test by the way from there."""
    arguments = ("-c", f"{sample.name}/pytest.ini", f"--rootdir={sample.name}")
    there = run_again(sample.parent, *arguments, sample.name)
    assert repeat_line(there.out)[0] == f"{sample.name}/{BUG}"


def test_a_token_that_fits_no_test_is_said(sample: Path, installed: Path) -> None:
    """A session in which nothing could be replayed fails, and says why."""
    words = ("-n", "1", "--agentsim-replay=0:1~0000")
    done = run_sample(sample, *words, installed=installed)
    assert done.code == pytest.ExitCode.USAGE_ERROR, done.out + done.err
    assert "the token '0:1~0000' fits none of the tests that ran" in done.out


@pytest.mark.usefixtures("shown")
def test_a_failure_is_kept_to_be_made_again_first(sample: Path) -> None:
    """Its token stands below the root, in the folder of the test's file."""
    [file] = (sample / ".agentsim" / "test_server.py").glob("*.json")
    [failure] = json.loads(file.read_text("utf-8"))["failures"]
    assert failure["invariant"] == "results-in-order"
    assert failure["token"].startswith("0:1~")


@pytest.mark.usefixtures("shown", "spread")
@pytest.mark.parametrize("file", ["plain.xml", "spread.xml"])
def test_reports_for_machines_carry_the_figures(sample: Path, file: str) -> None:
    """JUnit's file has runs, deviations, verdict and token as properties."""
    cases = {
        case.get("name"): {
            entry.get("name"): entry.get("value") for entry in case.iter("property")
        }
        for case in ET.parse(sample / file).getroot().iter("testcase")
    }
    good = cases["test_the_disk_is_freed"]
    assert good["agentsim_verdict"] == "holds"
    assert good["agentsim_deviations"] == "1"
    assert int(good["agentsim_runs"] or 0) > 1
    bad = cases["test_a_hasty_agent_looks_at_the_server"]
    assert bad["agentsim_verdict"] == "violated"
    assert (bad["agentsim_token"] or "").startswith("0:1~")


def test_without_the_option_a_test_runs_once(sample: Path) -> None:
    """Deviations are made where they are asked for; the plain run has none."""
    done = run_again(sample, "-o", "agentsim_deviations=")
    assert done.code == 0, done.out + done.err
    assert "3 passed" in done.out
    assert "agentsim:" not in done.out
