"""What pytest loads: hooks and one fixture. Everything else is imported when used.

A project that has agentsim installed and does not use it pays for this module alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from agentsim.pytest_plugin.options import MARKERS, add_options, settings_of

if TYPE_CHECKING:
    from agentsim.cassettes.deck import Deck
    from agentsim.pytest_plugin.cassettes.use import CassetteTest
    from agentsim.pytest_plugin.sim import Sim
    from agentsim.pytest_plugin.simulated import SimulatedTest

TEST: pytest.StashKey[SimulatedTest] = pytest.StashKey()
"""Where a test that uses `sim` keeps what was simulated in it."""

CASSETTE: pytest.StashKey[CassetteTest] = pytest.StashKey()
"""Where a test that uses `cassette` keeps what it is used for."""

SEEN: pytest.StashKey[Cassettes] = pytest.StashKey()
"""Where a session keeps what it saw of its cassettes."""

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
    config.stash[SEEN] = Cassettes(config)
    config.pluginmanager.register(config.stash[SEEN])
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
    test.finish()


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Deck]:
    """A recorded session that answers the agent of the test, or is recorded in it.

    `cassette.openai()`, `cassette.anthropic()` and `cassette.http_client()` are clients
    that it answers, with `_sync` behind the name for code that blocks;
    `cassette.client(...)` is a neutral one. Its file is named after the test.
    """
    __tracebackhide__ = True
    from agentsim.pytest_plugin.cassettes.use import CassetteTest

    config = request.config
    seen = config.stash[SEEN]
    test = CassetteTest(request.node, settings_of(config), seen.asking)
    request.node.stash[CASSETTE] = test
    yield test.deck
    test.finish()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Judge the runs of a test, and the use of its cassette, once its function is through."""
    __tracebackhide__ = True
    stash = pyfuncitem.stash
    both = (stash.get(TEST, None), stash.get(CASSETTE, None))
    tests = [test for test in both if test is not None]
    if not tests:
        return (yield)
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as error:
        for test in tests:
            test.add_findings_to(error)
        raise
    for test in tests:
        test.judge()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failure without our frames, and the timeline of a failing run below it."""
    ours = False
    with ExitStack() as ends:
        if call.excinfo is not None:
            from agentsim.pytest_plugin.frames import is_ours, only_own_frames

            ours = is_ours(call.excinfo.value)
            if not item.config.getoption("fulltrace"):
                root = item.config.rootpath
                ends.enter_context(only_own_frames(call.excinfo, root))
        report = yield
    traceback: Any = getattr(report.longrepr, "reprtraceback", None)
    if ours and traceback:
        # It says that all frames are hidden; they are ours, and tell nothing.
        traceback.extraline = None
    test = item.stash.get(TEST, None)
    if test is not None and call.when == "setup":
        test.begin()
    if test is not None and report.failed:
        report.sections.extend(test.take_sections())
    if call.when == "call" and test is not None:
        test.passed = call.excinfo is None
    if call.when == "call" and CASSETTE in item.stash:
        item.stash[CASSETTE].passed = call.excinfo is None
    if call.when == "teardown" and CASSETTE in item.stash:
        vars(report)["agentsim_cassette"] = item.stash[CASSETTE].noted
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


class Cassettes:
    """What a session sees of its cassettes, itself or by the reports of its workers.

    Attributes:
        asking: Id of each collected test with a cassette -> that, seen from the root.
        uses: Id of each test that ran with one -> what its report tells of it.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.asking: dict[str, str] = {}
        self.uses: dict[str, dict[str, Any]] = {}
        self._whole: list[str] = []
        self._unwritten = ""

    def pytest_report_header(self) -> str | None:
        """Say that cassettes are recorded, where that was asked for."""
        mode = self._config.getoption("agentsim_record")
        return mode and f"agentsim: cassettes: {mode} (--agentsim-record)"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """See which tests ask for a cassette, before any is left out."""
        asking = [item for item in items if _asks(item)]
        if asking:
            from agentsim.pytest_plugin.cassettes.collecting import asked_for

            self._add(asked_for(session, asking, settings_of(self._config)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """See what came of a test."""
        use = getattr(report, "agentsim_cassette", None)
        if use is not None:
            self.uses[report.nodeid] = use

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 - one of xdist
        """Take over what a worker of pytest-xdist collected."""
        output = getattr(node, "workeroutput", None) or {}
        self._add(output.get("agentsim_cassettes", {}))

    def pytest_sessionfinish(self) -> None:
        """Note what was seen, or hand it to the session that this one works for."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["agentsim_cassettes"] = {"asking": self.asking, "whole": self._whole}
        elif self.asking:
            from agentsim.pytest_plugin.cassettes.noting import note_session

            root = self._config.rootpath
            self._unwritten = note_session(root, self.asking, self.uses, self._whole)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say how cassettes were used."""
        if self.uses:
            from agentsim.pytest_plugin.cassettes.telling import cassette_lines

            verbose = self._config.get_verbosity() > 0
            for line in cassette_lines(self.uses, verbose=verbose):
                terminalreporter.write_line(line)
        if self._unwritten:
            terminalreporter.write_line(f"agentsim: {self._unwritten}", yellow=True)

    def _add(self, seen: dict[str, Any]) -> None:
        self.asking.update(seen.get("asking", {}))
        self._whole = seen.get("whole", self._whole)


def _asks(item: pytest.Item) -> bool:
    """Whether a test asks for our fixture, and not for one of that name of its own.

    The marker alone asks for it too.
    """
    names: list[str] | None = getattr(item, "fixturenames", None)
    if names is None:
        return False
    if "cassette" not in names:
        if item.get_closest_marker("agentsim_cassette") is None:
            return False
        names.append("cassette")
    known: Any = getattr(item, "_fixtureinfo", None)
    found = known.name2fixturedefs.get("cassette", ()) if known else ()
    return not found or any(
        one.func.__module__ == __name__
        and (one is found[-1] or "cassette" in found[-1].argnames)
        for one in found
    )
