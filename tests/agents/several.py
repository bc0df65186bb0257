"""Agents that hold several conversations in one life, as people write them.

In those of `RIGHT` no conversation loses a message; those of `WRONG` look much like them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentsim import Scenario, by, call, forever, say, together, tool
from agentsim.core import (
    Env,
    Message,
    Request,
    Response,
    ToolCall,
    ToolDef,
    ToolFailed,
    assistant,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.providers import Reply

__all__ = [
    "RIGHT",
    "STORY",
    "WRONG",
    "Several",
    "on_anthropic",
    "on_chat",
    "on_the_client",
]

PROMPT = "You are the operator of these machines."
EXPERT = "You are an expert. Look, and answer in one sentence."

TASK = "Find out why web-03 is slow, and write it down."

Complete = Callable[[Request], Awaitable[Response]]

Several = Callable[[Env, Complete], Awaitable[str]]
"""An agent that asks the model by a function."""


# ------------------------------------------------------------------------- what happens


@tool(read_only=True)
def research(question: str) -> str:
    """Ask an expert."""
    return f"nobody knows {question}"


@tool(read_only=True)
def look(place: str) -> str:
    """Look at a place of the machine."""
    return f"{place} is at 97 percent"


@tool(confirm=False)
def note(text: str) -> str:
    """Write something down."""
    return f"written down: {text}"


PLACES = ("disk", "memory", "network")


def _reply(request: Request) -> Reply:
    """What the model says, by who asks, and how often it has answered already."""
    prompt = request.messages[0].content if request.messages[0].role == "system" else ""
    said = [message for message in request.messages if message.role == "assistant"]
    asked = [m.content for m in request.messages if m.role == "user"]
    if prompt.startswith("Choose"):
        return say("operator")
    if asked[0].startswith("Summarize"):
        return say("The disk of web-03 is full.")
    if prompt == EXPERT:
        place = asked[-1].rpartition(" ")[2].strip("?")
        if request.messages[-1].role == "user":
            return call("look", place=place)
        return say(f"The {place} of web-03 is nearly full.")
    plan = [
        together(*(call("research", question=f"How is the {p}?") for p in PLACES[:2])),
        call("research", question="How is the disk?"),
        call("look", place="disk"),
        call("note", text="the disk is full"),
        say("The disk was full; I wrote it down."),
    ]
    return plan[min(len(said), len(plan) - 1)]


STORY = Scenario(
    name="several-conversations",
    task=TASK,
    world=[research, look, note],
    script=[forever(by(_reply))],
)


# ------------------------------------------------------------------------------ agents


@dataclass
class Talk:
    """One conversation: its messages, and the tools that it offers."""

    env: Env
    complete: Complete
    prompt: str | None
    messages: list[Message] = field(default_factory=list)
    tools: Sequence[str] = ("research", "look", "note")

    async def ask(self, text: str | None = None) -> Message:
        """Add a message of the user, if there is one, and ask the model."""
        if text is not None:
            self.messages.append(user(text))
        start = [system(self.prompt)] if self.prompt is not None else []
        offered = tuple(t.definition for t in self.env.tools if t.name in self.tools)
        request = Request(
            self.env.model,
            (*start, *self.messages),
            offered,
            self.env.temperature,
        )
        response = await self.complete(request)
        self.messages.append(response.message)
        return response.message

    async def work(self, text: str, run: Callable[[ToolCall], Awaitable[str]]) -> str:
        """Ask, and run what the model calls, until it has an answer."""
        message = await self.ask(text)
        while message.tool_calls:
            outputs = [await run(call) for call in message.tool_calls]
            self.tell(message, outputs)
            message = await self.ask()
        return message.content

    def tell(self, message: Message, outputs: Sequence[str]) -> None:
        """Add the results of the calls of a message."""
        for asked, output in zip(message.tool_calls, outputs, strict=True):
            failed = output.startswith("Error")
            self.messages.append(tool_result(asked.id, output, is_error=failed))

    async def run(self, asked: ToolCall) -> str:
        """Run a tool of the world."""
        found = next(entry for entry in self.env.tools if entry.name == asked.name)
        try:
            return str(await found.run(parse_arguments(asked.arguments)))
        except ToolFailed as error:
            return f"Error: {error}"


class Team:
    """An operator, and experts that it asks by its tool `research`."""

    def __init__(self, env: Env, complete: Complete) -> None:
        self.env = env
        self.complete = complete
        self.operator = Talk(env, complete, PROMPT)
        self.experts: list[Talk] = []

    def expert(self) -> Talk:
        """A new conversation with an expert."""
        return Talk(self.env, self.complete, EXPERT, tools=("look",))

    async def run(self, asked: ToolCall) -> str:
        """Run a call of the operator: an expert for some, a tool for others."""
        if asked.name != "research":
            return await self.operator.run(asked)
        talk = self.expert()
        return await talk.work(_question(asked), talk.run)


def _question(asked: ToolCall) -> str:
    return str(parse_arguments(asked.arguments)["question"])


async def expert_as_tool(env: Env, complete: Complete) -> str:
    """Experts answer calls one after the other, each in a conversation of its own."""
    team = Team(env, complete)
    return await team.operator.work(env.task, team.run)


async def experts_at_once(env: Env, complete: Complete) -> str:
    """Experts answer the calls of one response at the same time."""
    team = Team(env, complete)
    message = await team.operator.ask(env.task)
    while message.tool_calls:
        outputs = await asyncio.gather(*(team.run(c) for c in message.tool_calls))
        team.operator.tell(message, outputs)
        message = await team.operator.ask()
    return message.content


async def one_expert(env: Env, complete: Complete) -> str:
    """One expert remembers what it was asked before."""
    team = Team(env, complete)
    talk = team.expert()

    async def run(asked: ToolCall) -> str:
        if asked.name != "research":
            return await team.operator.run(asked)
        return await talk.work(_question(asked), talk.run)

    return await team.operator.work(env.task, run)


async def summarized(env: Env, complete: Complete) -> str:
    """Each result is told to a summarizer, with all that was said as a text."""
    team = Team(env, complete)

    async def run(asked: ToolCall) -> str:
        output = await team.operator.run(asked)
        said = "\n".join(message.content for message in team.operator.messages)
        asking = Talk(env, complete, None, tools=())
        summary = await asking.ask(f"Summarize this:\n{said}\n{output}")
        assert summary.content
        return output

    return await team.operator.work(env.task, run)


async def routed(env: Env, complete: Complete) -> str:
    """A router with a short prompt reads the same task first."""
    router = Talk(env, complete, "Choose: operator or clerk?", tools=())
    chosen = await router.ask(env.task)
    assert chosen.content == "operator"
    return await expert_as_tool(env, complete)


async def guarded(env: Env, complete: Complete) -> str:
    """A guard reads the task while the operator is asked for the first time."""
    guard = Talk(env, complete, "Choose: fine or not?", tools=())
    _fine, done = await asyncio.gather(
        guard.ask(env.task), expert_as_tool(env, complete)
    )
    return done


async def workers(env: Env, complete: Complete) -> str:
    """Equal workers with the same prompt and tools look at their own places at once."""

    async def work(place: str) -> str:
        talk = Talk(env, complete, EXPERT)
        return await talk.work(f"Look at the {place}", talk.run)

    found = await asyncio.gather(*map(work, PLACES))
    return " ".join(found)


async def asked_twice(env: Env, complete: Complete) -> str:
    """Two experts get the same question at once."""
    team = Team(env, complete)
    talks = [team.expert(), team.expert()]
    await asyncio.gather(*(t.work("How is the disk?", t.run) for t in talks))
    return await team.operator.work(env.task, team.run)


async def given_up(env: Env, complete: Complete) -> str:
    """An expert that takes long is given up in the middle, and a fresh one is asked."""
    team = Team(env, complete)

    async def run(asked: ToolCall) -> str:
        if asked.name != "research":
            return await team.operator.run(asked)
        try:
            async with asyncio.timeout(1.5):
                return await team.run(asked)
        except TimeoutError:
            return "Error: the expert takes too long"

    return await team.operator.work(env.task, run)


RIGHT = (
    expert_as_tool,
    experts_at_once,
    one_expert,
    summarized,
    routed,
    guarded,
    workers,
    asked_twice,
    given_up,
)


async def compacted(env: Env, complete: Complete) -> str:
    """The history is replaced by a text that tells of it, and nobody is told."""
    talk = Talk(env, complete, PROMPT)
    message = await talk.ask(env.task)
    talk.tell(message, [await talk.run(asked) for asked in message.tool_calls])
    said = "\n".join(entry.content for entry in talk.messages)
    summarizer = Talk(env, complete, None, tools=())
    summary = await summarizer.ask(f"Summarize this:\n{said}")
    talk.messages = []
    return await talk.work(f"So far: {summary.content}", talk.run)


async def forgetful_expert(env: Env, complete: Complete) -> str:
    """The one expert forgets the middle of what it was asked before."""
    team = Team(env, complete)
    talk = team.expert()

    async def run(asked: ToolCall) -> str:
        if asked.name != "research":
            return await team.operator.run(asked)
        del talk.messages[1:4]
        return await talk.work(_question(asked), talk.run)

    return await team.operator.work(env.task, run)


async def handed_over(env: Env, complete: Complete) -> str:
    """The same history goes on under another prompt."""
    talk = Talk(env, complete, PROMPT)
    message = await talk.ask(env.task)
    talk.tell(message, [await talk.run(asked) for asked in message.tool_calls])
    talk.prompt = "You are the clerk of these machines."
    return await talk.work("Go on.", talk.run)


WRONG = (
    (compacted, "history-append-only"),
    (forgetful_expert, "history-append-only"),
    (handed_over, "prefix-stable"),
)


# ------------------------------------------------------------------------------- wires


def on_the_client(agent: Several) -> Callable[[Env], Awaitable[str]]:
    """An agent on the client of neutral messages."""

    async def asking(env: Env) -> str:
        return await agent(env, env.client.complete)

    return asking


def on_chat(agent: Several) -> Callable[[Env], Awaitable[str]]:
    """An agent on the SDK of OpenAI, by Chat Completions."""

    async def asking(env: Env) -> str:
        async with env.openai() as client:

            async def complete(request: Request) -> Response:
                made: Any = {"tools": _tools(request)} if request.tools else {}
                reply = await client.chat.completions.create(
                    model=request.model,
                    messages=[_chat(message) for message in request.messages],  # type: ignore[misc]
                    temperature=request.temperature,
                    **made,
                )
                message = reply.choices[0].message
                asked = [
                    ToolCall(c.id, c.function.name, c.function.arguments)  # type: ignore[union-attr]
                    for c in message.tool_calls or ()
                ]
                return Response(assistant(message.content or "", *asked))

            return await agent(env, complete)

    return asking


def on_anthropic(agent: Several) -> Callable[[Env], Awaitable[str]]:
    """An agent on the SDK of Anthropic."""

    async def asking(env: Env) -> str:
        async with env.anthropic() as client:

            async def complete(request: Request) -> Response:
                made: Any = {"tools": [_offered(t) for t in request.tools]}
                if request.messages[0].role == "system":
                    made["system"] = request.messages[0].content
                reply = await client.messages.create(
                    model=request.model,
                    max_tokens=1_000,
                    messages=_blocks(request.messages),
                    **made,
                )
                text = "".join(b.text for b in reply.content if b.type == "text")
                asked = [
                    ToolCall(b.id, b.name, json.dumps(b.input))
                    for b in reply.content
                    if b.type == "tool_use"
                ]
                return Response(assistant(text, *asked))

            return await agent(env, complete)

    return asking


def _offered(offered: ToolDef) -> dict[str, Any]:
    return {
        "name": offered.name,
        "description": offered.description,
        "input_schema": {
            "type": "object",
            **json.loads(json.dumps(offered.parameters)),
        },
    }


def _blocks(messages: Sequence[Message]) -> Any:  # noqa: ANN401 - of the SDK
    """Messages as this wire has them: results stand together, in one of the user."""
    found: list[dict[str, Any]] = []
    last = ""
    for message in messages:
        if message.role == "tool":
            block = {"type": "tool_result", "tool_use_id": message.tool_call_id}
            told = {"content": message.content, "is_error": message.is_error}
            if last != "tool":
                found.append({"role": "user", "content": []})
            found[-1]["content"].append(block | told)
        elif message.role != "system":
            text = {"type": "text", "text": message.content}
            calls = [
                {
                    "type": "tool_use",
                    "id": call.id,
                    "name": call.name,
                    "input": json.loads(call.arguments),
                }
                for call in message.tool_calls
            ]
            content = [text, *calls] if message.content else calls
            found.append({"role": message.role, "content": content})
        last = message.role
    return found


def _tools(request: Request) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": offered.name,
                "description": offered.description,
                "parameters": json.loads(json.dumps(offered.parameters)),
            },
        }
        for offered in request.tools
    ]


def _chat(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        made["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": asked.id,
                "type": "function",
                "function": {"name": asked.name, "arguments": asked.arguments},
            }
            for asked in message.tool_calls
        ]
    return made
