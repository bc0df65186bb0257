"""A scenario: one story, told as data (design 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentsim.core import (
    NUMBER_MAX,
    Injected,
    Limits,
    LoopRules,
    Message,
    ScenarioError,
    Stop,
    UsageError,
    did_you_mean,
    number_fault,
)
from agentsim.faults import Fault, FaultRule, check_rules, parse_rules
from agentsim.providers import Script
from agentsim.providers.wires import profile_of
from agentsim.simulation.expectation import Expectation
from agentsim.simulation.outside.copies import Definitions
from agentsim.simulation.plain import LATER, digest_of
from agentsim.simulation.slips import Slip, slips_in
from agentsim.trace import ToolFacts
from agentsim.world import Human, World, WorldTool

__all__ = ["Scenario"]


@dataclass(frozen=True)
class Scenario:
    """A task, what the model answers, the world it acts in, and what should happen.

    Lists are taken where tuples are kept, and a mapping where the expectation is.

    Attributes:
        task: What the user asks for.
        script: What the model answers: replies in order, or a policy.
        world: Parts of the simulated world as they begin, and own tools; built anew for
            each run.
        tools: Names of the tools that the agent gets (the allowlist), or None for all.
        human: Who approves; None when nobody is there.
        prompt: The system prompt to send, or None for the agent's own.
        limits: The limits that the agent is to keep.
        loop: The parameters of its loop detection.
        faults: Faults that always strike where they match: rules, faults, or texts
            such as `answer_lost:create_payment`; kept as rules.
        inject: Messages of the user that may enter the running turn, at any gate.
        stop: A predicate over the history that ends the run, or None.
        expect: What should be true of a run without deviations.
        seed: Seed of the world.
        profiles: Wire -> how strict the simulated service is that speaks it, for agents
            on SDKs: `strict` (as where nothing is said), `lenient`, fields to change, or
            a profile; kept as profiles.
        start: What `World.snapshot()` gave of a world with the same parts, which the
            run goes on from; None to begin as the specifications say.
        history: Messages of earlier turns, which stand between prompt and task; without
            a system prompt, which is the run's own.
        exact: Whether a run without deviations must use the script up and not run out
            of it, and each of the faults must strike. Where nobody tells a story, as in
            drawn scenarios, say False: a script that runs out then closes with a final
            answer.

    Raises:
        ScenarioError: when a field contradicts another, such as an unknown tool, or is
            one thing where a list of them is asked for.
    """

    task: str
    script: Script | Sequence[Any]
    name: str = "scenario"
    world: Sequence[Any] = ()
    tools: Sequence[str] | None = None
    human: Human | None = field(default_factory=Human)
    prompt: str | None = None
    model: str = "scripted"
    temperature: float = 0.2
    limits: Limits = field(default_factory=Limits)
    loop: LoopRules = field(default_factory=LoopRules)
    faults: Sequence[FaultRule | Fault | str] = ()
    inject: Sequence[Injected] = ()
    stop: Stop | None = None
    expect: Expectation | Mapping[str, Any] = field(default_factory=Expectation)
    seed: int = 0
    profiles: Mapping[str, Any] | None = field(default=None, hash=False, metadata=LATER)
    start: Mapping[str, Any] | None = field(default=None, hash=False, metadata=LATER)
    history: Sequence[Message] = field(default=(), metadata=LATER)
    exact: bool = field(default=True, metadata=LATER)

    def __post_init__(self) -> None:
        self._check_kinds()
        self._settle("script", self.replies)
        for name in ("world", "inject", "history"):
            self._settle(name, _listed(name, getattr(self, name)))
        given: Sequence[object] = self.inject
        for position, entry in enumerate(given):
            if not isinstance(entry, Injected):
                got = type(entry).__name__
                raise ScenarioError(
                    f"inject[{position}]: expected Injected(id, text), got {got}"
                )
        if self.tools is not None:
            self._settle("tools", _listed("tools", self.tools))
        self._settle("faults", self.rules)
        self._settle("expect", self.expectation)
        self._settle("profiles", self._wires())
        self._settle("start", deepcopy(self.start))
        self._check_history()
        self._check_tools()

    @property
    def replies(self) -> Script:
        """The script, as a script."""
        if isinstance(self.script, Script):
            return self.script
        return Script(_listed("script", self.script))

    @cached_property
    def rules(self) -> tuple[FaultRule, ...]:
        """The faults, as rules.

        Raises:
            ScenarioError: for what is no fault.
        """
        try:
            return parse_rules(_listed("faults", self.faults))
        except UsageError as error:
            raise ScenarioError(str(error)) from None

    @property
    def expectation(self) -> Expectation:
        """The expectation, as an expectation.

        Raises:
            ScenarioError: for a field that does not exist.
        """
        if isinstance(self.expect, Expectation):
            return self.expect
        known = Expectation.__dataclass_fields__
        for name in self.expect:
            if name not in known:
                raise ScenarioError(
                    f"expect.{name}: unknown field{did_you_mean(name, known)}"
                )
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in self.expect.items()
        }
        return Expectation(**values)

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits over everything that the scenario says."""
        return digest_of(self)

    def build_world(self) -> World:
        """Build the world that a run begins in.

        Raises:
            ScenarioError: when its parts contradict each other, or `start` is of
                another world.
        """
        try:
            world = World(tuple(self.world), seed=self.seed)
        except UsageError as error:
            raise ScenarioError(f"world: {error}") from None
        if self.start is not None:
            try:
                world.restore(self.start)
            except UsageError as error:
                raise ScenarioError(f"start: {error}") from None
            world.begin_run()
        return world

    @cached_property
    def known_tools(self) -> tuple[WorldTool, ...]:
        """All tools of the world, those off the allowlist too."""
        return self.build_world().tools

    @cached_property
    def slips(self) -> tuple[Slip, ...]:
        """Calls of the script by names of arguments that their tools do not take."""
        return slips_in(self.replies, self.known_tools, name=self.name)

    @cached_property
    def definitions(self) -> Definitions:
        """What the model is told of the tools that the agent gets, to be copied."""
        return Definitions(
            [
                tool.definition
                for tool in self.known_tools
                if self.tools is None or tool.name in self.tools
            ]
        )

    @cached_property
    def allowed_tools(self) -> tuple[ToolFacts, ...]:
        """What a trace says of the tools that the agent gets."""
        return tuple(
            ToolFacts.of(tool.definition, tool.rights)
            for tool in self.known_tools
            if self.tools is None or tool.name in self.tools
        )

    def _settle(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _wires(self) -> Mapping[str, Any] | None:
        """The profiles, as profiles."""
        given: object = self.profiles
        if not given:
            return None
        if not isinstance(given, Mapping):
            got = type(given).__name__
            raise ScenarioError(f"profiles: expected a mapping by wire, got {got}")
        made = {}
        for wire, told in given.items():
            try:
                made[wire] = profile_of(wire, told)
            except UsageError as error:
                raise ScenarioError(f"profiles.{wire}: {error}") from None
        return made

    def _check_kinds(self) -> None:
        for name, kind, words in _KINDS:
            value = getattr(self, name)
            if not isinstance(value, kind) or (
                type(value) is bool and kind is not bool
            ):
                got = type(value).__name__
                raise ScenarioError(f"{name}: expected {words}, got {got}")
        for name, number in (
            ("temperature", self.temperature),
            ("seed", abs(self.seed)),
        ):
            if fault := number_fault(number, most=NUMBER_MAX):
                raise ScenarioError(f"{name}: {fault}")

    def _check_history(self) -> None:
        given: Sequence[object] = self.history
        for position, message in enumerate(given):
            if not isinstance(message, Message):
                raise ScenarioError(
                    f"history[{position}]: expected a Message, got "
                    f"{type(message).__name__}; make one with user(...), "
                    "assistant(...) or tool_result(...)"
                )
            if message.role == "system":
                raise ScenarioError(
                    f"history[{position}]: a system message; the system prompt stands "
                    "in the field prompt"
                )

    def _check_tools(self) -> None:
        known = {tool.name: tool.writes for tool in self.known_tools}
        for name in self.tools or ():
            if name not in known:
                raise ScenarioError(f"tools: {_unknown(name, known)}")
        for name in self.human.refuses if self.human is not None else ():
            if name not in known:
                raise ScenarioError(f"human.refuses: {_unknown(name, known)}")
        for position, name in self.replies.called_tools():
            if name not in known:
                raise ScenarioError(f"script[{position}]: {_unknown(name, known)}")
        try:
            check_rules(self.rules, known)
        except UsageError as error:
            raise ScenarioError(f"faults: {error}") from None
        for name in self.expectation.effects or ():
            if name not in known:
                raise ScenarioError(f"expect.effects: {_unknown(name, known)}")


_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("task", str, "a text"),
    ("name", str, "a text"),
    ("human", Human | None, "a Human, or None where nobody is there"),
    ("prompt", str | None, "a text or None"),
    ("model", str, "a text"),
    ("temperature", int | float, "a number"),
    ("limits", Limits, "Limits(...)"),
    ("loop", LoopRules, "LoopRules(...)"),
    ("expect", Expectation | Mapping, "a mapping, or an Expectation"),
    ("seed", int, "a whole number"),
    ("exact", bool, "True or False"),
)
"""Fields that are one thing: name, what it is, and that in words."""


def _unknown(name: str, known: Mapping[str, object]) -> str:
    """That there is no such tool, and what was meant, or where tools come from."""
    near = did_you_mean(name, known) or (
        "; tools come with the parts of the world, or in Python by "
        f"tool({name!r}, returns=...)"
    )
    return f"unknown tool {name!r}{near}"


def _listed(name: str, value: object) -> tuple[Any, ...]:
    """A field that is a list. A text is none, though it could be gone through."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ScenarioError(
            f"{name}: expected a list, got {type(value).__name__}: write {name}=[...]"
        )
    return tuple(value)
