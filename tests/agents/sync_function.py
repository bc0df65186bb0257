"""A plain function: it blocks, and keeps the limit of iterations.

It keeps no deadline, since the real clock says nothing of virtual time; what a call may
take is bounded by `env.sync.run(..., timeout_s=...)`.
"""

from __future__ import annotations

from agentsim.core import (
    Env,
    ProviderError,
    Question,
    RunResult,
    Tool,
    ToolCall,
    ToolFailed,
)
from tests.agents.kit import (
    NO_ANSWER,
    PATIENCE_S,
    BadCall,
    Chat,
    kept,
    read,
    with_approval,
)


def agent(env: Env) -> RunResult:
    """Ask the model until it has no more calls."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    chat = Chat(env)
    tools = {tool.name: tool for tool in env.tools}
    for _ in range(env.limits.max_iterations or 1_000):
        try:
            response = env.sync.client.complete(chat.request)
        except ProviderError as error:
            return chat.ended("failed", error=str(error))
        calls = chat.take(response)
        if not calls:
            return chat.final(response)
        for call in calls:
            chat.tools.append(call.name)
            try:
                arguments = read(call, list(tools))
                chat.answer(call, _run(env, tools[call.name], call, arguments))
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
    return chat.out_of_rounds()


def _run(env: Env, tool: Tool, call: ToolCall, arguments: dict[str, object]) -> object:
    """Run a tool, with a person's approval where it needs one."""
    try:
        if tool.rights.confirms:
            if env.confirm is None:
                raise BadCall("nobody is there to approve")
            question = Question(call.id, call.name, arguments)
            answer = env.sync.run(env.confirm(question), timeout_s=PATIENCE_S)
            arguments = with_approval(arguments, answer)
        return env.sync.run(tool.run(arguments), timeout_s=PATIENCE_S)
    except TimeoutError:
        raise BadCall(NO_ANSWER) from None
