"""The older SDK, which speaks through httpx, behind the proxy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.server.recording.standing import standing
from tests.support.asked import answering
from tests.support.frameworks import OPENAI_2, framework, surroundings

PROGRAM = """\
import asyncio, json, openai, os, sys

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}

def plain(client):
    yield client.chat.completions.create(**ASKED)
    yield from client.chat.completions.create(**ASKED, stream=True)

async def awaited(client):
    whole = await client.responses.create(model="m", input="Go.")
    stream = await client.responses.create(model="m", input="Go.", stream=True)
    return [whole, *[event async for event in stream]]

assert openai.VERSION.startswith("2.")
for line in sys.stdin:
    os.environ["OPENAI_BASE_URL"] = line.strip()
    heard = [
        *plain(openai.OpenAI(api_key="agentsim-a")),
        *asyncio.run(awaited(openai.AsyncOpenAI(api_key="agentsim-b"))),
    ]
    print(json.dumps([one.model_dump_json() for one in heard]), flush=True)
"""


@pytest.mark.slow
def test_the_older_sdk_hears_the_same_again(tmp_path: Path) -> None:
    """Sync and async, plain and streamed, by both wires, with nobody behind the proxy."""
    path = tmp_path / "out.yaml"
    with answering([framework(OPENAI_2), "-I", "-c", PROGRAM], surroundings()) as ask:
        story = Scenario("Go.", [say("One."), say("Two.")])
        with (
            Serving(story) as serving,
            standing(path, "record", serving.url) as proxy,
        ):
            recorded = json.loads(ask(proxy.openai))
        with standing(path, "replay") as proxy:
            assert json.loads(ask(proxy.openai)) == recorded
    assert len(recorded) > 10
    assert len(load_cassette(path).entries) == 4
