"""Agents with routers, examples, copies of the history and writers, as people write them.

In those of `RIGHT` no conversation loses a message; those of `WRONG` look much like them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agentsim import Scenario, by, call, forever, say, together, tool
from agentsim.core import Env, Message, Request, ToolCall, assistant, user
from agentsim.providers import Reply
from tests.agents.several import EXPERT, PROMPT, Complete, Talk, look, note, research

__all__ = ["PARTS", "RIGHT", "WRONG"]

CLASSES = "Answer with one word: what is it about?"
CRITIC = "You are a critic. Answer in one sentence."
EXAMPLES = (
    user("The disk is full."),
    assistant("disk"),
    user("Hi!"),
    assistant("none"),
)


@tool(read_only=True)
def route(to: str) -> str:
    """Say who is to answer."""
    return f"by the agent itself: {to}"


def _reply(request: Request) -> Reply:
    """What the model says, by what it is asked last."""
    body = [message for message in request.messages if message.role != "system"]
    asked = next(m for m in reversed(body) if m.role == "user").content
    offered = [entry.name for entry in request.tools]
    if offered == ["route"]:
        return call("route", to="operator")
    if asked.startswith("Criticise"):
        return say("It goes well so far, go on.")
    if asked.startswith("Write"):
        return say("Dear Ann, the disk of web-03 was full.")
    if request.messages[0].content == CLASSES:
        return say(asked.rpartition(" ")[2].strip("?"))
    at = max(place for place, entry in enumerate(body) if entry.role == "user")
    since = [c.name for entry in body[at:] for c in entry.tool_calls]
    if asked.startswith("How"):
        place = asked.rpartition(" ")[2].strip("?")
        if "look" not in since:
            # Ids of calls are made by their place, which copies have in common.
            return call("look", place=place).but(id=f"look_{place}_{len(body)}")
        return say(f"The {place} of web-03 is nearly full.")
    places = ("disk", "memory")
    plan = [
        together(*(call("research", question=f"How is the {p}?") for p in places)),
        call("look", place="disk"),
        call("note", text="the disk is full"),
        say("The disk was full; I wrote it down."),
    ]
    said = sum(message.role == "assistant" for message in body)
    return plan[min(said, len(plan) - 1)]


PARTS = Scenario(
    name="parts",
    task="Find out why web-03 is slow, and write it down.",
    world=[research, look, note],
    script=[forever(by(_reply))],
)

ROUTED = replace(PARTS, name="routed", world=[research, look, note, route])

OFFERED = ("research", "look", "note")

Ask = Callable[[Talk, Complete, str], Awaitable[str]]
"""Has somebody else answer a question of the operator."""


async def operate(
    env: Env, complete: Complete, ask: Ask, *, at_once: bool = False
) -> tuple[Talk, str]:
    """An operator that has its questions answered, one after the other or at once."""
    talk = Talk(env, complete, PROMPT, tools=OFFERED)

    async def answer(asked: ToolCall) -> str:
        if asked.name != "research":
            return await talk.run(asked)
        return await ask(talk, complete, asked.arguments.split('"')[3])

    message = await talk.ask(env.task)
    while message.tool_calls:
        if at_once and message.tool_calls[0].name == "research":
            outputs = await asyncio.gather(*map(answer, message.tool_calls))
        else:
            outputs = [await answer(asked) for asked in message.tool_calls]
        talk.tell(message, outputs)
        message = await talk.ask()
    return talk, message.content


async def by_an_expert(talk: Talk, complete: Complete, question: str) -> str:
    """An expert with nothing but the question."""
    expert = Talk(talk.env, complete, EXPERT, tools=("look",))
    return await expert.work(question, expert.run)


async def by_examples(talk: Talk, complete: Complete, question: str) -> str:
    """Somebody who is shown by examples what to answer."""
    asked = Talk(talk.env, complete, CLASSES, [*EXAMPLES], tools=())
    return (await asked.ask(question)).content


async def by_examples_alone(talk: Talk, complete: Complete, question: str) -> str:
    """The same without a word before the examples."""
    asked = Talk(talk.env, complete, None, [*EXAMPLES], tools=("look",))
    return await asked.work(question, asked.run)


async def by_a_document(talk: Talk, complete: Complete, question: str) -> str:
    """Somebody who reads the same document for each question."""
    asked = Talk(talk.env, complete, CLASSES, [user("web-03 has two disks.")], tools=())
    return (await asked.ask(question)).content


async def by_a_copy(talk: Talk, complete: Complete, question: str) -> str:
    """The operator itself, with a copy of what was said before it asked."""
    copy = Talk(talk.env, complete, PROMPT, _before(talk), tools=OFFERED)
    return await copy.work(question, copy.run)


async def by_an_informed_expert(talk: Talk, complete: Complete, question: str) -> str:
    """An expert who reads what was said before."""
    copy = Talk(talk.env, complete, EXPERT, _before(talk), tools=("look",))
    return await copy.work(question, copy.run)


def _before(talk: Talk) -> list[Message]:
    """What was said before the calls that are being answered."""
    return talk.messages[:-1]


def asking(ask: Ask, *, at_once: bool = False) -> Callable[..., Awaitable[str]]:
    """An operator whose questions are answered in some way."""

    async def agent(env: Env, complete: Complete) -> str:
        return (await operate(env, complete, ask, at_once=at_once))[1]

    agent.__name__ = ask.__name__ + "_at_once" * at_once
    return agent


async def routed_by_a_call(env: Env, complete: Complete) -> str:
    """A router reads the task first, and answers by a call that nobody answers."""
    router = Talk(env, complete, "Choose who is to answer.", tools=("route",))
    assert (await router.ask(env.task)).tool_calls
    return await asking(by_an_expert)(env, complete)


async def routed_by_itself(env: Env, complete: Complete) -> str:
    """The router has the prompt of the operator."""
    router = Talk(env, complete, PROMPT, tools=("route",))
    assert (await router.ask(env.task)).tool_calls
    return await asking(by_an_expert)(env, complete)


async def criticised(env: Env, complete: Complete) -> str:
    """A critic reads all that was said so far, and nobody hears of that again."""
    talk = Talk(env, complete, PROMPT, tools=OFFERED)
    message = await talk.ask(env.task)
    while message.tool_calls:
        talk.tell(message, [await talk.run(asked) for asked in message.tool_calls])
        critic = Talk(env, complete, CRITIC, [*talk.messages], tools=())
        await critic.ask("Criticise what was done.")
        message = await talk.ask()
    return message.content


async def supervised(env: Env, complete: Complete) -> str:
    """Somebody chooses again and again who goes on, and reads what was found so far."""
    found = [user(env.task)]
    for place in ("disk", "memory"):
        chooser = Talk(env, complete, CLASSES, [*found], tools=())
        await chooser.ask()
        expert = Talk(env, complete, EXPERT, tools=("look",))
        answer = await expert.work(f"How is the {place}?", expert.run)
        found.append(user(answer))
    return await asking(by_an_expert)(env, complete)


async def written_up(env: Env, complete: Complete) -> str:
    """A writer without tools puts the answer in words, and has the last one."""
    _talk, answer = await operate(env, complete, by_an_expert)
    writer = Talk(env, complete, "You write letters.", tools=())
    return (await writer.ask(f"Write a letter: {answer}")).content


async def written_up_in_full(env: Env, complete: Complete) -> str:
    """The writer reads all that was said."""
    talk, _answer = await operate(env, complete, by_an_expert)
    writer = Talk(env, complete, "You write letters.", [*talk.messages], tools=())
    return (await writer.ask("Write a letter.")).content


RIGHT = (
    (PARTS, asking(by_examples)),
    (PARTS, asking(by_examples, at_once=True)),
    (PARTS, asking(by_examples_alone)),
    (PARTS, asking(by_a_document)),
    (PARTS, asking(by_a_document, at_once=True)),
    (PARTS, asking(by_a_copy)),
    (PARTS, asking(by_a_copy, at_once=True)),
    (PARTS, asking(by_an_informed_expert)),
    (PARTS, asking(by_an_informed_expert, at_once=True)),
    (ROUTED, routed_by_a_call),
    (ROUTED, routed_by_itself),
    (PARTS, criticised),
    (PARTS, supervised),
    (PARTS, written_up),
    (PARTS, written_up_in_full),
    (replace(PARTS, prompt=PROMPT), written_up),
)


async def tried_again(env: Env, complete: Complete) -> str:
    """A response with calls is dropped, and the model is asked in other words."""
    talk = Talk(env, complete, PROMPT, tools=OFFERED)
    await talk.ask(env.task)
    del talk.messages[-1]
    return await talk.work("Try something else.", talk.run)


async def begun_again(env: Env, complete: Complete) -> str:
    """The task begins anew in the middle."""
    talk = Talk(env, complete, PROMPT, tools=OFFERED)
    message = await talk.ask(env.task)
    talk.tell(message, [await talk.run(asked) for asked in message.tool_calls])
    await talk.ask()
    talk.messages = []
    return await talk.work(env.task, talk.run)


async def forgetful_copy(env: Env, complete: Complete) -> str:
    """A copy loses a result on the way."""

    async def ask(talk: Talk, complete: Complete, question: str) -> str:
        copy = Talk(talk.env, complete, EXPERT, _before(talk), tools=("look",))
        await copy.work(question, copy.run)
        del copy.messages[-3:-1]
        return await copy.work("How is the network?", copy.run)

    return (await operate(env, complete, ask))[1]


async def other_examples(env: Env, complete: Complete) -> str:
    """One who is shown examples loses the first of them on the way."""

    async def ask(talk: Talk, complete: Complete, question: str) -> str:
        asked = Talk(talk.env, complete, CLASSES, [*EXAMPLES], tools=("look",))
        await asked.work(question, asked.run)
        del asked.messages[:2]
        return await asked.work("And how is the network?", asked.run)

    return (await operate(env, complete, ask))[1]


async def unlike_the_writer(env: Env, complete: Complete) -> str:
    """The main conversation goes on under the prompt of a writer."""
    talk = Talk(env, complete, PROMPT, tools=OFFERED)
    message = await talk.ask(env.task)
    talk.tell(message, [await talk.run(asked) for asked in message.tool_calls])
    talk.prompt = "You write letters."
    return (await talk.ask("Write a letter.")).content


WRONG = (
    (tried_again, "response-kept-whole"),
    (begun_again, "every-call-answered"),
    (forgetful_copy, "history-append-only"),
    (other_examples, "history-append-only"),
    (unlike_the_writer, "prefix-stable"),
)
