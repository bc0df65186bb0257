"""What a recording knows of the wires: their paths, and their last events."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.cassettes import RecordedRequest, load_cassette
from agentsim.cassettes.tape import Tape
from agentsim.cassettes.wires import StreamEnd, wire_of_url

URLS = [
    ("POST", "https://api.openai.com/v1/chat/completions", "openai-chat"),
    ("POST", "/openai/v1/responses", "openai-responses"),
    ("POST", "https://gateway/api/v1/messages?beta=true", "anthropic-messages"),
    ("POST", "https://api.anthropic.com/v1/messages/count_tokens", ""),
    ("POST", "https://api.openai.com/v1/files?path=/messages", ""),
    ("GET", "https://api.openai.com/v1/chat/completions", ""),
    ("GET", "https://api.openai.com/v1/models", ""),
]


@pytest.mark.parametrize(("method", "url", "wire"), URLS)
def test_a_url_tells_its_wire(method: str, url: str, wire: str) -> None:
    """What is posted where a model answers is of a wire, and nothing else is."""
    assert wire_of_url(method, url) == wire


ENDS = [
    ("openai-chat", b'data: {"a": 1}\n\ndata: [DONE]\n\n'),
    ("openai-chat", b": ping\r\n\r\ndata:[DONE]\r\n\r\n"),
    ("anthropic-messages", b'event: message_stop\ndata: {"type":"message_stop"}\n\n'),
    ("openai-responses", b'event: response.completed\rdata: {"n":1}\r\r'),
    ("openai-responses", b'data: {"type":"response.failed","n":1}\n\n'),
    ("openai-responses", b'event:response.incomplete\ndata: {"n":1}\n\n'),
    ("openai-responses", b'data: {"n":1, "type": "response.completed"}\n\n'),
    ("openai-responses", b'event: error\ndata: {"type":"error"}\n\n'),
    ("openai-responses", b'data: {"type":"error","n":1}\n\n'),
    ("anthropic-messages", b'event: error\ndata: {"type":"error","error":{}}\n\n'),
    ("anthropic-messages", b'data: {"type": "message_stop"}\n\n'),
]


@pytest.mark.parametrize(("wire", "stream"), ENDS)
def test_the_last_event_is_seen_wherever_it_is_cut(wire: str, stream: bytes) -> None:
    """In two pieces or in single bytes: it is seen with its last byte, and not before."""
    for at in range(len(stream)):
        end = StreamEnd(wire)
        assert [end.seen(stream[:at]), end.seen(stream[at:])] == [False, True]
    end = StreamEnd(wire)
    found = [end.seen(bytes([byte])) for byte in stream]
    assert found == [*[False] * (len(stream) - 1), True]


OTHERS = [
    ("openai-chat", b'data: {"text": "data: [DONE]"}\n\n'),
    ("openai-chat", b"data: [DONE]\n"),
    ("anthropic-messages", b'event: message_delta\ndata: "event: message_stop"\n\n'),
    ("anthropic-messages", b"event: message_stopped\n\n"),
    ("openai-responses", b'data: {"type":"response.completedly"}\n\n'),
    ("openai-responses", b"data: [DONE]\n\n"),
    ("openai-responses", b'data: {"type":"a","item":{"n":1,"type":"error"}}\n\n'),
    ("openai-responses", b'data: {"a":",\\"type\\":\\"response.completed\\""}\n\n'),
    ("openai-chat", b'data: {"error":{"type":"error"}}\n\n'),
    ("anthropic-messages", b'data: {"type":"a","error":{"type":"error"}}\n\n'),
    ("", b"data: [DONE]\n\n"),
]


@pytest.mark.parametrize(("wire", "stream"), OTHERS)
def test_what_is_no_last_event_is_none(wire: str, stream: bytes) -> None:
    """Texts that look like it, events of another wire, and one that is not closed."""
    assert not StreamEnd(wire).seen(stream)


def test_a_stream_is_kept_when_its_last_event_is_there(tmp_path: Path) -> None:
    """Before that event is handed on: who closes then, or is killed, has lost nothing."""
    path = tmp_path / "one.yaml"
    with Tape(path, "record") as tape:
        taking = tape.begin(RecordedRequest(body="{}"), "openai-chat")
        taking.head(200, {"content-type": "text/event-stream"})
        taking.chunk(b"data: {}\n\ndata: [DO")
        assert load_cassette(path).entries == ()
        taking.chunk(b"NE]\n\n")
        (kept,) = load_cassette(path).exchanges
        assert kept.answer.text == "data: {}\n\ndata: [DONE]\n\n"
        taking.end("closed by the client")
    assert load_cassette(path).exchanges == (kept,)
    assert kept.answer.ended == "whole"
