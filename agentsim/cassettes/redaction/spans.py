"""Where secrets stand in a text, in whatever coding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentsim.cassettes.redaction.patterns import PLACEHOLDER, SecretPattern
from agentsim.cassettes.redaction.views import (
    View,
    base64_runs,
    unescaped_view,
    unquoted_view,
)

__all__ = ["Span", "find_spans", "merged"]

DEPTH_MAX = 4
"""How many codings may stand in one another."""


_STRING = re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL)


class Span(NamedTuple):
    """A secret in a text.

    Attributes:
        secret: As it is without any coding.
        quotes: What its placeholder has around it.
    """

    start: int
    end: int
    kind: str
    secret: str
    quotes: str = ""


def find_spans(text: str, patterns: Sequence[SecretPattern]) -> list[Span]:
    """The secrets of a text in order, none within another."""
    return merged(_find(text, patterns, 0))


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


def _find(text: str, patterns: Sequence[SecretPattern], depth: int) -> list[Span]:
    found = [
        Span(match.start("secret"), end, of.kind, text[match.start("secret") : end], q)
        for of in patterns
        for q in ('"' if of.bare else "",)
        for match in of.pattern.finditer(text)
        if (end := _end(text, match)) and of.accepts(match["secret"])
    ]
    if depth == DEPTH_MAX:
        return found
    for start, end, decoded in base64_runs(text):
        inner = _find(decoded, patterns, depth + 1)
        if inner:
            found.append(Span(start, end, inner[0].kind, text[start:end]))
    escapes = unescaped_view(text)
    if escapes is not None:
        inner = _find(escapes.text, patterns, depth + 1)
        moved = (_back(span, escapes, escape=True) for span in inner)
        found.extend(one for span in moved if (one := _in_string(span, text)))
    unquoted = unquoted_view(text)
    if unquoted is not None:
        inner = _find(unquoted.text, patterns, depth + 1)
        found.extend(_back(span, unquoted, escape=False) for span in inner)
    return found


def _end(text: str, match: re.Match[str]) -> int:
    r"""Where a secret ends; 0 when it is none.

    An escape of JSON is never cut: what begins with the n of a `\n` is no secret (the
    text without escapes may have one), and what is left of one at the end belongs to what follows.
    """
    start, end = match.span("secret")
    before = start
    while before and text[before - 1] == "\\":
        before -= 1
    if (start - before) % 2 or PLACEHOLDER.search(text, start, end):
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


def _back(span: Span, view: View, *, escape: bool) -> Span:
    start, end = view.back(span.start, span.end)
    quotes = json.dumps(span.quotes)[1:-1] if escape else span.quotes
    return span._replace(start=start, end=end, quotes=quotes)
