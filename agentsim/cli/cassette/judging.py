"""What `agentsim check` says of a cassette: each request, and each conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentsim.cassettes.conversations import (
    check_cassette,
    check_requests,
    conversations_of,
    trace_of,
)
from agentsim.cassettes.importing import read_recording
from agentsim.invariants import Judgement, VerdictStatus, judge, overall
from agentsim.providers.transcripts import TranscriptReport
from agentsim.report import judgements_data
from agentsim.trace import Trace

__all__ = ["SHOWN", "Judged", "judge_recording"]

SHOWN = (
    *("results-in-order", "every-call-answered", "history-append-only"),
    *("prefix-stable", "provider-accepts", "response-kept-whole"),
    *("no-invented-messages", "stops-by-structure", "one-model"),
)
"""Invariants that show where only the wire was recorded, whatever the agent is."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A conversation with what the invariants say of it."""

    exchanges: tuple[int, ...]
    trace: Trace
    judgements: tuple[Judgement, ...]

    @property
    def status(self) -> VerdictStatus:
        """The verdict."""
        return overall(self.judgements)

    @property
    def exchanges_text(self) -> str:
        """Which exchanges it is made of."""
        return f"exchanges {', '.join(map(str, self.exchanges))}"

    @property
    def data(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "exchanges": list(self.exchanges),
            "verdict": self.status,
            "invariants": judgements_data(self.judgements),
        }


def judge_recording(
    path: Path, kind: str = ""
) -> tuple[TranscriptReport, list[Judged]]:
    """Judge a cassette: its requests by their wires, its conversations by what shows.

    Args:
        kind: Of a recording of another tool, such as `har`; empty: it is a cassette.

    Raises:
        CassetteError: when it can't be read.
        UsageError: for a body that has not the form of its wire.
    """
    if kind:
        cassette, recording = read_recording(path, kind)
        found = check_requests(cassette, recording.lines)
        report = replace(found, notes=recording.notes)
    else:
        cassette, report = check_cassette(path)
    judged = []
    for conversation in conversations_of(cassette):
        trace = trace_of(conversation)
        numbers = tuple(one.exchange.number for one in conversation.answered)
        judged.append(Judged(numbers, trace, judge(trace, SHOWN)))
    return report, judged
