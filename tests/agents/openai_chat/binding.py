"""Binds loops that know nothing of agentsim to its environment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from openai.types.chat import ChatCompletionToolParam

from agentsim.core import Decision, Env, Finished, Limits, Question
from tests.agents.openai_chat.words import End


def definitions(env: Env) -> list[ChatCompletionToolParam]:
    """The tools of an environment as the SDK takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.definition.description,
                "parameters": dict(tool.definition.parameters),
            },
        }
        for tool in env.tools
    ]


def told(end: End) -> Finished:
    """How a run ended, as agentsim takes it."""
    if end.status == "done":
        return Finished("done", end.text)
    return Finished(end.status, error=end.text or "no text")


def keep_steps(env: Env) -> None:
    """Promise the limit of steps, which these loops keep, and no other."""
    env.declare(limits=Limits(env.limits.max_iterations, None, None, None))


def approving(env: Env) -> Callable[[str, str, dict[str, Any]], Awaitable[str | None]]:
    """Asks the person of an environment where a tool needs it."""
    confirming = _confirming(env)

    async def approve(call_id: str, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in confirming:
            return None
        if env.confirm is None:
            return "nobody is there to approve"
        return _words(await env.confirm(Question(call_id, name, arguments)))

    return approve


def approving_sync(env: Env) -> Callable[[str, str, dict[str, Any]], str | None]:
    """The same, blocking."""
    confirming = _confirming(env)

    def approve(call_id: str, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in confirming:
            return None
        if env.sync.confirm is None:
            return "nobody is there to approve"
        return _words(env.sync.confirm(Question(call_id, name, arguments)))

    return approve


def _confirming(env: Env) -> tuple[str, ...]:
    return tuple(tool.name for tool in env.tools if tool.rights.confirms)


def _words(decision: Decision) -> str | None:
    if decision.approved and decision.confirmed_by:
        return None
    return decision.reason or "by the operator"
