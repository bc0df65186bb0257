"""Settings that all tests share, and the figures that campaigns leave in the summary."""

import gc
import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# A gate that fails by chance teaches nobody: the same examples on every machine, and no
# deadline, since the machine may be busy. Nor are failures explained, which follows each
# line that an example executes. To hunt: `pytest --hypothesis-profile=wide`.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile("ci", derandomize=True, deadline=None, phases=PHASES)
settings.register_profile("wide", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("ci")

# Tests start some 400 processes, which read what the first of them compiled; the side
# environments are installed without compiled code, and langgraph alone takes 3 s of it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Hypothesis reads the constants of each module of ours from its source, and keeps them in
# the folder where it runs: a project in a folder of its own would take 3 s for it again.
KEPT = Path(__file__).with_name(".hypothesis")
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(KEPT))

FIGURE = "figure"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected out of every later collection of garbage: it stays anyway."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Take down what a test measured; it is printed after the tests, by workers too."""
    return lambda words: record_property(FIGURE, words)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures of this test run."""
    reports = [
        report
        for kind in ("passed", "failed")
        for report in terminalreporter.stats.get(kind, [])
        if report.when == "call"
    ]
    told = [
        str(words)
        for report in reports
        for name, words in report.user_properties
        if name == FIGURE
    ]
    if told:
        terminalreporter.section("figures")
        for words in sorted(told):
            terminalreporter.write_line(words)
