"""`explore --workers`: the same report, made by more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

DISK_FULL = str(FOLDER / "disk_full.yaml")

MUTANT = "agentsim.mutants:error_kills_loop"


@pytest.mark.slow
@pytest.mark.parametrize("mode", [("--runs", "40"), ("--deviations", "1")], ids=str)
def test_the_report_is_the_same_to_the_byte(
    mode: tuple[str, str], tmp_path: Path
) -> None:
    """What is printed, as data and as text, and what is kept, but for the time."""
    told = []
    for workers in ("1", "2"):
        words = ("explore", DISK_FULL, "--agent", MUTANT, *mode, "--workers", workers)
        done = agentsim(*words, "--json")
        lines = [line for line in done.out.splitlines() if "runs_per_s" not in line]
        [kept] = (tmp_path / ".agentsim").glob("*.json")
        told.append((done.code, lines, kept.read_text()))
        kept.unlink()
    assert told[0] == told[1]
    assert told[0][0] == 1


@pytest.mark.parametrize(
    ("number", "words"), [("0", "'--workers'"), ("65", "expected 64 at most, got 65")]
)
def test_a_number_of_workers_that_makes_no_sense_is_refused(
    number: str, words: str
) -> None:
    """One is the least, and there is a most: a slip must not start a thousand processes."""
    done = agentsim("explore", DISK_FULL, "--workers", number)
    assert done.code == 3
    assert words in done.err
