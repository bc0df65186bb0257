"""openai below 3 and anthropic below 1 speak through httpx: they record and replay too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.cassettes.deck.sessions import SESSIONS, told
from tests.cassettes.deck.test_round_trips import STORY
from tests.support.asked import answering
from tests.support.frameworks import OPENAI_2, framework, surroundings


@pytest.mark.slow
def test_older_sdks_record_and_replay(tmp_path: Path) -> None:
    """All wires, blocking and not; and the newer SDKs are answered by the same cassettes."""
    cut = Scenario("Go.", STORY, faults=["stream_cut"])
    command = [
        str(framework(OPENAI_2)),
        "-W",
        "error",
        "-m",
        "tests.cassettes.deck.sessions",
    ]
    with answering(command, surroundings()) as ask:
        with Serving(Scenario("Go.", STORY)) as plain, Serving(cut) as cutting:
            sessions = [(name, str(tmp_path), plain.url) for name in SESSIONS]
            sessions += [
                (name, str(tmp_path / "cut"), cutting.url)
                for name in ("blocking-chat", "awaiting-messages")
            ]
            met = json.loads(ask(json.dumps(["record", *sessions])))
        assert json.loads(ask(json.dumps(["replay", *sessions]))) == met
    for (name, folder, url), before in zip(sessions, met, strict=True):
        (_answer, events, _models) = told(name, "replay", Path(folder), url)
        assert len(events) == len(before[1]) > 3
