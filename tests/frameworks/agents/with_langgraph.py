"""Agents on langchain and langgraph: with async tools, with tools that block, and sync."""

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI

from agentsim import Env
from tests.frameworks.agents.slowly import slowly


def model(env: Env) -> ChatOpenAI:
    """The scripted model, as langchain reaches it."""
    return ChatOpenAI(
        model=env.model,
        client=env.openai_sync().chat.completions,
        async_client=env.openai().chat.completions,
    )


def as_tool(function: Callable[..., Any]) -> StructuredTool:
    """A tool of langchain, of a function of either kind."""
    if iscoroutinefunction(function):
        return StructuredTool.from_function(coroutine=function)
    return StructuredTool.from_function(function)


async def awaiting(env: Env) -> str:
    """Tools are coroutines."""
    tools = [*map(as_tool, env.functions.values())]
    agent = create_agent(model(env), tools)
    state = await agent.ainvoke({"messages": [("user", env.task)]})
    return str(state["messages"][-1].content)


async def blocking(env: Env) -> str:
    """Tools are plain functions: each call gets a thread."""
    tools = [*map(slowly, env.sync.functions.values())]
    agent = create_agent(model(env), tools)
    state = await agent.ainvoke({"messages": [("user", env.task)]})
    return str(state["messages"][-1].content)


def invoking(env: Env) -> str:
    """Nothing is async: the graph runs its tools on a pool of its own."""
    tools = [*map(slowly, env.sync.functions.values())]
    agent = create_agent(model(env), tools)
    state = agent.invoke({"messages": [("user", env.task)]})
    return str(state["messages"][-1].content)


def derived(function: Callable[..., Any]) -> dict[str, Any]:
    """What the model is told of a function."""
    told = convert_to_openai_tool(as_tool(function))["function"]
    return {"words": told["description"], "schema": told["parameters"]}
