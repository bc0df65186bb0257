"""Simulated tools as the agent gets them: gates around the world's plain functions.

A read has one gate. A write has two, before its effect and between effect and answer,
so that a cancellation or a crash falls on one side or the other (design 2.2).
"""

from __future__ import annotations

import asyncio
from typing import Any

from agentsim.core import (
    AgentsimError,
    EffectApplied,
    Tool,
    ToolEnded,
    ToolEnding,
    ToolFailed,
    ToolStarted,
)
from agentsim.engine import Life
from agentsim.faults import Fault
from agentsim.simulation.outside.stage import Stage
from agentsim.world import Unchanged, WorldTool

__all__ = ["simulated_tools"]


def simulated_tools(stage: Stage, life: Life) -> tuple[Tool, ...]:
    """The tools of a scenario for one incarnation."""
    allowed = stage.scenario.tools
    return tuple(
        Tool(tool.definition, _SimulatedTool(stage, life, tool), tool.rights)
        for tool in stage.world.tools
        if allowed is None or tool.name in allowed
    )


class _SimulatedTool:
    """Runs one tool of the world, recorded, gated and struck by faults."""

    __slots__ = ("_answer_label", "_life", "_stage", "_tool", "_writes")

    def __init__(self, stage: Stage, life: Life, tool: WorldTool) -> None:
        self._stage = stage
        self._life = life
        self._tool = tool
        self._writes = not tool.rights.read_only
        self._answer_label = f"{tool.name} answer"

    async def __call__(self, arguments: dict[str, Any]) -> object:
        operation = self._stage.next_operation()
        self._life.record(ToolStarted(operation, self._tool.name, dict(arguments)))
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
        self._end(operation, "ok", output)
        return output

    def _end(self, operation: int, ending: ToolEnding, output: str) -> None:
        self._life.record(ToolEnded(operation, self._tool.name, ending, output))

    async def _operate(self, operation: int, arguments: dict[str, Any]) -> str:
        tool = self._tool
        fault = self._strike()
        delay_s = fault.delay_s if fault is not None else 0.0
        await self._life.gate(tool.name, latency_s=tool.latency_s + delay_s)
        output = ""
        if fault is None or fault.effect != "skipped":
            output = await self._apply(operation, arguments)
            if self._writes:
                await self._life.gate(self._answer_label)
        if fault is not None and fault.answer == "never":
            await asyncio.get_running_loop().create_future()
        if fault is not None and fault.answer == "error":
            raise ToolFailed(fault.error_words, definite=fault.definite)
        return output

    def _strike(self) -> Fault | None:
        stage = self._stage
        operation = stage.operation("tool", self._tool.name, writes=self._writes)
        return stage.strike(self._life, operation)

    async def _apply(self, operation: int, arguments: dict[str, Any]) -> str:
        name = self._tool.name
        output = await self._stage.world.perform(
            name, arguments, operation=operation, at_ns=self._life.now_ns
        )
        if self._writes and not isinstance(output, Unchanged):
            effect = EffectApplied(operation, name, dict(arguments), who="world")
            self._life.record(effect)
        return str(output)
