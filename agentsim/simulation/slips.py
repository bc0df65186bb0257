"""Slips of who wrote a script: calls by names that their tools do not take.

A model that gets a tool wrong is a test like any other, so nothing is refused. But an
agent answers such a call with an error and goes on, and a run of which nothing was
expected holds: a slip of the pen would never be seen. So a run notes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentsim.core import (
    Event,
    RequestSent,
    ResponseReceived,
    ToolEnded,
    ToolStarted,
    did_you_mean,
)
from agentsim.providers import Call, Script
from agentsim.world import WorldTool

__all__ = ["Slip", "noted", "slips_in"]

APPROVER = "confirmed_by"
"""What who approves adds to a call; a model need not write it, and may."""

_MEANT = (
    "The call was not carried out; where that is meant, write its arguments as a text "
    "(.but(arguments='{...}'), in YAML with: '{...}')"
)


class Slip(NamedTuple):
    """A call whose arguments were given by name, and that its tool can't take.

    Attributes:
        name: That of the tool.
        text: The arguments, as the model writes them.
        words: What is wrong with them, and where.
    """

    name: str
    text: str
    words: str


def slips_in(
    script: Script, tools: Sequence[WorldTool], *, name: str
) -> tuple[Slip, ...]:
    """The slips of a script.

    Args:
        name: That of the scenario.
    """
    schemas = {tool.name: tool.definition.parameters for tool in tools}
    return tuple(
        Slip(call.name, call.arguments, f"{name}: script[{position}]: {words}")
        for position, call in script.calls_by_name()
        for words in _faults(call, schemas.get(call.name, {}))
    )


def noted(slips: Sequence[Slip], events: Sequence[Event]) -> Iterator[str]:
    """What a run notes of the slips of its script: those that came to nothing in it."""
    for slip in slips:
        asked = _asked_at(slip, events)
        if asked is not None and not _is_done(slip, events[asked:]):
            yield f"{slip.words} {_MEANT}"


def _faults(call: Call, schema: Mapping[str, Any]) -> Iterator[str]:
    """The first thing that is wrong with the names of a call, in words."""
    known = schema.get("properties", {})
    given = json.loads(call.arguments)
    unknown = [name for name in given if name not in known and name != APPROVER]
    if unknown and schema.get("additionalProperties") is False:
        hint = did_you_mean(unknown[0], [name for name in known if name not in given])
        yield f"{call.name} takes no argument {unknown[0]!r}{hint or '.'}"
        return
    for name in schema.get("required", ()):
        if name not in given and name != APPROVER:
            yield f"{call.name} needs the argument {name!r}."
            return


def _asked_at(slip: Slip, events: Sequence[Event]) -> int | None:
    """Where the model made the call, if it was asked again afterwards."""
    asked = None
    for place, event in enumerate(events):
        if asked is not None and isinstance(event, RequestSent):
            return asked
        if asked is None and isinstance(event, ResponseReceived):
            calls = event.message.tool_calls
            if any((one.name, one.arguments) == slip[:2] for one in calls):
                asked = place
    return None


def _is_done(slip: Slip, events: Sequence[Event]) -> bool:
    """Whether the tool took the arguments as they are."""
    given = _without_approver(json.loads(slip.text))
    begun = [
        event.operation
        for event in events
        if isinstance(event, ToolStarted)
        and event.name == slip.name
        and _without_approver(event.arguments) == given
    ]
    return any(
        event.operation in begun
        for event in events
        if isinstance(event, ToolEnded) and event.ending == "ok"
    )


def _without_approver(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != APPROVER}
