"""What `check` tells of a file: per conversation a verdict, findings and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsim.core import Rule

__all__ = [
    "ConversationReport",
    "HistoryFinding",
    "HistoryStatus",
    "TranscriptReport",
    "TranscriptWire",
]

HistoryStatus = Literal["holds", "violated", "unknown"]

TranscriptWire = Literal[
    "openai-chat", "openai-responses", "anthropic-messages", "unclear"
]
"""`unclear`: plain text that two wires read alike, so that nothing depends on it."""


@dataclass(frozen=True, slots=True)
class HistoryFinding:
    """One rule of a history broken at one place.

    Attributes:
        line: 1-based line of the file where the message starts; in JSON Lines, the
            line that holds it.
        position: Path within the document, such as `messages[3].content[0]`.
    """

    file: str
    line: int
    position: str
    rule: Rule
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.position}: {self.words} ({self.rule})"


@dataclass(frozen=True, slots=True)
class ConversationReport:
    """The verdict on one history.

    Attributes:
        line: 1-based line of the file where it starts.
        label: Its `id` in the file, or None.
        status: `violated` with findings; `unknown` when the service holds a part of
            the history, or there is no message; else `holds`.
        notes: What the service does not refuse and a reader should know.
        messages: How many messages or items were read.
        calls: How many calls were judged that the client has to answer.
    """

    line: int
    wire: TranscriptWire
    status: HistoryStatus
    findings: tuple[HistoryFinding, ...] = ()
    notes: tuple[str, ...] = ()
    label: str | None = None
    messages: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class TranscriptReport:
    """The verdicts on one file.

    Attributes:
        kind: `trace` marks a trace of agentsim, which is not judged here: it has no
            conversations, and the caller reads it with the trace codec.
        notes: What of the file was left out, a sentence each.
    """

    file: str
    kind: Literal["transcript", "trace"] = "transcript"
    conversations: tuple[ConversationReport, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> HistoryStatus:
        """`violated` if any conversation is, else `unknown` if any is, else `holds`."""
        found = {conversation.status for conversation in self.conversations}
        if "violated" in found:
            return "violated"
        return "unknown" if "unknown" in found or not found else "holds"

    @property
    def findings(self) -> tuple[HistoryFinding, ...]:
        """The findings of all conversations, in the order of the file."""
        return tuple(
            finding
            for conversation in self.conversations
            for finding in conversation.findings
        )

    @property
    def messages(self) -> int:
        """How many messages or items were read."""
        return sum(conversation.messages for conversation in self.conversations)

    @property
    def calls(self) -> int:
        """How many calls were judged."""
        return sum(conversation.calls for conversation in self.conversations)

    def count(self, status: HistoryStatus) -> int:
        """How many conversations have a status."""
        return sum(one.status == status for one in self.conversations)
