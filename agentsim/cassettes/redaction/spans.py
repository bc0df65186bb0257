"""Where secrets stand in a text, in whatever coding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agentsim.cassettes.redaction.patterns import PLACEHOLDER, SecretPattern
from agentsim.cassettes.redaction.views import (
    View,
    base64_runs,
    unescaped,
    unescaped_view,
    unquoted,
    unquoted_view,
)
from agentsim.cassettes.redaction.words import Words

__all__ = ["Finder", "Span", "merged"]

DEPTH_MAX = 4
"""How many codings may stand in one another."""


_STRING = re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL)


class Span(NamedTuple):
    """A secret in a text.

    Attributes:
        secret: As it is without any coding.
        begun: Where the name begins that tells that it is one.
        quotes: What its placeholder has around it.
    """

    start: int
    end: int
    kind: str
    secret: str
    begun: int
    quotes: str = ""


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that overlap are one, named by the one that reaches widest."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if found and span.start < found[-1].end:
            last = found[-1]
            end = max(last.end, span.end)
            found[-1] = last._replace(end=end, quotes=last.quotes or span.quotes)
        else:
            found.append(span)
    return found


class Finder:
    """Finds the secrets of texts; what it knows of words that it saw makes it fast.

    Args:
        patterns: What secrets look like; of two that begin at once the first names it.
    """

    def __init__(self, patterns: Sequence[SecretPattern]) -> None:
        self._words = Words(patterns, self._hides)

    def spans(self, text: str) -> list[Span]:
        """The secrets of a text in order, none within another."""
        return merged(self._find(text, 0))

    def _find(self, text: str, depth: int) -> list[Span]:
        matches, coded = self._words.matches(text)
        found = [
            Span(start, end, of.kind, text[start:end], match.start(), q)
            for of, match in matches
            for q, start in (('"' if of.bare else "", match.start("secret")),)
            if (end := _end(text, match)) and of.accepts(match["secret"])
        ]
        if depth == DEPTH_MAX:
            return found
        if coded:
            found += self._decoded(text, depth)
        found += self._unescaped(text, depth)
        found += self._unquoted(text, depth)
        return found

    def _unescaped(self, text: str, depth: int) -> Iterator[Span]:
        if "\\" not in text:
            return
        inner = self._find(unescaped(text), depth + 1)
        if inner:
            view = unescaped_view(text)
            moved = (_back(span, text, view, escape=True) for span in inner)
            yield from (
                one for span in moved if span and (one := _in_string(span, text))
            )

    def _unquoted(self, text: str, depth: int) -> Iterator[Span]:
        if not ("%" in text or "&" in text) or (plain := unquoted(text)) == text:
            return
        inner = self._find(plain, depth + 1)
        if inner:
            view = unquoted_view(text)
            moved = (_back(span, text, view, escape=False) for span in inner)
            yield from (span for span in moved if span)

    def _decoded(self, text: str, depth: int) -> Iterator[Span]:
        for start, end, decoded in base64_runs(text):
            inner = self._find(decoded, depth + 1)
            if inner:
                yield Span(start, end, inner[0].kind, text[start:end], start)

    def _hides(self, word: str) -> bool:
        """Whether a word holds a secret in Base64."""
        return any(self._find(decoded, 1) for _, _, decoded in base64_runs(word))


def _end(text: str, match: re.Match[str]) -> int:
    r"""Where a secret ends; 0 when it is none.

    An escape of JSON is never cut: what begins with the n of a `\n`, or of a `\\n` that
    is one in the JSON within, is no secret (the text without escapes may have one), and
    what is left of one at the end belongs to what follows.
    """
    start, end = match.span("secret")
    before = start
    while before and text[before - 1] == "\\":
        before -= 1
    escaped = (start - before) % 2 or (before < start and text[start] in "bfnrtu/")
    if escaped or PLACEHOLDER.search(text, start, end):
        return 0
    last = end
    while last and text[last - 1] == "\\":
        last -= 1
    if (end - last) % 2:
        end = last
    return end if end > start else 0


def _in_string(span: Span, text: str) -> Span | None:
    """A span as far as the string of JSON reaches that it is in; None for nothing.

    A text that is read with more escapes undone than it has may show a password that
    goes on behind its end.
    """
    match = _STRING.match(text, span.start, span.end)
    return span._replace(end=match.end()) if match and match[0] else None


def _back(span: Span, text: str, view: View, *, escape: bool) -> Span | None:
    """A span of a view in the text that it is of; None for what only seems to be one.

    The quotes about a name and its value are all of the text or all of the coding: where
    some are and some are not, a string ends between them.
    """
    start, end = view.back(span.start, span.end)
    begun = view.starts[span.begun]
    in_view = view.text.count('"', span.begun, span.start)
    if in_view:
        bare = _ESCAPED.sub("", text[begun:start]) if escape else text[begun:start]
        if 0 < bare.count('"') < in_view:
            return None
    quotes = json.dumps(span.quotes)[1:-1] if escape else span.quotes
    return span._replace(start=start, end=end, begun=begun, quotes=quotes)


_ESCAPED = re.compile(r"\\.", re.DOTALL)
