"""What a request means: dialect, model, tools and messages, in one canonical form.

The form goes by the JSON of the wire, since it has to hold for requests that no service
would accept too. Left out is what does not change what is asked for: the order of keys,
white space, nulls, marks of caches; a text is the same alone and as a list of texts, and
the arguments of a call are the same as text and as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from agentsim.cassettes.records import RecordedRequest
from agentsim.core import canonical_json

__all__ = ["Meaning", "asked_text", "is_system", "lines_of"]


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
        said = (n for n, one in enumerate(self.messages) if not is_system(one))
        return next(said, len(self.messages))

    @property
    def turn(self) -> int:
        """Which turn of the model it asks for, 1-based."""
        said = [_is_of_model(message) for message in self.messages]
        begins = zip(said, [False, *said], strict=False)
        return 1 + sum(now and not before for now, before in begins)


def asked_text(request: RecordedRequest, wire: str) -> str:
    """What a request is matched by: its body; method and address too on no known wire."""
    if wire:
        return request.body
    address = urlsplit(request.url)._replace(scheme="", netloc="").geturl()
    asked = {"method": request.method, "url": address, "content": request.body}
    return canonical_json({"messages": [asked]})


def is_system(message: object) -> bool:
    """Whether a message is a part of the system prompt, where nothing stands before it."""
    return isinstance(message, dict) and message.get("role") in ("system", "developer")


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
