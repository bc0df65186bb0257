"""How the events of a stream come, and what goes wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import StreamFault, StreamKind, StreamPlace
from agentsim.providers.wires import Frame, frame_bytes, read_frames_of
from agentsim.providers.wires.courses import Course, course_of

FRAMES = [
    Frame({"sequence_number": 0}),
    Frame({"sequence_number": 1, "text": "Grüße "}, "a", text="Grüße "),
    Frame({"sequence_number": 2, "text": "an alle"}, "a", text="an alle"),
    Frame({"sequence_number": 3}, "start", call=0),
    Frame({"sequence_number": 4}, "piece", call=0),
    Frame({"sequence_number": 5}, "start", call=1),
    Frame({"sequence_number": 6}, "piece", call=1),
    Frame({"sequence_number": 7}, "end", ends=True),
    Frame("[DONE]"),
]
ENDS = 7

ERROR = [Frame({"error": "no"})]


def raw(course: Course) -> bytes:
    """All bytes that come."""
    return b"".join(portion.raw for portion in course.portions)


def came(course: Course) -> list[Frame]:
    """The events that came whole, as their portions tell."""
    return [frame for portion in course.portions for frame in portion.frames]


def read(frames: Sequence[Frame]) -> list[Frame]:
    """Events as a client reads them, without what only the dialect knows."""
    return read_frames_of(b"".join(map(frame_bytes, frames)))


def test_nothing_goes_wrong_by_itself() -> None:
    """Each event comes alone, and then the stream ends."""
    course = course_of(FRAMES)
    assert [portion.frames for portion in course.portions] == [(f,) for f in FRAMES]
    assert (course.then, course.altered) == ("ends", False)


places = st.one_of(st.integers(0, 999), st.sampled_from(["middle", "end", None]))


@settings(max_examples=40)
@given(st.sampled_from(["cut", "ends", "stalls", "error", "cut_bytes"]), places)
def test_what_breaks_off_never_comes_whole(
    kind: StreamKind, at: int | StreamPlace | None
) -> None:
    """What came is what a client reads of the bytes, and the end of it lacks."""
    course = course_of(FRAMES, StreamFault(kind, at), error=ERROR)
    events = came(course)
    assert read_frames_of(raw(course)) == read(events)
    assert not any(frame.ends for frame in events)
    if kind == "error":
        assert events.pop() == ERROR[0]
    assert events == FRAMES[: len(events)]
    if kind != "cut_bytes":
        expected = {"end": ENDS}.get(str(at), 4) if not isinstance(at, int) else at
        assert len(events) == min(expected, ENDS)
    then = {"ends": "ends", "stalls": "stalls", "error": "told"}
    assert course.then == then.get(kind, "cut")


def test_a_stream_is_cut_within_a_character() -> None:
    """Its first byte comes, and the next does not."""
    course = course_of(FRAMES, StreamFault("cut_bytes", "character"))
    assert raw(course).endswith("Gr\u00fc".encode()[:-1])
    assert course.then == "cut"


def test_without_such_a_character_it_is_cut_in_the_middle() -> None:
    """Somewhere it must be."""
    frames = [Frame({"a": "plain"}), Frame({}, ends=True)]
    whole = b"".join(map(frame_bytes, frames))
    course = course_of(frames, StreamFault("cut_bytes", "character"))
    assert len(raw(course)) == len(whole) // 2


@settings(max_examples=40)
@given(st.integers(0, 400))
def test_portions_of_any_size_are_the_same_bytes(size: int) -> None:
    """An event has come with its last byte; nought is all at once."""
    course = course_of(FRAMES, StreamFault("chunks", size))
    assert raw(course) == b"".join(map(frame_bytes, FRAMES))
    taken = b""
    events: list[Frame] = []
    for portion in course.portions:
        taken += portion.raw
        events += portion.frames
        assert read(events) == read_frames_of(taken)
        assert len(portion.raw) <= size or not size
    assert events == FRAMES
    if size == 0:
        assert len(course.portions) == 1


def test_the_least_portion_is_a_byte() -> None:
    """And it is what is taken unless a size is told."""
    course = course_of(FRAMES, StreamFault("chunks"))
    assert {len(portion.raw) for portion in course.portions} == {1}


def test_noise_says_nothing() -> None:
    """A client that passes it over reads what was said."""
    noise = [b": ping\n\n", b"event: ping\ndata: {}\n\n"]
    course = course_of(FRAMES, StreamFault("noise"), noise=noise)
    assert raw(course).count(b"event: ping") == len(FRAMES) // 2
    assert raw(course).count(b": ping\n\n") == len(FRAMES) - len(FRAMES) // 2
    assert came(course) == FRAMES
    said = [f for f in read_frames_of(raw(course)) if f.event != "ping"]
    assert said == read(FRAMES)


@pytest.mark.parametrize(("at", "twice"), [(0, 1), (1, 2), (None, 2), (9, 2)])
def test_a_piece_of_the_text_comes_twice(at: int | None, twice: int) -> None:
    """What carries none does not."""
    course = course_of(FRAMES, StreamFault("doubled", at))
    assert came(course) == [*FRAMES[: twice + 1], *FRAMES[twice:]]
    assert course.altered


def test_without_a_text_a_piece_of_a_call_comes_twice() -> None:
    """How a call begins comes once: another would be another call."""
    frames = [frame for frame in FRAMES if not frame.text]
    events = came(course_of(frames, StreamFault("doubled", 0)))
    assert [frame.data for frame in events].count(FRAMES[4].data) == 2
    assert len(events) == len(frames) + 1


def test_calls_are_interleaved_and_counted_anew() -> None:
    """First all begin, then their pieces come in turn; the rest stays in its place."""
    events = came(course_of(FRAMES, StreamFault("interleaved")))
    assert [(frame.event, frame.call) for frame in events[3:7]] == [
        ("start", 0),
        ("start", 1),
        ("piece", 0),
        ("piece", 1),
    ]
    numbers = [f.data["sequence_number"] for f in events if not isinstance(f.data, str)]
    assert numbers == list(range(len(FRAMES) - 1))
