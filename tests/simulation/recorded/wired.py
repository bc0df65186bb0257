"""A plain loop over HTTP on any wire, which keeps what it was answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agentsim.core import (
    Env,
    InvalidArguments,
    Response,
    ToolFailed,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.providers.wires import read_frames_of
from tests.support.sessions import body_of, dialect_of

__all__ = ["on_wire"]

URLS = {
    "anthropic-messages": "https://api.anthropic.com/v1/messages",
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "openai-responses": "https://api.openai.com/v1/responses",
}

HEADERS = {
    "authorization": "Bearer x",
    "x-api-key": "x",
    "anthropic-version": "2023-06-01",
}


def on_wire(
    wire: str, heard: list[Response], *, streamed: bool = False
) -> Callable[[Env], Awaitable[str]]:
    """An agent on a wire.

    Args:
        heard: Takes its answers, as the dialect reads them.
    """

    async def agent(env: Env) -> str:
        messages = [system(env.prompt)] if env.prompt else []
        messages += [*env.history, user(env.task)]
        definitions = [tool.definition for tool in env.tools]
        heard.clear()  # an agent may be run more than once
        async with env.http_client() as client:
            while True:
                body = body_of(wire, messages, definitions)
                body |= {"stream": True} if streamed else {}
                sent = await client.post(URLS[wire], json=body, headers=HEADERS)
                assert sent.status_code == 200, sent.text
                dialect = dialect_of(wire)
                said = (
                    dialect.read_frames(read_frames_of(sent.content))
                    if streamed
                    else dialect.read_answer(sent.json())
                ).response
                heard.append(said)
                messages.append(said.message)
                if not said.message.tool_calls and said.stop_reason != "pause_turn":
                    return said.message.content
                for call in said.message.tool_calls:
                    output, failed = await _called(env, call.name, call.arguments)
                    messages.append(tool_result(call.id, output, is_error=failed))

    return agent


async def _called(env: Env, name: str, arguments: str) -> tuple[str, bool]:
    tools = {tool.name: tool for tool in env.tools}
    try:
        return str(await tools[name].run(parse_arguments(arguments))), False
    except (ToolFailed, InvalidArguments, KeyError) as error:
        return f"Error: {error}", True
