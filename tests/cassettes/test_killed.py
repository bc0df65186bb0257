"""A recording that is killed keeps what was delivered, and leaves the old one whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsim.cassettes import Cassette, load_cassette
from tests.cassettes.recorder import EXCHANGES, OLD, pieces, question
from tests.support.source import ROOT

KILLS = 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_recording_keeps_every_answer_that_was_delivered(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """SIGKILL at 200 moments of 12 streams: every file loads and lacks no delivery."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.cassettes.recorder", tmp_path, str(KILLS)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    delivered = list(map(int, told.stdout.split()))
    assert len(delivered) == KILLS
    wanted = load_cassette(tmp_path / "whole.yaml").exchanges
    assert [one.request for one in wanted] == [
        question(number) for number in range(1, EXCHANGES + 1)
    ]
    assert [one.answer.text.encode() for one in wanted] == [
        b"".join(pieces(number)) for number in range(1, EXCHANGES + 1)
    ]
    read: dict[bytes, Cassette] = {}  # most are equal to one that was read before
    unfinished = 0
    for number, count in enumerate(delivered):
        path, beside = (tmp_path / f"{number}{end}" for end in (".yaml", ".yaml.new"))
        if beside.exists():
            assert path.read_text() == OLD
            path = beside
        content = path.read_bytes()
        if content not in read:
            read[content] = load_cassette(path)
        found = read[content]
        kept = len(found.entries)
        assert kept >= count
        assert found.entries == wanted[:kept]
        unfinished += found.left_over_bytes > 0
    middle = sum(0 < count < EXCHANGES for count in delivered)
    assert middle > KILLS // 3
    figure(
        f"cassettes: {KILLS} recordings killed, {middle} of them in the middle, "
        f"{unfinished} within a document: nothing delivered is lost"
    )
