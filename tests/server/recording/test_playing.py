"""What is answered out of a cassette, with nobody behind the proxy."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    load_cassette,
)
from agentsim.server.recording import playing
from tests.server.recording.standing import Service, Used, standing, whole

BODY = '{"model":"m","messages":[{"role":"user","content":"Go."}]}'

WIRES = {
    "openai-chat": "/openai/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
}


def written(path: Path, *answers: RecordedAnswer, wire: str = "openai-chat") -> Path:
    """A cassette in which equal requests have these answers."""
    with CassetteWriter(path) as writer:
        for number, answer in enumerate(answers, 1):
            asked = RecordedRequest("POST", f"https://x{WIRES[wire]}", body=BODY)
            writer.add(RecordedExchange(number, asked, answer, wire))
    return path


def ask(
    proxy: Used,
    path: str = WIRES["openai-chat"],
    body: str = BODY,
    method: str = "POST",
) -> tuple[int, bytes, http.client.HTTPMessage]:
    """Ask for an answer: its status, body and headers."""
    client = http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=5)
    try:
        client.request(method, path, body.encode())
        got = client.getresponse()
        return got.status, got.read(), got.headers
    finally:
        client.close()


def test_forms_are_found_whatever_mark_is_between_their_parts(tmp_path: Path) -> None:
    """Clients draw another mark for each request, and the proxy does not mind."""

    def form(mark: str, name: str = "x") -> tuple[str, dict[str, str]]:
        part = f'Content-Disposition: form-data; name="{name}"\r\n\r\n1\r\n'
        kind = {"content-type": f"multipart/form-data; boundary={mark}"}
        return f"--{mark}\r\n{part}--{mark}--\r\n", kind

    def send(proxy: Used, body: str, headers: dict[str, str]) -> int:
        client = http.client.HTTPConnection(
            proxy.url.removeprefix("http://"), timeout=5
        )
        client.request("POST", "/openai/v1/files", body.encode(), headers)
        status = client.getresponse().status
        client.close()
        return status

    path = tmp_path / "form.yaml"
    with (
        Service([whole(b"{}")]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        assert send(proxy, *form("0a1b2c")) == 200
    with standing(path, "replay") as proxy:
        assert send(proxy, *form("3d4e5f")) == 200
    with standing(path, "replay") as proxy:
        assert send(proxy, *form("3d4e5f", "y")) == 400


def test_equal_requests_are_answered_in_recorded_order(tmp_path: Path) -> None:
    """With the status, the body and the headers that were kept; what is left is told."""
    headers = {"content-type": "application/json", "x-request-id": "req_1"}
    path = written(
        tmp_path / "one.yaml",
        RecordedAnswer(429, headers, '{"error": 1}'),
        RecordedAnswer(200, headers, '{"said": "ä"}'),
        RecordedAnswer(200, headers, "{}"),
    )
    with standing(path, "replay") as proxy:
        status, body, got = ask(proxy)
        assert (status, body, got["x-request-id"]) == (429, b'{"error": 1}', "req_1")
        assert ask(proxy)[:2] == (200, '{"said": "ä"}'.encode())
        assert [one.number for one in proxy.tape.use.unused] == [3]


@pytest.mark.parametrize("wire", WIRES)
def test_a_miss_is_told_in_the_dialect_of_the_request(
    tmp_path: Path, wire: str
) -> None:
    """It is an error that SDKs do not ask again after, and it says what differs."""
    path = written(tmp_path / "one.yaml", RecordedAnswer(), wire=wire)
    told: list[str] = []
    with standing(path, "replay", tell=told.append) as proxy:
        other = BODY.replace("Go.", "Stop.")
        status, body, headers = ask(proxy, WIRES[wire], other)
    assert (status, headers["x-should-retry"]) == (400, "false")
    error = json.loads(body)["error"]
    assert error["type"] == "invalid_request_error"
    assert "was never recorded: the nearest is exchange 1" in error["message"]
    assert ("request_id" in json.loads(body)) == (wire == "anthropic-messages")
    assert told == [error["message"]] == proxy.troubles.missed


def test_nothing_goes_out_in_a_replay(tmp_path: Path) -> None:
    """Not even for a path that nobody recorded: the service sees no connection."""
    path = written(tmp_path / "one.yaml", RecordedAnswer())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with standing(path, "replay", url) as proxy:
            for asked in ("/openai/v1/models", "/v1/messages", "/elsewhere"):
                assert ask(proxy, asked, "", "GET")[0] == 400
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


STREAM = (RecordedChunk(5, "data: 1\n\n"), RecordedChunk(20, "data: 2\n\n"))


def test_a_stream_comes_in_its_pieces(tmp_path: Path) -> None:
    """At once, or in the time that it took."""
    answer = RecordedAnswer(200, {"content-type": "text/event-stream"}, chunks=STREAM)
    path = written(tmp_path / "one.yaml", answer)
    for real in (False, True):
        with standing(path, "replay", real=real) as proxy:
            status, body, headers = ask(proxy)
        assert (status, body) == (200, b"data: 1\n\ndata: 2\n\n")
        assert headers["content-length"] is None


def test_what_the_client_left_stays_open_until_it_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have waited for a time-out; a client that reads on is told at last."""
    answers = [
        RecordedAnswer(200, chunks=STREAM, ended="closed by the client"),
        RecordedAnswer(None, ended="closed by the client"),
    ]
    path = written(tmp_path / "one.yaml", *answers)
    with standing(path, "replay") as proxy:
        client = http.client.HTTPConnection(
            proxy.url.removeprefix("http://"), timeout=0.05
        )
        for _ in answers:
            client.request("POST", WIRES["openai-chat"], BODY)
            with pytest.raises(TimeoutError):
                client.getresponse().read()
            client.close()
        assert proxy.troubles.missed == []
    monkeypatch.setattr(playing, "LEAVING_S", 0.01)
    with standing(path, "replay") as proxy:
        with pytest.raises(http.client.IncompleteRead) as broken:
            ask(proxy)
        assert broken.value.partial == b"data: 1\n\ndata: 2\n\n"
        (told,) = proxy.troubles.missed
        assert told.startswith(f"{path}: exchange 1 was left by the client when it was")


WAITS = [
    (429, {"retry-after": "20"}, False, "1"),
    (529, {}, False, "1"),
    (500, {"retry-after-ms": "7000"}, False, "1"),
    (429, {"retry-after": "20"}, True, None),
    (429, {"retry-after": "121"}, False, None),
    (503, {"retry-after": "Mon, 30 Nov 2026 12:00:00 GMT"}, False, "1"),
    (400, {}, False, None),
]


@pytest.mark.parametrize(("status", "headers", "real", "wait_ms"), WAITS)
def test_an_sdk_asks_again_at_once(
    tmp_path: Path,
    status: int,
    headers: dict[str, str],
    real: bool,
    wait_ms: str | None,
) -> None:
    """Unless answers take their time; what keeps it from asking again still does."""
    path = written(tmp_path / "one.yaml", RecordedAnswer(status, headers, "{}"))
    with standing(path, "replay", real=real) as proxy:
        got = ask(proxy)[2]
    assert got["retry-after-ms"] == wait_ms
    assert got["retry-after"] == headers.get("retry-after")


def asked(path: Path, mode: str, url: str, texts: Sequence[str]) -> list[bytes]:
    """Ask once for each text."""
    with standing(path, mode, url) as proxy:  # type: ignore[arg-type]  # of a table
        return [ask(proxy, body=BODY.replace("Go.", text))[1] for text in texts]


def test_what_is_missing_is_recorded_beside_what_is_there(tmp_path: Path) -> None:
    """`record-missing` asks for no more than that, and `refresh` forgets the rest."""
    path = tmp_path / "one.yaml"
    answers = [[whole(b'{"n":%d}' % number)] for number in range(4)]
    with Service(*answers) as service:
        url = service.url
        assert asked(path, "record", url, "ab") == [b'{"n":0}', b'{"n":1}']
        assert asked(path, "record-missing", url, "bc") == [b'{"n":1}', b'{"n":2}']
        assert len(load_cassette(path).entries) == 3
        assert asked(path, "refresh", url, "cd") == [b'{"n":2}', b'{"n":3}']
    assert asked(path, "replay", url, "cd") == [b'{"n":2}', b'{"n":3}']
    assert len(load_cassette(path).entries) == 2
