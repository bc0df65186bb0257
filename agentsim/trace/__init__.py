"""A run as a value: recorder, trace, its text in JSON Lines, and what differs."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.trace.difference import diff as diff
    from agentsim.trace.header import VERSION as VERSION
    from agentsim.trace.header import Header as Header
    from agentsim.trace.header import ToolFacts as ToolFacts
    from agentsim.trace.jsonl import from_jsonl as from_jsonl
    from agentsim.trace.jsonl import to_jsonl as to_jsonl
    from agentsim.trace.record import Recorder as Recorder
    from agentsim.trace.record import Trace as Trace
    from agentsim.trace.reference import events_page as events_page
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Header": "header",
            "Recorder": "record",
            "ToolFacts": "header",
            "Trace": "record",
            "VERSION": "header",
            "diff": "difference",
            "events_page": "reference",
            "from_jsonl": "jsonl",
            "to_jsonl": "jsonl",
        },
    )
