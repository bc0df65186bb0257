"""Agents on pydantic-ai: with async tools, and with tools that block a worker thread."""

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from agentsim import Env
from tests.frameworks.agents.slowly import slowly


def model(env: Env) -> OpenAIChatModel:
    """The scripted model, as pydantic-ai reaches it."""
    return OpenAIChatModel(
        env.model, provider=OpenAIProvider(openai_client=env.openai())
    )


async def awaiting(env: Env) -> str:
    """Tools are coroutines."""
    agent = Agent(model(env), tools=[*env.functions.values()])
    result = await agent.run(env.task)
    return str(result.output)


async def blocking(env: Env) -> str:
    """Tools are plain functions: each call gets a thread."""
    agent = Agent(model(env), tools=[*map(slowly, env.sync.functions.values())])
    result = await agent.run(env.task)
    return str(result.output)


def derived(function: Callable[..., Any]) -> dict[str, Any]:
    """What the model is told of a function."""
    tool = Tool(function)
    schema = tool.function_schema.json_schema
    return {"words": tool.description, "schema": schema}
