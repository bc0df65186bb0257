"""Whatever strikes a session while it is recorded strikes it again when it is replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from agentsim.cassettes import load_cassette
from agentsim.faults import CATALOGUE
from agentsim.providers import call, say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from agentsim.world import Disk
from tests.server.programs import post
from tests.server.recording.standing import Used, standing
from tests.server.talks import TALKS, Talk

SCENARIO = Scenario(
    "Go.",
    [call("check_disk", path="/var"), say("Freed 20 GB, äöü.")],
    world=[Disk()],
)

HANG = ("model_hangs", "model_timeout", "stream_stalls")

IMPATIENT = httpx2.Timeout(10, read=0.3)
"""Only for what hangs: on a busy machine all others may take longer."""


STRUCK = [
    name
    for name, fault in CATALOGUE.items()
    if fault.target == "model"
    and (fault.stream is not None or fault.error_status or fault.answer != "normal")
]
"""All that breaks on the way; what the model itself says wrong is on it as any answer."""


def heard(talk: Talk, client: Any, name: str) -> list[str]:  # noqa: ANN401
    """What one request comes to."""
    said: list[str] = []
    streamed = name.startswith("stream")
    fields = next(talk.steps())
    if talk.sdk == "openai":
        fields["user"] = name
    else:
        fields["metadata"] = {"user_id": name}
    try:
        answer = talk.of(client).create(**fields, stream=streamed)
        if not streamed:
            return [answer.model_dump_json()]
        with answer as events:
            said.extend(event.model_dump_json() for event in events)
    except (openai.OpenAIError, anthropic.AnthropicError, httpx2.HTTPError) as error:
        said.append(f"{type(error).__name__}: {error}")
    return said


def session(wire: str, proxy: Used, serving: Serving | None) -> dict[str, list[str]]:
    """One request for each fault, as it is heard by a client that asks again once."""
    talk, told = TALKS[wire], {}
    base = proxy.anthropic if talk.sdk == "anthropic" else proxy.openai
    url = base.removesuffix("/v1")
    with talk.client(url, "any", max_retries=1) as client:
        for fault in STRUCK:
            if serving is not None:
                control = f"{serving.url}/_agentsim/runs/{fault}/deviations"
                assert post(control, {"deviations": [fault]})[0] == 200
            hurry = {"timeout": IMPATIENT, "max_retries": 0} if fault in HANG else {}
            own = client.with_options(api_key=f"agentsim-{fault}", **hurry)
            told[fault] = heard(talk, own, fault)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("wire", TALKS)
def test_a_struck_session_is_replayed_with_the_service_gone(
    tmp_path: Path, wire: str
) -> None:
    """Every event, every error and every retry: as it was, with nobody behind the proxy."""
    path = tmp_path / "struck.yaml"
    with Serving(SCENARIO) as serving, standing(path, "record", serving.url) as proxy:
        told = session(wire, proxy, serving)
    endings = {one.answer.ended for one in load_cassette(path).exchanges}
    assert endings == {"whole", "closed by the client", "broken off", "no answer"}
    with standing(path, "replay") as proxy:
        assert session(wire, proxy, None) == told
        assert proxy.tape.use.unused == ()
        assert proxy.troubles.missed == []
    assert len(json.dumps(told)) > 5_000
