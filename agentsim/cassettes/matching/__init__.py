"""Finds the recording that a request means, whatever its ids, times and spelling are."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.matching.matcher import Matcher as Matcher
    from agentsim.cassettes.matching.meaning import Meaning as Meaning
    from agentsim.cassettes.matching.meaning import asked_text as asked_text
    from agentsim.cassettes.matching.meaning import meaning_of as meaning_of
    from agentsim.cassettes.matching.meaning import names_of as names_of
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Matcher": "matcher",
            "Meaning": "meaning",
            "asked_text": "meaning",
            "meaning_of": "meaning",
            "names_of": "meaning",
        },
    )
