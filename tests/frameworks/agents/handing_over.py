"""Agents on openai-agents whose parts hand over to one another, or are asked as tools."""

from typing import Any

from agents import (  # type: ignore[import-not-found]  # of an environment of its own
    Agent,
    Runner,
    function_tool,
    handoff,
)

from agentsim import Env, Scenario, by, call, forever, say, together, tool
from agentsim.core import Request
from agentsim.providers import Reply
from tests.frameworks.agents.with_openai_agents import QUIET, model

TRIAGE, BILLING = "You are triage.", "You are billing."


@tool(read_only=True)
def look_up(order: str) -> str:
    """Look up an order."""
    return f"order {order} was paid twice"


@tool(confirm=False)
def refund(order: str) -> str:
    """Pay an order back."""
    return f"order {order} is paid back"


def _reply(request: Request) -> Reply:
    """What the model says, by the part that asks, and by what was called already."""
    text = " ".join(message.content for message in request.messages)
    called = [c.name for message in request.messages for c in message.tool_calls]
    offered = [entry.name for entry in request.tools]
    if request.messages[0].content == BILLING:
        if "refund" not in called:
            # Ids that come again are refused, and a part may begin without the history.
            return call("refund", order="17").but(id="of_billing")
        if "transfer_to_triage" in offered and "transfer_to_triage" not in called:
            return call("transfer_to_triage").but(id="back_to_triage")
        return say("Order 17 is paid back.")
    if "is paid back" in text:
        return say("Order 17 is paid back.")
    if "look_up" not in called:
        return together(call("look_up", order="17"), call("look_up", order="18"))
    if "ask_billing" in offered:
        return call("ask_billing", input="Order 17 was paid twice.")
    return call("transfer_to_billing")


DESKS = Scenario(
    name="desks of openai-agents",
    task="Order 17 was paid twice.",
    world=[look_up, refund],
    script=[forever(by(_reply))],
    expect={"output": "is paid back", "effects": {"refund": 1}},
)


def _parts(env: Env) -> tuple[Any, Any]:
    tools = {name: function_tool(f) for name, f in env.functions.items()}
    of = {"model": model(env)}
    billing = Agent(name="billing", instructions=BILLING, tools=[tools["refund"]], **of)
    triage = Agent(name="triage", instructions=TRIAGE, tools=[tools["look_up"]], **of)
    return triage, billing


async def _run(agent: Any, env: Env) -> str:  # noqa: ANN401 - of the framework
    result = await Runner.run(agent, env.task, run_config=QUIET)
    return str(result.final_output)


async def handing(env: Env) -> str:
    """One part hands over, and the other one back."""
    triage, billing = _parts(env)
    triage.handoffs, billing.handoffs = [billing], [triage]
    return await _run(triage, env)


async def telling(env: Env) -> str:
    """The part that takes over gets the history as one text."""
    triage, billing = _parts(env)
    triage.handoffs = [handoff(billing, nest_handoff_history=True)]
    return await _run(triage, env)


async def asking(env: Env) -> str:
    """One part is a tool of the other."""
    triage, billing = _parts(env)
    triage.tools.append(billing.as_tool("ask_billing", "Ask billing."))
    return await _run(triage, env)
