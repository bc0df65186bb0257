"""Histories of Responses that a program writes itself: examples, handoffs, prefilled words.

The service sends no ids for these, and their items stand directly before its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agentsim.core import Env
from agentsim.providers import call, say
from agentsim.simulation import Agent, Scenario, run
from agentsim.world import tool
from tests.agents.test_several_conversations import violated

Items = list[dict[str, Any]]


@tool(read_only=True)
def read_file(path: str) -> str:
    """Read a file."""
    return f"{path} is fine"


STORY = Scenario(
    task="Look at both logs.",
    world=[read_file],
    script=[
        call("read_file", path="a.log"),
        call("read_file", path="b.log").but(text="One more."),
        say("Both are fine."),
    ],
)

EXAMPLE = [
    {
        "type": "function_call",
        "call_id": "example",
        "name": "read_file",
        "arguments": '{"path":"x"}',
    },
    {"type": "function_call_output", "call_id": "example", "output": "x is fine"},
]


def spoken(*texts: str) -> Items:
    """Messages in the name of the model."""
    return [{"role": "assistant", "content": text} for text in texts]


def asked(text: str) -> Items:
    """A message of the user."""
    return [{"role": "user", "content": text}]


STARTS: dict[str, Callable[[str], Items]] = {
    "prefilled": lambda task: asked(task) + spoken("I will look at both."),
    "handed over": lambda task: asked("Hi") + spoken(f"So far: {task}", "I took over."),
    "nested": lambda task: spoken(f"<history>{task}</history>"),
    "an example": lambda task: asked("x?") + EXAMPLE + spoken("Fine.") + asked(task),
    "a call by hand": lambda task: asked(task) + spoken("First x.") + EXAMPLE,
}


def as_it_came(item: dict[str, Any]) -> dict[str, Any]:
    """An item of the output, with its id."""
    return item


def without_id(item: dict[str, Any]) -> dict[str, Any]:
    """An item of the output as many loops send it back: the service takes that too."""
    return {name: item[name] for name in item if name not in ("id", "status")}


def agent_of(
    start: Callable[[str], Items],
    back: Callable[[dict[str, Any]], dict[str, Any] | None],
    after: Callable[[Items], None] = lambda items: None,
) -> Agent:
    """A loop on the SDK that begins with a history, and sends back what it makes of items.

    Args:
        after: Is given the history after each turn.
    """

    async def agent(env: Env) -> str:
        tools = {tool.name: tool for tool in env.tools}
        offered: Any = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.definition.description,
                "parameters": dict(tool.definition.parameters),
                "strict": False,
            }
            for tool in env.tools
        ]
        items: Any = start(env.task)
        async with env.openai() as client:
            while True:
                said = await client.responses.create(
                    model=env.model, input=items, tools=offered, store=False
                )
                output = [item.model_dump(exclude_none=True) for item in said.output]
                items += [kept for item in output if (kept := back(item)) is not None]
                calls = [item for item in output if item["type"] == "function_call"]
                if not calls:
                    return said.output_text
                for one in calls:
                    result = await tools[one["name"]](**json.loads(one["arguments"]))
                    items.append(
                        {
                            "type": "function_call_output",
                            "call_id": one["call_id"],
                            "output": result,
                        }
                    )
                after(items)

    return agent


@pytest.mark.parametrize("back", [as_it_came, without_id])
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_what_was_written_by_hand_is_no_part_of_a_response(
    start: Callable[[str], Items], back: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """A message directly before the items of a response stays one of its own."""
    assert violated(run(STORY, agent_of(start, back))) == []


def without_text(item: dict[str, Any]) -> dict[str, Any] | None:
    """Calls alone are sent back."""
    return None if item["type"] == "message" else without_id(item)


def rewritten(item: dict[str, Any]) -> dict[str, Any]:
    """Texts are sent back in other words."""
    if item["type"] != "message":
        return without_id(item)
    return {"role": "assistant", "content": "Something else."}


def retold(items: Items) -> None:
    """The message before the first response changes."""
    items[1]["content"] += "!"


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (agent_of(STARTS["prefilled"], without_text), "response-kept-whole"),
        (agent_of(STARTS["prefilled"], rewritten), "response-kept-whole"),
        (agent_of(STARTS["prefilled"], without_id, retold), "history-append-only"),
    ],
)
def test_a_history_that_is_changed_is_caught_behind_words_by_hand(
    agent: Agent, expected: str
) -> None:
    """What the response said is lost or changed, or what stood before it."""
    assert expected in violated(run(STORY, agent))
