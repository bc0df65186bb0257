"""HTTP archives become cassettes: what speaks to models is kept, the rest is counted."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.cassettes import RecordedExchange
from agentsim.cassettes.importing.har import read_har
from agentsim.cassettes.importing.values import Unreadable
from tests.cassettes.importing.samples import (
    ASKED,
    HAR,
    SAID,
    STREAM,
    har,
    har_entry,
)


def read(*entries: object) -> tuple[list[RecordedExchange], tuple[str, ...]]:
    """The exchanges and the notes of an archive."""
    recording = read_har(har(*entries), "a.har")
    kept = [one for one in recording.entries if isinstance(one, RecordedExchange)]
    return kept, recording.notes


def test_entries_are_read_in_the_order_of_their_time() -> None:
    """Base64, gzip and streams; numbered by when they began, with the time of the head."""
    entries = read_har(HAR, "a.har").entries
    assert [(one.number, one.at_ms) for one in entries] == [
        (1, 0),
        (2, 1_750),
        (3, 4_250),
    ]
    for one in entries:
        assert isinstance(one, RecordedExchange)
        assert json.loads(one.request.body) == ASKED
        assert (one.wire, one.answer.at_ms) == ("openai-chat", 703)
        assert one.answer.headers["x-request-id"] == "a, b"
    plain, packed, streamed = entries
    assert isinstance(plain, RecordedExchange)
    assert json.loads(plain.answer.body) == SAID
    assert isinstance(packed, RecordedExchange)
    assert packed.answer.body == plain.answer.body
    assert isinstance(streamed, RecordedExchange)
    assert streamed.answer.text == STREAM
    assert len(streamed.answer.chunks or ()) == 2


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        (har_entry(_webSocketMessages=[]), "1 entry of a WebSocket"),
        (har_entry(status=307), "1 redirect that led to another entry"),
        (har_entry(status=304), "1 answer out of a cache (304)"),
        (
            har_entry(url="https://a.b/c.css", kind="text/css; charset=utf-8"),
            "1 entry of another kind ('text/css')",
        ),
        (
            har_entry(url="https://a.b/", kind="", content={"text": ""}),
            "1 entry of no kind",
        ),
        (
            har_entry(content={"size": 5_000}),
            "1 entry without the text of its answer",
        ),
        (
            har_entry() | {"request": {"method": "OPTIONS", "url": "https://a.b/"}},
            "1 request for leave (OPTIONS)",
        ),
    ],
)
def test_what_is_left_out_is_told(entry: dict[str, Any], note: str) -> None:
    """Each entry that is no exchange with a model is counted, with the reason."""
    assert read(har_entry(), entry)[1] == (f"left out: {note}",)


def test_reasons_are_counted() -> None:
    """Equal reasons are one sentence, with how many there are."""
    entry = har_entry(_webSocketMessages=[])
    found, notes = read(entry, har_entry(), entry, har_entry(status=302))
    assert len(found) == 1
    assert notes == (
        "left out: 2 entries of a WebSocket",
        "left out: 1 redirect that led to another entry",
    )


def test_a_request_without_an_answer_is_kept() -> None:
    """A connection that failed is an exchange that ended so, with the browser's word."""
    entry = har_entry(status=0)
    entry["response"]["_error"] = "net::ERR_CONNECTION_RESET"
    ((one,), _) = read(entry)
    assert (one.answer.status, one.answer.ended) == (None, "no answer")
    assert one.answer.error == "net::ERR_CONNECTION_RESET"


def test_events_that_a_browser_kept_apart_are_the_stream() -> None:
    """Where the text is missing, the events are, with their times in seconds."""
    start = 1_772_359_200.0
    events = [
        {"time": start + 0.8, "eventName": "", "data": "a\nb"},
        {"time": start + 0.9, "eventName": "done", "data": "c"},
    ]
    entry = har_entry(content={}, kind="text/event-stream", _eventSourceMessages=events)
    ((one,), _) = read(entry)
    assert one.answer.text == "data: a\ndata: b\n\nevent: done\ndata: c\n\n"
    assert [round(chunk.at_ms) for chunk in one.answer.chunks or ()] == [800, 900]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "a.har: no JSON that can be read: the text ends inside an object"),
        ("{}", "a.har: expected `log` with `entries`"),
        (har(1), "a.har:5: log.entries[0]: expected an entry as an object"),
        (har({"request": {}, "response": {}}), "log.entries[0]: expected `url`"),
        (har(har_entry(status=9)), "expected a status from 100 to 599, got '9'"),
        (
            har(har_entry(content={"encoding": "base64", "text": "%"})),
            "log.entries[0]: its body is no Base64",
        ),
    ],
)
def test_what_is_no_archive_is_told_with_its_place(text: str, words: str) -> None:
    """The first fault is told with its entry."""
    with pytest.raises(Unreadable) as caught:
        read_har(text, "a.har")
    assert words in str(caught.value)


def test_a_body_that_can_t_be_unpacked_is_told() -> None:
    """Brotli and zstd are named; what the browser has unpacked already is read."""
    for body, readable in ((b"\x1b\xff\xfe", False), (b'{"a": 1}', True)):
        content = {"encoding": "base64", "text": b64encode(body).decode()}
        entry = har_entry(content=content)
        coding = {"name": "content-encoding", "value": "br"}
        entry["response"]["headers"].append(coding)
        if readable:
            assert read(entry)[0][0].answer.body == body.decode()
        else:
            with pytest.raises(Unreadable, match="packed with 'br'"):
                read(entry)
            entry["request"]["url"] = "https://a.b/prices"
            assert read(entry) == (
                [],
                ("left out: 1 entry of no model with a body that can't be unpacked",),
            )


_LEAF = st.none() | st.booleans() | st.integers(-1, 700) | st.text(max_size=3)
_VALUE = st.recursive(
    _LEAF,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(("text", "name", "size")), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(
    st.sampled_from(("", "request", "response")),
    st.sampled_from(
        (
            *("url", "method", "headers", "postData", "status", "content", "timings"),
            *("startedDateTime", "_eventSourceMessages", "request", "response"),
        )
    ),
    _VALUE,
)
def test_no_archive_breaks_the_reader(side: str, key: str, value: object) -> None:
    """Whatever stands in a field of an entry, it is read, or told in one sentence."""
    entry = har_entry()
    (entry[side] if side else entry)[key] = value
    told = ""
    try:
        read(entry)
    except Unreadable as error:
        told = str(error)
    assert "\n" not in told
