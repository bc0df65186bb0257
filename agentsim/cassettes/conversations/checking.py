"""A cassette as a transcript: the rules of a history, over each request that was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
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

__all__ = ["check_cassette"]


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
    heard = [one for one in hear(cassette) if one.exchange.wire != NEUTRAL]
    if not heard:
        return cassette, TranscriptReport(str(path))
    text = "\n".join(json.dumps(_row(one)) for one in heard)
    numbers = [entry.number for entry in cassette.entries]
    lines = dict(zip(numbers, entry_lines(path.read_bytes()), strict=True))
    begins = [lines[one.exchange.number] for one in heard]
    found = check_text(str(path), text)
    moved = tuple(_moved(one, begins) for one in found.conversations)
    return cassette, replace(found, conversations=moved)


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
