"""What stands at the head of a trace: which run it is, and what was promised in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentsim.core import Limits, LoopRules, Rights, Tool, ToolDef

__all__ = ["VERSION", "Header", "ToolFacts"]

VERSION = 1
"""Version of the schema that this module writes and reads."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """A tool of the run as judges need it: what the model is told, and its rights.

    Attributes:
        rights: With the default of `confirm` already taken from the category.
    """

    definition: ToolDef
    rights: Rights = field(default_factory=Rights)

    @classmethod
    def of(cls, definition: ToolDef, rights: Rights) -> ToolFacts:
        """Take the facts, so that two ways to say the same rights are equal."""
        resolved = Rights(
            rights.category, rights.parallel, rights.confirms, rights.volatile
        )
        return cls(definition, resolved)

    @classmethod
    def of_tool(cls, tool: Tool) -> ToolFacts:
        """Take the facts of a tool that can run."""
        return cls.of(tool.definition, tool.rights)

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.definition.name


@dataclass(frozen=True, slots=True)
class Header:
    """Which run a trace is of, and which boundaries the agent promised (design 2.7).

    Attributes:
        scenario_digest: Tells scenarios of one name apart.
        policy: How the engine ordered the answers of the outside.
        menu: The options that add choice points, as a text.
        prompt: The configured system prompt, or None where the agent has its own.
        tools: The tools that the run allows.
        limits: The limits the agent declared, or None: it promises none.
        loop: The loop detection the agent declared, or None.
        model: The configured model, or empty where the agent has its own.
        temperature: The configured temperature, or None where the agent has its own.
        wire_only: Whether only what went over the wire was seen: the agent is a program
            of its own, and its tools, its user and its end are not witnessed.
        version: Version of the schema.
    """

    scenario: str = ""
    scenario_digest: str = ""
    agent: str = ""
    policy: str = ""
    menu: str = ""
    task: str = ""
    prompt: str | None = None
    tools: tuple[ToolFacts, ...] = ()
    limits: Limits | None = None
    loop: LoopRules | None = None
    model: str = ""
    temperature: float | None = None
    wire_only: bool = False
    version: int = VERSION
