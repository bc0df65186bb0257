"""Bodies and headers of HTTP, in the forms in which recorders keep them."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections.abc import Mapping

from agentsim.cassettes.importing.values import BYTES_MAX, StillPacked, Unreadable
from agentsim.cassettes.records import RecordedAnswer, RecordedChunk, body_text

__all__ = [
    "JSON",
    "STREAM",
    "URLS",
    "answer_of",
    "encodable",
    "is_status",
    "text_of",
    "unbased",
]

JSON = "application/json"
STREAM = "text/event-stream"

URLS = {
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "openai-responses": "https://api.openai.com/v1/responses",
    "anthropic-messages": "https://api.anthropic.com/v1/messages",
}
"""Where each dialect is spoken, for recordings that do not tell."""

_EVENT = re.compile(r".*?(?:\r\n\r\n|\n\n|\r\r|\Z)", re.DOTALL)

_EVENT_FIELD = re.compile(r"(?:data|event|id|retry)?:")

_HALF = re.compile("[\ud800-\udfff]")

_GZIP = b"\x1f\x8b"


def encodable(text: str) -> str:
    """A body with halves of characters escaped, as in JSON: no bytes stand for them."""
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def is_status(value: object) -> bool:
    """Whether a value is a status of HTTP."""
    return type(value) is int and 100 <= value <= 599


def answer_of(
    status: int, headers: Mapping[str, str], body: str, at_ms: float = 0
) -> RecordedAnswer:
    """An answer as a cassette has it: a stream in one chunk per event, all at once.

    Args:
        at_ms: Milliseconds from the request to its head.
    """
    kind = headers.get("content-type", "")
    if not kind and _EVENT_FIELD.match(body):  # a recorder may leave out all headers
        headers = {**headers, "content-type": STREAM}
        kind = STREAM
    if STREAM not in kind:
        return RecordedAnswer(status, headers, body, at_ms=at_ms)
    events = [event for event in _EVENT.findall(body) if event]
    chunks = tuple(RecordedChunk(at_ms, event) for event in events)
    return RecordedAnswer(status, headers, chunks=chunks, at_ms=at_ms)


def unbased(text: str) -> bytes:
    """The bytes of Base64, white space in it or not.

    Raises:
        Unreadable: when it is none.
    """
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise Unreadable("its body is no Base64: mend it, or record it again") from None


def text_of(body: bytes, coding: str = "") -> str:
    """The text of a body, unpacked where it is still packed.

    Recorders keep the header of a packed body whether they have unpacked it or not, so
    the bytes decide.

    Args:
        coding: The header `content-encoding`.

    Raises:
        StillPacked: when it can't be unpacked here.
        Unreadable: when it is broken, or too long.
    """
    names = [name.strip().lower() for name in coding.split(",")]
    for name in reversed(names):
        body = _unpacked(body, name)
    return body_text(_unpacked(body, "gzip") if body[:2] == _GZIP else body)


def _unpacked(body: bytes, coding: str) -> bytes:
    if coding in ("gzip", "x-gzip", "deflate"):
        return _inflated(body, coding)
    if coding in ("", "identity") or _is_text(body):
        return body
    raise StillPacked(
        f"its body is packed with {coding[:40]!a}, which can't be unpacked here: record "
        "it again with `accept-encoding: gzip`, or let the recorder unpack it"
    )


def _is_text(body: bytes) -> bool:
    """Whether bytes are text; those of gzip, and nearly all of brotli, are none."""
    try:
        body.decode()
    except ValueError:
        return False
    return True


def _inflated(body: bytes, coding: str) -> bytes:
    unpacked, at_most = b"", BYTES_MAX
    forms = (-zlib.MAX_WBITS,) if coding == "deflate" else ()
    for form in (zlib.MAX_WBITS | 32, *forms):
        rest = body
        try:
            while rest:
                packed = zlib.decompressobj(form)
                unpacked += packed.decompress(rest, at_most - len(unpacked) + 1)
                if len(unpacked) > at_most:
                    raise Unreadable(
                        f"its body is longer than {BYTES_MAX >> 20} MiB when unpacked"
                    )
                if not packed.eof:
                    raise Unreadable("its packed body is cut off: record it again")
                rest = packed.unused_data
        except zlib.error:
            unpacked = b""
        else:
            return unpacked
    if _is_text(body):
        return body
    raise Unreadable(f"its body is not packed with {coding} as its header says")
