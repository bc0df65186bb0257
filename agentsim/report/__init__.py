"""What people read of a trace and its judgements: timeline, table, failure text."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.report.data import EXIT_CODES as EXIT_CODES
    from agentsim.report.data import judgements_data as judgements_data
    from agentsim.report.failure import failure_text as failure_text
    from agentsim.report.failure import invariant_sentence as invariant_sentence
    from agentsim.report.failure import row as row
    from agentsim.report.failure import unmet_text as unmet_text
    from agentsim.report.kinds import violation_kind as violation_kind
    from agentsim.report.terminal import print_judgements as print_judgements
    from agentsim.report.terminal import print_timeline as print_timeline
    from agentsim.report.timeline import Line as Line
    from agentsim.report.timeline import timeline as timeline
    from agentsim.report.words import printable as printable
    from agentsim.report.words import told as told
    from agentsim.report.words import told_arguments as told_arguments
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "EXIT_CODES": "data",
            "Line": "timeline",
            "failure_text": "failure",
            "invariant_sentence": "failure",
            "judgements_data": "data",
            "print_judgements": "terminal",
            "print_timeline": "terminal",
            "printable": "words",
            "row": "failure",
            "timeline": "timeline",
            "told": "words",
            "told_arguments": "words",
            "unmet_text": "failure",
            "violation_kind": "kinds",
        },
    )
