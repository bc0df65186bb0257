"""A request of wrong types ends the simulation with a sentence that names its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentsim.core import (
    Env,
    Message,
    Request,
    RequestSent,
    ToolCall,
    UsageError,
    tool_result,
    user,
)
from agentsim.providers import call, say
from agentsim.simulation import Scenario, run
from agentsim.world import Disk

STORY = Scenario("Look.", [call("check_disk"), say("Half full.")], world=[Disk()])


def made(kind: Any, *fields: Any) -> Any:  # noqa: ANN401  # wrong on purpose
    """Build what its types do not allow."""
    return kind(*fields)


def endless() -> dict[str, Any]:
    """A dict that contains itself."""
    value: dict[str, Any] = {}
    value["again"] = value
    return value


def with_blocks(*blocks: object) -> Callable[[], Any]:
    """Build a request with blocks that no service sent."""
    return lambda: made(
        Request, "m", [made(Message, "user", "x", (), None, False, blocks)]
    )


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "no request": (lambda: {"messages": []}, "expected a Request"),
    "a model that is no text": (
        lambda: made(Request, 5, [user("x")]),
        "model: expected a text",
    ),
    "messages that are a text": (
        lambda: made(Request, "m", "hello"),
        "messages: expected",
    ),
    "a dict as a message": (
        lambda: made(Request, "m", [user("x"), {"role": "user"}]),
        r"messages\[1\]: expected a Message",
    ),
    "a role that is none": (
        lambda: made(Request, "m", [made(Message, "robot", "x")]),
        r"messages\[0\].role",
    ),
    "a content that is no text": (
        lambda: made(Request, "m", [made(Message, "user", {"a": 1})]),
        r"messages\[0\].content: expected a text",
    ),
    "a call id that is a number": (
        lambda: made(Request, "m", [made(Message, "tool", "x", (), 3)]),
        "tool_call_id",
    ),
    "calls that are a list": (
        lambda: made(Request, "m", [made(Message, "assistant", "", [])]),
        "tool_calls: expected a tuple",
    ),
    "a call that is none": (
        lambda: made(
            Request, "m", [made(Message, "assistant", "", (made(ToolCall, "a", 3),))]
        ),
        r"tool_calls\[0\]",
    ),
    "a call that is a dict": (
        lambda: made(Request, "m", [made(Message, "assistant", "", ({},))]),
        r"tool_calls\[0\]",
    ),
    "a block that contains itself": (
        with_blocks({}, endless()),
        r"messages\[0\].blocks\[1\]: JSON can't carry",
    ),
    "a block with an object": (
        with_blocks({"a": object()}),
        r"messages\[0\].blocks\[0\]: JSON can't carry a value of type object",
    ),
    "a block that is a text": (
        with_blocks("thinking"),
        r"messages\[0\].blocks\[0\]: expected a dict",
    ),
    "tools that are a number": (
        lambda: made(Request, "m", [user("x")], 3),
        "tools: expected",
    ),
    "a tool that is a dict": (
        lambda: made(Request, "m", [user("x")], ({},)),
        r"tools\[0\]: expected a ToolDef",
    ),
    "a temperature that is a text": (
        lambda: made(Request, "m", [user("x")], (), "hot"),
        "temperature",
    ),
    "a limit of tokens that is a text": (
        lambda: made(Request, "m", [user("x")], (), 0.2, "many"),
        "max_tokens",
    ),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("swallowed", [False, True])
def test_a_wrong_request_is_told_its_place(what: str, swallowed: bool) -> None:
    """Type and place are named, also where the agent swallows the error."""
    make, words = WRONG[what]

    async def agent(env: Env) -> str:
        try:
            await env.client.complete(make())
        except UsageError:
            if not swallowed:
                raise
        return "never mind"

    with pytest.raises(UsageError, match=words):
        run(STORY, agent)


def test_a_wrong_request_is_told_when_it_is_streamed() -> None:
    """Streaming looks at the request as a plain answer does."""

    async def agent(env: Env) -> str:
        async for _ in env.client.stream(made(Request, "m", [3])):
            pass
        return "done"

    with pytest.raises(UsageError, match=r"messages\[0\]"):
        run(STORY, agent)


@pytest.mark.parametrize("again", [list, tuple], ids=["list", "tuple"])
def test_a_message_that_was_replaced_is_looked_at_again(again: type) -> None:
    """What was seen before is not looked at twice, and what stands in its place is."""

    async def agent(env: Env) -> str:
        messages: list[Any] = [user(env.task)]
        response = await env.client.complete(Request(env.model, again(messages)))
        messages[0] = {"role": "user"}
        messages.append(response.message)
        await env.client.complete(Request(env.model, again(messages)))
        return "done"

    with pytest.raises(UsageError, match=r"messages\[0\]: expected a Message"):
        run(STORY, agent)


@pytest.mark.parametrize("kind", [list, tuple], ids=["list", "tuple"])
def test_tools_are_taken_as_a_list_or_a_tuple(kind: type) -> None:
    """Either is the same set of tools, and keeps the prefix as it is configured."""

    async def agent(env: Env) -> str:
        history = [user(env.task)]
        while True:
            tools = kind(tool.definition for tool in env.tools)
            request = Request(env.model, kind(history), tools)
            message = (await env.client.complete(request)).message
            history.append(message)
            if not message.tool_calls:
                return message.content
            output = await env.tools[0]()
            history.append(tool_result(message.tool_calls[0].id, str(output)))

    found = run(STORY, agent).expect_holds()
    assert all(isinstance(sent.tools, tuple) for sent in found.trace.of(RequestSent))
