"""Transcripts recorded elsewhere: read by wire format, judged by the history rules."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.transcripts.check import check_file as check_file
    from agentsim.providers.transcripts.check import check_text as check_text
    from agentsim.providers.transcripts.results import (
        ConversationReport as ConversationReport,
    )
    from agentsim.providers.transcripts.results import HistoryFinding as HistoryFinding
    from agentsim.providers.transcripts.results import HistoryStatus as HistoryStatus
    from agentsim.providers.transcripts.results import (
        TranscriptReport as TranscriptReport,
    )
    from agentsim.providers.transcripts.results import TranscriptWire as TranscriptWire
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "ConversationReport": "results",
            "HistoryFinding": "results",
            "HistoryStatus": "results",
            "TranscriptReport": "results",
            "TranscriptWire": "results",
            "check_file": "check",
            "check_text": "check",
        },
    )
