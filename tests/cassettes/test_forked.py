"""One process writes a cassette, though others that it forks have the same file."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from agentsim.cassettes.tape import Mode, Tape
from agentsim.core import CassetteError
from tests.cassettes.test_tape import CHAT, Ticks, ask, session

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="nothing is forked on this system"
)


@contextlib.contextmanager
def forked(work: Callable[[], str]) -> Iterator[str]:
    """A process that was forked and did some work, and lives on; what came of that."""
    said, says = os.pipe()
    lives, ends = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of the threads of a test run
        child = os.fork()
    if child == 0:
        try:
            os.close(ends)
            os.write(says, work().encode())
            os.close(says)
            os.read(lives, 1)
        finally:
            os._exit(0)
    os.close(says)
    try:
        with os.fdopen(said, encoding="utf-8") as text:
            yield text.read()
    finally:
        os.close(ends)
        os.close(lives)
        os.waitpid(child, 0)


@pytest.mark.parametrize("mode", ["record", "record-missing"])
def test_a_forked_process_writes_nothing(tmp_path: Path, mode: Mode) -> None:
    """It is told before it asks; and what it closes is left to who opened it."""
    path = tmp_path / "a.yaml"
    session(path, "record", "old")
    before = path.read_bytes()
    tape = Tape(path, mode, clock=Ticks())
    taking = tape.begin(ask("a"), CHAT)

    def work() -> str:
        try:
            tape.begin(ask("b"), CHAT)
        except CassetteError as error:
            return str(error)
        finally:
            tape.close()
        return ""

    with forked(work) as said:
        assert said.partition(": ")[2].startswith(
            "this process was forked from the one"
        )
    assert path.read_bytes() == before
    taking.head(200, {})
    taking.body(b"a")
    taking.end()
    tape.close()
    kept = load_cassette(path).exchanges
    assert [one.answer.body for one in kept][-1] == "a"
    assert [one.number for one in kept] == [*range(1, len(kept) + 1)]


def test_a_forked_process_keeps_no_cassette_locked(tmp_path: Path) -> None:
    """It may live on, as one of a pool of workers does."""
    path = tmp_path / "a.yaml"
    for _ in ("new", "in place of the old one"):
        tape = Tape(path, "record", clock=Ticks())
        tape.begin(ask("a"), CHAT).end()
        with forked(lambda: "there"):
            tape.close()
            assert session(path, "record-missing", "b") == ["live b"]
