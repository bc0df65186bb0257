"""The file: what is written is what is read, and what is wrong with it is told."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.cassettes import (
    AssembledAnswer,
    Cassette,
    CassetteHeader,
    RecordedAnswer,
    RecordedCall,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
    body_text,
    load_cassette,
    read_cassette,
)
from agentsim.cassettes import reading as module
from agentsim.cassettes.writing import document_text, header_text
from agentsim.core import CassetteError
from tests.cassettes.drawing import cassette_headers, entries, exchanges

Entry = RecordedExchange | RecordedTool

EXCHANGE = RecordedExchange(
    number=1,
    at_ms=12.5,
    wire="openai-chat",
    request=RecordedRequest(
        url="https://api.openai.com/v1/chat/completions",
        headers={"content-type": "application/json"},
        body='{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}',
    ),
    answer=RecordedAnswer(
        headers={"content-type": "text/event-stream"},
        chunks=(
            RecordedChunk(80.25, 'data: {"choices":[{"delta":{"content":"He"}}]}\n\n'),
            RecordedChunk(91, 'data: {"choices":[{"delta":{"content":"llo"'),
            RecordedChunk(91.125, "}}]}\r\n\r\n"),
            RecordedChunk(99, "\n\ndata: [DONE]\n\n"),
        ),
        at_ms=75,
    ),
    message=AssembledAnswer(
        "Hello\nthere", (RecordedCall("call_1", "pay", '{"amount": "40.00"}'),), "stop"
    ),
)

TOOL = RecordedTool(2, "pay", "call_1", '{"amount": "40.00"}', "Paid.", took_ms=3)


def written(*listed: Entry, header: CassetteHeader | None = None) -> bytes:
    """The bytes of a cassette."""
    texts = (header_text(header or CassetteHeader()), *map(document_text, listed))
    return "".join(texts).encode()


def slowly(data: bytes) -> Cassette:
    """Read a cassette by libyaml alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_read_fast", lambda piece, name: None)
        return read_cassette(data)


def test_a_cassette_reads_well(snapshot: SnapshotAssertion) -> None:
    """What a review shows: texts line by line, chunks with their times, the message."""
    header = CassetteHeader(recorded_by="agentsim 0.1", owner="tests/test_x.py::test_y")
    assert written(EXCHANGE, TOOL, header=header).decode() == snapshot


@settings(max_examples=60)
@given(cassette_headers, st.lists(entries, max_size=3))
def test_what_is_written_is_read(header: CassetteHeader, listed: list[Entry]) -> None:
    """Every header and every record comes back equal, by either way of reading."""
    data = written(*listed, header=header)
    for cassette in (read_cassette(data), slowly(data)):
        assert cassette.header == header
        assert list(cassette.entries) == listed
        assert (cassette.complete_bytes, cassette.left_over_bytes) == (len(data), 0)


@given(st.binary(max_size=40))
def test_bodies_come_back_byte_for_byte(body: bytes) -> None:
    """Bytes that are no UTF-8, such as those of a cut character, survive."""
    chunk = RecordedChunk(1, body_text(body))
    exchange = RecordedExchange(1, RecordedRequest(), RecordedAnswer(chunks=(chunk,)))
    (found,) = read_cassette(written(exchange)).exchanges
    assert found.answer.text.encode("utf-8", "surrogateescape") == body


@settings(max_examples=60)
@given(exchanges, st.data())
def test_both_ways_of_reading_agree(exchange: Entry, data: st.DataObject) -> None:
    """What is changed by hand in a file is read alike by the fast way, or not by it."""
    text = written(exchange)
    at = data.draw(st.integers(40, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 3)))
    piece = data.draw(st.sampled_from(PIECES))
    changed = text[:at] + piece + text[until:]
    assert _found(changed, fast=True) == _found(changed, fast=False)


PIECES = (
    *(b" ", b"\n", b"\n\n", b"      ", b"      \n", b"    \n", b"\t", b"- ", b'"'),
    *(b"|", b"2", b"+", b"\\u0041", b"\\x41", b"#", b"  - at_ms: 1\n    text: a\n"),
    *(b"\xc2\x85", b"\xe2\x80\xa8", b"\xff", b"\r", b"", b"---\n", b"complete: true\n"),
)


def _found(data: bytes, *, fast: bool) -> object:
    try:
        return read_cassette(data) if fast else slowly(data)
    except CassetteError as error:
        return str(error)


@pytest.mark.slow
def test_no_damage_to_a_file_is_anything_but_a_sentence() -> None:
    """However a cassette is damaged, it loads, or one sentence names the file."""
    text = written(EXCHANGE, TOOL, EXCHANGE)
    chance = random.Random(7)
    for _ in range(900):
        data = bytearray(text)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            until = at + chance.choice((0, 1, 2, 30))
            data[at:until] = chance.choice((*PIECES, chance.randbytes(2)))
        found = _found(bytes(data), fast=True)
        if isinstance(found, str):
            assert found.startswith("the cassette:")
            assert "\n" not in found
        assert found == _found(bytes(data), fast=False)


@pytest.mark.parametrize("cut", range(1, 200, 7))
def test_what_was_cut_off_is_left_out(cut: int) -> None:
    """A file that ends anywhere in a document loads up to the one before, and says so."""
    whole = written(TOOL, EXCHANGE)
    kept = written(TOOL)
    cassette = read_cassette(whole[: len(kept) + cut])
    assert cassette.entries == (TOOL,)
    assert cassette.complete_bytes == len(kept)
    assert cassette.left_over_bytes == cut


def test_line_ends_of_windows_are_read() -> None:
    """A file whose line ends were changed by a tool loads as before."""
    data = written(EXCHANGE, TOOL).replace(b"\n", b"\r\n")
    assert list(read_cassette(data).entries) == [EXCHANGE, TOOL]


def test_comments_and_white_space_are_let_be() -> None:
    """People may comment a cassette, and end it without a line end."""
    head = header_text(CassetteHeader())
    text = f"# A story.\n\n{head}# Two.\n{document_text(TOOL)}\n# End.\n\n"
    assert list(read_cassette(text.encode()).entries) == [TOOL]
    bare = text.partition("\n# End.")[0].rstrip()
    assert list(read_cassette(bare.encode()).entries) == [TOOL]


def _with(old: str, new: str) -> bytes:
    text = written(EXCHANGE, TOOL).decode()
    assert old in text
    return text.replace(old, new, 1).encode()


WRONG: dict[str, bytes] = {
    "empty": b"",
    "only a header, cut": written()[:20],
    "another file": b"interactions:\n- request: 1\nversion: 1\n",
    "another YAML file that is complete": b"---\na: 1\ncomplete: true\n",
    "a newer version": b"---\nagentsim_cassette: 2\ncomplete: true\n",
    "a field that is not there": _with("number: 2\n", "number: 2\nnames: pay\n"),
    "a number for a text": _with("call_id: call_1\n", "call_id: 17\n"),
    "a kind that is none": _with("kind: tool", "kind: toll"),
    "no number": _with("number: 2\n", ""),
    "a status that is none": _with("status: 200", "status: 20"),
    "a time that is none": _with("at_ms: 80.25", "at_ms: soon"),
    "a time before the start": _with("at_ms: 80.25", "at_ms: -1"),
    "an ending that is none": _with("  status: 200", "  status: 200\n  ended: badly"),
    "both a body and chunks": _with("  status: 200", "  status: 200\n  body: x"),
    "a request that is none": _with("request:\n", "request: 1\nrequests:\n"),
    "chunks that are no list": _with("  chunks:\n", "  chunks: x\n  more:\n"),
    "a chunk that is none": _with("  - at_ms: 80.25", "  - x\n  - at_ms: 80.25"),
    "a spelling that is none": _with(
        "call_id: call_1\n", 'call_id:\n  escaped: "\\\\q"\n'
    ),
    "not closed": _with("complete: true\n---\nkind: tool", "---\nkind: tool"),
    "not UTF-8": written(EXCHANGE, TOOL).replace(b"Paid", b"\xffPaid"),
    "a key twice": _with("number: 2\n", "number: 2\nnumber: 2\n"),
    "no YAML": _with("number: 2\n", "number: 2\n  x: [\n"),
}


def test_errors_name_file_line_and_field(snapshot: SnapshotAssertion) -> None:
    """What is wrong with a cassette is one sentence with its place and a remedy."""
    told = []
    for what, data in WRONG.items():
        with pytest.raises(CassetteError) as caught:
            read_cassette(data, "story.yaml")
        told.append(f"{what}:\n  {caught.value}\n")
    assert "".join(told) == snapshot


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """A missing file and a folder are named, with what to do."""
    for path, words in ((tmp_path / "no.yaml", "no such file"), (tmp_path, "regular")):
        with pytest.raises(CassetteError, match=words):
            load_cassette(path)


def test_exchanges_come_in_the_order_of_the_questions() -> None:
    """Documents stand in the order of the answers; who asks goes by their numbers."""
    listed: Sequence[Entry] = [
        RecordedExchange(3, RecordedRequest(), RecordedAnswer()),
        RecordedTool(2, "b"),
        RecordedExchange(1, RecordedRequest(), RecordedAnswer()),
        RecordedTool(4, "d"),
    ]
    cassette = read_cassette(written(*listed))
    assert [one.number for one in cassette.exchanges] == [1, 3]
    assert [one.number for one in cassette.tools] == [2, 4]
