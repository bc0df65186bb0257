"""The kinds of recordings that can be imported, and how each is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from agentsim.cassettes.importing.exchanges import read_exchanges
from agentsim.cassettes.importing.har import read_har
from agentsim.cassettes.importing.sessions import read_lists, session_reader
from agentsim.cassettes.importing.values import Recording, Unreadable
from agentsim.cassettes.importing.vcr import INTERACTIONS, read_vcr
from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.core import InvalidArguments, did_you_mean, parse_json
from agentsim.providers.transcripts.sessions import (
    SESSIONS,
    is_transcript,
    session_kind,
)

__all__ = ["KINDS", "Kind", "http_kind_of_head", "kind_named", "kind_of_text"]

_LINES_MAX = 50
"""Lines of a file that are looked at for its kind."""

_HAR = re.compile(r"\s*\{\s*\"log\"\s*:")
_VCR = re.compile(rf"\s*\{{\s*\"(?:{'|'.join(INTERACTIONS)})\"\s*:")
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
    if isinstance(value, list):
        return bool(value) and all(map(_is_exchange, value))
    return isinstance(value, dict) and {"request", "response"} <= value.keys()


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "vcr": Kind(
            "A recording of vcrpy or pytest-recording (YAML or JSON), or of Ruby's VCR.",
            "`interactions`",
            "Each interaction: bodies as text, as parsed JSON, in Base64, packed with gzip "
            "or deflate; an event stream in one chunk per event, all at once.",
            "Bodies that are packed with brotli or zstd, of anything but a model; of a "
            "model they are an error.",
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
            "JSON lines, or a list, with a request and a response each.",
            "`request` and `response` in each",
            "Both bodies, `status` (200 where it is missing) and `wire`; a `response` that "
            "is a text is an event stream.",
            "All other fields.",
            _is_exchange,
            read_exchanges,
        ),
        "claude-code": Kind(
            "A session of Claude Code (JSON lines), or what it prints as `stream-json`.",
            "lines with `type` and `parentUuid`, `sessionId` or `session_id`",
            "Each answer of the model, put together of its lines, with all that was said "
            "before as its request; tools with their results. Branches (edited prompts) and "
            "sidechains too, what they have in common once.",
            "Lines that are no messages, errors that the program wrote in the name of the "
            "model, prompts that nothing came of, lines that are no JSON.",
            SESSIONS["claude-code"].fits,
            session_reader(
                "claude-code", "the system prompt and the definitions of tools"
            ),
        ),
        "agents-sdk": Kind(
            "A trace of the OpenAI Agents SDK, as a processor or an exporter gets it: JSON "
            "lines, a list, or batches with `data`.",
            "`object` that is `trace` or `trace.span`",
            "Generation spans as requests of Chat with their answers, function spans as "
            "tools; response spans only where an exporter added `input` and `response`.",
            "All other spans, generation spans without their messages (recorded without "
            "sensitive data) or of requests that failed.",
            SESSIONS["agents-sdk"].fits,
            session_reader("agents-sdk", "the definitions of tools"),
        ),
        "opentelemetry": Kind(
            "Spans of OpenTelemetry by the conventions for generative AI: OTLP JSON, also "
            "one document a line as the file exporters write it, or what the console "
            "exporter of an SDK prints.",
            "`resourceSpans`, `resourceLogs`, or `context` with `span_id`",
            "Spans of model calls whose messages were recorded, in any form: "
            "`gen_ai.input.messages`, the event with the details, an event or log record "
            "per message, `gen_ai.prompt.0.content`; on the wire of their provider. Spans "
            "of tools with arguments and result. Log records are found by the ids of their "
            "span, so they belong into one file: `cat spans.jsonl logs.jsonl`.",
            "Spans of anything else, or without content (it is opt-in); parts that are no "
            "text, reasoning, call or result.",
            SESSIONS["opentelemetry"].fits,
            session_reader("opentelemetry", ""),
        ),
        "messages": Kind(
            "A list of messages or items of OpenAI Chat, OpenAI Responses or Anthropic: "
            "bare, one a line, or in the body of a request.",
            "`messages` or `input`, or messages with `role`",
            "Each answer of the model, with all that was said before as its request, and "
            "the other fields of the body; tools with their results. Ids are made, and "
            "there are no token counts (0 for Anthropic), since such a list has none.",
            "What stands behind the last answer.",
            is_transcript,
            read_lists,
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
    text = text.removeprefix("\ufeff")
    start = text.lstrip(" \t\r\n")[:1]
    found = ""
    if start and start in "{[":
        found = _kind_of_json(text)
    elif _YAML.search(text):
        found = "vcr"
    if found:
        return found
    looked = "; ".join(f"{kind.marks} ({name})" for name, kind in KINDS.items())
    raise Unreadable(
        f"fits no kind of recording: looked for {looked}: name a recording, or its kind "
        "with --from"
    )


def http_kind_of_head(head: str) -> str:
    """Whether a text begins as a recording of HTTP: `vcr`, `har`, or empty: as none."""
    head = head.removeprefix("\ufeff")
    if _HAR.match(head):
        return "har"
    return "vcr" if _VCR.match(head) or _YAML.search(head) else ""


def _kind_of_json(text: str) -> str:
    """The kind of the first line that is of one, or of the whole text; empty: of none."""
    lines = (line for line in text.split("\n", _LINES_MAX)[:_LINES_MAX] if line.strip())
    first = _parsed(next(lines))
    fault = ""
    if first is not None:
        found = [first, *map(_parsed, lines)]
    else:
        try:
            found = [parse_json(text, unique_keys=False)]
        except InvalidArguments as error:
            found, fault = [], str(error)
    for value in found:
        for name, kind in KINDS.items():
            if kind.fits(value):
                return name
    kind_of_several = session_kind(text)  # documents one behind the other
    if fault and not kind_of_several:
        raise Unreadable(f"this is no JSON that can be read: {fault}")
    return kind_of_several


def _parsed(line: str) -> Any:  # noqa: ANN401 - a JSON value
    try:
        return parse_json(line, unique_keys=False)
    except InvalidArguments:
        return None
