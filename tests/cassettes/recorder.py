"""Records tapes in children that are killed: `python -m` it with a folder and a count.

Every second of them records in place of an old cassette. Of each child the parent prints
how many of its answers had been delivered, on a line.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from agentsim.cassettes import RecordedRequest
from agentsim.cassettes.tape import Tape

EXCHANGES = 12

OLD = "---\nagentsim_cassette: 1\nowner: someone else\ncomplete: true\n"
"""A cassette that is to be replaced."""


class Ticks:
    """A clock of which each look takes a millisecond."""

    def __init__(self) -> None:
        self.ms = 0.0

    def now(self) -> datetime:
        """Always the same day."""
        return datetime(2026, 11, 30, tzinfo=UTC)

    def elapsed_ms(self) -> float:
        """A millisecond more than before."""
        self.ms += 1
        return self.ms


def question(number: int) -> RecordedRequest:
    """A request of some size, the same for each number."""
    return RecordedRequest(body=f'{{"question": "{"why? " * 90 * number}"}}')


def pieces(number: int) -> list[bytes]:
    """The pieces of the answer."""
    event = 'data: {{"piece": {}, "of": {}, "text": "and so on "}}\n\n'
    return [
        (event.format(piece, number) * 3).encode() for piece in range(1 + number // 3)
    ]


def _record(path: Path, out: int) -> None:
    with Tape(path, "record", clock=Ticks()) as tape:
        os.write(out, b"+")  # the recording has begun
        for number in range(1, EXCHANGES + 1):
            taking = tape.begin(question(number), "")
            taking.head(200, {"content-type": "text/event-stream"})
            for piece in pieces(number):
                taking.chunk(piece)
            taking.end()
            os.write(out, b".")  # the last byte is handed on


def _killed(path: Path, delivered: int, after_s: float) -> int:
    """Record in a child, kill it after so many answers, and count what it delivered."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        _record(path, into)
        os._exit(0)
    os.close(into)
    told = 0
    while told <= delivered:  # the first byte tells that it has begun
        told += len(os.read(out, 64))
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while select.select([out], [], [], 0)[0] and (dots := os.read(out, 64)):
        told += len(dots)
    os.close(out)
    return told - 1


def _main(folder: Path, times: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _record(folder / "whole.yaml", nowhere)
    started = time.perf_counter()
    _record(folder / "again.yaml", nowhere)  # all that is needed is loaded now
    one_s = (time.perf_counter() - started) / EXCHANGES
    chance = random.Random(6)
    for number in range(times):
        path = folder / f"{number}.yaml"
        if number % 2:
            path.write_text(OLD)
        delivered = chance.randint(0, EXCHANGES)
        count = _killed(path, delivered, chance.uniform(0, one_s))
        sys.stdout.write(f"{count}\n")


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]))
