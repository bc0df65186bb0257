"""The reference agent: the runtime of this package, on what an `Env` offers."""

from __future__ import annotations

from agentsim.core import Env, RunResult
from agentsim.runtime.config import DEFAULT_PROMPT, AgentConfig
from agentsim.runtime.run import run_agent

__all__ = ["reference"]


async def reference(env: Env) -> RunResult:
    """Work on the task of an environment, within its limits.

    It promises to keep those limits and loop rules, so that it is judged by them. This
    is the agent that a simulation drives when it is given no other.
    """
    env.declare(limits=env.limits, loop=env.loop)
    config = AgentConfig(
        resolve=lambda: env.client,
        model=env.model,
        memory=env.history,
        tools=env.tools,
        prompt=DEFAULT_PROMPT if env.prompt is None else env.prompt,
        inject=env.inject,
        stop=env.stop,
        confirm=env.confirm,
        limits=env.limits,
        loop=env.loop,
        on=env.on,
        temperature=env.temperature,
    )
    return await run_agent(config, env.task)
