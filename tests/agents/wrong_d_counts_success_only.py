"""Kind d, limits: the counter lives on the path without errors only (BR-058).

The limit of turns is kept as long as tools succeed. Each turn with a failure is free,
and with a tool that fails every time the run would never end.
"""

from __future__ import annotations

from agentsim.core import Env, ProviderError, RunResult, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read


def agent(env: Env) -> RunResult:
    """A plain function that promises a limit of iterations."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    tools = {tool.name: tool for tool in env.sync.tools}
    chat = Chat(env)
    turns = 0
    while turns != env.limits.max_iterations:
        try:
            response = env.sync.client.complete(chat.request)
        except ProviderError as error:
            return chat.ended("failed", error=str(error))
        calls = chat.take(response)
        if not calls:
            return chat.final(response)
        failures = 0
        for call in calls:
            chat.tools.append(call.name)
            try:
                arguments = read(call, list(tools))
                chat.answer(call, tools[call.name].run(arguments))
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
                failures += 1
        if not failures:
            turns += 1
    return chat.out_of_rounds()
