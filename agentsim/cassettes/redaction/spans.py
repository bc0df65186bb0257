"""Where secrets stand in a text, in whatever coding."""

from __future__ import annotations

import json
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
        Span(*match.span("secret"), of.kind, secret, '"' if of.bare else "")
        for of in patterns
        for match in of.pattern.finditer(text)
        if of.accepts(secret := match["secret"])
        and PLACEHOLDER.search(secret) is None
        and secret
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
        found.extend(_back(span, escapes, escape=True) for span in inner)
    unquoted = unquoted_view(text)
    if unquoted is not None:
        inner = _find(unquoted.text, patterns, depth + 1)
        found.extend(_back(span, unquoted, escape=False) for span in inner)
    return found


def _back(span: Span, view: View, *, escape: bool) -> Span:
    start, end = view.back(span.start, span.end)
    quotes = json.dumps(span.quotes)[1:-1] if escape else span.quotes
    return span._replace(start=start, end=end, quotes=quotes)
