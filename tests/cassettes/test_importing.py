"""Recordings of other tools become cassettes, with every answer as it was."""

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
    import_recording,
    load_cassette,
)
from agentsim.cassettes.importing import _vcr
from agentsim.core import CassetteError
from tests.cassettes.test_redaction import EXCHANGES
from tests.support.command import agentsim

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
    assert import_recording(tmp_path / name, tmp_path / "to.yaml") == 1
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
        vcr(None, parsed_body=SAID),
        vcr(SAID),
    ],
    ids=("text", "bytes", "base64", "gzip", "deflate", "parsed_body", "plain"),
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
    ("name", "text", "words"),
    [
        ("a.yaml", "a: [\n", "a.yaml:2: this is no YAML"),
        ("a.yaml", "a: 1\n", "expected `interactions`"),
        ("a.yaml", "interactions: []\n", "no exchange is in it"),
        ("a.yaml", "interactions:\n- 1\n", r"interactions\[0\]: expected request"),
        ("a.jsonl", "{\n", "a.jsonl:1: "),
        ("a.jsonl", '\n{"a": 1}\n', "a.jsonl:2: no exchange"),
        (
            "a.jsonl",
            '{"request": 1, "response": 1, "status": "x"}\n',
            "a.jsonl:1: status",
        ),
    ],
)
def test_what_is_no_recording_is_told(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    """A file that can't be imported is named, with the place, and nothing is written."""
    (tmp_path / name).write_text(text)
    with pytest.raises(CassetteError, match=words):
        import_recording(tmp_path / name, tmp_path / "to.yaml")
    assert not (tmp_path / "to.yaml").exists()


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
        list(_vcr(text, Path("a.yaml")))
    except CassetteError as error:
        told = str(error)
    assert "\n" not in told


def test_the_command_imports(tmp_path: Path) -> None:
    """The command makes a cassette once, and refuses to write over it."""
    (tmp_path / "a.yaml").write_text(vcr(SAID))
    words = ["cassette", "import", str(tmp_path / "a.yaml")]
    into = ["--into", str(tmp_path / "to.yaml")]
    done = agentsim(*words, *into)
    assert (done.code, "1 exchanges, imported from" in done.out) == (0, True)
    again = agentsim(*words, *into, "--json")
    assert (again.code, "is there already" in again.data["error"]) == (3, True)
    assert agentsim(*words).code == 3
    assert agentsim("cassette", "audit", *words[2:], *into).code == 3


@pytest.mark.slow
@pytest.mark.skipif(
    not EXCHANGES.exists(), reason="../shared/real-exchanges is missing"
)
def test_real_exchanges_come_back_equal(tmp_path: Path) -> None:
    """Every real exchange is imported, and but for secrets its answer is as it was."""
    rows = [json.loads(line) for line in EXCHANGES.read_text("utf-8").splitlines()]
    assert import_recording(EXCHANGES, tmp_path / "to.yaml") == len(rows)
    cassette = load_cassette(tmp_path / "to.yaml")
    differing = []
    for row, found in zip(rows, cassette.exchanges, strict=True):
        answer = found.answer
        said = answer.text if answer.chunks is not None else json.loads(answer.body)
        if said != row["response"] or json.loads(found.request.body) != row["request"]:
            differing.append(
                "__REDACTED_" in found.request.body + answer.text + answer.body
            )
        assert (found.message is not None) is (row["status"] == 200), row["id"]
    assert differing == [True] * 4  # addresses in pages, a value named authorization
