"""The kinds of recordings that can be imported, and how each is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from agentsim.cassettes.importing.exchanges import read_exchanges
from agentsim.cassettes.importing.har import read_har
from agentsim.cassettes.importing.values import Recording, Unreadable
from agentsim.cassettes.importing.vcr import INTERACTIONS, read_vcr
from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.core import InvalidArguments, did_you_mean, parse_json

__all__ = ["KINDS", "Kind", "kind_named", "kind_of_text"]

_LINES_MAX = 50
"""Lines of a file that are looked at for its kind."""

_YAML = re.compile(rf"^(?:{'|'.join(INTERACTIONS)})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of recording.

    Attributes:
        sentence: What it is.
        marks: What it is recognised by, as errors tell it.
        kept: What of it becomes part of the cassette.
        left_out: What does not; it is counted, and told.
        fits: Whether a JSON value of a file, or of one of its lines, is of this kind.
        read: Reads a text, given the name of its file.
    """

    sentence: str
    marks: str
    kept: str
    left_out: str
    fits: Callable[[Any], bool]
    read: Callable[[str, str], Recording]


def _has(*keys: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and any(key in value for key in keys)


def _is_har(value: Any) -> bool:  # noqa: ANN401 - a JSON value
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and "entries" in log


def _is_exchange(value: Any) -> bool:  # noqa: ANN401 - a JSON value
    return isinstance(value, dict) and {"request", "response"} <= value.keys()


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "vcr": Kind(
            "A recording of vcrpy or pytest-recording (YAML or JSON), or of Ruby's VCR.",
            "`interactions`",
            "Each interaction: bodies as text, as parsed JSON, in Base64, packed with gzip "
            "or deflate; an event stream in one chunk per event, all at once.",
            "Nothing. A body that is packed with brotli or zstd is an error.",
            _has(*INTERACTIONS),
            read_vcr,
        ),
        "har": Kind(
            "An HTTP archive of a browser or a proxy.",
            "`log` with `entries`",
            "Each entry of a model's service, and what else speaks JSON or streams events: "
            "bodies as above, the time of the request and of the head of its answer, and "
            "connections that failed.",
            "Redirects, requests for leave (OPTIONS), WebSockets, answers out of a cache, "
            "other kinds of content, entries whose text the archive does not have.",
            _is_har,
            read_har,
        ),
        "exchanges": Kind(
            "JSON lines with a request and a response each.",
            "`request` and `response` on each line",
            "Both bodies, `status` (200 where it is missing) and `wire`; a `response` that "
            "is a text is an event stream.",
            "All other fields of a line.",
            _is_exchange,
            read_exchanges,
        ),
    }
)
"""Name -> kind, in the order in which they are tried."""


def kind_named(name: str) -> Kind:
    """The kind of this name.

    Raises:
        Unreadable: when there is none.
    """
    if name in KINDS:
        return KINDS[name]
    listed = ", ".join(KINDS)
    raise Unreadable(
        f"--from: expected one of {listed}, got {name!a}{did_you_mean(name, KINDS)}"
    )


def kind_of_text(text: str) -> str:
    """The name of the kind that a text is of.

    Raises:
        Unreadable: when it fits none, with what was looked for.
    """
    if text.startswith(HEADER_KEY):
        raise Unreadable("this is a cassette of agentsim already: use it as it is")
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start and start in "{[":
        for value in _values(text.removeprefix("\ufeff")):
            for name, kind in KINDS.items():
                if kind.fits(value):
                    return name
    elif _YAML.search(text):
        return "vcr"
    looked = "; ".join(f"{kind.marks} ({name})" for name, kind in KINDS.items())
    raise Unreadable(
        f"fits no kind of recording: looked for {looked}: name a recording, or its kind "
        "with --from"
    )


def _values(text: str) -> list[Any]:
    """The values of the first lines that are JSON, or that of the whole text."""
    found = []
    lines = (line for line in text.split("\n", _LINES_MAX)[:_LINES_MAX] if line.strip())
    for line in lines:
        try:
            found.append(parse_json(line, unique_keys=False))
        except InvalidArguments:
            if not found:
                break
    if found:
        return found
    try:
        return [parse_json(text, unique_keys=False)]
    except InvalidArguments as fault:
        raise Unreadable(f"this is no JSON that can be read: {fault}") from None
