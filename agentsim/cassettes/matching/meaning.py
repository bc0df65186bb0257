"""What a request means: dialect, model, tools and messages, in one canonical form.

The form goes by the JSON of the wire, since it has to hold for requests that no service
would accept too. Left out is what does not change what is asked for: the order of keys,
white space, nulls, marks of caches; a text is the same alone and as a list of texts, and
the arguments of a call are the same as text and as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from agentsim.cassettes.matching.renaming import DATA, Renamer
from agentsim.cassettes.records import RecordedRequest
from agentsim.core import CassetteError, InvalidArguments, canonical_json, parse_json

__all__ = ["Meaning", "asked_text", "lines_of", "meaning_of", "names_of"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A request in canonical form.

    Attributes:
        streamed: Whether the answer is to be streamed: another one would not do.
        tools: The definitions, as JSON values.
        system: The texts that stand before the conversation.
        messages: The conversation: messages, or items of OpenAI Responses.
        settings: The other fields that shape an answer, by name; they do not count.
        digest: Equal for requests that mean the same, and for no others.
    """

    wire: str
    model: str
    streamed: bool
    tools: tuple[Any, ...]
    system: tuple[Any, ...]
    messages: tuple[Any, ...]
    settings: Mapping[str, Any]
    digest: bytes

    @property
    def prompt_count(self) -> int:
        """How many messages at the start are a part of the system prompt."""
        return _prompt_count(self.messages)

    @property
    def turn(self) -> int:
        """Which turn of the model it asks for, 1-based."""
        said = [_is_of_model(message) for message in self.messages]
        begins = zip(said, [False, *said], strict=False)
        return 1 + sum(now and not before for now, before in begins)


def meaning_of(body: str, wire: str, volatile: Sequence[str] = ()) -> Meaning:
    """Read what a request means.

    Args:
        body: Redacted as the recordings are that it is compared with.
        wire: Name of the dialect; texts that are no JSON object mean themselves.
        volatile: Regular expressions for what may differ beside ids, uuids and times.

    Raises:
        CassetteError: when one of them is no regular expression.
    """
    return _read(body, wire, _renamer(volatile))


def names_of(body: str, volatile: Sequence[str] = ()) -> dict[str, str]:
    """What each id, time and placeholder of a request is called in its meaning."""
    renamer = _renamer(volatile)
    _read(body, "", renamer)
    return renamer.names


def asked_text(request: RecordedRequest, wire: str) -> str:
    """What a request is matched by: its body; method and address too on no known wire."""
    if wire:
        return request.body
    address = urlsplit(request.url)._replace(scheme="", netloc="").geturl()
    asked = {"method": request.method, "url": address, "content": request.body}
    return canonical_json({"messages": [asked]})


def _renamer(volatile: Sequence[str]) -> Renamer:
    try:
        return Renamer(volatile)
    except re.error:
        listed = ", ".join(map(ascii, volatile))
        raise CassetteError(
            f"matching, volatile: one of {listed} is no regular expression: mend it"
        ) from None


def _read(body: str, wire: str, renamer: Renamer) -> Meaning:
    fields = _fields(body)
    system, messages = _conversation(fields)
    renamer.section = "tools"
    tools = renamer.rename(_plain(_list(fields.get("tools"))))
    renamer.section = "prompt"
    system = renamer.rename(_plain(system), system=True)
    leading = _prompt_count(messages)
    prompt = [renamer.rename(_plain(m), system=True) for m in messages[:leading]]
    renamer.section = ""
    rest = [renamer.rename(_plain(m), system=_is_system(m)) for m in messages[leading:]]
    messages = [*prompt, *rest]
    told = (wire, str(fields.get("model") or ""), bool(fields.get("stream")))
    whole = canonical_json([*told, tools, system, messages])
    digest = blake2b(whole.encode(), digest_size=16).digest()
    parts = (tuple(tools), tuple(system), tuple(messages))
    return Meaning(*told, *parts, _settings(fields), digest)


def _fields(body: str) -> Mapping[str, Any]:
    """The fields of a body; one that is no JSON object is a message by itself."""
    try:
        value = parse_json(body, unique_keys=False)
    except InvalidArguments:
        return {"messages": [body]}
    return value if isinstance(value, dict) else {"messages": [value]}


def _conversation(fields: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    system = [
        {name: fields[name]}
        for name in ("system", "instructions", "previous_response_id", "conversation")
        if fields.get(name)
    ]
    asked = fields.get("messages")
    if asked is None:
        asked = fields.get("input")
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    return system, _list(asked)


def _settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    named = sorted(name for name in fields if name not in (*_COUNTING, *_OF_WHO_ASKS))
    return {name: fields[name] for name in named if fields[name] is not None}


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


_COUNTING = (
    *("model", "stream", "tools", "messages", "input", "system", "instructions"),
    *("previous_response_id", "conversation"),
)

_OF_WHO_ASKS = (
    *("user", "metadata", "safety_identifier", "service_tier", "store"),
    *("prompt_cache_key", "prompt_cache_retention", "stream_options"),
)
"""Fields that shape no answer."""

_TEXTS = ("text", "input_text", "output_text")

_DECORATION = ("cache_control", "status")
"""Fields that say nothing about what is asked for."""


def _plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """A JSON value without what does not count."""
    if isinstance(value, dict):
        kept = {
            key: _part(key, value[key])
            for key in value
            if value[key] is not None and key not in _DECORATION
        }
        if kept.get("type") == "message" and "role" in kept:
            del kept["type"]
        return kept
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value


def _part(key: str, value: Any) -> Any:  # noqa: ANN401 - a JSON value
    if key in ("content", "system", "output"):
        value = _text(value)
    if isinstance(value, str) and key in ("arguments", "content", "output"):
        return _as_json(value)
    return _plain(value)


def _text(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """The text of a list that holds nothing else."""
    if isinstance(value, list) and value and all(map(_is_text, value)):
        return "\n".join(part["text"] for part in value)
    return value


def _is_text(part: object) -> bool:
    return (
        isinstance(part, dict)
        and part.get("type") in _TEXTS
        and isinstance(part.get("text"), str)
    )


def _as_json(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """What a text says as JSON, where it is an object or an array."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return {DATA: parse_json(text)}
    except InvalidArguments:
        return text


def _is_system(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") in ("system", "developer")


def _prompt_count(messages: Sequence[Any]) -> int:
    said = (n for n, one in enumerate(messages) if not _is_system(one))
    return next(said, len(messages))


def _is_of_model(message: object) -> bool:
    if not isinstance(message, dict):
        return False
    kind = str(message.get("type", ""))
    return (
        message.get("role") == "assistant"
        or kind == "reasoning"
        or kind.endswith("_call")
    )


def lines_of(value: Any, name: str = "") -> Iterator[str]:  # noqa: ANN401
    """A part of a request as lines for a reader, texts as they are."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from lines_of(part, f"{name}.{key}" if name else key)
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(value):
            yield from lines_of(part, f"{name}[{number}]")
    elif isinstance(value, str):
        head, *more = value.split("\n")
        yield f"{name}: {head}" if name else head
        yield from (f"  {line}" for line in more)
    else:
        shown = canonical_json(value)
        yield f"{name}: {shown}" if name else shown
