"""Streams over HTTP: a client that dies in the middle of one, and connections that break."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from agentsim.core import RequestFailed
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
