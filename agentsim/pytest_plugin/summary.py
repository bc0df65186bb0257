"""What the session says at its end, and whether a token was of any use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

__all__ = ["Replayed", "summary_lines"]


class Replayed:
    """Watches whether the token to replay belongs to any of the selected tests.

    It looks at reports alone, so that it works where tests run in workers.
    """

    def __init__(self, config: pytest.Config, token: str) -> None:
        from agentsim.core import TokenError
        from agentsim.engine import Token

        try:
            Token.parse(token)
        except TokenError as error:
            raise pytest.UsageError(f"--agentsim-replay: {error}") from None
        self._worker = hasattr(config, "workerinput")
        self._token = token
        self._fits = False
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Look for the test that the token belongs to."""
        self._failed |= report.failed
        self._fits |= ("agentsim_replayed", self._token) in map(
            tuple, report.user_properties
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let a session fail in which nothing was replayed; failures go before."""
        if not (self._fits or self._failed or self._worker):
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say that nothing was replayed."""
        if not self._fits:
            terminalreporter.write_line(
                f"agentsim: the token {self._token!r} fits none of the tests that ran: it "
                "was made with another test, scenario, agent or other options; give them "
                "as they stand in the line beside it",
                red=True,
            )


def summary_lines(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """How many runs were made, if any was repeated; which tests were run once; notes.

    Args:
        reports: Those of the teardowns, which carry all properties.
    """
    tests = runs = 0
    once = []
    notes: dict[str, None] = {}
    for report in reports:
        properties = {name: str(value) for name, value in report.user_properties}
        tests += "agentsim_runs" in properties
        runs += int(properties.get("agentsim_runs", 0))
        if "agentsim_once" in properties:
            once.append(report.nodeid)
        found = (v for name, v in report.user_properties if name == "agentsim_note")
        notes.update((str(note), None) for note in found)
    if once:
        yield (f"agentsim: run once, since a snapshot is of one run: {', '.join(once)}")
    if runs > tests:
        yield f"agentsim: {runs} runs in {tests} test{'s' * (tests != 1)}"
    for note in notes:
        yield f"agentsim: note: {note}."
