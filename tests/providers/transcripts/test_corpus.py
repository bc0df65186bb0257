"""The real exchanges: what the services accepted breaks no rule of a history."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import parse_json
from agentsim.providers.transcripts import TranscriptReport, check_file, check_text

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

pytestmark = pytest.mark.skipif(
    not CORPUS.exists(), reason="../shared/real-exchanges/exchanges.jsonl is missing"
)


@pytest.fixture(scope="module")
def report() -> TranscriptReport:
    """The verdicts on all exchanges, in the order of the file."""
    return check_file(CORPUS)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """The exchanges themselves."""
    return [parse_json(line) for line in CORPUS.read_text("utf-8").split("\n") if line]


def test_nothing_that_a_service_accepted_is_a_violation(
    report: TranscriptReport, rows: list[dict[str, Any]]
) -> None:
    """All 410 exchanges with status 200 are read and keep the rules."""
    accepted = [
        one
        for one, row in zip(report.conversations, rows, strict=True)
        if row["status"] == 200
    ]
    assert len(accepted) == 410
    assert [str(finding) for one in accepted for finding in one.findings] == []


# What the 11 refusals are about, and how the history rules judge these histories: none
# is a fault of the history, none of the form that a reader needs.
REFUSALS = [
    ("decimal_below_min_value", "holds"),  # a temperature of -1
    ("invalid_value", "holds"),  # an audio file where the model takes none
    ("invalid_value", "holds"),
    ("invalid_value", "holds"),
    ("invalid_value", "holds"),
    ("invalid_value", "holds"),
    ("model_not_found", "holds"),
    ("model_not_found", "holds"),
    ("model_not_found", "holds"),
    ("none", "holds"),  # web search options on a model without web search
    ("unsupported_value", "holds"),  # a system role on a model without one
]


def test_no_refusal_of_the_corpus_is_about_the_history(
    report: TranscriptReport, rows: list[dict[str, Any]]
) -> None:
    """Each of the 11 refusals has another cause, and its history is read and holds."""
    judged = [
        (row["response"]["error"]["code"] or "none", one.status)
        for one, row in zip(report.conversations, rows, strict=True)
        if row["status"] != 200
    ]
    assert sorted(judged) == REFUSALS


def test_every_exchange_is_recognised_as_what_it_is(
    report: TranscriptReport, rows: list[dict[str, Any]]
) -> None:
    """Structure alone names the wire that the file names, and no exchange is unclear."""
    assert [one.wire for one in report.conversations] == [row["wire"] for row in rows]
    assert "structure is" not in repr([one.notes for one in report.conversations])


def test_structure_alone_names_no_wrong_wire(rows: list[dict[str, Any]]) -> None:
    """Without the file's word and the answer, only plain Chat or Anthropic is unclear."""
    text = "\n".join(json.dumps({"request": row["request"]}) for row in rows)
    judged = zip(check_text("f", text).conversations, rows, strict=True)
    wrong = [
        row["id"] for one, row in judged if one.wire not in ("unclear", row["wire"])
    ]
    assert wrong == []


def test_what_the_service_holds_is_unknown(report: TranscriptReport) -> None:
    """Exactly the exchanges with a conversation, a chain or a compaction are unknown."""
    unknown = [one.notes[0] for one in report.conversations if one.status == "unknown"]
    held = [words.rpartition("(")[2].rstrip(")") for words in unknown]
    assert sorted(held) == ["compaction"] * 6 + ["conversation"] * 3 + [
        "previous_response_id"
    ]


def test_the_evidence_is_counted(report: TranscriptReport) -> None:
    """Messages and calls that were judged are counted over the whole file."""
    assert (report.messages, report.calls) == (994, 334)
