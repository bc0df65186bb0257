"""Agents on openai-agents: with async tools, and with tools that block a worker thread."""

from collections.abc import Callable
from typing import Any

from agents import (  # type: ignore[import-not-found]  # of an environment of its own
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    function_tool,
)

from agentsim import Env
from tests.frameworks.agents.slowly import slowly

QUIET = RunConfig(tracing_disabled=True)
"""Traces go to OpenAI, from a thread, wherever the model is."""


def model(env: Env) -> OpenAIChatCompletionsModel:
    """The scripted model, as openai-agents reaches it."""
    return OpenAIChatCompletionsModel(env.model, env.openai())


async def awaiting(env: Env) -> str:
    """Tools are coroutines."""
    tools = [function_tool(function) for function in env.functions.values()]
    agent = Agent(name="agent", model=model(env), tools=tools)
    result = await Runner.run(agent, env.task, run_config=QUIET)
    return str(result.final_output)


async def blocking(env: Env) -> str:
    """Tools are plain functions: each call gets a thread."""
    functions = map(slowly, env.sync.functions.values())
    tools = [function_tool(function) for function in functions]
    agent = Agent(name="agent", model=model(env), tools=tools)
    result = await Runner.run(agent, env.task, run_config=QUIET)
    return str(result.final_output)


def derived(function: Callable[..., Any]) -> dict[str, Any]:
    """What the model is told of a function."""
    tool = function_tool(function, strict_mode=False)
    return {"words": tool.description, "schema": tool.params_json_schema}
