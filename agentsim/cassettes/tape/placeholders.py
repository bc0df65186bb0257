"""Which secret of today stands where a recording has which placeholder.

A program that is replayed holds secrets of its own, the same as when it was recorded or
others, beside placeholders that it heard in answers. In the recording one placeholder may
stand for both: the program told a secret that it had heard before. So a secret is given
the placeholder that stands in its place, if that is one and the same everywhere, and no
other secret has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agentsim.cassettes.matching import MeaningReader
from agentsim.cassettes.redaction import Redactor

__all__ = ["Placeholders", "without_gaps"]

_MARK = "__REDACTED_"
"""Stands in every text with a placeholder."""

_NUMBER = re.compile("(__REDACTED_[A-Z]+_)([0-9]+)__")


def without_gaps(text: str) -> str:
    """Number the placeholders of each kind from 1 on, in the order that they have.

    What is recorded anew beside an old cassette begins behind the numbers of that one;
    without this they would grow, and each line with one would be another, each time.
    """
    used: dict[str, dict[int, str]] = {}
    for kind, number in _NUMBER.findall(text):
        used.setdefault(kind, {})[int(number)] = number
    named = {
        f"{kind}{numbers[number]}__": f"{kind}{at}__"
        for kind, numbers in used.items()
        for at, number in enumerate(sorted(numbers), 1)
    }
    return _NUMBER.sub(lambda found: named.get(found[0], found[0]), text)


class Placeholders:
    """Learns what secrets are called in a recording.

    Args:
        redactor: Gives them their placeholders.
        reader: Reads the requests.
    """

    def __init__(self, redactor: Redactor, reader: MeaningReader) -> None:
        self._redactor = redactor
        self._reader = reader

    def learn(self, asked: str, recorded: str) -> bool:
        """Call the secrets of a request as those of a recording that means the same.

        Args:
            asked: The request, secrets replaced.
            recorded: That of the recording, which differs in placeholders at most.

        Returns:
            False when the secrets can't be those of the recording.
        """
        if _MARK not in asked or asked == recorded:
            return True
        pairs = self._pairs(asked, recorded)
        for made, theirs in pairs.items():
            if made != theirs:
                self._redactor.call_alike(made, theirs)
        return bool(pairs)

    def learn_from(self, recorded: Iterable[str], asked: str) -> bool:
        """The same from the first recording that differs in placeholders at most."""
        if _MARK not in asked:
            return False
        form = self._form(asked)
        known = (one for one in recorded if _MARK in one and self._form(one) == form)
        return any(self.learn(asked, one) for one in known)

    def _form(self, text: str) -> bytes:
        """What a request means, whichever secrets are in it."""
        unnumbered = _NUMBER.sub(r"\g<1>0__", text)
        return self._reader.read(unnumbered, "").digest

    def _pairs(self, asked: str, recorded: str) -> dict[str, str]:
        """Placeholder of the request -> that of the recording; empty: they do not fit."""
        ours, theirs = map(self._reader.placeholders, (asked, recorded))
        pairs: dict[str, str] = {}
        if len(ours) != len(theirs):
            return {}
        for made, wanted in zip(ours, theirs, strict=True):
            if pairs.setdefault(made, wanted) != wanted:
                return {}
        own = [wanted for made, wanted in pairs.items() if self._is_secret(made)]
        heard = {made: wanted for made, wanted in pairs.items() if made != wanted}
        unlike = [made for made in heard if not self._is_secret(made)]
        return {} if unlike or len(own) != len(dict.fromkeys(own)) else pairs

    def _is_secret(self, placeholder: str) -> bool:
        return self._redactor.stands_for(placeholder)
