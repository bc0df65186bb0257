"""`--agentsim-no-network`, on a project that simulates nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command import Done
from tests.support.inner import run_in
from tests.support.projects import run_pytest

PROJECT = """
import asyncio
import socket
import threading

import pytest


def connect(host="192.0.2.1"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((host, 9))  # sends nothing


def test_raised():
    connect()


def test_swallowed():
    try:
        connect()
    except BaseException:
        pass


def test_skipped_for_it():
    try:
        socket.getaddrinfo("example.com", 443)
    except BaseException:
        pytest.skip("no network")


def test_in_a_thread():
    def work():
        try:
            connect()
        except OSError:
            pass

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_async():
    async def main():
        try:
            await asyncio.open_connection("example.com", 443)
        except OSError:
            pass

    asyncio.run(main())


def test_other_failure():
    try:
        connect()
    except BaseException:
        assert 1 == 2


@pytest.fixture
def reaching():
    connect()


@pytest.fixture
def reaching_late():
    yield
    connect()


def test_fixture(reaching):
    pass


def test_fixture_late(reaching_late):
    pass


@pytest.mark.agentsim_network
def test_allowed():
    try:
        connect()
    except OSError:
        pass


@pytest.mark.agentsim_network("192.0.2.1")
def test_allowed_by_address():
    try:
        connect()
    except OSError:
        pass


@pytest.mark.agentsim_network("192.0.2.2")
def test_another_is_allowed():
    connect()


def test_stays_here():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
"""

FAIL = {
    "test_raised",
    "test_swallowed",
    "test_skipped_for_it",
    "test_in_a_thread",
    "test_async",
    "test_other_failure",
    "test_another_is_allowed",
}
ERR = {"test_fixture", "test_fixture_late"}
SENTENCE = (
    "but the network is off for tests (agentsim_no_network): let a fake answer, let the "
    "host through with agentsim_allow_hosts, or mark the test with "
    "@pytest.mark.agentsim_network"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of tests that go out, or stay."""
    (tmp_path / "test_out.py").write_text(PROJECT, "utf-8")
    return tmp_path


def outcomes(done: Done) -> dict[str, set[str]]:
    """The tests that did not pass, by how."""
    found: dict[str, set[str]] = {}
    for kind, name in re.findall(r"^(\w+) test_out\.py::(\w+)", done.out, re.MULTILINE):
        found.setdefault(kind, set()).add(name)
    return found


FLAGS = ("--agentsim-no-network", "-ra")


def test_each_test_that_goes_out_fails(project: Path) -> None:
    """It fails with the sentence, in any phase and on any thread, swallowed or not."""
    assert_each_fails(run_in(project, *FLAGS))


@pytest.mark.slow
def test_each_test_that_goes_out_fails_in_a_worker(
    project: Path, installed: Path
) -> None:
    """Under xdist too."""
    done = run_pytest(project, *FLAGS, "-n", "1", installed=installed)
    assert_each_fails(done)


def assert_each_fails(done: Done) -> None:
    """Those that go out fail and are told, the others pass."""
    assert outcomes(done) == {"FAILED": FAIL, "ERROR": ERR}, done.out
    assert "4 passed" in done.out
    assert done.out.count(SENTENCE) >= len(FAIL | ERR)
    assert "hook.py" not in done.out


def test_the_ini_file_switches_it_on(project: Path) -> None:
    """The option and the hosts stand in the ini file too; the command line adds none."""
    (project / "pytest.ini").write_text(
        "[pytest]\nagentsim_no_network = true\nagentsim_allow_hosts =\n"
        "  192.0.2.0/24\n  example.com\n",
        "utf-8",
    )
    done = run_in(project, "-ra", "-k", "raised or other")
    assert SENTENCE not in done.out
    (project / "pytest.ini").write_text(
        "[pytest]\nagentsim_no_network = true\n", "utf-8"
    )
    done = run_in(project, "-ra", "-k", "raised")
    assert outcomes(done) == {"FAILED": {"test_raised"}}
    line = PROJECT.splitlines().index("        one.connect((host, 9))  # sends nothing")
    assert (
        f"connect (test_out.py:{line + 1}) asked for a connection to 192.0.2.1:9, "
        f"{SENTENCE}" in done.out
    )


def test_without_the_option_nothing_is_guarded(project: Path) -> None:
    """Nobody is kept from the network who did not ask for it."""
    done = run_in(project, "-ra", "-k", "stays or swallowed")
    assert done.code == 0
