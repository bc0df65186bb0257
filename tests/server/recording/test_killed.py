"""A proxy that is killed keeps what it delivered."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentsim.cassettes import load_cassette
from tests.server.recording.standing import Service, head, piece, whole
from tests.support.source import ROOT


def started(path: Path, url: str) -> tuple[subprocess.Popen[str], str]:
    """A proxy in a process of its own, and where it stands."""
    words = ["record", str(path), "--json", "--upstream", f"openai={url}/v1"]
    proxy = subprocess.Popen(
        [sys.executable, "-m", "agentsim.cli", *words],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert proxy.stdout is not None
    text = ""
    while not text.endswith("\n}\n"):
        text += proxy.stdout.readline()
    return proxy, json.loads(text)["url"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_proxy_keeps_every_answer_that_it_delivered(tmp_path: Path) -> None:
    """Killed when a client has the last event of a stream, whose end is still to come."""
    path = tmp_path / "killed.yaml"
    events = (b"data: 1\n\n", b"data: [DONE]\n\n")
    stream = [head(), *map(piece, events), None]
    with Service([whole(b'{"n": 1}')], stream) as service:
        proxy, url = started(path, service.url)
        client = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
        try:
            client.request("POST", "/v1/chat/completions", b"{}")
            got = [client.getresponse().read(), b""]
            client.request("POST", "/v1/chat/completions", b"{}")
            with client.getresponse() as answer:
                while not got[1].endswith(events[1]):
                    got[1] += answer.read1()
                proxy.kill()
        finally:
            client.close()
            proxy.kill()
            proxy.communicate()
    kept = load_cassette(path).exchanges
    assert got == [b'{"n": 1}', b"".join(events)]
    assert [one.answer.text.encode() for one in kept] == got
    assert [one.answer.ended for one in kept] == ["whole", "whole"]
