"""Real SDKs through the proxy: recorded once, and answered the same with nobody behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from agentsim.cassettes.redaction import audit_cassette
from agentsim.server import Serving
from tests.server.programs import DISK
from tests.server.recording.standing import Used, standing
from tests.server.talks import TALKS, aheld, held

KEY = "sk-proj-0123456789abcdefghij"


def converse(wire: str, proxy: Used, *, streamed: bool) -> list[str]:
    """One conversation with a sync client, and one with an async one."""
    talk = TALKS[wire]
    base = proxy.anthropic if talk.sdk == "anthropic" else proxy.openai
    url = base.removesuffix("/v1")
    with talk.client(url, KEY, max_retries=0) as client:
        said = [held(talk, client, streamed=streamed)]

    async def ask() -> str:
        async with talk.aclient(url, f"{KEY}k", max_retries=0) as client:
            return await aheld(talk, client, streamed=streamed)

    return [*said, asyncio.run(ask())]


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("wire", TALKS)
def test_a_session_is_replayed_with_the_service_gone(
    tmp_path: Path, wire: str, *, streamed: bool
) -> None:
    """Sync and async clients hear the same again, and no key is in the cassette."""
    path = tmp_path / "session.yaml"
    with Serving(DISK) as serving, standing(path, "record", serving.url) as proxy:
        said = converse(wire, proxy, streamed=streamed)
    assert said == ["Freed 20 GB.", "Freed 20 GB."]
    kept = load_cassette(path)
    assert [one.answer.ended for one in kept.exchanges] == ["whole"] * 6
    assert all((one.answer.chunks is not None) == streamed for one in kept.exchanges)
    assert "sk-" not in path.read_text()
    assert not audit_cassette(kept)
    with standing(path, "replay") as proxy:
        assert converse(wire, proxy, streamed=streamed) == said
        assert proxy.tape.use.unused == ()
