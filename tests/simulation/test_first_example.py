"""The first example of the design runs as it is written there."""

from __future__ import annotations

import pytest

from agentsim import Scenario, call, explore, reference, say
from agentsim.core import (
    Env,
    InvariantViolation,
    Question,
    Request,
    ToolFailed,
    parse_arguments,
    tool_result,
    user,
)
from agentsim.faults import answer_lost
from agentsim.world import Payments

pay = Scenario(
    task="Pay invoice 17.",
    world=[Payments()],
    script=[call("create_payment", invoice=17, amount="40.00"), say("Paid.")],
    expect={"effects": {"create_payment": 1}},
)


def test_an_invoice_is_paid_once() -> None:
    """The reference runtime does not pay again when an answer is lost."""
    lost = [answer_lost("create_payment")]
    found = explore(pay, agent=reference, faults=lost, deviations=2)
    found.expect_holds()
    assert found.complete


async def repeating(env: Env) -> str:
    """An agent that asks for approval, and pays again where it got no answer."""
    definitions = tuple(tool.definition for tool in env.tools)
    history = [user(env.task)]
    while True:
        request = Request(env.model, tuple(history), definitions)
        message = (await env.client.complete(request)).message
        history.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            [tool] = [tool for tool in env.tools if tool.name == asked.name]
            arguments = parse_arguments(asked.arguments)
            assert env.confirm is not None
            question = Question(asked.id, asked.name, arguments)
            await env.confirm(question)
            try:
                output = await tool.run(arguments)
            except ToolFailed:
                output = await tool.run(arguments)
            history.append(tool_result(asked.id, str(output)))


def test_one_that_pays_again_is_caught() -> None:
    """Who repeats a write whose answer was lost pays twice, and the text says so."""
    lost = [answer_lost("create_payment", attempt=1)]
    found = explore(pay, agent=repeating, faults=lost, deviations=1)
    assert "effect-once" in found.violations
    with pytest.raises(InvariantViolation, match="answer_lost strikes create_payment"):
        found.expect_holds()
