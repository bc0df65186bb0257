"""Where in a text secrets may begin, told by its words; those that are known cost little.

The history of a conversation is sent again with each request, so nearly all words of a
text were seen before. Of each is remembered whether a secret may begin in it, and only
there the patterns are tried: with the same result as if the text was searched through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from agentsim.cassettes.redaction.patterns import WORD, SecretPattern
from agentsim.cassettes.redaction.views import BASE64_MIN

__all__ = ["Words"]

_IS_OF_WORD = re.compile(rf"[{WORD}]")
_APART = bytes(
    code if code < 128 and _IS_OF_WORD.match(chr(code)) else ord(" ")
    for code in range(256)
)

KNOWN_MAX = 8 << 20
"""Characters of words without hints that are remembered."""

HINTED_MAX = 10_000
"""Words with hints that are remembered."""

Begin = tuple[int, int]
"""Number of a pattern, and where in a word, or before it, a secret may begin."""


class Words:
    """What is known of the words of all texts that were seen.

    Args:
        hides: Whether a word holds a secret in a coding.
    """

    def __init__(
        self, patterns: Sequence[SecretPattern], hides: Callable[[str], bool]
    ) -> None:
        self._patterns = patterns
        self._hides = hides
        self._clean: set[bytes] = set()
        self._clean_size = 0
        hints = (one.hint.pattern for one in patterns if one.hint is not None)
        self._hint = re.compile("|".join(hints) or "(?!)")
        self._ends = tuple({end: None for one in patterns for end in one.ends})
        self._hinted: dict[bytes, tuple[tuple[Begin, ...], bool]] = {}

    def matches(
        self, text: str
    ) -> tuple[list[tuple[SecretPattern, re.Match[str]]], bool]:
        """All matches of all patterns in a text, pattern by pattern, each in its order.

        Returns:
            They, and whether a word of the text holds a secret in a coding.
        """
        data = text.encode("utf-8", "surrogatepass")
        begins: dict[int, list[int]] = {}
        coded = False
        for word in sorted({*data.translate(_APART).split()} - self._clean):
            offsets, hides = self._hinted.get(word) or self._learn(word)
            coded = coded or hides
            if offsets:
                for at in _occurrences(word.decode(), text):
                    for number, offset in offsets:
                        begins.setdefault(number, []).append(at + offset)
        found: list[tuple[SecretPattern, re.Match[str]]] = []
        for number, pattern in enumerate(self._patterns):
            if pattern.everywhere:
                found += [(pattern, one) for one in pattern.pattern.finditer(text)]
            elif number in begins:
                found += [(pattern, one) for one in _at(pattern, text, begins[number])]
        return found, coded

    def _learn(self, word: bytes) -> tuple[tuple[Begin, ...], bool]:
        text = word.decode()
        if len(text) < BASE64_MIN and not self._may_be_hinted(text):
            found: tuple[tuple[Begin, ...], bool] = ((), False)
        else:
            begins = (
                (number, at)
                for number, pattern in enumerate(self._patterns)
                for at in pattern.begins(text)
            )
            found = (tuple(begins), self._hides(text))
        if found[0] or found[1]:
            if len(self._hinted) > HINTED_MAX:
                self._hinted.clear()
            self._hinted[word] = found
        else:
            self._clean_size += len(word)
            if self._clean_size > KNOWN_MAX:
                self._clean.clear()
                self._clean_size = len(word)
            self._clean.add(word)
        return found

    def _may_be_hinted(self, text: str) -> bool:
        return text.lower().endswith(self._ends) or self._hint.search(text) is not None


def _occurrences(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _at(
    pattern: SecretPattern, text: str, begins: Sequence[int]
) -> Iterator[re.Match[str]]:
    """The matches that begin at some places, none within another, as of a search."""
    end = 0
    for at in sorted(begins):
        if at >= end and (match := pattern.pattern.match(text, at)):
            yield match
            end = match.end()
