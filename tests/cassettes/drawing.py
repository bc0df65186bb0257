"""Texts and records that are drawn at random: the awkward ones above all."""

from __future__ import annotations

from hypothesis import strategies as st

from agentsim.cassettes import (
    AssembledAnswer,
    CassetteHeader,
    RecordedAnswer,
    RecordedCall,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.records import ENDINGS

AWKWARD = (
    *("\t", " ", "  ", "\n", "\n\n", "\r", "\r\n", "\x85", "\u2028", "\u2029"),
    *("\ufeff", "\ufffe", "\uffff", "\x00", "\x7f", "\x9f", "\ud800", "\udcff"),
    *("😀", "é", "a", "---", "...", "- ", "? ", ": ", ":", "#", " #", "'", '"'),
    *("\\", "\\u", "%", "|", ">", "null", "~", "1", "0x1", ".inf", "{", "[", "&"),
    *("*", "!", "complete: true", "  - at_ms: 1\n", "    text: |\n", "  chunks:\n"),
    *("data: {}\n\n", "      six", "    four"),
)
"""Pieces of text that readers of YAML stumble over."""

texts = st.one_of(
    st.text(st.characters(codec=None), max_size=12),
    st.lists(st.sampled_from(AWKWARD), max_size=7).map("".join),
)

times = st.integers(0, 10**9).map(lambda us: us / 1_000)

names = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5)

headers = st.dictionaries(names, texts, max_size=2)

chunks = st.builds(RecordedChunk, times, texts)

requests = st.builds(RecordedRequest, texts, texts, headers, texts)

answers = st.one_of(
    st.builds(RecordedAnswer, st.just(200), headers, texts),
    st.builds(
        RecordedAnswer,
        status=st.sampled_from((None, 100, 599)),
        chunks=st.lists(chunks, max_size=4).map(tuple),
        at_ms=times,
        ended=st.sampled_from(ENDINGS),
        error=texts,
    ),
)

calls = st.builds(RecordedCall, texts, texts, texts)

messages = st.builds(
    AssembledAnswer, texts, st.lists(calls, max_size=2).map(tuple), texts, texts
)

numbers = st.integers(1, 10**6)

exchanges = st.builds(
    RecordedExchange,
    numbers,
    requests,
    answers,
    texts,
    times,
    st.none() | messages,
)

tools = st.builds(
    RecordedTool,
    number=numbers,
    name=texts,
    call_id=texts,
    arguments=texts,
    result=texts,
    error=st.none() | texts,
    at_ms=times,
    took_ms=times,
    returned=texts,
    raised=texts,
)

entries = st.one_of(exchanges, tools)

cassette_headers = st.builds(
    CassetteHeader, recorded_by=texts, recorded_at=texts, owner=texts
)
