"""What pytest loads: hooks and one fixture. Everything else is imported when used.

A project that has agentsim installed and does not use it pays for this module alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from agentsim.pytest_plugin.options import MARKERS, add_options, settings_of

if TYPE_CHECKING:
    from agentsim.pytest_plugin.sim import Sim
    from agentsim.pytest_plugin.simulated import SimulatedTest

TEST: pytest.StashKey[SimulatedTest] = pytest.StashKey()
"""Where a test that uses `sim` keeps what was simulated in it."""

TIMELINES = "agentsim.pytest_plugin.TimelineExtension"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, read the options, and let snapshots show runs as timelines."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    settings = settings_of(config)
    if settings.no_network:
        from agentsim.pytest_plugin.network import WithoutNetwork

        config.pluginmanager.register(WithoutNetwork(settings.allow_hosts))
    if settings.replay is not None:
        from agentsim.pytest_plugin.summary import Replayed

        config.pluginmanager.register(Replayed(config, settings.replay))
    # syrupy imports the extension with the first snapshot. Text, since xdist sends
    # options to its workers.
    if getattr(config.option, "default_extension", "") is None:
        config.option.default_extension = TIMELINES


@pytest.fixture
def sim(request: pytest.FixtureRequest) -> Iterator[Sim]:
    """A simulation to set up and to run agents in; all invariants judge its runs.

    `sim.world` is a live world, `sim.script(...)` says what the model answers, and
    `sim.run(agent, task)` makes a run; in an async test `await sim.arun(agent, task)`.
    """
    __tracebackhide__ = True
    from agentsim.pytest_plugin.simulated import simulated_test

    test = simulated_test(request.node, settings_of(request.config))
    request.node.stash[TEST] = test
    yield test.sim
    test.judge_rest()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Judge the runs of a test once its function is through."""
    __tracebackhide__ = True
    test = pyfuncitem.stash.get(TEST, None)
    if test is None:
        return (yield)
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as error:
        test.add_findings_to(error)
        raise
    test.judge()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failure without our frames, and the timeline of a failing run below it."""
    ours = False
    if call.excinfo is not None:
        from agentsim.pytest_plugin.frames import hide_own_frames, is_ours

        ours = is_ours(call.excinfo.value)
        if ours and not item.config.getoption("fulltrace"):
            hide_own_frames(call.excinfo)
    report = yield
    traceback: Any = getattr(report.longrepr, "reprtraceback", None)
    if ours and traceback:
        # It says that all frames are hidden; they are ours, and tell nothing.
        traceback.extraline = None
    test = item.stash.get(TEST, None)
    if test is not None and report.failed:
        report.sections.extend(test.take_sections())
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many runs were made, and which tests were run once."""
    # Here the properties of a test tell that it used `sim`: it may have run in a worker.
    told = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "teardown" and report.user_properties
    ]
    if told:
        from agentsim.pytest_plugin.summary import summary_lines

        for line in summary_lines(told):
            terminalreporter.write_line(line)
