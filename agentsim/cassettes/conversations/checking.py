"""A cassette as a transcript: the rules of a history, over each request that was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.cassettes.conversations.heard import Heard, hear
from agentsim.cassettes.neutral import NEUTRAL
from agentsim.cassettes.reading import entry_lines, load_cassette
from agentsim.cassettes.records import Cassette
from agentsim.core import parse_json
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
    text = "\n".join(json.dumps(_row(one)) for one in heard)
    numbers = [entry.number for entry in cassette.entries]
    line_of = dict(zip(numbers, lines, strict=True))
    begins = [line_of[one.exchange.number] for one in heard]
    found = check_text(cassette.name, text)
    moved = tuple(_moved(one, begins) for one in found.conversations)
    return replace(found, conversations=moved)


def _row(heard: Heard) -> Mapping[str, Any]:
    exchange = heard.exchange
    return {
        "id": f"exchange {exchange.number}",
        "wire": exchange.wire,
        "status": exchange.answer.status,
        "request": parse_json(exchange.request.body, unique_keys=False),
        "response": heard.body,
    }


def _moved(one: ConversationReport, begins: list[int]) -> ConversationReport:
    """A verdict with the lines of the cassette."""
    findings = tuple(
        replace(finding, line=begins[finding.line - 1]) for finding in one.findings
    )
    return replace(one, line=begins[one.line - 1], findings=findings)
