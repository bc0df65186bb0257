"""The older SDK, which speaks through httpx, behind the proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.support.command import agentsim
from tests.support.frameworks import OPENAI_2, framework

PROGRAM = """\
import asyncio, openai

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}

def plain(client):
    print(client.chat.completions.create(**ASKED).model_dump_json())
    for event in client.chat.completions.create(**ASKED, stream=True):
        print(event.model_dump_json())

async def awaited(client):
    print((await client.responses.create(model="m", input="Go.")).model_dump_json())
    async for event in await client.responses.create(model="m", input="Go.", stream=True):
        print(event.model_dump_json())

assert openai.VERSION.startswith("2.")
plain(openai.OpenAI(api_key="agentsim-a"))
asyncio.run(awaited(openai.AsyncOpenAI(api_key="agentsim-b")))
"""


@pytest.mark.slow
def test_the_older_sdk_hears_the_same_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sync and async, plain and streamed, by both wires, with nobody behind the proxy."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    path = str(tmp_path / "out.yaml")
    command = ("--", str(framework(OPENAI_2)), "-I", str(program))
    with Serving(Scenario("Go.", [say("One."), say("Two.")])) as serving:
        words = ("--upstream", f"openai={serving.url}/v1")
        assert agentsim("record", path, *words, *command).code == 0
    recorded = capfd.readouterr().out
    assert recorded.count("\n") > 10
    assert len(load_cassette(Path(path)).entries) == 4
    assert agentsim("record", path, "--mode", "replay", *command).code == 0
    assert capfd.readouterr().out == recorded
