"""Kind e, odd values: arguments that are no JSON are taken as none at all (BR-075).

The tool runs with an empty object instead, on its defaults; the model is never told
that what it wrote could not be read.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agentsim.core import Env, ToolFailed
from tests.agents.kit import Chat


def lenient(text: str) -> dict[str, Any]:
    """Read arguments, whatever it takes."""
    try:
        arguments = json.loads(text)
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


async def agent(env: Env) -> AsyncIterator[str]:
    """An async generator that yields what it does, the answer last."""
    tools = {tool.name: tool for tool in env.tools}
    chat = Chat(env)
    for _ in range(10):
        response = await env.client.complete(chat.request)
        calls = chat.take(response)
        if not calls:
            yield response.message.content
            return
        for call in calls:
            yield f"calling {call.name}"
            if call.name not in tools:
                chat.refuse(call, f"unknown tool {call.name}")
                continue
            try:
                chat.answer(call, await tools[call.name].run(lenient(call.arguments)))
            except ToolFailed as error:
                chat.refuse(call, str(error))
    yield "I could not finish."
