"""Agents with a bug that only several deviations together bring out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentsim.core import Env, Limits, RunResult, Tool, ToolFailed
from agentsim.providers import call, say, together
from agentsim.runtime import reference
from agentsim.simulation import Scenario
from agentsim.world import Disk, Payments, Search

__all__ = ["PAYING", "pays_again"]

PAYING = Scenario(
    task="Look, then pay invoice 17.",
    script=[
        together(
            call("search", query="a"), call("search", query="b"), call("check_disk")
        ),
        call("create_payment", invoice=17, amount="40.00"),
        say("Paid."),
    ],
    world=[Disk(), Payments(), Search()],
    name="paying",
    limits=Limits(deadline_s=None),
)
"""Three reads that may overlap, and a payment; no deadline that could come early."""


class _Around:
    """An environment with other tools."""

    def __init__(self, env: Env, tools: tuple[Tool, ...]) -> None:
        self._env = env
        self.tools = tools

    def __getattr__(self, name: str) -> object:
        return getattr(self._env, name)


async def pays_again(env: Env) -> RunResult:
    """Work like the reference, but for a bug of depth three.

    When the fastest read ends after both others (two deviations of order), and then the
    answer of the payment is lost, the history loses its result.
    """
    begun: list[int] = []
    ended: list[int] = []
    lost = False

    def watched(tool: Tool) -> Tool:
        async def call_tool(arguments: dict[str, Any]) -> object:
            nonlocal lost
            number = len(begun)
            begun.append(number)
            try:
                return await tool.run(arguments)
            except ToolFailed:
                lost = lost or ended[2:] == [2]
                raise
            finally:
                ended.append(number)

        return replace(tool, run=call_tool)

    around: Any = _Around(env, tuple(watched(tool) for tool in env.tools))
    result = await reference(around)
    history = list(result.history)
    if lost:
        history = [m for m in history if m.tool_call_id != "call_2"]
    return replace(result, history=history)
