"""Which cassettes of a project are stale, unused or orphaned, and who uses which."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.staleness.checking import CheckedCassette as CheckedCassette
    from agentsim.cassettes.staleness.checking import age_days as age_days
    from agentsim.cassettes.staleness.checking import check_cassettes as check_cassettes
    from agentsim.cassettes.staleness.findings import StaleFinding as StaleFinding
    from agentsim.cassettes.staleness.findings import StaleKind as StaleKind
    from agentsim.cassettes.staleness.notes import CassetteNotes as CassetteNotes
    from agentsim.cassettes.staleness.notes import NotedTest as NotedTest
    from agentsim.cassettes.staleness.notes import NotedUse as NotedUse
    from agentsim.cassettes.staleness.notes import load_notes as load_notes
    from agentsim.cassettes.staleness.notes import update_notes as update_notes
    from agentsim.cassettes.staleness.searching import file_digest as file_digest
    from agentsim.cassettes.staleness.searching import find_cassettes as find_cassettes
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "CassetteNotes": "notes",
            "CheckedCassette": "checking",
            "NotedTest": "notes",
            "NotedUse": "notes",
            "StaleFinding": "findings",
            "StaleKind": "findings",
            "age_days": "checking",
            "check_cassettes": "checking",
            "file_digest": "searching",
            "find_cassettes": "searching",
            "load_notes": "notes",
            "update_notes": "notes",
        },
    )
