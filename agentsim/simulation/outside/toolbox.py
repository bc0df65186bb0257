"""Simulated tools as the agent gets them: gates around the world's plain functions.

A read has one gate. A write has two, before its effect and between effect and answer,
so that a cancellation or a crash falls on one side or the other (design 2.2).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from agentsim.core import (
    AgentsimError,
    EffectApplied,
    Tool,
    ToolEnded,
    ToolEnding,
    ToolFailed,
    ToolStarted,
    canonical_json,
)
from agentsim.engine import Life
from agentsim.simulation.outside.copies import kept
from agentsim.simulation.outside.stage import Stage
from agentsim.simulation.outside.striking import Struck
from agentsim.world import Unchanged, WorldTool

__all__ = ["simulated_tools"]

_inside: ContextVar[int | None] = ContextVar("inside", default=None)
"""The operation whose own code runs: what it calls is a part of its work."""


def simulated_tools(stage: Stage, life: Life, *, shared: bool) -> tuple[Tool, ...]:
    """The tools of a scenario for one incarnation, to be made in its own task.

    Args:
        shared: Whether the definitions are those of the world, which the agent must not
            change; else it gets copies.
    """
    _inside.set(None)  # a tool of another run may have started this one
    allowed = stage.scenario.tools
    given = stage.world.tools
    if allowed is not None:
        given = tuple(tool for tool in given if tool.name in allowed)
    if shared:
        definitions = [tool.definition for tool in given]
    else:
        definitions = stage.scenario.definitions.copies()
    return tuple(
        [
            Tool(definition, _SimulatedTool(stage, life, tool), tool.rights)
            for definition, tool in zip(definitions, given, strict=True)
        ]
    )


class _SimulatedTool:
    """Runs one tool of the world, recorded, gated and struck by faults."""

    __slots__ = ("_life", "_name", "_stage", "_tool", "_writes")

    def __init__(self, stage: Stage, life: Life, tool: WorldTool) -> None:
        self._stage = stage
        self._life = life
        self._tool = tool
        self._name = tool.definition.name
        self._writes = tool.writes

    def __repr__(self) -> str:
        return f"<run of {self._name}>"

    async def __call__(self, arguments: dict[str, Any]) -> object:
        # Nothing starts: it is what a loop does that passes on `null` or a list unseen.
        if type(arguments) is not dict and not isinstance(arguments, Mapping):
            raise ToolFailed(
                f"{self._name}: expected arguments by name, got {_kind(arguments)}"
            )
        for name in arguments:
            if not isinstance(name, str):
                raise ToolFailed(
                    f"{self._name}: expected texts as names of arguments, got "
                    f"{_kind(name)}"
                )
        operation = self._stage.next_operation()
        self._life.record(
            ToolStarted(operation, self._name, kept(arguments), inside=_inside.get())
        )
        try:
            output = await self._operate(operation, arguments)
        except asyncio.CancelledError:
            self._end(operation, "cancelled", "")
            raise
        except ToolFailed as error:
            self._end(operation, "error" if error.definite else "unknown", str(error))
            raise
        except AgentsimError as error:
            # The test's mistake, not the tool's: no agent may take it for a result.
            self._life.halt(error)
            raise
        self._end(operation, "ok", _recorded(output))
        return output

    def _end(self, operation: int, ending: ToolEnding, output: str) -> None:
        self._life.record(ToolEnded(operation, self._name, ending, output))

    async def _operate(self, operation: int, arguments: dict[str, Any]) -> object:
        name, writes = self._name, self._writes
        reads = None if writes else self._stage.reads
        outdated = reads is not None and reads.outdated(name, arguments)
        struck = self._stage.striker.strike(
            self._life, "tool", name, writes=writes, outdated=outdated
        )
        if struck is not None:
            return await self._operate_struck(struck, operation, arguments)
        await self._life.gate(name, latency_s=self._tool.latency_s)
        output = await self._apply(operation, arguments)
        if writes:
            await self._life.gate(f"{name} answer")
        elif reads is not None:
            reads.note(name, arguments, output)
        return output

    async def _operate_struck(
        self, struck: Struck, operation: int, arguments: dict[str, Any]
    ) -> object:
        fault, tool, reads = struck.fault, self._tool, self._stage.reads
        await self._life.gate(tool.name, latency_s=tool.latency_s + fault.delay_s)
        output: object = ""
        if fault.effect != "skipped":
            output = await self._apply(operation, arguments)
            if fault.effect == "twice":
                await self._apply_again(operation, arguments)
            if self._writes:
                await self._life.gate(f"{tool.name} answer")
        if fault.answer == "never":
            await asyncio.get_running_loop().create_future()
        if fault.answer == "error":
            raise ToolFailed(fault.error_words, definite=fault.definite)
        if fault.answer == "outdated" and reads is not None:
            output = reads.old(tool.name, arguments)
        if fault.garble is not None:
            output = struck.spoil(fault.garble, output)
        return output

    async def _apply(self, operation: int, arguments: dict[str, Any]) -> str:
        name = self._name
        told = kept(arguments) if self._writes else None
        before = _inside.set(operation)
        try:
            output = await self._stage.world.perform(
                name, arguments, operation=operation, at_ns=self._life.now_ns
            )
        finally:
            _inside.reset(before)
        if told is not None and not isinstance(output, Unchanged):
            effect = EffectApplied(operation, name, told, who="world")
            self._life.record(effect)
            if self._stage.reads is not None:
                self._stage.reads.written()
        return str(output)

    async def _apply_again(self, operation: int, arguments: dict[str, Any]) -> None:
        # What the world refuses the second time took effect once: nothing is lost.
        with contextlib.suppress(ToolFailed):
            await self._apply(operation, arguments)


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _recorded(output: object) -> str:
    """An output as the trace has it: text as it is, anything else as compact JSON."""
    if isinstance(output, str):
        return output
    try:
        canonical_json(output)
    except (TypeError, ValueError):
        return f"(no JSON: {type(output).__name__})"
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))
