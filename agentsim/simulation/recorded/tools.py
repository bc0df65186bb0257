"""The tools of a recorded turn, as canned ones: as declared, with what they gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from agentsim.cassettes import RecordedTool
from agentsim.core import (
    InvalidArguments,
    ToolCall,
    ToolDef,
    UsageError,
    canonical_arguments,
    canonical_json,
    parse_arguments,
)
from agentsim.simulation.recorded.turns import Turn, media_in
from agentsim.world import Canned, CannedAnswer, CannedTool

__all__ = ["Given", "Rights", "canned", "declared_in", "given_in", "tool_names"]

UNKNOWN = "(The recording ends before the result of this call.)"
"""What a call gives whose result nobody recorded."""

_ANYTHING: Mapping[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Rights:
    """What is said of the rights of tools, which no recording has.

    Attributes:
        read_only: Names, or patterns such as `get_*`, of tools that only read. All
            others may write.
        confirm: The same of tools that a person must approve. No others ask.
    """

    read_only: Sequence[str] = ()
    confirm: Sequence[str] = ()

    def reads(self, name: str) -> bool:
        """Whether a tool only reads."""
        return any(fnmatchcase(name, pattern) for pattern in self.read_only)

    def asks(self, name: str) -> bool:
        """Whether a person must approve a call."""
        return any(fnmatchcase(name, pattern) for pattern in self.confirm)

    def check(self, names: Sequence[str]) -> None:
        """Refuse what names no tool.

        Raises:
            UsageError: for a pattern that fits none.
        """
        for field_name in ("read_only", "confirm"):
            patterns: object = getattr(self, field_name)
            if isinstance(patterns, str):
                raise UsageError(
                    f"{field_name}: expected a list of names, got one text: "
                    f"write [{patterns!r}]"
                )
            for pattern in getattr(self, field_name):
                if not any(fnmatchcase(name, pattern) for name in names):
                    raise UsageError(
                        f"{field_name}: no recorded tool fits {pattern!r} "
                        f"(there are {', '.join(names) or 'none'})"
                    )


@dataclass(slots=True)
class Given:
    """A call of a turn with what it gave.

    Attributes:
        arguments: None where the model wrote no JSON object: then no tool runs.
        result: The text that it gave, or the words of its error.
        known: Whether that was recorded.
        media: What it held beside the text.
    """

    call: ToolCall
    arguments: dict[str, Any] | None
    result: str = UNKNOWN
    failed: bool = False
    known: bool = False
    took_ms: float = 0
    media: list[str] = field(default_factory=list)

    def take(self, recorded: RecordedTool) -> None:
        """Take what was recorded of the tool."""
        error = recorded.error
        self.failed = error is not None
        self.result = recorded.result if error is None else error
        self.took_ms, self.known = recorded.took_ms, True


def given_in(turn: Turn, tools: Sequence[RecordedTool]) -> list[Given]:
    """The calls of a turn in their order, with what they gave.

    That is what was recorded of the tool, by the id of the call or else by its arguments;
    else what stands in a history; else what the tool gave next, whose arguments were
    recorded in another form.
    """
    left = [one for one in tools if _is_within(one, turn)]
    results = turn.results
    calls = [call for one in turn.replies for call in one.message.tool_calls]
    found = [Given(call, _parsed(call.arguments)) for call in calls]
    for given in found:
        recorded = _taken(given.call, left)
        if recorded is not None:
            given.take(recorded)
        elif given.call.id in results:
            message = results[given.call.id]
            given.result, given.failed = message.content, message.is_error
            given.known, given.media = True, media_in(message)
    for given in found:
        named = [one for one in left if one.name == given.call.name]
        if not given.known and named:
            given.take(named[0])
            left.remove(named[0])
    return found


def _is_within(tool: RecordedTool, turn: Turn) -> bool:
    """Whether a tool began to run in a turn: numbers count requests and tools."""
    return turn.after < tool.number and (
        turn.before is None or tool.number < turn.before
    )


def canned(
    turn: Turn, given: Sequence[Given], rights: Rights
) -> tuple[Canned, list[str]]:
    """The tools of a turn, and what of them is not as it was recorded."""
    declared = declared_in(turn)
    notes: list[str] = []
    made = {}
    for name in tool_names(turn):
        definition = declared.get(name, ToolDef(name))
        own = [one for one in given if one.call.name == name]
        made[name] = CannedTool(
            "read_only" if rights.reads(name) else "mutating",
            definition.description,
            **_confirmation(rights, name),
            **_latency(own),
            parameters=_parameters(definition, notes),
            answers=tuple(_answers(own)),
        )
    return Canned(made), notes


def _confirmation(rights: Rights, name: str) -> dict[str, Any]:
    """Who must approve: what differs from what the category has."""
    if rights.asks(name) == (not rights.reads(name)):
        return {}
    return {"confirm": rights.asks(name)}


def _latency(given: Sequence[Given]) -> dict[str, Any]:
    """The longest time that was recorded."""
    took_ms = max((one.took_ms for one in given), default=0)
    return {"latency_s": round(took_ms / 1000, 6)} if took_ms else {}


def tool_names(turn: Turn) -> list[str]:
    """The tools of a turn: those that the model was told of, then others it called."""
    called = (call.name for one in turn.replies for call in one.message.tool_calls)
    return list(dict.fromkeys([*declared_in(turn), *called]))


def declared_in(turn: Turn) -> dict[str, ToolDef]:
    """The tools that the model was told of, as it was told first."""
    found: dict[str, ToolDef] = {}
    for heard in turn.heard:
        for tool in heard.request.tools:
            found.setdefault(tool.name, tool)
    return found


def _parameters(tool: ToolDef, notes: list[str]) -> Mapping[str, Any]:
    """The schema, where it is one that a scenario can have."""
    parameters = dict(tool.parameters)
    if parameters.setdefault("type", "object") != "object":
        notes.append(
            f"tool {tool.name}: it takes a text and no JSON, which a scenario can't say"
        )
        return _ANYTHING
    probe = {tool.name: CannedTool("read_only", parameters=parameters)}
    try:
        Canned(probe)
    except UsageError:
        notes.append(f"tool {tool.name}: its schema is none that can be checked")
        return _ANYTHING
    return parameters


def _answers(given: Sequence[Given]) -> Iterator[CannedAnswer]:
    """The answers in order, without those at the end that say the same once more."""
    known = [one for one in given if one.arguments is not None]
    keys = [canonical_json(one.arguments) for one in known]
    for position, one in enumerate(known):
        before = [n for n in range(position) if keys[n] == keys[position]]
        rest = [n for n in range(position, len(known)) if keys[n] == keys[position]]
        said = (one.result, one.failed)
        if before and all(
            (known[n].result, known[n].failed) == said for n in (before[-1], *rest)
        ):
            continue
        told = {"error": one.result} if one.failed else {"result": one.result}
        yield CannedAnswer(one.arguments, **told)


def _taken(call: ToolCall, left: list[RecordedTool]) -> RecordedTool | None:
    """The tool that was run for a call: by its id, else by name and arguments."""
    key = canonical_arguments(call.arguments)
    found = next((one for one in left if one.call_id and one.call_id == call.id), None)
    if found is None:
        found = next(
            (
                one
                for one in left
                if not one.call_id
                and one.name == call.name
                and canonical_arguments(one.arguments or "{}") == key
            ),
            None,
        )
    if found is not None:
        left.remove(found)
    return found


def _parsed(arguments: str) -> dict[str, Any] | None:
    try:
        return parse_arguments(arguments)
    except InvalidArguments:
        return None
