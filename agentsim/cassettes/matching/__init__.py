"""Finds the recording that a request means, whatever its ids, times and spelling are."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.matching.matcher import Matcher as Matcher
    from agentsim.cassettes.matching.meaning import Meaning as Meaning
    from agentsim.cassettes.matching.meaning import asked_text as asked_text
    from agentsim.cassettes.matching.reader import MeaningReader as MeaningReader
    from agentsim.cassettes.matching.reader import meaning_of as meaning_of
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Matcher": "matcher",
            "Meaning": "meaning",
            "MeaningReader": "reader",
            "asked_text": "meaning",
            "meaning_of": "reader",
        },
    )
