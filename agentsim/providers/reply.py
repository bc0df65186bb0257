"""One reply of the scripted model, written by hand (spec T3.1).

A reply says what the model answers, not when: where it stands in its `Script` decides
that. Ids of calls are derived from there too, unless they are given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, Unpack

from agentsim.core import Usage, UsageError, did_you_mean, number_fault
from agentsim.providers.words import quoted, type_words

__all__ = ["Call", "Changes", "Counted", "Reply", "call", "call_id", "say", "together"]

Counted = Literal["counted"]
"""Usage that the fake service counts itself: four characters to a token."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a reply.

    Attributes:
        arguments: The JSON text that the model writes; it may be invalid on purpose.
        id: None for one that is derived from the reply's place in its script.
        by_name: Whether the arguments were given by name, and not as a text, which may
            be wrong on purpose; it is the same call.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None
    by_name: bool = field(default=False, compare=False, repr=False)


class Changes(TypedDict, total=False):
    """What `Reply.but` can change; `arguments` and `id` are those of the only call."""

    text: str
    stop_reason: str | None
    usage: Usage | Counted | None
    latency_s: float | None
    refusal: str | None
    blocks: tuple[Mapping[str, Any], ...]
    arguments: str
    id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers to one request.

    Attributes:
        stop_reason: None for the one that fits: `refusal`, `tool_use` or `end_turn`.
        usage: `"counted"` lets the fake service count; None sends none at all.
        latency_s: Virtual seconds until the answer is due; None takes the client's.
        refusal: Details of a refusal, or None.
        blocks: Opaque blocks that a runtime must send back unchanged.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop_reason: str | None = None
    usage: Usage | Counted | None = "counted"
    latency_s: float | None = None
    refusal: str | None = None
    blocks: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.latency_s is not None and (fault := number_fault(self.latency_s)):
            raise UsageError(f"latency_s: {fault}")
        if isinstance(self.usage, Usage):
            for field in ("prompt", "completion", "cache_read"):
                if fault := number_fault(getattr(self.usage, field), whole=True):
                    raise UsageError(f"usage.{field}: {fault}")

    def but(self, **changes: Unpack[Changes]) -> Reply:
        """The same reply with some of it changed.

        Args:
            **changes: Fields of the reply, and `arguments` (a raw JSON text, which may
                be invalid) or `id` of its only call.

        Raises:
            UsageError: for an unknown field, or for `arguments` and `id` of a reply
                that has not exactly one call.
        """
        fields: dict[str, Any] = dict(changes)
        known = Changes.__annotations__
        for name in fields:
            if name not in known:
                raise UsageError(
                    f"but(): {name} is no part of a reply, which has "
                    f"{', '.join(known)}{did_you_mean(name, known)}"
                )
        of_call = {
            name: fields.pop(name) for name in ("arguments", "id") if name in fields
        }
        if of_call:
            call = self._only_call(next(iter(of_call)))
            by_name = call.by_name and "arguments" not in of_call
            fields["calls"] = (replace(call, **of_call, by_name=by_name),)
        return replace(self, **fields)

    @property
    def reason(self) -> str:
        """The stop reason that is sent."""
        if self.stop_reason is not None:
            return self.stop_reason
        if self.refusal is not None:
            return "refusal"
        return "tool_use" if self.calls else "end_turn"

    @property
    def words(self) -> str:
        """The reply in a few words: `call check_disk`, `say "Done."`."""
        if self.calls:
            return "call " + " + ".join(call.name for call in self.calls)
        return f"say {quoted(self.text)}"

    def plain(self) -> dict[str, Any]:
        """All that is not a default, as JSON-able values."""
        record: dict[str, Any] = {"text": self.text} if self.text else {}
        if self.calls:
            record["calls"] = [_plain_call(call) for call in self.calls]
        for name in ("stop_reason", "latency_s", "refusal"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        if isinstance(self.usage, Usage):
            usage = self.usage
            record["usage"] = [usage.prompt, usage.completion, usage.cache_read]
        elif self.usage is None:
            record["usage"] = None
        if self.blocks:
            record["blocks"] = [dict(block) for block in self.blocks]
        return record

    def _only_call(self, field: str) -> Call:
        if len(self.calls) != 1:
            raise UsageError(
                f"but({field}=...) needs a reply of one call, and {self.words} has "
                f"{len(self.calls)}: change each call before together()"
            )
        return self.calls[0]


def call_id(index: int, number: int, *, of: int) -> str:
    """The id of a call that was given none: `call_1`, or `call_2_1` among several.

    Args:
        index: Of the reply in its script, 0-based; the id counts from 1.
        number: Of the call in its reply, 0-based.
        of: How many calls the reply has.
    """
    return f"call_{index + 1}" if of == 1 else f"call_{index + 1}_{number + 1}"


def say(
    text: str,
    /,
    *,
    stop_reason: str | None = "end_turn",
    usage: Usage | Counted | None = "counted",
    latency_s: float | None = None,
) -> Reply:
    """A reply of text alone, which ends the run when its stop reason says so.

    Raises:
        UsageError: when `text` is not a string.
    """
    if not isinstance(text, str):
        raise UsageError(f"say(): expected a text, got {type_words(text)}")
    return Reply(text, (), stop_reason, usage, latency_s)


def call(name: str, /, **arguments: Any) -> Reply:
    """A reply that calls one tool, with the arguments in the order they are given.

    Text beside the call, its id, or arguments that are not JSON: `.but(...)`.

    Raises:
        UsageError: for a name that is no text, or an argument that JSON can't carry.
    """
    if not isinstance(name, str):
        raise UsageError(f"call(): expected a tool's name, got {type_words(name)}")
    return Reply(calls=(Call(name, _as_json(name, arguments), by_name=True),))


def together(*replies: Reply, text: str = "") -> Reply:
    """One reply with the calls of several, in their order.

    Args:
        *replies: Made by `call`; their texts are joined unless `text` is given.

    Raises:
        UsageError: when one has no call, or carries what belongs to the whole reply.
    """
    if not replies:
        raise UsageError("together(): expected one call or more, got none")
    given: tuple[object, ...] = replies
    for position, reply in enumerate(given, 1):
        if not isinstance(reply, Reply) or not reply.calls:
            got = reply.words if isinstance(reply, Reply) else type_words(reply)
            raise UsageError(f"together(): expected calls, got {got} at {position}")
        if replace(reply, calls=(), text="") != Reply():
            raise UsageError(
                f"together(): {reply.words} at {position} carries what belongs to the "
                "whole reply: write together(...).but(...)"
            )
    own = "\n".join(reply.text for reply in replies if reply.text)
    calls = tuple(call for reply in replies for call in reply.calls)
    return Reply(text or own, calls)


def _as_json(name: str, arguments: Mapping[str, Any]) -> str:
    """Write arguments as a model would: in order, with spaces, no ASCII escapes."""
    for key, value in arguments.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise UsageError(
                f"call({quoted(name)}): JSON can't carry the argument {key}, "
                f"{type_words(value)}; for a text that is no JSON write "
                ".but(arguments=...)"
            ) from None
    return json.dumps(arguments, ensure_ascii=False)


def _plain_call(call: Call) -> dict[str, str]:
    record = {"name": call.name, "arguments": call.arguments}
    return record if call.id is None else {**record, "id": call.id}
