"""Verdicts as data, for machines: JSON values and exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentsim.invariants import Judgement

__all__ = ["EXIT_CODES", "judgements_data"]

EXIT_CODES = {"holds": 0, "violated": 1, "unknown": 2, "not_applicable": 2, "usage": 3}
"""Verdict -> the exit code of the command line."""


def judgements_data(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Judgements as data: id to status, evidence and violations."""
    return {
        entry.id: {
            "status": entry.status,
            "evidence": entry.evidence,
            **({"why": entry.why} if entry.why else {}),
            **(
                {
                    "violations": [
                        {
                            "words": violation.words,
                            "expected": violation.expected,
                            "found": violation.found,
                            "events": list(violation.events),
                        }
                        for violation in entry.violations
                    ]
                }
                if entry.violations
                else {}
            ),
        }
        for entry in judgements
    }
