"""The doctor says what is wrong with a machine, check by check."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from agentsim.cli import doctor_command
from agentsim.core import InternalError
from tests.support.command import Done, agentsim

SAMPLE = doctor_command.sample_digest()


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose other processes agree, without starting any."""
    monkeypatch.setattr(doctor_command, "_digest_in_child", lambda _seed: SAMPLE)


def failed(done: Done) -> dict[str, str]:
    """The checks that failed, with their words."""
    return {
        check["name"]: check["words"]
        for check in done.data["checks"]
        if not check["passed"]
    }


@pytest.mark.usefixtures("sound")
def test_a_sound_machine_holds() -> None:
    """Four checks pass, in text and as data."""
    done = agentsim("doctor", "--json")
    assert (done.code, done.data["verdict"], failed(done)) == (0, "holds", {})
    told = agentsim("doctor")
    assert told.code == 0
    assert [line[:5] for line in told.out.splitlines()] == ["ok   "] * 4
    assert f"one trace in three processes ({SAMPLE})" in told.out


@pytest.mark.usefixtures("sound")
def test_an_old_interpreter_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version that is there, and the one that is needed."""
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))
    done = agentsim("doctor", "--json")
    assert done.code == 1
    assert failed(done)["interpreter"].endswith("CPython 3.11+ is needed")


@pytest.mark.usefixtures("sound")
def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library by its name, and what to do."""
    monkeypatch.setattr(doctor_command, "DISTRIBUTIONS", ("rich", "no-such-library"))
    told = failed(agentsim("doctor", "--json"))
    assert told == {
        "libraries": "no-such-library is missing: install pytest-agentsim again"
    }


@pytest.mark.usefixtures("sound")
def test_a_strange_asyncio_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The assumption of the engine that does not hold."""

    def fails() -> None:
        raise InternalError("tasks are not as they were")

    monkeypatch.setattr(doctor_command, "self_test", fails)
    told = failed(agentsim("doctor", "--json"))
    assert told == {"engine": "tasks are not as they were"}
    assert "FAIL engine: tasks are not" in agentsim("doctor").out


def answers(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., object]
) -> dict[str, str]:
    """What fails where child processes answer like this."""
    monkeypatch.setattr(subprocess, "run", run)
    return failed(agentsim("doctor", "--json"))


def test_processes_that_differ_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process with its digest."""

    def other(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, "0123456789abcdef\n", "")

    told = answers(monkeypatch, other)["determinism"]
    assert f"1: 0123456789abcdef, 2: 0123456789abcdef, this process: {SAMPLE}" in told


def test_processes_that_do_not_answer_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that says nothing, hangs or does not start is no internal error."""

    def silent(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "")

    def hangs(command: list[str], **_: object) -> object:
        raise subprocess.TimeoutExpired(command, 60)

    def missing(command: list[str], **_: object) -> object:
        raise FileNotFoundError(command[0])

    for run in (silent, hangs, missing):
        assert "1: no answer" in answers(monkeypatch, run)["determinism"]
