"""What SDKs met in a recording they meet again in a replay, with the service gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.cassettes.deck.sessions import SESSIONS, told

STORY = [say("All is well, and has been so for a long time, I would say.")] * 2

FAULTS = (
    "stream_cut",
    "stream_cut_in_bytes",
    "stream_ends_early",
    "stream_error",
    "stream_noise",
    "stream_doubled",
    "rate_limited",
    "connection_lost",
)

# Each session without a fault, and each fault with two of the sessions.
ROUNDS = [(name, "") for name in SESSIONS] + [
    ([*SESSIONS][(at + turn) % len(SESSIONS)], fault)
    for at, fault in enumerate(FAULTS)
    for turn in (0, 3)
]


@pytest.mark.parametrize(("name", "fault"), ROUNDS)
def test_a_replay_is_what_was_recorded(tmp_path: Path, name: str, fault: str) -> None:
    """Answers, events of streams, errors and the list of models, by every wire."""
    faults = [fault] if fault else []
    with Serving(Scenario("Go.", STORY, faults=faults)) as server:
        met = told(name, "record", tmp_path, server.url)
    assert told(name, "replay", tmp_path, server.url) == met
    exchanges = load_cassette(tmp_path / f"{name}.yaml").exchanges
    assert [one.wire == "" for one in exchanges] == [False, False, True]
