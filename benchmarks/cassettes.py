"""A cassette of many small chunks, and the same content as recorders of HTTP keep it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from agentsim.cassettes import (
    Cassette,
    CassetteHeader,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    read_cassette,
)
from agentsim.cassettes.writing import document_text, header_text

__all__ = ["as_ours", "as_vcr", "streams"]

EXCHANGES = 40
CHUNKS = 830
"""Of each exchange; together 5 MB."""


def streams() -> list[list[str]]:
    """The chunks of each stream."""
    return [
        [_chunk(stream * CHUNKS + number) for number in range(CHUNKS)]
        for stream in range(EXCHANGES)
    ]


def _chunk(number: int) -> str:
    return (
        'data: {"id":"chatcmpl-abc","object":"chat.completion.chunk",'
        '"created":1783375763,"model":"gpt-5","choices":[{"index":0,"delta":'
        f'{{"content":"word {number * 7919 % 1_000} "}}}}]}}\n\n'
    )


def as_ours() -> Callable[[], Cassette]:
    """Reads a cassette of ours, every field checked."""
    texts = [header_text(CassetteHeader())]
    for number, chunks in enumerate(streams(), 1):
        answer = RecordedAnswer(
            chunks=tuple(RecordedChunk(n * 1.25, c) for n, c in enumerate(chunks))
        )
        texts.append(document_text(RecordedExchange(number, RecordedRequest(), answer)))
    data = "".join(texts).encode()
    return lambda: read_cassette(data)


def as_vcr() -> tuple[str, Callable[[], Any]]:
    """Reads the same content as vcrpy does, and what it is that reads.

    That is vcrpy itself where it is installed, and otherwise only its larger part:
    PyYAML's reader in C, on the file that vcrpy writes.
    """
    import yaml

    interactions = [
        {
            "request": {
                "method": "POST",
                "uri": "https://a.example",
                "body": "{}",
                "headers": {},
            },
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": {"content-type": ["text/event-stream"]},
                "body": {"string": "".join(chunks)},
            },
        }
        for chunks in streams()
    ]
    content = {"interactions": interactions, "version": 1}
    text = yaml.dump(content, Dumper=yaml.CDumper)
    try:
        vcr = import_module("vcr")
        serialize, yamlserializer = map(
            import_module, ("vcr.serialize", "vcr.serializers.yamlserializer")
        )
    except ModuleNotFoundError:
        return "PyYAML (C) on vcrpy's file", lambda: yaml.load(
            text, Loader=yaml.CLoader
        )
    return f"vcrpy {vcr.__version__}", lambda: serialize.deserialize(
        text, yamlserializer
    )
