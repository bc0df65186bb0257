"""A command that runs beside the server, and is told by variables where the server is."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentsim.core import UsageError

__all__ = ["CommandEnding", "run_command"]

STDERR = 2

OURS = ("127.0.0.1", "localhost", "::1")
"""Hosts that are reached without a proxy."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class CommandEnding:
    """How a command ended.

    Attributes:
        code: Its exit code; below zero the number of the signal that ended it.
    """

    code: int

    @property
    def words(self) -> str:
        """The ending in words."""
        if self.code >= 0:
            return f"the command ended with exit code {self.code}"
        try:
            name = signal.Signals(-self.code).name
        except ValueError:
            name = f"signal {-self.code}"
        return f"the command was ended by {name}"


async def run_command(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    output: int | None = STDERR,
) -> CommandEnding:
    """Run a command with more variables, to its end.

    Signals that should end this process are left to the command: ^C reaches it by
    itself, and a SIGTERM is passed on, also one that comes while it is being started.

    Args:
        output: The descriptor that its standard output goes to: standard error, as that
            of any agent under test; None: standard output.

    Raises:
        UsageError: when it can't be started.
    """
    loop = asyncio.get_running_loop()
    early: list[signal.Signals] = []
    for number in SIGNALS:
        loop.add_signal_handler(number, early.append, number)
    try:
        process = await _started(command, environment, output)
        for number in SIGNALS:
            loop.add_signal_handler(number, _pass_on, process, number)
        for number in early:
            _pass_on(process, number)
        return CommandEnding(await process.wait())
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


async def _started(
    command: Sequence[str], environment: Mapping[str, str], output: int | None
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *command, env=_with(environment), stdout=output
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no command"
        raise UsageError(f"can't start {command[0]!r}: {why}") from None


def _with(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of this process and more; no proxy stands before this machine."""
    found = {**os.environ, **environment}
    for name in ("NO_PROXY", "no_proxy"):
        found[name] = ",".join([*filter(None, [found.get(name)]), *OURS])
    return found


def _pass_on(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    # A terminal sends ^C to the whole group, the command with it.
    if number != signal.SIGINT and process.returncode is None:
        process.send_signal(number)
