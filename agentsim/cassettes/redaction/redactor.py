"""Replaces secrets in what is recorded: equal secrets by equal placeholders.

Bodies stay byte for byte as they were but for what was found; of a stream the text is put
together first, redacted, and cut again where it was cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from agentsim.cassettes.records import (
    AssembledAnswer,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
    body_text,
)
from agentsim.cassettes.redaction.channels import channels
from agentsim.cassettes.redaction.patterns import (
    KEPT_HEADERS,
    PLACEHOLDER,
    STANDARD,
    own_patterns,
)
from agentsim.cassettes.redaction.spans import Finder, Span, merged
from agentsim.core import CassetteError

__all__ = ["RedactionRules", "Redactor"]


@dataclass(frozen=True, slots=True)
class RedactionRules:
    """What is secret beside the usual.

    Attributes:
        patterns: Regular expressions; all that one matches is replaced.
        values: Secrets by their value, such as the one in a variable of the environment.
        headers: Names of further headers to keep; their values are searched too.
    """

    patterns: Sequence[str] = ()
    values: Sequence[str] = ()
    headers: Sequence[str] = ()


class Redactor:
    """Redacts one cassette; it remembers which secret has which placeholder.

    Args:
        rules: What is secret beside the usual.

    Raises:
        CassetteError: for a pattern that is no regular expression.
    """

    def __init__(self, rules: RedactionRules | None = None) -> None:
        rules = rules or RedactionRules()
        try:
            own = own_patterns(rules.patterns, rules.values)
        except re.error:
            listed = ", ".join(map(ascii, rules.patterns))
            raise CassetteError(
                f"redaction, patterns: one of {listed} is no regular expression: mend it"
            ) from None
        self._finder = Finder((*own, *STANDARD)) if own else _standard_finder()
        self._headers = [name.lower() for name in rules.headers]
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def reserve(self, text: str) -> None:
        """Leave alone the numbers of placeholders that stand in a text already."""
        if "__REDACTED_" in text:
            for found in PLACEHOLDER.findall(text):
                _, _, _, kind, number, *_ = found.split("_")
                if found not in self._placeholders.values():
                    known = self._counts.get(kind, 0)
                    self._counts[kind] = max(known, int(number))

    def stands_for(self, placeholder: str) -> bool:
        """Whether a placeholder stands for a secret that was found here."""
        return placeholder in self._placeholders.values()

    def call_alike(self, made: str, recorded: str) -> None:
        """Give a secret the placeholder that it has in a recording, from now on.

        Nothing is done where another secret has that one already.

        Args:
            made: The placeholder that the secret was given here.
        """
        if recorded not in self._placeholders.values():
            for secret, placeholder in self._placeholders.items():
                if placeholder == made:
                    self._placeholders[secret] = recorded

    def text(self, text: str) -> str:
        """Redact a text of any kind: prose, JSON, a URL."""
        self.reserve(text)
        parts, at = [], 0
        for span in self._finder.spans(text):
            parts += [text[at : span.start], self._instead(span)]
            at = span.end
        return "".join((*parts, text[at:])) if parts else text

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Keep the headers that may be kept, and redact them."""
        return {
            name.lower(): self.text(value)
            for name, value in headers.items()
            if KEPT_HEADERS.fullmatch(name.lower()) or name.lower() in self._headers
        }

    def chunks(self, chunks: Iterable[RecordedChunk]) -> tuple[RecordedChunk, ...]:
        """Redact a stream: no secret can be put together of what is left of it."""
        listed = tuple(chunks)
        pieces = [chunk.text.encode("utf-8", "surrogateescape") for chunk in listed]
        whole = body_text(b"".join(pieces))
        self.reserve(whole)
        cuts = self._cuts(whole)
        if not cuts:
            return listed
        again = _cut_again(whole, cuts, list(accumulate(map(len, pieces))))
        return tuple(
            RecordedChunk(chunk.at_ms, text)
            for chunk, text in zip(listed, again, strict=True)
        )

    def exchange(self, exchange: RecordedExchange) -> RecordedExchange:
        """Redact a request and its answer."""
        request, answer = exchange.request, exchange.answer
        chunks = answer.chunks
        return replace(
            exchange,
            request=RecordedRequest(
                request.method,
                self.text(request.url),
                self.headers(request.headers),
                self.text(request.body),
            ),
            answer=RecordedAnswer(
                answer.status,
                self.headers(answer.headers),
                self.text(answer.body),
                None if chunks is None else self.chunks(chunks),
                answer.at_ms,
                answer.ended,
                self.text(answer.error),
            ),
            message=exchange.message and self._message(exchange.message),
        )

    def tool(self, tool: RecordedTool) -> RecordedTool:
        """Redact a call of a tool and its result."""
        return replace(
            tool,
            arguments=self.text(tool.arguments),
            result=self.text(tool.result),
            error=tool.error if tool.error is None else self.text(tool.error),
        )

    def _message(self, message: AssembledAnswer) -> AssembledAnswer:
        return AssembledAnswer(
            self.text(message.content),
            tuple(
                replace(call, arguments=self.text(call.arguments))
                for call in message.tool_calls
            ),
            message.stop_reason,
            self.text(message.refusal),
        )

    def _cuts(self, whole: str) -> list[Span]:
        """What goes from a stream: ranges, the placeholder in the first of each secret."""
        found = []
        for channel in channels(whole):
            for span in self._finder.spans(channel.text):
                instead = json.dumps(self._instead(span))[1:-1]
                for start, end in channel.segments(span.start, span.end):
                    found.append(span._replace(start=start, end=end, quotes=instead))
                    instead = ""
        found = merged(found)
        # A part of a secret may look like one: what was found whole has its name.
        for span in self._finder.spans(whole):
            covered = any(
                one.start < span.end and span.start < one.end for one in found
            )
            instead = "" if covered else self._instead(span)
            found.append(span._replace(quotes=instead))
        return merged(found)

    def _instead(self, span: Span) -> str:
        made = self._placeholders.get(span.secret)
        if made is None:
            count = self._counts[span.kind] = self._counts.get(span.kind, 0) + 1
            made = self._placeholders[span.secret] = _placeholder(span.kind, count)
        return f"{span.quotes}{made}{span.quotes}"


@cache
def _standard_finder() -> Finder:
    """The one for all who have no rules of their own: what it learns of words is theirs."""
    return Finder(STANDARD)


def _placeholder(kind: str, number: int) -> str:
    return f"__REDACTED_{kind}_{number}__"


def _cut_again(whole: str, cuts: Sequence[Span], ends: Sequence[int]) -> list[str]:
    """Leave ranges out of a text, and cut the rest where its bytes were cut.

    Args:
        ends: Where each piece ends, in bytes of the whole text.
    """
    pieces: list[bytearray] = [bytearray() for _ in ends]
    piece, at_byte = 0, 0

    def keep(text: str) -> None:
        nonlocal piece, at_byte
        data = text.encode("utf-8", "surrogateescape")
        while data:
            while ends[piece] <= at_byte:
                piece += 1
            room = ends[piece] - at_byte
            pieces[piece] += data[:room]
            at_byte += len(data[:room])
            data = data[room:]

    at = 0
    for cut in cuts:
        keep(whole[at : cut.start])
        while ends[piece] <= at_byte:
            piece += 1
        pieces[piece] += cut.quotes.encode()
        at_byte += len(whole[cut.start : cut.end].encode("utf-8", "surrogateescape"))
        at = cut.end
    keep(whole[at:])
    return [body_text(bytes(one)) for one in pieces]
