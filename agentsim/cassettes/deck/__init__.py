"""Clients of SDKs and HTTP libraries that are recorded into a cassette, or replayed."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.deck.deck import Deck as Deck
    from agentsim.cassettes.deck.deck import use_cassette as use_cassette
    from agentsim.cassettes.deck.guard import UnseenClientWarning as UnseenClientWarning
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Deck": "deck",
            "UnseenClientWarning": "guard",
            "use_cassette": "deck",
        },
    )
