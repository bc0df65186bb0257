"""Faults of streamed answers: what goes wrong on the way, whatever the model says.

They strike streamed requests only. Where in the stream is a choice, unless the rule says
it: as a number (of events that come before, or of bytes) or as a place.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agentsim.core import Carried, StreamFault, StreamKind, StreamPlace
from agentsim.faults.kinds import Fault
from agentsim.faults.tampering import with_reason

__all__ = ["PLACES", "STREAM_FAULTS"]

STREAMED: tuple[Carried, ...] = ("pieces", "bytes")

_BEFORE: tuple[tuple[int | StreamPlace, str], ...] = (
    ("middle", "in its middle"),
    (0, "before its first event"),
    (1, "behind its first event"),
    ("end", "where all has come but its end"),
)

PLACES: Mapping[StreamKind, tuple[tuple[int | StreamPlace, str], ...]] = (
    MappingProxyType(
        {
            "cut": _BEFORE,
            "cut_bytes": (
                ("middle", "in its middle"),
                ("character", "within a character"),
                ("end", "before its last byte"),
            ),
            "ends": _BEFORE,
            "error": _BEFORE,
            "stalls": _BEFORE,
            "doubled": (
                ("middle", "in its middle"),
                (0, "at its first piece"),
                ("end", "at its last piece"),
            ),
            "chunks": (
                (1, "by single bytes"),
                (16, "by 16 bytes"),
                (0, "by all its bytes at once"),
            ),
        }
    )
)
"""Kind -> where it may strike a stream, in words; the first is the dull one."""

stream_cut = Fault(
    "stream_cut",
    "model",
    "the connection is lost while the answer is streamed",
    stream=StreamFault("cut"),
    carried=STREAMED,
    rare=True,
)
stream_cut_in_bytes = Fault(
    "stream_cut_in_bytes",
    "model",
    "the connection is lost within an event of the stream, or within a character",
    stream=StreamFault("cut_bytes"),
    carried=STREAMED,
    rare=True,
)
stream_ends_early = Fault(
    "stream_ends_early",
    "model",
    "the stream ends as if it were whole, and the rest of the answer never comes",
    stream=StreamFault("ends"),
    carried=STREAMED,
    rare=True,
)
stream_error = Fault(
    "stream_error",
    "model",
    "the service fails while it streams, and tells so by an event",
    answer="error",
    error_words="overloaded",
    error_status=529,
    error_kind="overloaded_error",
    stream=StreamFault("error"),
    carried=STREAMED,
    rare=True,
)
stream_stalls = Fault(
    "stream_stalls",
    "model",
    "nothing more comes of the stream, and nobody ends it",
    answer="never",
    stream=StreamFault("stalls"),
    carried=STREAMED,
    rare=True,
)
stream_without_reason = Fault(
    "stream_without_reason",
    "model",
    "the stream does not say why the answer ended",
    tamper=with_reason(""),
    carried=STREAMED,
    rare=True,
)
stream_noise = Fault(
    "stream_noise",
    "model",
    "comments and events that say nothing stand between those of the answer",
    stream=StreamFault("noise"),
    carried=("bytes",),
)
stream_doubled = Fault(
    "stream_doubled",
    "model",
    "a piece of the answer comes twice",
    stream=StreamFault("doubled"),
    carried=STREAMED,
)
stream_interleaved = Fault(
    "stream_interleaved",
    "model",
    "the pieces of several calls come in turn",
    calls_min=2,
    stream=StreamFault("interleaved"),
    carried=("bytes",),
)
stream_in_portions = Fault(
    "stream_in_portions",
    "model",
    "the bytes of the stream come in other portions than its events",
    stream=StreamFault("chunks"),
    carried=STREAMED,
)

STREAM_FAULTS = (
    stream_cut,
    stream_cut_in_bytes,
    stream_ends_early,
    stream_error,
    stream_stalls,
    stream_without_reason,
    stream_noise,
    stream_doubled,
    stream_interleaved,
    stream_in_portions,
)
