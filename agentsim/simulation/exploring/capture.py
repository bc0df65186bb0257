"""What an agent prints and logs, taken down while a failing run is made again.

Runs of an exploration are not captured: that would cost each of them something, and of
all that is printed in a thousand runs nobody wants more than the part of one.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentsim.core import AgentsimError
from agentsim.engine import Replay, in_turn
from agentsim.simulation.run import Run, run

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Printed", "captured", "with_output"]

HEAD_BYTES = 4_000
"""Bytes that are kept of the beginning."""

TAIL_BYTES = 12_000
"""Bytes that are kept of the end, where the trouble mostly is."""


class Printed(io.RawIOBase):
    """Keeps the beginning and the end of what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self._head = b""
        self._tail = b""
        self._left_out = 0

    def writable(self) -> bool:
        """It is there to be written to."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """Keep some bytes."""
        chunk = bytes(data)
        room = HEAD_BYTES - len(self._head)
        self._head += chunk[:room]
        tail = self._tail + chunk[room:]
        self._tail = tail[-TAIL_BYTES:]
        self._left_out += len(tail) - len(self._tail)
        return len(chunk)

    @property
    def text(self) -> str:
        """What was written; where bytes were left out, a line says how many."""
        parts = [self._head]
        if self._left_out:
            parts.append(b"\n[%d bytes are left out here]\n" % self._left_out)
        return b"".join((*parts, self._tail)).decode("utf-8", "replace")


@contextlib.contextmanager
def captured() -> Iterator[Printed]:
    """Take down stdout, stderr and what is logged, in the order in which it comes."""
    printed = Printed()
    stream = io.TextIOWrapper(
        io.BufferedWriter(printed),
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        write_through=True,
    )
    try:
        with (
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
            _logged(stream),
        ):
            yield printed
    finally:
        with contextlib.suppress(ValueError):  # the agent closed it, or took it apart
            stream.flush()


def with_output(made: Run, agent: Callable[..., Any]) -> Run:
    """Make a run again for what the agent prints; one that does not repeat has none."""
    plan = Replay(made.choices.deviations, made.choices.log)
    with in_turn(), captured() as printed:  # of no other thread's run
        try:
            run(made.scenario, agent, menu=made.menu, choices=plan)
        except AgentsimError:
            return made
    return replace(made, printed=printed.text)


@contextlib.contextmanager
def _logged(stream: io.TextIOWrapper) -> Iterator[None]:
    """Let what reaches the root logger be written too, at the levels that it has."""
    if "logging" not in sys.modules:  # then nobody logs
        yield
        return
    import logging

    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
