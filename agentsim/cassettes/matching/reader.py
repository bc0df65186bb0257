"""Reads what requests mean: of a history that grows, only what is new.

A request is a path of steps: its tools, the texts before the conversation, and each
message. What a step means depends on the steps before it only, as ids are named in the
order in which they come. So the steps that were read are kept as a tree: the requests of
one conversation are one branch of it, and conversations that go on at the same time are
several.
"""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from agentsim.cassettes.matching.meaning import Meaning, is_system
from agentsim.cassettes.matching.plain import plain
from agentsim.cassettes.matching.renaming import Renamer, Tokens
from agentsim.core import CassetteError, InvalidArguments, parse_json

__all__ = ["MeaningReader", "meaning_of"]

KNOWN_MAX = 32 << 20
"""Bytes of steps that are kept; all are forgotten when they become more."""

_ENCODE = json.JSONEncoder(separators=(",", ":")).encode


def meaning_of(body: str, wire: str, volatile: Sequence[str] = ()) -> Meaning:
    """Read what a single request means, as a `MeaningReader` does."""
    return MeaningReader(volatile).read(body, wire)


_ROOT, _TOOLS, _SYSTEM, _MESSAGE = range(4)

_NOT_TOLD = ("", "", False)
"""In place of dialect, model and whether it streams, where they make no difference."""

_Part = tuple[int, Any]


class _Step:
    """A part of a request, after all that stands before it.

    Attributes:
        value: In canonical form.
        digest: Of this and all before it.
        names: What was named first in it, and how.
        redacted: Placeholders in it, each time that they come.
        leading: Whether all messages up to here are of the system prompt.
    """

    __slots__ = ("before", "digest", "leading", "names", "next", "redacted", "value")

    def __init__(
        self,
        before: _Step | None,
        kind: int,
        value: Any,  # noqa: ANN401 - a JSON value
        renamer: Renamer,
        *,
        leading: bool,
    ) -> None:
        self.before = before
        self.value = value
        self.names, self.redacted = renamer.taken()
        self.leading = leading
        self.next: dict[bytes, _Step] = {}
        known: bytes = before.digest if before else b""
        hashed = blake2b(known, digest_size=16)
        hashed.update(_ENCODE([kind, value]).encode())
        self.digest: bytes = hashed.digest()

    def all_names(self) -> dict[str, str]:
        """What all ids, times and placeholders up to here are called."""
        parts = []
        step: _Step | None = self
        while step is not None:
            if step.names:
                parts.append(step.names)
            step = step.before
        return {token: name for names in reversed(parts) for token, name in names}


class MeaningReader:
    """Reads the requests of one cassette, or of who uses it.

    Args:
        volatile: Regular expressions for what may differ beside ids, uuids and times.

    Raises:
        CassetteError: when one of them is no regular expression.
    """

    def __init__(self, volatile: Sequence[str] = ()) -> None:
        try:
            self._tokens = Tokens(volatile)
        except re.error:
            listed = ", ".join(map(ascii, volatile))
            raise CassetteError(
                f"matching, volatile: one of {listed} is no regular expression: mend it"
            ) from None
        self._roots: dict[tuple[str, str, bool], _Step] = {}
        self._size = 0

    def read(self, body: str, wire: str) -> Meaning:
        """Read what a request means.

        Args:
            body: Redacted as the recordings are that it is compared with.
            wire: Name of the dialect; texts that are no JSON object mean themselves.
        """
        fields = _fields(body)
        told = (wire, str(fields.get("model") or ""), bool(fields.get("stream")))
        steps = self._walk(told, list(_parts(fields)))
        values = [step.value for step in steps[1:]]
        system = sum(name in fields and bool(fields[name]) for name in _BEFORE)
        return Meaning(
            *told,
            tools=tuple(values[0]),
            system=tuple(values[1 : 1 + system]),
            messages=tuple(values[1 + system :]),
            settings=_settings(fields),
            digest=steps[-1].digest,
        )

    def placeholders(self, body: str) -> list[str]:
        """Each place of a secret in a request, in the order of its meaning."""
        steps = self._walk(_NOT_TOLD, list(_parts(_fields(body))))
        return [one for step in steps for one in step.redacted]

    def _walk(self, told: tuple[str, str, bool], parts: Sequence[_Part]) -> list[_Step]:
        """The steps of a request, its root first."""
        step = self._roots.get(told)
        if step is None:
            step = _Step(None, _ROOT, told, Renamer(self._tokens, {}), leading=True)
            self._roots[told] = step
        steps, renamer = [step], None
        for part in parts:
            # Of this version equal values give equal bytes.
            key = marshal.dumps(part, 2)
            known = step.next.get(key)
            if known is None:
                renamer = renamer or Renamer(self._tokens, step.all_names())
                known = self._read(step, part, renamer)
                step.next[key] = known
                self._size += len(key)
            step = known
            steps.append(step)
        if self._size > KNOWN_MAX:
            self._roots.clear()
            self._size = 0
        return steps

    def _read(self, before: _Step, part: _Part, renamer: Renamer) -> _Step:
        kind, value = part
        leading = before.leading and (kind != _MESSAGE or is_system(value))
        renamer.section = "tools" if kind == _TOOLS else "prompt" if leading else ""
        renamed = renamer.rename(plain(value), system=_is_prompt(kind, value))
        return _Step(before, kind, renamed, renamer, leading=leading)


def _fields(body: str) -> Mapping[str, Any]:
    """The fields of a body; one that is no JSON object is a message by itself."""
    try:
        value = parse_json(body, unique_keys=False)
    except InvalidArguments:
        return {"messages": [body]}
    return value if isinstance(value, dict) else {"messages": [value]}


_BEFORE = ("system", "instructions", "previous_response_id", "conversation")
"""Fields that stand before the conversation."""

_TOOLS_IN = ("tools", "functions", "mcp_servers")
"""Fields that define tools: those of old requests of Chat, and servers that have some."""

_COUNTING = ("model", "stream", *_TOOLS_IN, "messages", "input", *_BEFORE)

_OF_WHO_ASKS = (
    *("user", "metadata", "safety_identifier", "service_tier", "store"),
    *("prompt_cache_key", "prompt_cache_retention", "stream_options"),
)
"""Fields that shape no answer."""


def _parts(fields: Mapping[str, Any]) -> Iterator[_Part]:
    yield _TOOLS, [one for name in _TOOLS_IN for one in _list(fields.get(name))]
    yield from ((_SYSTEM, {name: fields[name]}) for name in _BEFORE if fields.get(name))
    asked = fields.get("messages")
    if asked is None:
        asked = fields.get("input")
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    yield from ((_MESSAGE, message) for message in _list(asked))


def _is_prompt(kind: int, value: object) -> bool:
    return kind == _SYSTEM or (kind == _MESSAGE and is_system(value))


def _settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    named = sorted(name for name in fields if name not in (*_COUNTING, *_OF_WHO_ASKS))
    return {name: fields[name] for name in named if fields[name] is not None}


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
