"""Streams over HTTP: a client that dies in the middle of one, and connections that break."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from agentsim.core import RequestFailed, ResponseReceived
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from tests.server.programs import asked, chat, get

LONG = "All is well. " * 1_000_000

HALF = """\
import json, socket, sys, time

host, port, body = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
client = socket.create_connection((host, port))
client.sendall(b"POST /v1/chat/completions HTTP/1.1\\r\\nhost: x\\r\\n")
client.sendall(f"content-length: {len(body)}\\r\\n\\r\\n".encode() + body)
print(client.recv(1000)[:15].decode(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def server() -> Iterator[Serving]:
    """A server whose first answer is longer than any buffer."""
    with Serving(Scenario("Go.", [say(LONG)])) as serving:
        yield serving


@pytest.mark.slow
def test_a_client_that_is_killed_in_mid_stream_leaves_the_server_serving(
    server: Serving,
) -> None:
    """Kill -9 of a client is recorded as an answer that it did not get; others are served."""
    host, port = server.url.removeprefix("http://").split(":")
    body = json.dumps({**asked(), "stream": True})
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", HALF, host, port, body],
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "HTTP/1.1 200 OK\n"
        client.send_signal(signal.SIGKILL)
    assert chat(server.url, asked(), x_agentsim_run="other")[0] == 200
    failures: list[RequestFailed] = []
    while not failures:
        assert get(f"{server.url}/_agentsim/runs/default")[1]["responses"] == 0
        failures = server.verdict().trace.of(RequestFailed)
    [failure] = failures
    assert failure.words == "the client closed the connection before it had the answer"
    assert failure.definite is False


STORY = [say("All is well, and has been so for a long time, I would say.")]


def streamed(serving: Serving, wire: str, **options: Any) -> str:
    """What a client of an SDK reads of a stream, event by event."""
    key = "agentsim"
    said: Any = [{"role": "user", "content": "Go."}]
    if wire == "messages":
        made = anthropic.Anthropic(base_url=serving.url, api_key=key, max_retries=0)
        with (
            made,
            made.messages.stream(model="m", max_tokens=99, messages=said) as told,
        ):
            return "".join(told.text_stream)
    client = openai.OpenAI(
        base_url=f"{serving.url}/v1", api_key=key, max_retries=0, **options
    )
    with client:
        chunks: Any = client.chat.completions.create(
            model="m", messages=said, stream=True
        )
        return "".join(
            choice.delta.content or "" for chunk in chunks for choice in chunk.choices
        )


CUTS: list[tuple[str, str, type[Exception]]] = [
    ("stream_cut", "chat", openai.APIConnectionError),
    ("stream_cut=1", "chat", openai.APIConnectionError),
    ("stream_cut_in_bytes", "chat", openai.APIConnectionError),
    ("stream_error", "chat", openai.APIError),
    ("stream_cut", "messages", httpx2.RemoteProtocolError),
    ("stream_cut_in_bytes=end", "messages", httpx2.RemoteProtocolError),
    ("stream_error", "messages", anthropic.APIStatusError),
]


@pytest.mark.parametrize(("fault", "wire", "error"), CUTS)
def test_a_stream_that_breaks_is_what_the_sdk_meets_in_production(
    fault: str, wire: str, error: type[Exception]
) -> None:
    """What breaks on the way breaks the connection, and is recorded as no answer."""
    with Serving(Scenario("Go.", STORY, faults=[fault])) as serving:
        with pytest.raises(error):
            streamed(serving, wire)
        while not (failures := serving.verdict().trace.of(RequestFailed)):
            assert serving.verdict().trace.of(ResponseReceived) == []
    assert [failure.definite for failure in failures] == [False]


@pytest.mark.slow
def test_a_stream_that_stalls_is_given_up_by_the_client() -> None:
    """Its own time-out ends the wait for what never comes, and is no answer."""
    with Serving(Scenario("Go.", STORY, faults=["stream_stalls"])) as serving:
        with pytest.raises(openai.APITimeoutError):
            streamed(serving, "chat", timeout=httpx2.Timeout(10, read=0.5))
        while not serving.verdict().trace.of(RequestFailed):
            assert serving.verdict().trace.of(ResponseReceived) == []


def test_a_stream_that_ends_early_ends_in_silence() -> None:
    """Nothing tells the program, but what it did not get."""
    with Serving(Scenario("Go.", STORY, faults=["stream_ends_early"])) as serving:
        said = streamed(serving, "chat")
        whole = STORY[0].text
        assert said != whole
        assert whole.startswith(said)
        assert len(serving.verdict().trace.of(RequestFailed)) == 1


@pytest.mark.parametrize("fault", ["stream_noise", "stream_in_portions"])
@pytest.mark.parametrize("wire", ["chat", "messages"])
def test_noise_and_other_portions_change_nothing(fault: str, wire: str) -> None:
    """A client reads the same of any bytes that say the same."""
    with Serving(Scenario("Go.", STORY, faults=[fault])) as serving:
        assert streamed(serving, wire) == STORY[0].text
        assert serving.verdict().word == "holds"
