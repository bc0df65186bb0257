"""The form of contents and outputs: a text, or parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentsim.providers.openai.fields import unknown
from agentsim.providers.openai.values import (
    Faults,
    missing,
    not_among,
    record,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.openai_responses.rulebook.table import refuse

__all__ = ["content_faults", "output_faults"]

OUTPUT_MAX = 10_485_760

_CACHE = "prompt_cache_breakpoint"

_PARTS: dict[str, tuple[str, ...]] = {
    "input_text": ("text", _CACHE),
    "input_image": ("detail", "file_id", "image_url", _CACHE),
    "output_text": ("text", "annotations", "logprobs"),
    "refusal": ("refusal",),
    "input_file": (
        *("detail", "file_data", "file_id", "file_url", "filename"),
        _CACHE,
    ),
    "computer_screenshot": ("detail", "file_id", "image_url"),
    "summary_text": ("text",),
}
"""Type of a part -> the fields that it may have."""

_TEXTS = {
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "refusal": "refusal",
}

_OF_MODEL = ("output_text", "refusal")

_OF_OTHERS = ("input_text", "input_image", "input_file")

_DATA_URL = re.compile(r"data:([^;,]*)")

_UNREADABLE = ("audio/", "video/")
"""How the types begin of which it is sure that the service reads no such file."""


def content_faults(content: object, role: str, path: str) -> Faults:
    """What is wrong with the content of a message."""
    if isinstance(content, list):
        allowed = _OF_MODEL if role == "assistant" else _OF_OTHERS
        for number, part in enumerate(content):
            yield from _part(part, allowed, f"{path}[{number}]")
    elif not isinstance(content, str):
        expected = "one of a string or array of objects"
        yield wrong_type(path, expected, content, rule="content-type")


def output_faults(output: object, path: str) -> Faults:
    """What is wrong with the output of a call."""
    if isinstance(output, list):
        for number, part in enumerate(output):
            yield from _part(part, _OF_OTHERS, f"{path}[{number}]")
    elif not isinstance(output, str):
        expected = "one of a string or array of objects"
        yield wrong_type(path, expected, output, rule="content-type")
    elif len(output) > OUTPUT_MAX:
        yield too_long("string", path, (OUTPUT_MAX, len(output)), rule="output-length")


def _part(part: object, allowed: tuple[str, ...], path: str) -> Faults:
    yield from record(part, path)
    if not isinstance(part, dict):
        return
    kind = part.get("type")
    if kind is None:
        yield missing(f"{path}.type")
    elif not isinstance(kind, str):
        yield wrong_type(f"{path}.type", "a string", kind)
    elif kind not in _PARTS:
        yield not_among(kind, tuple(_PARTS), f"{path}.type")
    elif kind not in allowed:
        yield not_among(kind, allowed, path, rule="part-role")
    else:
        yield from _fields(part, kind, path)


def _fields(part: Mapping[str, Any], kind: str, path: str) -> Faults:
    said = _TEXTS.get(kind)
    if said is not None:
        if part.get(said) is None:
            yield missing(f"{path}.{said}")
        else:
            yield from text(part[said], f"{path}.{said}")
    for key, value in part.items():
        if key != "type" and key not in _PARTS[kind]:
            yield unknown(f"{path}.{key}")
        elif key == "file_data" and isinstance(value, str):
            yield from _file(value, f"{path}.{key}")


def _file(data: str, path: str) -> Faults:
    found = _DATA_URL.match(data)
    if found is None or not found[1].startswith(_UNREADABLE):
        return
    words = (
        f"Invalid file data: '{path}'. Expected a base64-encoded data URL with a valid "
        "file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got "
        f"unsupported MIME type '{found[1]}'. Please see https://platform.openai.com/"
        "docs/assistants/tools/file-search#supported-files for supported file types."
    )
    yield refuse("file-data", words, path)
