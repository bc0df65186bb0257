"""Records cassettes in children that are killed: `python -m` it with a folder and a count.

Of each child the parent prints how many of its answers had been delivered, on a line.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
)

EXCHANGES = 20


def exchange(number: int) -> RecordedExchange:
    """An exchange of some size, the same for each number."""
    chunks = tuple(
        RecordedChunk(piece, f'data: {{"piece": {piece}, "of": {number}}}\n\n' * 9)
        for piece in range(number * 5)
    )
    body = f'{{"question": "{"x" * 2_000 * number}"}}'
    answer = RecordedAnswer(chunks=chunks)
    return RecordedExchange(number, RecordedRequest(body=body), answer)


def _record(path: Path, out: int) -> None:
    with CassetteWriter(path) as writer:
        os.write(out, b"+")  # the recording has begun
        for number in range(1, EXCHANGES + 1):
            writer.add(exchange(number))
            os.write(out, b".")  # the answer is delivered


def _killed(path: Path, after_s: float) -> int:
    """Record in a child, kill it, and count what it had delivered."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        _record(path, into)
        os._exit(0)
    os.close(into)
    os.read(out, 1)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    delivered = 0
    while select.select([out], [], [], 0)[0] and (dots := os.read(out, 64)):
        delivered += len(dots)
    os.close(out)
    return delivered


def _main(folder: Path, times: int) -> None:
    started = time.perf_counter()
    _record(folder / "whole.yaml", os.open(os.devnull, os.O_WRONLY))
    took_s = time.perf_counter() - started
    chance = random.Random(6)
    for number in range(times):
        path = folder / f"{number}.yaml"
        sys.stdout.write(f"{_killed(path, chance.uniform(0, took_s * 1.1))}\n")


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]))
