"""Agents on langchain and langgraph: with async tools, with tools that block, and sync."""

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
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


async def awaiting(env: Env) -> str:
    """Tools are coroutines."""
    tools = [
        StructuredTool.from_function(coroutine=function)
        for function in env.functions.values()
    ]
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
