"""The tools of an environment as this wire has them."""

from __future__ import annotations

from openai.types.chat import ChatCompletionToolParam

from agentsim.core import Env


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
