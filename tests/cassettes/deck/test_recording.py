"""What is recorded through the clients of a deck, and comes back in a replay."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from agentsim.cassettes import (
    RecordedAnswer,
    RecordedChunk,
    load_cassette,
)
from agentsim.cassettes.deck import Deck
from agentsim.cassettes.deck.hearing import Hearing, recorded_request
from agentsim.cassettes.tape import Tape
from agentsim.core import CassetteMiss
from agentsim.providers.transports import HttpRequest
from tests.cassettes.deck.services import (
    CHAT,
    EVENTS,
    MODULES,
    URL,
    answering,
    both,
    chat_answer,
    chat_stream,
    recorded,
    sdk,
    written,
)

BOTH = pytest.mark.parametrize("name", MODULES)


@BOTH
def test_compressed_answers_are_recorded_as_text(tmp_path: Path, name: str) -> None:
    """The client had the bytes as they came; the cassette has what they say."""
    packed = gzip.compress(json.dumps(chat_answer()).encode(), mtime=0)
    headers = {"content-type": "application/json", "content-encoding": "gzip"}

    def session(deck: Deck) -> Any:  # noqa: ANN401
        service = answering(name, (200, headers, packed[:20], packed[20:]))
        response = deck.http_client_sync(name, transport=service).post(URL, json=CHAT)
        return response.json(), response.status_code

    assert both(tmp_path / "a.yaml", session) == ((chat_answer(), 200),) * 2
    (answer,) = recorded(tmp_path / "a.yaml")
    assert json.loads(answer.body) == chat_answer()
    assert "content-encoding" not in answer.headers


@BOTH
def test_a_compressed_stream_is_recorded_piece_by_piece(
    tmp_path: Path, name: str
) -> None:
    """As far as each piece says something; events that are cut stay cut."""
    parts = [*chat_stream("a", "b"), b"data: [DO", b"NE]\n\n"]
    coder = zlib.compressobj(wbits=31)
    pieces = [coder.compress(one) + coder.flush(zlib.Z_SYNC_FLUSH) for one in parts]
    pieces.append(coder.flush())

    def session(deck: Deck) -> list[bytes]:
        headers = {**EVENTS, "content-encoding": "gzip"}
        client = deck.http_client_sync(
            name, transport=answering(name, (200, headers, *pieces))
        )
        with client.stream("POST", URL, json=CHAT) as response:
            return list(response.iter_bytes())

    first, second = both(tmp_path / "a.yaml", session)
    assert b"".join(first) == b"".join(parts)
    assert second == parts
    (answer,) = recorded(tmp_path / "a.yaml")
    assert [chunk.text for chunk in answer.chunks or ()] == [p.decode() for p in parts]
    assert answer.ended == "whole"


def test_what_is_not_in_its_coding_breaks_the_answer_again(tmp_path: Path) -> None:
    """The client meets the same error of its library."""

    def session(deck: Deck) -> str:
        headers = {"content-encoding": "gzip"}
        service = answering("httpx2", (200, headers, b"no such thing"))
        client = deck.http_client_sync("httpx2", transport=service)
        with pytest.raises(httpx2.DecodingError) as caught:
            client.post(URL, json=CHAT)
        return str(caught.value)

    first, second = both(tmp_path / "a.yaml", session)
    assert first == second
    assert [one.ended for one in recorded(tmp_path / "a.yaml")] == ["broken off"]


def test_an_exchange_is_written_before_its_last_byte_is_handed_on(
    tmp_path: Path,
) -> None:
    """Where the length is told; otherwise before the client hears of the end."""
    path = tmp_path / "a.yaml"
    body = json.dumps(chat_answer()).encode()
    length = {"content-length": str(len(body))}
    answers: tuple[Any, ...] = (
        (200, length, body[:9], body[9:]),
        (200, {}, body[:9], body[9:]),
    )
    seen = []
    with Deck(path, "record") as deck:
        client = deck.http_client_sync(
            "httpx2", transport=answering("httpx2", *answers)
        )
        for _ in answers:
            with client.stream("POST", URL, json=CHAT) as response:
                for _piece in response.iter_raw():
                    seen.append(len(recorded(path)))  # noqa: PERF401
            seen.append(len(recorded(path)))
    assert seen == [0, 1, 1, 1, 1, 2]


def test_retries_of_an_sdk_are_recorded_and_found_again(tmp_path: Path) -> None:
    """BR-166: the refusal with its body, then the answer; a replay does not wait for it."""
    refusal = json.dumps({"error": {"message": "slow down"}}).encode()
    kind = {"content-type": "application/json"}
    path = tmp_path / "a.yaml"

    def session(deck: Deck, seconds: str) -> Any:  # noqa: ANN401
        hurry = {**kind, "retry-after-ms": "1", "retry-after": seconds}
        answers = (429, hurry, refusal), (200, kind, json.dumps(chat_answer()).encode())
        client = sdk(deck, *answers, max_retries=1)
        return client.chat.completions.create(**CHAT).choices[0].message.content

    assert both(path, lambda deck: session(deck, "50")) == ("Done.", "Done.")
    assert [(one.status, one.ended) for one in recorded(path)] == [
        (429, "whole"),
        (200, "whole"),
    ]
    assert recorded(path)[0].body == refusal.decode()
    text = path.read_text().replace('retry-after-ms: "1"', 'retry-after-ms: "50000"')
    path.write_text(text)
    with Deck(path) as deck:
        assert session(deck, "50") == "Done."


@pytest.mark.parametrize(
    "kind",
    [
        "ConnectError",
        "ConnectTimeout",
        "ReadTimeout",
        "RemoteProtocolError",
        "PoolTimeout",
    ],
)
@BOTH
def test_no_answer_is_the_same_error_again(
    tmp_path: Path, name: str, kind: str
) -> None:
    """By its class in the library, and its words."""
    error = getattr(MODULES[name], kind)("no way there")

    def session(deck: Deck) -> str:
        client = deck.http_client_sync(name, transport=answering(name, error))
        with pytest.raises(type(error)) as caught:
            client.post(URL, json=CHAT)
        return str(caught.value)

    assert both(tmp_path / "a.yaml", session) == ("no way there", "no way there")
    (answer,) = recorded(tmp_path / "a.yaml")
    assert (answer.status, answer.ended) == (None, "no answer")
    assert answer.error == f"{kind}: no way there"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RecordedAnswer(None, ended="no answer", error="gone"), "ConnectError"),
        (RecordedAnswer(None, ended="no answer"), "ConnectError"),
        (RecordedAnswer(None, ended="closed by the client"), "ReadTimeout"),
        (RecordedAnswer(200, body="{", ended="broken off"), "RemoteProtocolError"),
        (
            RecordedAnswer(200, body="{", ended="broken off", error="ReadError"),
            "ReadError",
        ),
    ],
)
def test_errors_that_other_recorders_wrote_have_a_class_too(
    tmp_path: Path, answer: RecordedAnswer, kind: str
) -> None:
    """What is not told by name is what the way of ending says."""
    with Deck(written(tmp_path / "a.yaml", answer)) as deck:
        client = deck.http_client_sync("httpx2")
        with pytest.raises(getattr(httpx2, kind)):
            client.post(URL, json=CHAT)


def test_a_client_that_gives_up_is_recorded(tmp_path: Path) -> None:
    """The mark tells that nothing had come when it was cancelled."""
    path = tmp_path / "a.yaml"

    async def session() -> None:
        with Deck(path, "record") as deck:
            service = answering("httpx2", asyncio.CancelledError())
            client = deck.http_client("httpx2", transport=service)
            with pytest.raises(asyncio.CancelledError):
                await client.post(URL, json=CHAT)

    asyncio.run(session())
    (answer,) = recorded(path)
    assert (answer.status, answer.ended) == (None, "closed by the client")


@pytest.mark.parametrize("status", [None, 200])
def test_an_async_client_can_leave_again_what_it_left(
    tmp_path: Path, status: int | None
) -> None:
    """Before the answer and in the middle of a stream, by its own time-out and no error."""
    left = RecordedAnswer(
        status,
        EVENTS if status else {},
        chunks=[RecordedChunk(0, "data: 1\n\n")] if status else None,
        ended="closed by the client",
    )

    async def session() -> list[str]:
        taken = []
        with Deck(written(tmp_path / "a.yaml", left)) as deck:
            client = deck.http_client("httpx2")
            with pytest.raises(TimeoutError):
                async with (
                    asyncio.timeout(0.01),
                    client.stream("POST", URL, json=CHAT) as response,
                ):
                    taken += [piece async for piece in response.aiter_text()]
        return taken

    assert asyncio.run(session()) == []


@pytest.mark.parametrize("status", [None, 200])
def test_an_async_client_that_stays_is_told(tmp_path: Path, status: int | None) -> None:
    """It waits no longer than its own time-out: then it is one, or it read on."""
    left = RecordedAnswer(
        status, chunks=[] if status else None, ended="closed by the client"
    )
    error: type[Exception] = CassetteMiss if status else httpx2.ReadTimeout

    async def session() -> None:
        deck = Deck(written(tmp_path / "a.yaml", left))
        with pytest.raises(error), deck:
            await deck.http_client("httpx2", timeout=0.01).post(URL, json=CHAT)

    asyncio.run(session())


OPEN: list[Any] = [*chat_stream("a", "b"), AssertionError("the stream stays open")]


def test_a_stream_that_stays_open_is_recorded_until_the_client_closes_it(
    tmp_path: Path,
) -> None:
    """BR-164: three events, and the mark; who reads on in a replay is told so."""
    path = tmp_path / "a.yaml"

    def session(deck: Deck, count: int = 2) -> list[bytes]:
        client = deck.http_client_sync(
            "httpx2", transport=answering("httpx2", (200, EVENTS, *OPEN))
        )
        taken = []
        with client.stream("POST", URL, json=CHAT) as response:
            for piece in response.iter_raw():
                taken.append(piece)
                if len(taken) == count:
                    break
        return taken

    assert both(path, session) == (OPEN[:2], OPEN[:2])
    assert [one.ended for one in recorded(path)] == ["closed by the client"]
    words = "exchange 1 was left by the client here when it was recorded"
    with pytest.raises(CassetteMiss, match=words), Deck(path) as deck:
        session(deck, 3)


def test_a_stream_that_is_closed_behind_its_last_event_is_whole(tmp_path: Path) -> None:
    """SDKs do not look for what comes after it."""
    pieces = [*chat_stream("a"), b"data: [DONE]\n\n", AssertionError("read on")]

    def session(deck: Deck) -> list[str | None]:
        stream = sdk(deck, (200, EVENTS, *pieces)).chat.completions.create(
            **CHAT,
            stream=True,
        )
        return [event.choices[0].delta.content for event in stream]

    assert both(tmp_path / "a.yaml", session) == (["a"], ["a"])
    assert [one.ended for one in recorded(tmp_path / "a.yaml")] == ["whole"]


@pytest.mark.parametrize("blocks", [True, False], ids=["blocking", "async"])
@BOTH
def test_the_bytes_of_an_answer_can_be_read_in_a_replay(
    tmp_path: Path, name: str, *, blocks: bool
) -> None:
    """As they were read live, and with headers of any letters."""
    headers = {"content-type": "text/plain", "x-request-id": "r\xe9q".encode()}

    async def of(client: Any) -> list[bytes]:  # noqa: ANN401
        async with client.stream("POST", URL, json=CHAT) as response:
            pieces = [one async for one in response.aiter_raw()]
            return [response.headers["x-request-id"].encode(), *pieces]

    def session(deck: Deck) -> list[bytes]:
        service = answering(name, (200, headers, b"bytes"))
        if not blocks:
            return asyncio.run(of(deck.http_client(name, transport=service)))
        client = deck.http_client_sync(name, transport=service)
        with client.stream("POST", URL, json=CHAT) as response:
            pieces = list(response.iter_raw())
            return [response.headers["x-request-id"].encode(), *pieces]

    told = ["r\xe9q".encode(), b"bytes"]
    assert both(tmp_path / "a.yaml", session) == (told, told)


def test_a_stream_that_has_ended_is_let_go(tmp_path: Path) -> None:
    """With its last event: a block with many of them keeps none in memory."""
    let_go: list[Hearing] = []
    request = recorded_request(HttpRequest("POST", "api.openai.com", "", url=URL))
    with Tape(tmp_path / "a.yaml", "record") as tape:
        hearing = Hearing(tape.begin(request, "openai-chat"), let_go.append)
        hearing.head(200, EVENTS)
        hearing.data(chat_stream("a")[0])
        assert let_go == []
        hearing.data(b"data: [DONE]\n\n")
    assert let_go == [hearing]


def test_what_is_open_at_the_end_of_the_block_is_kept(tmp_path: Path) -> None:
    """As far as it came; later pieces are nobody's."""
    path = tmp_path / "a.yaml"
    service = answering("httpx2", (200, EVENTS, *chat_stream("a", "b")))
    with Deck(path, "record") as deck:
        client = deck.http_client_sync("httpx2", transport=service)
        response = client.send(
            client.build_request("POST", URL, json=CHAT), stream=True
        )
        pieces = response.iter_raw()
        next(pieces)
    assert next(pieces) == chat_stream("b")[0]
    response.close()
    (answer,) = recorded(path)
    assert answer.ended == "closed by the client"
    assert len(answer.chunks or ()) == 1


@pytest.mark.parametrize(
    "head", [(204, {}), (200, {"content-length": "0"}), (304, {})], ids=str
)
def test_an_answer_without_a_body_is_whole_with_its_head(
    tmp_path: Path, head: tuple[Any, ...]
) -> None:
    """Nobody has to read it."""
    path = tmp_path / "a.yaml"

    def session(deck: Deck) -> int:
        client = deck.http_client_sync("httpx2", transport=answering("httpx2", head))
        with client.stream("POST", URL, json=CHAT) as response:
            return int(response.status_code)

    assert both(path, session) == (head[0], head[0])
    assert [one.ended for one in recorded(path)] == ["whole"]


def test_redirects_and_other_requests_are_recorded_as_they_are(tmp_path: Path) -> None:
    """BR-165 and others: forms, async bodies, bytes, other methods, and where they lead."""
    path = tmp_path / "a.yaml"
    answers: tuple[Any, ...] = (
        (307, {"location": "/v1/elsewhere"}),
        (200, {"content-type": "application/json"}, b'{"id": "file-1"}'),
        (200, {"content-type": "audio/mpeg"}, b"\xff\xfb\x00binary"),
        (204, {}),
        (200, {}, b"[]"),
    )

    async def body() -> AsyncIterator[bytes]:
        yield b'{"input": '
        yield b'"one"}'

    async def session(deck: Deck) -> list[Any]:
        client = deck.http_client(
            "httpx2", transport=answering("httpx2", *answers), follow_redirects=True
        )
        base = "https://api.openai.com/v1"
        files = {"file": ("a.bin", b"\x00\xff\xfe", "application/octet-stream")}
        found = [
            await client.post(f"{base}/files", files=files, data={"purpose": "x"}),
            await client.post(f"{base}/audio/speech", json={"input": "hi"}),
            await client.delete(f"{base}/files/file-1"),
            await client.post(f"{base}/embeddings", content=body()),
        ]
        return [(one.status_code, one.content, len(one.history)) for one in found]

    first, second = both(path, lambda deck: asyncio.run(session(deck)))
    assert first == second
    assert first[0] == (200, b'{"id": "file-1"}', 1)
    assert first[1][1] == b"\xff\xfb\x00binary"
    requests = [one.request for one in load_cassette(path).exchanges]
    assert [one.method for one in requests] == [
        "POST",
        "POST",
        "POST",
        "DELETE",
        "POST",
    ]
    assert "agentsim-boundary" in requests[0].body
    assert requests[4].body == '{"input": "one"}'
