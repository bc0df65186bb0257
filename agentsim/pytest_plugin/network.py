"""`--agentsim-no-network`: no test leaves the machine, whether it simulates or not."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

import pytest

from agentsim.engine import NoNetwork
from agentsim.pytest_plugin.options import RECORDS

__all__ = ["WithoutNetwork"]

MARKER = "agentsim_network"

ADVICE = (
    "the network is off for tests (agentsim_no_network): let a fake answer, let the host "
    "through with agentsim_allow_hosts, or mark the test with "
    f"@pytest.mark.{MARKER}"
)


class WithoutNetwork:
    """Guards setup, call and teardown of each test.

    An attempt fails the test on the spot; where it was swallowed, at the end of the phase.
    """

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._hosts = hosts
        self._guard = _guard(hosts)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Guard the fixtures."""
        return (yield from self._guarded(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Guard the test."""
        return (yield from self._guarded(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        """Guard what the fixtures do at the end."""
        return (yield from self._guarded(item))

    def _guarded(self, item: pytest.Item) -> Generator[None, None, None]:
        __tracebackhide__ = True
        if item.stash.get(RECORDS, False):
            yield  # to record was asked for, and needs the real services
            return
        guard = self._guard
        marker = item.get_closest_marker(MARKER)
        if marker is not None:
            if not marker.args:
                yield
                return
            guard = _guard((*self._hosts, *map(str, marker.args)))
        try:
            with guard:
                yield
        except pytest.skip.Exception:
            # A test that skips without network would never be seen to want it.
            _fail_for(guard)
            raise
        except BaseException as error:
            for text in guard.attempts:
                if text not in str(error):
                    error.add_note(f"and beside this failure: {text}")
            raise
        _fail_for(guard)


def _fail_for(guard: NoNetwork) -> None:
    __tracebackhide__ = True
    if guard.attempts:
        pytest.fail("\n".join(dict.fromkeys(guard.attempts)), pytrace=False)


def _guard(hosts: tuple[str, ...]) -> NoNetwork:
    # The frames of a client of HTTP fill pages; the sentence says who asked, and where.
    error = partial(pytest.fail.Exception, pytrace=False)
    return NoNetwork(hosts, error=error, advice=ADVICE)
