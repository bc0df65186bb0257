"""What goes through the proxy arrives as it was sent, and is in the cassette."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsim.cassettes import RecordedExchange, load_cassette
from agentsim.cassettes.tape import Taking
from agentsim.core import CassetteError, UsageError
from agentsim.server.recording import answering
from agentsim.server.recording.asking import Asked, Asking, Lost
from agentsim.server.recording.passing import Kept
from tests.server.recording.standing import (
    END,
    Service,
    Used,
    head,
    piece,
    standing,
    whole,
)

SECRET = "sk-proj-0123456789abcdefghij"

CHAT = "/openai/v1/chat/completions"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette is."""
    return tmp_path / "one.yaml"


def connect(proxy: Used) -> http.client.HTTPConnection:
    """A connection to the proxy."""
    return http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=5)


def kept(path: Path) -> RecordedExchange:
    """The one exchange that was recorded."""
    (exchange,) = load_cassette(path).exchanges
    return exchange


def test_a_request_and_its_answer_go_through_as_they_are(path: Path) -> None:
    """Method, path, query, headers and bytes; of both ends of a connection, nothing."""
    answer = whole(
        b"\x00\xff", b"set-cookie: a=1", b"Set-Cookie: b=2", status=b"418 Teapot"
    )
    with Service([answer]) as service, standing(path, "record", service.url) as proxy:
        client = connect(proxy)
        client.putrequest("PUT", "/openai/v1/a%2Fb/%C3%A4?x=1&y=%20", skip_host=True)
        for name, value in (
            ("host", "proxy"),
            ("Authorization", f"Bearer {SECRET}"),
            ("accept-encoding", "gzip, br"),
            ("connection", "keep-alive, x-hop"),
            ("x-hop", "1"),
            ("x-own", "2"),
            ("content-length", "3"),
        ):
            client.putheader(name, value)
        client.endheaders(b"\xfe\x00\n")
        got = client.getresponse()
        assert (got.status, got.read()) == (418, b"\x00\xff")
        assert got.headers.get_all("set-cookie") == ["a=1", "b=2"]
        client.close()
    first, *lines = service.asked[0].split(b"\r\n")
    assert first == b"PUT /v1/a%2Fb/%C3%A4?x=1&y=%20 HTTP/1.1"
    sent = [line.lower() for line in lines]
    assert f"authorization: bearer {SECRET}".encode() in sent
    assert b"accept-encoding: identity" in sent
    assert b"x-own: 2" in sent
    assert service.asked[0].endswith(b"\r\n\r\n\xfe\x00\n")
    assert b"x-hop" not in service.asked[0]
    assert f"host: {service.url.removeprefix('http://')}".encode() in sent
    exchange = kept(path)
    assert exchange.request.method == "PUT"
    assert exchange.request.url == f"{service.url}/v1/a%2Fb/%C3%A4?x=1&y=%20"
    assert exchange.request.body.encode("utf-8", "surrogateescape") == b"\xfe\x00\n"
    assert exchange.answer.status == 418
    assert exchange.answer.text.encode("utf-8", "surrogateescape") == b"\x00\xff"
    assert SECRET not in path.read_text()


def test_a_stream_is_passed_on_piece_by_piece(path: Path) -> None:
    """Each piece is there before the service has the next; the last one after it is kept."""
    gates = [threading.Event(), threading.Event(), threading.Event()]
    pieces = [b"data: 1\n\n", b"data: 2\n\n", b"data: [DONE]\n\n"]
    script = [
        *(head(), gates[0], piece(pieces[0]), gates[1], piece(pieces[1]), gates[2]),
        *(piece(pieces[2]), None),
    ]
    with Service(script) as service, standing(path, "record", service.url) as proxy:
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        gates[0].set()
        got = client.getresponse()
        assert got.status == 200
        assert got.read1() == pieces[0]
        assert load_cassette(path).entries == ()
        gates[1].set()
        assert got.read1() == pieces[1]
        gates[2].set()
        assert got.read1() == pieces[2]
        answer = kept(path).answer
        assert [chunk.text.encode() for chunk in answer.chunks or ()] == pieces
        assert answer.ended == "whole"
        got.close()
        client.close()
        assert service.left.wait(5)
    assert kept(path).answer.ended == "whole"


def test_a_client_that_leaves_ends_the_request(path: Path) -> None:
    """The service is left too, and what came until then is kept, and marked."""
    sent = [piece(b"data: %d\n\n" % number) for number in range(3)]
    with (
        Service([head(), *sent, None]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        got = client.getresponse()
        data = b""
        while b"2" not in data:
            data += got.read1()
        got.close()
        client.close()
        assert service.left.wait(5)
    answer = kept(path).answer
    assert answer.text == "data: 0\n\ndata: 1\n\ndata: 2\n\n"
    assert (answer.ended, answer.error) == ("closed by the client", "")


def test_a_client_that_leaves_before_the_answer_is_kept(path: Path) -> None:
    """Then there is no status; the service is left."""
    with (
        Service([None]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        assert service.came.wait(5)
        client.close()
        assert service.left.wait(5)
    answer = kept(path).answer
    assert (answer.status, answer.ended) == (None, "closed by the client")


BROKEN = [
    ([], None, "no answer", "it closed the connection, or speaks no HTTP"),
    (
        [b"hello\r\n\r\n"],
        None,
        "no answer",
        "it closed the connection, or speaks no HTTP",
    ),
    (
        [whole(b"12345")[:-2]],
        "123",
        "broken off",
        "it closed the connection, or speaks no HTTP",
    ),
    (
        [head(), piece(b"data: 1\n\n")],
        "data: 1\n\n",
        "broken off",
        "it closed the connection, or speaks no HTTP",
    ),
    (
        [whole(b"12345", b"content-encoding: gzip")],
        "",
        "broken off",
        "its answer is not encoded as it says",
    ),
]


@pytest.mark.parametrize(("script", "came", "ended", "error"), BROKEN)
def test_what_breaks_behind_the_proxy_breaks_before_it(
    path: Path, script: list[bytes], came: str | None, ended: str, error: str
) -> None:
    """No status is invented: the client sees a connection that breaks, as it would."""
    with (
        Service(script) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        if came is None:
            with pytest.raises(http.client.RemoteDisconnected):
                client.getresponse()
        else:
            with pytest.raises(http.client.IncompleteRead) as broken:
                client.getresponse().read()
            assert broken.value.partial.decode() == came
        client.close()
    answer = kept(path).answer
    assert (answer.ended, answer.error) == (ended, error)
    assert answer.text == (came or "")
    with standing(path, "replay") as proxy:
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        with pytest.raises(
            (http.client.RemoteDisconnected, http.client.IncompleteRead)
        ):
            client.getresponse().read()
        client.close()


def test_a_service_that_is_not_there_is_told_once(path: Path) -> None:
    """Each time the client sees a broken connection; the person reads why."""
    told: list[str] = []
    with standing(path, "record", tell=told.append) as proxy:
        for _ in range(2):
            client = connect(proxy)
            client.request("POST", CHAT, b"{}")
            with pytest.raises(http.client.RemoteDisconnected):
                client.getresponse()
            client.close()
    assert told == ["http://127.0.0.1:9 can't be reached: nothing listens there"]
    answers = [one.answer for one in load_cassette(path).exchanges]
    assert [(one.status, one.ended) for one in answers] == [(None, "no answer")] * 2


ENCODED = [
    (b"gzip", gzip.compress),
    (b"deflate", zlib.compress),
    (b"identity", bytes),
]


@pytest.mark.parametrize(("coding", "encode"), ENCODED)
def test_an_encoded_answer_is_decoded(
    path: Path, coding: bytes, encode: Callable[[bytes], bytes]
) -> None:
    """Though it was not asked for: its header and its length go, and texts are kept."""
    sent = b'{"said": "something"}'
    raw = whole(encode(sent), b"Content-Encoding: " + coding)
    with (
        Service([raw[:-3], raw[-3:]]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        got = client.getresponse()
        assert got.headers["content-encoding"] in (None, "identity")
        assert got.read() == sent
        client.close()
    assert kept(path).answer.text == sent.decode()


def test_what_cannot_be_decoded_is_passed_on_and_not_kept(path: Path) -> None:
    """Nobody could see the secrets in it; the program gets it as it is."""
    raw = whole(SECRET.encode(), b"content-encoding: rot13")
    with Service([raw]) as service, standing(path, "record", service.url) as proxy:
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        got = client.getresponse()
        assert got.headers["content-encoding"] == "rot13"
        assert got.read() == SECRET.encode()
        client.close()
    answer = kept(path).answer
    assert (answer.text, answer.ended) == ("", "broken off")
    assert answer.error == "the answer is encoded in a way that can't be read"


def test_an_encoded_request_is_kept_as_it_is_meant(path: Path) -> None:
    """It goes on as it came; one that can't be read is refused."""
    raw = gzip.compress(b'{"asked": 1}')
    with (
        Service([whole(b"{}")]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("POST", CHAT, raw, {"content-encoding": "gzip"})
        assert client.getresponse().read() == b"{}"
        for coding, status in (("rot13", 415), ("gzip", 400)):
            client.request("POST", CHAT, b"{}", {"content-encoding": coding})
            got = client.getresponse()
            assert (got.status, got.headers["x-should-retry"]) == (status, "false")
            got.read()
        client.close()
        assert len(proxy.troubles.unkept) == 2
    assert service.asked[0].endswith(raw)
    assert kept(path).request.body == '{"asked": 1}'


def test_a_body_without_length_is_whole_when_it_ends(path: Path) -> None:
    """Pieces go on as they come, but the last one, which waits for the cassette."""
    plain = head().replace(b"text/event-stream", b"application/json")
    script = [plain, piece(b'{"a":'), piece(b"1}"), END]
    with Service(script) as service, standing(path, "record", service.url) as proxy:
        client = connect(proxy)
        client.request("GET", "/v1/models")
        assert client.getresponse().read() == b'{"a":1}'
        client.close()
    exchange = kept(path)
    assert (exchange.answer.body, exchange.answer.chunks) == ('{"a":1}', None)
    assert exchange.wire == ""


def test_an_answer_that_cannot_be_kept_is_handed_on() -> None:
    """The program's answer is paid for; that the recording failed is told."""

    def full(_answer: object) -> None:
        raise CassetteError("the disk is full")

    told: list[str] = []
    for wire in ("openai-chat", ""):
        one = Kept(Taking(full, lambda: 0.0, wire), told.append)
        one.chunk(b"data: [DONE]\n\n")
        one.end()
    assert told == ["the disk is full"] * 2


def test_an_answer_without_a_body_is_kept_with_its_head(path: Path) -> None:
    """Whoever has the head has all of it."""
    with (
        Service([whole(b""), None]) as service,
        standing(path, "record", service.url) as proxy,
    ):
        client = connect(proxy)
        client.request("DELETE", "/v1/responses/resp_1")
        assert client.getresponse().status == 200
        assert kept(path).answer.ended == "whole"
        client.close()


def test_a_request_that_is_too_large_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could keep it; it is told, and nothing is asked of the service."""
    monkeypatch.setattr(answering, "BODY_BYTES_MAX", 10)
    with standing(path, "record") as proxy:
        client = connect(proxy)
        client.request("POST", CHAT, b"x" * 11)
        assert client.getresponse().status == 413
        client.close()
        assert "can't be recorded" in proxy.troubles.unkept[0]


def test_a_bug_does_not_break_off_the_proxy(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One connection breaks, the others go on, and the bug is told in the end."""
    with standing(path, "record", sound=False) as proxy:

        def fail(*_: object) -> None:
            raise LookupError("something")

        monkeypatch.setattr(proxy.tape, "answer", fail)
        for _ in range(2):
            client = connect(proxy)
            client.request("POST", CHAT, b"{}")
            with pytest.raises(http.client.RemoteDisconnected):
                client.getresponse()
            client.close()
        told = str(proxy.troubles.failure)
    assert told == "the proxy: LookupError: something"


def test_a_tape_that_is_closed_is_told(path: Path) -> None:
    """What can't be recorded is not asked for."""
    with standing(path, "record") as proxy:
        proxy.tape.close()
        client = connect(proxy)
        client.request("POST", CHAT, b"{}")
        assert client.getresponse().status == 400
        client.close()
        assert "was closed before" in proxy.troubles.unkept[0]


@pytest.mark.parametrize(
    ("name", "value"), [("SSL_CERT_FILE", "/no/file"), ("HTTPS_PROXY", "a:b:c")]
)
def test_an_environment_that_does_not_do_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """In one sentence, with the names of its variables."""
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=r"variables of the environment \(HTTP_PROXY"):
        Asking()


def test_a_url_that_nobody_can_ask_is_told() -> None:
    """As a service that can't be reached."""

    async def ask() -> None:
        asking = Asking()
        try:
            async with asking.ask(Asked("GET", "http://a:b", "/", [])):
                raise AssertionError("it was asked")
        finally:
            await asking.close()

    with pytest.raises(Lost, match="can be asked"):
        asyncio.run(ask())


def test_the_proxy_is_no_http_proxy(path: Path) -> None:
    """Who sets it as one is told what to do instead."""
    with standing(path, "record") as proxy:
        client = connect(proxy)
        client.request("GET", "http://api.openai.com/v1/models")
        got = client.getresponse()
        assert got.status == 400
        assert b"as the base URL of the service" in got.read()
        client.close()
