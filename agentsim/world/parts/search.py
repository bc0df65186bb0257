"""A search over fixed answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from agentsim.world.subsystem import Subsystem, Surroundings
from agentsim.world.tools import world_tool

__all__ = ["Search", "SearchSystem"]


@dataclass(frozen=True, slots=True)
class Search:
    """What a search finds, as query -> result.

    A query is looked up without regard to case and to white space around it. What is
    not listed has no results, which is an answer and no error.
    """

    kind: ClassVar[str] = "search"
    answers: Mapping[str, str] = field(default_factory=dict)

    def build(self, world: Surroundings) -> SearchSystem:
        """Make the search for one run."""
        return SearchSystem(self, world)


class SearchSystem(Subsystem):
    """A search in one run; it has no state."""

    def __init__(self, spec: Search, world: Surroundings) -> None:
        super().__init__(world)
        self._answers = {_key(query): text for query, text in spec.answers.items()}

    @world_tool(latency_s=0.8)
    def search(self, query: Annotated[str, "What to search for"]) -> str:
        """Search for information."""
        return self._answers.get(_key(query), f"No results for {query!r}")


def _key(query: str) -> str:
    return query.strip().casefold()
