"""What can be wrong with a cassette, and what comes out of a check of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["CHANGED", "STALE", "StaleFinding", "StaleKind", "Told"]

StaleKind = Literal[
    "unreadable",
    "unfinished",
    "orphaned",
    "old",
    "model",
    "prompt",
    "tools",
    "request",
    "unused",
    "untouched",
]
"""What can be wrong with a cassette.

`model`, `prompt` and `tools` had changed when its test last ran, `request`: something else
of a request had. `unused`: no test asks for it; `untouched`: for some exchanges in it.
"""

CHANGED: Mapping[str, StaleKind] = {
    "model": "model",
    "prompt": "prompt",
    "tools": "tools",
}
"""Kinds of a `core.Change` that have a name here."""

STALE: tuple[StaleKind, ...] = (
    "old",
    "model",
    "prompt",
    "tools",
    "request",
    "untouched",
)
"""What goes away when the cassette is recorded again."""


@dataclass(frozen=True, slots=True)
class StaleFinding:
    """One thing that is wrong with a cassette, in words."""

    kind: StaleKind
    words: str


@dataclass(slots=True)
class Told:
    """What comes out of a check."""

    findings: list[StaleFinding] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def find(self, kind: StaleKind, words: str) -> None:
        """Something is wrong; said twice it is told once."""
        finding = StaleFinding(kind, words)
        if finding not in self.findings:
            self.findings.append(finding)
