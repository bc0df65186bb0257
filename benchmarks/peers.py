"""Five turns of agent frameworks on fake models of their own, beside a simulated run.

What a machine makes of microseconds differs by half, so the bars are told as multiples of
what else people test their agents with, taken in turn in one process:

    .venv-openai-agents/bin/python -m benchmarks.peers openai-agents

prints the seconds of one run of the framework and of one of ours, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn

from agentsim.providers import Reply
from agentsim.simulation import Scenario, load_scenario, run
from agentsim.world import World
from benchmarks.rounds import seconds

__all__ = ["PEERS", "measured"]

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "high_cpu.yaml"
ROUNDS = 20


def measured(peer: str) -> tuple[float, float] | None:
    """Seconds of a peer's run and of ours; None where it has no environment."""
    python = ROOT / f".venv-{peer}" / "bin" / "python"
    if not python.exists():
        return None
    done = subprocess.run(
        [python, "-m", "benchmarks.peers", peer],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},  # agentsim is not installed there
    )
    theirs_s, ours_s = json.loads(done.stdout)
    return theirs_s, ours_s


class _Operated:
    """The tools of the story as plain coroutine functions, on a world anew for each run."""

    def __init__(self, scenario: Scenario) -> None:
        self._specs = tuple(scenario.world)
        self.begin()

    def begin(self) -> None:
        """Build the world that a run begins in."""
        self._world = World(self._specs)

    def tools(self) -> list[Callable[..., Awaitable[str]]]:
        """One function for each tool."""

        async def check_cpu(host: str) -> str:
            """Tell the load of a host."""
            return self._apply("check_cpu", host=host)

        async def list_top_processes(host: str, limit: int) -> str:
            """List what takes the processor of a host."""
            return self._apply("list_top_processes", host=host, limit=limit)

        async def restart_service(host: str, service: str) -> str:
            """Restart a service."""
            return self._apply("restart_service", host=host, service=service)

        return [check_cpu, list_top_processes, restart_service]

    def _apply(self, name: str, **arguments: Any) -> str:
        return str(self._world.apply(name, arguments))


def _replies(scenario: Scenario) -> list[Reply]:
    return [entry for entry in scenario.replies if isinstance(entry, Reply)]


def openai_agents(scenario: Scenario) -> Callable[[], str]:
    """Run it on the OpenAI Agents SDK, with a model that answers from a list."""
    from agents import (  # type: ignore[import-not-found]  # of an environment of its own
        Agent,
        Model,
        ModelResponse,
        Runner,
        Usage,
        function_tool,
        set_tracing_disabled,
    )
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    set_tracing_disabled(True)

    def item(reply: Reply, turn: int) -> object:
        for call in reply.calls:
            return ResponseFunctionToolCall(
                arguments=call.arguments,
                call_id=f"call_{turn}",
                name=call.name,
                type="function_call",
            )
        text = ResponseOutputText(annotations=[], text=reply.text, type="output_text")
        return ResponseOutputMessage(
            id=f"message_{turn}",
            content=[text],
            role="assistant",
            status="completed",
            type="message",
        )

    items = [item(reply, turn) for turn, reply in enumerate(_replies(scenario))]

    class Fake(Model):  # type: ignore[misc]  # of a class that mypy does not see
        left = iter(items)

        async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
            await asyncio.sleep(0)
            return ModelResponse([next(self.left)], Usage(requests=1), None)

        def stream_response(self, *_: Any, **__: Any) -> NoReturn:
            raise NotImplementedError

    loop = asyncio.new_event_loop()
    operated, fake = _Operated(scenario), Fake()
    tools = [function_tool(function) for function in operated.tools()]
    agent = Agent("operator", model=fake, tools=tools)

    def once() -> str:
        fake.left = iter(items)
        operated.begin()
        result = loop.run_until_complete(Runner.run(agent, scenario.task))
        return str(result.final_output)

    return once


def pydantic_ai(scenario: Scenario) -> Callable[[], str]:
    """Run it on pydantic-ai, with its `FunctionModel`."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def part(reply: Reply, turn: int) -> object:
        for call in reply.calls:
            return ToolCallPart(call.name, call.arguments, tool_call_id=f"call_{turn}")
        return TextPart(reply.text)

    parts = [part(reply, turn) for turn, reply in enumerate(_replies(scenario))]
    left = iter(parts)

    async def answer(*_: Any) -> ModelResponse:
        await asyncio.sleep(0)
        return ModelResponse([next(left)])

    loop = asyncio.new_event_loop()
    operated = _Operated(scenario)
    agent = Agent(FunctionModel(answer), tools=operated.tools())

    def once() -> str:
        nonlocal left
        left = iter(parts)
        operated.begin()
        return str(loop.run_until_complete(agent.run(scenario.task)).output)

    return once


PEERS = {"openai-agents": openai_agents, "pydantic-ai": pydantic_ai}
"""Name of the environment -> what makes a run in it."""


def main() -> None:
    """Measure one peer, in its own environment."""
    scenario = load_scenario(SCENARIO)
    theirs = PEERS[sys.argv[1]](scenario)
    assert "load fell to 2.1" in theirs()
    print(json.dumps(seconds(theirs, lambda: run(scenario), times=5, rounds=ROUNDS)))


if __name__ == "__main__":
    main()
