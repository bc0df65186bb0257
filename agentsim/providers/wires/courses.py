"""How the events of a stream come: in which portions, and what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Literal

from agentsim.core import StreamFault
from agentsim.providers.wires.dialect import Frame
from agentsim.providers.wires.sse import frame_bytes

__all__ = ["Course", "Portion", "course_of"]


_ENDINGS = (".done", "_stop")
"""How the events are named that end a call, and are no piece of it."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Bytes that come at once, with the events that are whole with them."""

    raw: bytes
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """What comes of a stream.

    Attributes:
        then: What comes behind the last portion: the end of the stream; the loss of
            the connection; nothing more. `told`: the last portion tells of an error.
        altered: Whether the events are other ones than the dialect made.
    """

    portions: tuple[Portion, ...]
    then: Literal["ends", "cut", "stalls", "told"] = "ends"
    altered: bool = False


def course_of(
    frames: Sequence[Frame],
    fault: StreamFault | None = None,
    *,
    error: Sequence[Frame] = (),
    noise: Sequence[bytes] = (),
) -> Course:
    """How the events of an answer come, with what goes wrong.

    Args:
        error: The events that tell of an error.
        noise: What says nothing, and may stand between two events.
    """
    if fault is None:
        return Course(tuple(_portions(frames)))
    if fault.breaks:
        return _broken(frames, fault, error)
    if fault.kind == "doubled":
        return Course(tuple(_portions(_doubled(frames, fault))), altered=True)
    if fault.kind == "interleaved":
        return Course(tuple(_portions(_interleaved(frames))))
    if fault.kind == "noise":
        around = [Portion(noise[n % len(noise)]) for n in range(len(frames))]
        pairs = zip(around, _portions(frames), strict=True)
        return Course(tuple(chain.from_iterable(pairs)))
    size = 1 if fault.at is None else fault.at
    assert isinstance(size, int)
    return Course(tuple(_cut(list(_portions(frames)), size)))


def _portions(frames: Sequence[Frame]) -> Iterator[Portion]:
    return (Portion(frame_bytes(frame), (frame,)) for frame in frames)


def _broken(
    frames: Sequence[Frame], fault: StreamFault, error: Sequence[Frame]
) -> Course:
    """What comes before the break, which is never behind the end of the answer."""
    ends = next((n for n, frame in enumerate(frames) if frame.ends), len(frames))
    whole = list(_portions(frames[: ends + 1]))
    if fault.kind == "cut_bytes":
        return Course(_first_bytes(whole, fault), "cut")
    before = tuple(whole[: fault.place(ends)])
    if fault.kind == "error":
        told = [_numbered(frame, len(before) + n) for n, frame in enumerate(error)]
        return Course((*before, *_portions(told)), "told")
    if fault.kind == "stalls":
        return Course(before, "stalls")
    return Course(before, "cut" if fault.kind == "cut" else "ends")


def _first_bytes(whole: Sequence[Portion], fault: StreamFault) -> tuple[Portion, ...]:
    raw = b"".join(portion.raw for portion in whole)
    count = fault.place(len(raw) - 1)
    if fault.at == "character":
        # Behind the first byte of a character that has more: 110xxxxx or higher.
        wide = (n for n, byte in enumerate(raw) if byte >= 0b1100_0000)
        count = next(wide, count - 1) + 1
    before = []
    for portion in whole:
        if count < len(portion.raw):
            before.append(Portion(portion.raw[:count]))
            break
        before.append(portion)
        count -= len(portion.raw)
    return tuple(before)


def _doubled(frames: Sequence[Frame], fault: StreamFault) -> list[Frame]:
    """Events, one of which stands there twice: a piece of the text, or of a call."""
    begun: set[int] = set()
    texts, pieces = [], []
    for number, frame in enumerate(frames):
        if frame.text:
            texts.append(number)
        elif frame.call in begun:
            if not frame.event.endswith(_ENDINGS):
                pieces.append(number)
        elif frame.call is not None:
            begun.add(frame.call)  # how a call begins is no piece of it
    among = texts or pieces or [0]
    number = among[min(fault.place(len(among)), len(among) - 1)]
    return [*frames[: number + 1], *frames[number:]]


def _interleaved(frames: Sequence[Frame]) -> list[Frame]:
    """Events, with those of the calls in turn."""
    calls: dict[int, list[Frame]] = {}
    for frame in frames:
        if frame.call is not None:
            calls.setdefault(frame.call, []).append(frame)
    turns = chain.from_iterable(zip_longest(*calls.values()))
    in_turn = iter([frame for frame in turns if frame is not None])
    mixed = [frame if frame.call is None else next(in_turn) for frame in frames]
    return [_numbered(frame, number) for number, frame in enumerate(mixed)]


def _numbered(frame: Frame, number: int) -> Frame:
    """The event with the number of its new place, where its wire counts them."""
    data = frame.data
    if isinstance(data, str) or "sequence_number" not in data:
        return frame
    return replace(frame, data={**data, "sequence_number": number})


def _cut(whole: Sequence[Portion], size: int) -> Iterator[Portion]:
    """The same bytes in portions of one size, or all at once."""
    raw = b"".join(portion.raw for portion in whole)
    ends = []
    at = 0
    for portion in whole:
        at += len(portion.raw)
        ends.append((at, portion.frames))
    size = size or len(raw)
    taken = 0
    for start in range(0, len(raw), size):
        frames: list[Frame] = []
        while taken < len(ends) and ends[taken][0] <= start + size:
            frames += ends[taken][1]
            taken += 1
        yield Portion(raw[start : start + size], tuple(frames))
