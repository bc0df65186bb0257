"""Recordings of vcrpy become cassettes, with every answer as it was."""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agentsim.cassettes import (
    AssembledAnswer,
    RecordedAnswer,
    RecordedChunk,
    assembled,
    import_recordings,
    load_cassette,
)
from agentsim.cassettes.importing import bodies
from agentsim.cassettes.importing import vcr as reader
from agentsim.cassettes.importing.values import Unreadable
from agentsim.cassettes.importing.vcr import read_vcr
from agentsim.core import CassetteError

BODY = {"model": "gpt-5", "messages": [{"role": "user", "content": "Grüße 😀"}]}

SAID = {
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hallo."},
        }
    ]
}

TEXT = json.dumps(SAID).encode()


def vcr(
    body: object, *, coding: str = "", kind: str = "application/json", **more: Any
) -> str:
    """A recording of vcrpy with one interaction."""
    headers = {"Content-Type": [kind], "Set-Cookie": ["a=b"]}
    if coding:
        headers["content-encoding"] = [coding]
    one = {
        "request": {
            "method": "POST",
            "uri": "https://api.openai.com/v1/chat/completions",
            "headers": {"authorization": ["Bearer sk-abcdef123456789"]},
            "body": json.dumps(BODY),
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": headers,
            "body": body,
            **more,
        },
    }
    return yaml.safe_dump({"interactions": [one], "version": 1})


def imported(tmp_path: Path, text: str, name: str = "a.yaml") -> RecordedAnswer:
    """The one answer of a recording."""
    (tmp_path / name).write_text(text, "utf-8")
    (done,) = import_recordings([tmp_path / name], tmp_path / "to.yaml")
    assert (done.kind, done.exchanges, done.notes) == ("vcr", 1, ())
    (exchange,) = load_cassette(tmp_path / "to.yaml").exchanges
    assert json.loads(exchange.request.body) == BODY
    assert "authorization" not in exchange.request.headers
    assert exchange.wire == "openai-chat"
    return exchange.answer


@pytest.mark.parametrize(
    "text",
    [
        vcr({"string": TEXT.decode()}),
        vcr({"string": TEXT}),
        vcr({"base64_string": b64encode(TEXT).decode()}),
        vcr({"string": gzip.compress(TEXT, mtime=0)}, coding="gzip"),
        vcr({"string": zlib.compress(TEXT)}, coding="deflate"),
        vcr({"string": zlib.compress(TEXT)[2:-4]}, coding="deflate"),
        vcr({"string": gzip.compress(TEXT, mtime=0)}),
        vcr({"string": gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:])}),
        vcr({"string": TEXT}, coding="gzip"),
        vcr({"string": TEXT}, coding="br"),
        vcr({"string": TEXT}, coding="deflate"),
        vcr(None, parsed_body=SAID),
        vcr(SAID),
        "content:".join(vcr(TEXT.decode()).rsplit("body:", 1)),
    ],
    ids=(
        *("text", "bytes", "base64", "gzip", "deflate", "raw deflate"),
        *("gzip without a header", "gzip in parts", "unpacked gzip", "unpacked brotli"),
        *("unpacked deflate", "parsed_body", "plain", "older httpx"),
    ),
)
def test_bodies_of_recorders_are_read_in_every_form(tmp_path: Path, text: str) -> None:
    """However a recorder keeps a body, it is the text of the wire afterwards."""
    answer = imported(tmp_path, text)
    assert json.loads(answer.body) == SAID
    assert answer.headers == {"content-type": "application/json"}


def test_streams_of_recorders_become_chunks(tmp_path: Path) -> None:
    """Each event of a recorded stream is a chunk, and together they are the stream."""
    delta = json.dumps({"choices": [{"index": 0, "delta": {"content": "Hi"}}]})
    stream = f"data: {delta}\n\ndata: [DONE]\n\n"
    answer = imported(tmp_path, vcr({"string": stream}, kind="text/event-stream"))
    assert answer.text == stream
    assert answer.chunks is not None
    assert len(answer.chunks) == 2


def test_answers_are_put_together_for_readers() -> None:
    """Plain or streamed, the message stands there; errors and foreign wires have none."""
    plain = RecordedAnswer(body=TEXT.decode())
    assert assembled("openai-chat", plain) == AssembledAnswer("Hallo.", (), "end_turn")
    cut = RecordedAnswer(chunks=(RecordedChunk(1, "data: {}\n\ndata: {"),))
    assert assembled("openai-chat", cut) is not None
    assert assembled("other", plain) is None
    assert assembled("openai-chat", RecordedAnswer(body="no JSON")) is None
    assert assembled("openai-chat", RecordedAnswer(500, body=TEXT.decode())) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            vcr({"string": b"\x1b\xff\xfe"}, coding="br"),
            r"interactions\[0\]: its body is packed with 'br', which can't be unpacked",
        ),
        (vcr({"string": b"\x28\xb5\x2f\xfd"}, coding="zstd"), "packed with 'zstd'"),
        (
            vcr({"string": gzip.compress(TEXT)[:40]}, coding="gzip"),
            "its packed body is cut off",
        ),
        (
            vcr({"string": b"\xff\xfe\xfd"}, coding="gzip"),
            "is not packed with gzip as its header says",
        ),
        (vcr({"base64_string": "ab%c"}), "its body is no Base64"),
        (vcr(SAID).replace("200", "7"), "expected a status from 100 to 599, got '7'"),
        ("interactions: [\n", "a.yaml:2: this is no YAML"),
        ("interactions: []\n", "no exchange is in it"),
        ("interactions:\n- 1\n", r"interactions\[0\]: expected request"),
    ],
)
def test_what_can_t_be_read_is_told_with_its_place(
    tmp_path: Path, text: str, words: str
) -> None:
    """A recording that can't be imported is named, with the place; nothing is written."""
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(CassetteError, match=words):
        import_recordings([tmp_path / "a.yaml"], tmp_path / "to.yaml")
    assert not (tmp_path / "to.yaml").exists()


def test_what_no_model_said_may_stay_packed() -> None:
    """A page that a tool got need not be read: it is counted, and the rest is imported."""
    page = vcr({"string": b"\x1b\xff\xfe"}, coding="br").replace(
        "/chat/completions", "/"
    )
    both = page.replace("version: 1\n", "") + vcr(SAID).removeprefix("interactions:\n")
    recording = read_vcr(both, "a.yaml")
    assert [one.number for one in recording.entries] == [1]
    assert recording.lines == (both.count("\n", 0, both.rindex("- request")) + 1,)
    assert recording.notes == (
        "left out: 1 interaction of no model with a body that can't be unpacked",
    )


@pytest.mark.parametrize(
    "value",
    ["!!bool x", "!!int ''", "!!timestamp 12", "!!float x", "!!omap x", "!!map [1]"],
)
def test_a_value_that_is_not_what_its_tag_says_is_told(value: str) -> None:
    """It is no YAML that can be read, whatever the parser makes of it."""
    with pytest.raises(Unreadable, match="no YAML that can be read"):
        read_vcr(f"interactions:\n- {value}\n", "a.yaml")


def test_aliases_may_not_stand_for_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines that stand for very many values, or for no end of them, are refused."""
    many = "".join(
        f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}] # x\n" for n in range(1, 30)
    )
    with pytest.raises(Unreadable, match="aliases stand for more values"):
        read_vcr("interactions:\n- &a0 {a: 1}\n" + many, "a.yaml")
    monkeypatch.setattr(reader, "BYTES_MAX", 5_000)
    for text in (
        "interactions: &a\n- request: *a\n",
        "interactions: &a\n- {request: *a }\n",
        "a: &a [1, 1, 1, 1, 1, 1, 1]\nb: &b [*a, *a, *a, *a]\ninteractions: [*b, *b]\n",
    ):
        with pytest.raises(Unreadable, match="aliases stand for more values"):
            read_vcr(text, "a.yaml")
    shared = "a: &a {}\n" + vcr(SAID).replace("version: 1", "version: *a")
    assert len(read_vcr(shared, "a.yaml").entries) == 1


def test_an_unpacked_body_may_not_be_longer_than_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few bytes that stand for very many are refused before they fill the memory."""
    monkeypatch.setattr(bodies, "BYTES_MAX", 1_000)
    with pytest.raises(Unreadable, match="when unpacked"):
        bodies.text_of(gzip.compress(b"a" * 1_001))
    assert len(bodies.text_of(gzip.compress(b"a" * 1_000))) == 1_000


def test_recordings_in_json_and_of_ruby_are_read(tmp_path: Path) -> None:
    """The JSON of vcrpy, and the other name that Ruby's VCR has for its exchanges."""
    as_json = json.dumps(yaml.safe_load(vcr({"string": TEXT.decode()})))
    assert json.loads(imported(tmp_path, as_json, "a.json").body) == SAID
    (tmp_path / "to.yaml").unlink()
    text = vcr({"string": TEXT.decode()}).replace("interactions:", "http_interactions:")
    assert json.loads(imported(tmp_path, text).body) == SAID


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=4)
        | st.binary(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    (
                        "request",
                        "response",
                        "status",
                        "code",
                        "body",
                        "headers",
                        "string",
                        "uri",
                    )
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_recording_breaks_the_reader(value: object) -> None:
    """Whatever stands in a recording, it is read or told in one sentence."""
    text = yaml.safe_dump({"interactions": [value]})
    told = ""
    try:
        read_vcr(text, "a.yaml")
    except Unreadable as error:
        told = str(error)
    assert "\n" not in told
