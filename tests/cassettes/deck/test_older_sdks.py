"""openai below 3 and anthropic below 1 speak through httpx: they record and replay too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.cassettes.deck.sessions import SESSIONS, told
from tests.cassettes.deck.test_round_trips import STORY
from tests.support.environments import ROOT
from tests.support.frameworks import OPENAI_2, framework, surroundings

Session = tuple[str, str, str]
"""Its name, the folder of its cassette, and the address of the service."""


def in_child(mode: str, sessions: list[Session]) -> list[Any]:
    """What sessions met on the older SDKs, which say nothing beside it."""
    child = subprocess.run(
        [
            *(framework(OPENAI_2), "-W", "error"),
            *("-m", "tests.cassettes.deck.sessions", mode, *map(json.dumps, sessions)),
        ],
        cwd=ROOT,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stderr == ""
    found: list[Any] = json.loads(child.stdout)
    return found


@pytest.mark.slow
def test_older_sdks_record_and_replay(tmp_path: Path) -> None:
    """All wires, blocking and not; and the newer SDKs are answered by the same cassettes."""
    cut = Scenario("Go.", STORY, faults=["stream_cut"])
    with Serving(Scenario("Go.", STORY)) as plain, Serving(cut) as cutting:
        sessions = [(name, str(tmp_path), plain.url) for name in SESSIONS]
        sessions += [
            (name, str(tmp_path / "cut"), cutting.url)
            for name in ("blocking-chat", "awaiting-messages")
        ]
        met = in_child("record", sessions)
    assert in_child("replay", sessions) == met
    for (name, folder, url), before in zip(sessions, met, strict=True):
        (_answer, events, _models) = told(name, "replay", Path(folder), url)
        assert len(events) == len(before[1]) > 3
