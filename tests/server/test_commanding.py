"""A command beside the server: its ending in words, and the signals that it gets."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any

import pytest

from agentsim.server import CommandEnding, run_command

ENDINGS = [
    (0, "the command ended with exit code 0"),
    (3, "the command ended with exit code 3"),
    (-9, "the command was ended by SIGKILL"),
    (-999, "the command was ended by signal 999"),
]

ASKS_TO_END = """\
import os, signal, time
os.kill(os.getppid(), signal.SIGTERM)
time.sleep(5)
"""


@pytest.mark.parametrize(("code", "words"), ENDINGS)
def test_an_ending_is_told_in_words(code: int, words: str) -> None:
    """An exit code is a number, and a signal has a name where it is one."""
    assert CommandEnding(code).words == words


def test_a_signal_to_end_is_passed_on_to_the_command() -> None:
    """Who ends `agentsim serve` ends the command, and the verdict is still told."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        command = [sys.executable, "-I", "-S", "-c", ASKS_TO_END]
        ending = asyncio.run(run_command(command, {}))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ending.words == "the command was ended by SIGTERM"


def test_a_signal_that_comes_before_the_command_is_passed_on_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is left behind by who is ended while it starts a command."""
    start = asyncio.create_subprocess_exec

    async def slowly(*command: str, **how: Any) -> asyncio.subprocess.Process:
        process = await start(*command, **how)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slowly)
    waits = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(5)"]
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        ending = asyncio.run(run_command(waits, {}))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ending.words == "the command was ended by SIGTERM"


def test_a_proxy_does_not_stand_before_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever proxies the command is told of, this machine is reached without."""
    monkeypatch.setenv("NO_PROXY", "example.org")
    told = "import os, sys; sys.exit(os.environ['NO_PROXY'] != sys.argv[1])"
    expected = "example.org,127.0.0.1,localhost,::1"
    command = [sys.executable, "-I", "-S", "-c", told, expected]
    assert asyncio.run(run_command(command, {})).code == 0
