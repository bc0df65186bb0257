"""Kind d, limits: the counter lives on the path without errors only (BR-058).

A budget of turns is kept as long as tools succeed. Each one that fails is free, and
with a tool that fails every time the run would never end.
"""

from __future__ import annotations

from agentsim.core import Env, RunResult, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read


def agent(env: Env) -> RunResult:
    """A plain function that promises a limit of iterations."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    limit = env.limits.max_iterations or 1_000
    tools = {tool.name: tool for tool in env.sync.tools}
    chat = Chat(env)
    turns = 0
    while turns < limit:
        response = env.sync.client.complete(chat.request)
        calls = chat.take(response)
        if not calls:
            return chat.final(response)
        chat.tools += [call.name for call in calls]
        failures = 0
        for call in calls:
            try:
                chat.answer(call, tools[call.name].run(read(call, list(tools))))
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
                failures += 1
        if not failures:
            turns += 1
    return chat.out_of_rounds()
