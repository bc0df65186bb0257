"""Scenario files: one story per YAML file, read into a `Scenario`.

What does not fit the shape is told in our words, with the file, the line and the field.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agentsim.cassettes import is_cassette
from agentsim.core import (
    Injected,
    Limits,
    LoopRules,
    Message,
    ScenarioError,
    ToolCall,
    Usage,
)
from agentsim.faults import parse_rule
from agentsim.plain_yaml import MisfitError, YamlDocument, fit, load_yaml_file
from agentsim.providers import (
    Forever,
    Reply,
    Script,
    call,
    forever,
    say,
    together,
)
from agentsim.providers.wires import profile_of
from agentsim.simulation.agents import import_target
from agentsim.simulation.expectation import Expectation
from agentsim.simulation.files.entries import (
    CallEntry,
    EarlierEntry,
    ExpectEntry,
    LimitsEntry,
    LoopEntry,
    ReplyEntry,
    ScenarioFile,
)
from agentsim.simulation.files.places import Place, translated
from agentsim.simulation.scenario import Scenario
from agentsim.world import Human, human_from_plain
from agentsim.world import from_plain as part_from_plain

__all__ = ["build_scenario", "load_scenario"]


def load_scenario(path: str | Path) -> Scenario:
    """Read a scenario file; a cassette is one too, see `scenario_of`.

    Raises:
        ScenarioError: one sentence with file, line and field.
        CassetteError: the same of a cassette that can't be read.
    """
    if is_cassette(path):
        from agentsim.simulation.recorded.stories import scenario_of

        return scenario_of(path)
    return build_scenario(load_yaml_file(Path(path)), Path(path).stem)


def build_scenario(document: YamlDocument, name: str) -> Scenario:
    """Build the scenario that a document tells; `name` is its name unless it has one.

    Raises:
        ScenarioError: one sentence with file, line and field.
    """
    try:
        entry = fit(ScenarioFile, document.value)
    except MisfitError as error:
        raise translated(document, error, ScenarioFile) from None
    return _Builder(document, name).build(entry)


class _Builder:
    """Builds a scenario from a file's entries, and tells where an entry is wrong."""

    def __init__(self, document: YamlDocument, name: str) -> None:
        self._document = document
        self._name = name

    def build(self, entry: ScenarioFile) -> Scenario:
        for number, module in enumerate(entry.uses):
            with Place(self._document, ("uses", number)):
                import_target(f"{module}:__name__", f"uses[{number}]")
        human = entry.human
        with Place(self._document, ()):
            return Scenario(
                name=entry.name or self._name,
                task=entry.task,
                script=self._script(entry.script),
                world=tuple(
                    self._spec(name, entry.world[name] or {}) for name in entry.world
                ),
                tools=tuple(entry.tools) if entry.tools is not None else None,
                human=None if isinstance(human, str) else self._human(human),
                prompt=entry.prompt,
                history=tuple(
                    self._earlier(n, one) for n, one in enumerate(entry.history)
                ),
                temperature=entry.temperature,
                limits=self._made("limits", Limits, entry.limits),
                loop=self._made("loop", LoopRules, entry.loop),
                faults=tuple(
                    self._fault(n, data) for n, data in enumerate(entry.faults)
                ),
                inject=tuple(Injected(one.id, one.text) for one in entry.inject),
                profiles=self._profiles(entry.profiles),
                expect=self._expectation(entry.expect),
                seed=entry.seed,
            )

    def _made(self, name: str, make: Any, entry: LimitsEntry | LoopEntry) -> Any:
        with Place(self._document, (name,)):
            return make(**asdict(entry))

    def _human(self, data: Mapping[str, Any]) -> Human:
        with Place(self._document, ("human",)):
            return human_from_plain(data)

    def _expectation(self, entry: ExpectEntry) -> Expectation:
        with Place(self._document, ("expect",)):
            tools = tuple(entry.tools) if entry.tools is not None else None
            return Expectation(**{**asdict(entry), "tools": tools})

    def _spec(self, name: str, data: Mapping[str, Any]) -> Any:
        with Place(self._document, ("world", name)):
            return part_from_plain(name, data)

    def _fault(self, number: int, data: Mapping[str, Any] | str) -> Any:
        with Place(self._document, ("faults", number)):
            return parse_rule(data, f"faults[{number}]")

    def _profiles(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for wire, told in entries.items():
            with Place(self._document, ("profiles", wire)):
                made[wire] = profile_of(wire, told)
        return made

    def _script(self, entries: Sequence[ReplyEntry]) -> Script:
        made = [self._entry(("script", n), entry) for n, entry in enumerate(entries)]
        with Place(self._document, ("script",)):
            return Script(made)

    def _entry(self, path: tuple[str | int, ...], entry: ReplyEntry) -> Reply | Forever:
        if entry.forever is None:
            return self._reply(path, entry)
        with Place(self._document, path):
            others = self._document.value[path[0]][path[1]].keys() - {"forever"}
            if others:
                raise ScenarioError(
                    f"forever stands alone, beside it stands {min(others)!r}"
                )
            if not entry.forever:
                raise ScenarioError("forever needs at least one reply")
        turns = [
            self._reply((*path, "forever", n), one)
            for n, one in enumerate(entry.forever)
        ]
        return forever(*turns)

    def _earlier(self, number: int, entry: EarlierEntry) -> Message:
        with Place(self._document, ("history", number)):
            return _message(entry, self._document.value["history"][number])

    def _reply(self, path: tuple[str | int, ...], entry: ReplyEntry) -> Reply:
        with Place(self._document, path):
            reply = _spoken(entry)
            changes: dict[str, Any] = {}
            if entry.stop_reason is not None:
                changes["stop_reason"] = entry.stop_reason
            if entry.blocks is not None:
                changes["blocks"] = tuple(entry.blocks)
            if entry.refusal is not None:
                changes["refusal"] = entry.refusal
            if entry.latency_s is not None:
                changes["latency_s"] = float(entry.latency_s)
            if entry.usage == "missing":
                changes["usage"] = None
            elif entry.usage is not None:
                changes["usage"] = Usage(**asdict(entry.usage))
            return reply.but(**changes) if changes else reply


def _message(entry: EarlierEntry, told: Container[str]) -> Message:
    """The message that an entry of the history is, of which these fields are told."""
    blocks = tuple(entry.blocks or ())
    match _spoken_by(entry, told):
        case "user":
            return Message("user", entry.user or "", blocks=blocks)
        case "model":
            calls = tuple(
                _asked(number, one) for number, one in enumerate(entry.calls or ())
            )
            return Message("assistant", entry.model or "", calls, blocks=blocks)
    if entry.of is None:
        raise ScenarioError("result needs the id of its call: write it as `of`")
    return Message("tool", entry.result or "", (), entry.of, entry.failed, blocks)


def _spoken_by(entry: EarlierEntry, told: Container[str]) -> str:
    """Which of its three kinds a message is."""
    kinds = {"user": (), "model": ("calls",), "result": ("of", "failed")}
    given = [name for name in kinds if getattr(entry, name) is not None]
    if len(given) != 1:
        what = " and ".join(given) or "none"
        raise ScenarioError(f"expected one of user, model or result, got {what}")
    for kind, fields in kinds.items():
        for field in fields:
            if kind != given[0] and field in told:
                raise ScenarioError(f"{field} belongs to {kind}, not to {given[0]}")
    return given[0]


def _asked(number: int, entry: CallEntry) -> ToolCall:
    """A call of an earlier turn, as the model wrote it."""
    if entry.id is None:
        raise ScenarioError(f"calls[{number}]: a call of an earlier turn needs its id")
    [call] = _called(entry).calls
    return ToolCall(entry.id, call.name, call.arguments)


_BESIDE = {"with_": ("call",), "id": ("call",), "text": ("call", "calls")}
"""Field of an entry -> what it may stand beside."""


def _name(field: str) -> str:
    """The name of a field in a file; `with` is a word of Python."""
    return "with" if field == "with_" else field


def _spoken(entry: ReplyEntry) -> Reply:
    given = [
        name for name in ("say", "call", "calls") if getattr(entry, name) is not None
    ]
    if len(given) != 1:
        what = " and ".join(given) or "none"
        raise ScenarioError(f"expected one of say, call, calls or forever, got {what}")
    for field, owners in _BESIDE.items():
        if getattr(entry, field) is not None and given[0] not in owners:
            raise ScenarioError(
                f"{_name(field)} belongs to {' or '.join(owners)}, not to {given[0]}"
            )
    if entry.say is not None:
        return say(entry.say)
    if entry.call is not None:
        arguments = {} if entry.with_ is None else entry.with_
        single = CallEntry(entry.call, arguments, entry.id)
        return together(_called(single), text=entry.text or "")
    if not entry.calls:
        raise ScenarioError("calls needs at least one call")
    return together(*map(_called, entry.calls or ()), text=entry.text or "")


def _called(entry: CallEntry) -> Reply:
    raw = entry.with_
    made = call(entry.call) if isinstance(raw, str) else call(entry.call, **raw)
    changes: dict[str, Any] = {}
    if isinstance(raw, str):
        changes["arguments"] = raw
    if entry.id is not None:
        changes["id"] = entry.id
    return made.but(**changes) if changes else made
