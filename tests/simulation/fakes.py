"""Small scenarios and agents, most of them wrong in one way."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agentsim.core import (
    Env,
    Message,
    Request,
    Response,
    RunResult,
    Usage,
    system,
    tool_result,
    user,
)
from agentsim.providers import call, say
from agentsim.simulation import Scenario
from agentsim.world import Disk, Files

PROMPT = "You are an agent."


def reading(**fields: Any) -> Scenario:
    """One read, then the answer."""
    told: dict[str, Any] = {
        "task": "How full is the disk?",
        "script": [call("check_disk"), say("Half full.")],
        "world": [Disk(used="50%")],
        "name": "reading",
    }
    return Scenario(**{**told, **fields})


def writing(**fields: Any) -> Scenario:
    """One write, then the answer."""
    told: dict[str, Any] = {
        "task": "Note it down.",
        "script": [call("write_file", path="note", content="it"), say("Noted.")],
        "world": [Files()],
        "name": "writing",
    }
    return Scenario(**{**told, **fields})


def silent(**fields: Any) -> Scenario:
    """A script that nobody has to ask."""
    return reading(**{"script": [], **fields})


async def ask(env: Env, *messages: Message) -> Response:
    """Send one request."""
    sent = (system(PROMPT), user(env.task), *messages)
    definitions = tuple(tool.definition for tool in env.tools)
    return await env.client.complete(Request(env.model, sent, definitions, 0.0, None))


async def obedient(env: Env) -> RunResult:
    """Do what the model says, call by call, without any limit."""
    messages: list[Message] = []
    tools = {tool.name: tool for tool in env.tools}
    names: list[str] = []
    rounds = 0
    usage = Usage()
    while True:
        response = await ask(env, *messages)
        rounds += 1
        usage += response.usage or Usage()
        message = response.message
        messages.append(message)
        if not message.tool_calls:
            history = [system(PROMPT), user(env.task), *messages]
            output = message.content
            return RunResult("done", output, None, rounds, usage, tuple(names), history)
        for asked in message.tool_calls:
            names.append(asked.name)
            answer = await tools[asked.name].run(json.loads(asked.arguments))
            messages.append(tool_result(asked.id, str(answer)))


async def idle(env: Env) -> str:
    """Do nothing."""
    return "nothing done"


async def waits_for_ever(env: Env) -> None:
    """Wait for what nobody gives."""
    await asyncio.Event().wait()
