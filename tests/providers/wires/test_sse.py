"""Events of streams as bytes, and read as clients read them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.providers.wires import Frame, frame_bytes, read_frames_of
from agentsim.providers.wires.pieces import PIECES_MAX, cut_text


def test_an_event_has_its_name_and_its_data_on_one_line_each() -> None:
    """A wire without names has no line for them."""
    assert frame_bytes(Frame({"a": "é\n"}, "ping")) == (
        'event: ping\ndata: {"a":"é\\n"}\n\n'.encode()
    )
    assert frame_bytes(Frame("[DONE]")) == b"data: [DONE]\n\n"


json_objects = st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3)


@given(st.lists(st.tuples(json_objects, st.sampled_from(["", "a", "b.c"])), max_size=4))
@settings(max_examples=50)
def test_events_are_read_back(listed: list[tuple[dict[str, str], str]]) -> None:
    """Whatever stands in them."""
    frames = [Frame(data, event) for data, event in listed]
    assert read_frames_of(b"".join(map(frame_bytes, frames))) == frames


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way_and_comments_say_nothing(end: str) -> None:
    """So the services do it, and proxies between."""
    lines = [": ping", "id: 1", "event:a", "data:1", "data: 2", "", "retry: 3", "", ""]
    assert read_frames_of(end.join(lines).encode()) == [Frame("1\n2", "a")]


@pytest.mark.parametrize("last", [b"data: 2", b"data: 2\n"])
def test_an_event_that_nothing_ended_did_not_come(last: bytes) -> None:
    """Clients drop it without a word."""
    assert read_frames_of(b"data: 1\n\n" + last) == [Frame("1")]


@given(st.text(max_size=2_000))
def test_a_text_is_cut_into_few_pieces(text: str) -> None:
    """Together they are the text, and none is empty."""
    pieces = cut_text(text)
    assert "".join(pieces) == text
    assert len(pieces) <= PIECES_MAX
    assert all(pieces)
