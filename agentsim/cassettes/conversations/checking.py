"""A cassette as a transcript: the rules of a history, over each request that was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.cassettes.conversations.heard import Heard, hear
from agentsim.cassettes.neutral import NEUTRAL
from agentsim.cassettes.reading import entry_lines, load_cassette
from agentsim.cassettes.records import Cassette
from agentsim.core import UsageError, parse_json
from agentsim.providers.transcripts import (
    ConversationReport,
    TranscriptReport,
    check_text,
)

__all__ = ["check_cassette", "check_requests"]


def check_cassette(path: Path) -> tuple[Cassette, TranscriptReport]:
    """Judge each request of a cassette by the history rules of its wire.

    Requests of the neutral form are left out: they are on no wire.

    Returns:
        The cassette; and the verdicts, whose lines are those where the exchanges begin.

    Raises:
        CassetteError: when it can't be read.
        UsageError: for a body that has not the form of its wire.
    """
    cassette = load_cassette(path)
    lines = entry_lines(path.read_bytes())
    return cassette, check_requests(cassette, lines)


def check_requests(cassette: Cassette, lines: Sequence[int]) -> TranscriptReport:
    """Judge each request of a cassette, or of what would become one.

    Args:
        lines: The line of the file in which each entry begins.

    Raises:
        UsageError: for a body that has not the form of its wire.
    """
    heard = [one for one in hear(cassette) if one.exchange.wire != NEUTRAL]
    if not heard:
        return TranscriptReport(cassette.name)
    begins = dict(zip((e.number for e in cassette.entries), lines, strict=True))
    judged = tuple(
        report
        for one in heard
        for report in _judged(cassette.name, one, begins[one.exchange.number])
    )
    return TranscriptReport(cassette.name, conversations=judged)


def _judged(name: str, heard: Heard, line: int) -> Iterator[ConversationReport]:
    """The verdict on one request, with the line where its exchange begins."""
    try:
        found = check_text(name, json.dumps(_row(heard)))
    except UsageError as error:
        raise UsageError(str(error).replace(":1:", f":{line}:", 1)) from None
    for one in found.conversations:
        findings = tuple(replace(finding, line=line) for finding in one.findings)
        yield replace(one, line=line, findings=findings)


def _row(heard: Heard) -> Mapping[str, Any]:
    exchange = heard.exchange
    return {
        "id": f"exchange {exchange.number}",
        "wire": exchange.wire,
        "status": exchange.answer.status,
        "request": parse_json(exchange.request.body, unique_keys=False),
        "response": heard.body,
    }
