"""Agents whose parts hand over to one another on one history, as people write them.

In those of `RIGHT` each part keeps its prompt and its tools; those of `WRONG` look much
like them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from agentsim import Scenario, by, call, forever, say, together, tool
from agentsim.core import (
    Env,
    Message,
    Request,
    ToolCall,
    ToolDef,
    ToolFailed,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.providers import Reply
from tests.agents.several import (
    Complete,
    Several,
    on_anthropic,
    on_chat,
    on_the_client,
)

__all__ = ["LISTED", "RIGHT", "WRONG", "Refusing", "as_agent"]

TRIAGE = "You are triage. Look orders up, and hand over."
BILLING = "You are billing. Refund what was paid twice."


# ------------------------------------------------------------------------- what happens


@tool(read_only=True)
def look_up(order: str) -> str:
    """Look up an order."""
    return f"order {order} was paid twice"


@tool(confirm=False)
def refund(order: str) -> str:
    """Refund an order."""
    return f"order {order} is refunded"


@tool(read_only=True)
def transfer_to_billing() -> str:
    """Hand over to billing."""
    return "Billing is there. Do not greet again."


@tool(read_only=True)
def transfer_to_triage() -> str:
    """Hand over to triage."""
    return "Triage is there. Do not greet again."


def _reply(request: Request) -> Reply:
    """What the model says, by the desk that asks, and by what was called already."""
    called = [c.name for message in request.messages for c in message.tool_calls]
    offered = [entry.name for entry in request.tools]
    shared = "connect" in offered
    if "triage" in request.messages[0].content:
        if "look_up" not in called:
            return together(call("look_up", order="17"), call("look_up", order="18"))
        if "refund" in called:
            return say("Order 17 is refunded.")
        return (
            call("connect", desk="billing") if shared else call("transfer_to_billing")
        )
    if called.count("refund") < 2:
        return call("refund", order=str(17 + called.count("refund")))
    if called.count("transfer_to_triage") or (shared and called.count("connect") > 1):
        return say("Order 17 is refunded.")
    return call("connect", desk="triage") if shared else call("transfer_to_triage")


def _story(*transfers: Any) -> Scenario:
    return Scenario(
        name="desks",
        task="Orders 17 and 18 were paid twice.",
        world=[look_up, refund, *transfers],
        script=[forever(by(_reply))],
    )


UNSEEN = _story()
"""The world does not know of handoffs: the tools of an SDK's request are the agent's."""

LISTED = _story(
    tool("transfer_to_billing", returns="by the agent itself"),
    tool("transfer_to_triage", returns="by the agent itself"),
)
"""The world has them, and the agent answers them itself."""

RUN = _story(transfer_to_billing, transfer_to_triage)
"""To hand over is a function of the agent's that runs as any other tool."""

LISTED_SHARED = _story(tool("connect", returns="by the agent itself"))
"""One tool leads to every desk, and all have the same tools."""


# ------------------------------------------------------------------------------ agents


@dataclass
class Part:
    """What a part of the agent has for itself."""

    prompt: str
    tools: tuple[str, ...]
    model: str | None = None


def parts() -> dict[str, Part]:
    """Two desks, each with tools of its own."""
    return {
        "triage": Part(TRIAGE, ("look_up", "transfer_to_billing")),
        "billing": Part(BILLING, ("refund", "transfer_to_triage")),
    }


def with_models() -> dict[str, Part]:
    """Two desks, each with a model of its own."""
    made = parts()
    made["billing"].model = "small"
    return made


def by_tools() -> bool:
    """To hand over is one of the tools that run."""
    return True


def alike() -> dict[str, Part]:
    """Two desks that differ by nothing but the prompt."""
    tools = ("look_up", "refund", "connect")
    return {"triage": Part(TRIAGE, tools), "billing": Part(BILLING, tools)}


OWN = (ToolDef("transfer_to_billing"), ToolDef("transfer_to_triage"))


@dataclass
class Desks:
    """One history, and the part of the agent that has it now."""

    env: Env
    complete: Complete
    parts: dict[str, Part] = field(default_factory=parts)
    runs: bool = False
    messages: list[Message] = field(default_factory=list)
    at: str = "triage"

    def request(self) -> Request:
        """What the model is asked next."""
        part = self.parts[self.at]
        known = {entry.name: entry.definition for entry in self.env.tools}
        known = {entry.name: entry for entry in OWN} | known
        return Request(
            part.model or self.env.model,
            (system(part.prompt), *self.messages),
            tuple(known[name] for name in part.tools),
            self.env.temperature,
        )

    async def work(self) -> str:
        """Ask, run what is called, and let another part go on where one hands over."""
        self.messages.append(user(self.env.task))
        while True:
            message = (await self.complete(self.request())).message
            self.messages.append(message)
            if not message.tool_calls:
                return message.content
            before = self.at
            for asked in message.tool_calls:
                self.keep(asked, await self.answer(asked))
            if self.at != before:
                self.takes_over()

    def keep(self, asked: ToolCall, text: str) -> None:
        """Take in a result."""
        failed = text.startswith("Error")
        self.messages.append(tool_result(asked.id, text, is_error=failed))

    def takes_over(self) -> None:
        """Another part of the agent is there."""

    async def answer(self, asked: ToolCall) -> str:
        """The result of a call, which may let another part take over."""
        to = self.at
        if asked.name.startswith("transfer_to_"):
            to = asked.name.removeprefix("transfer_to_")
        elif asked.name == "connect":
            to = str(parse_arguments(asked.arguments)["desk"])
        output = f"{to} is there. Do not greet again."
        if to == self.at or self.runs:
            found = next(entry for entry in self.env.tools if entry.name == asked.name)
            try:
                output = str(await found.run(parse_arguments(asked.arguments)))
            except ToolFailed as error:
                return f"Error: {error}"
        self.at = to
        return output


def as_agent(kind: type[Desks] = Desks, **more: Any) -> Several:
    """An agent of desks of a kind; what it is given is made anew in each life."""

    async def agent(env: Env, complete: Complete) -> str:
        given = {name: made() for name, made in more.items()}
        return await kind(env, complete, **given).work()

    agent.__name__ = "_".join((kind.__name__, *(m.__name__ for m in more.values())))
    return agent


class Telling(Desks):
    """Each prompt tells the time."""

    def request(self) -> Request:
        """It is never the same twice."""
        made = super().request()
        now = asyncio.get_running_loop().time()
        prompt = system(f"{made.messages[0].content} It is {now:.0f}.")
        return replace(made, messages=(prompt, *made.messages[1:]))


class Turning(Desks):
    """Each request offers the tools in another order."""

    def request(self) -> Request:
        """It turns them round with each response."""
        made = super().request()
        said = sum(message.role == "assistant" for message in self.messages)
        return replace(made, tools=made.tools[:: (1, -1)[said % 2]])


class Losing(Desks):
    """A part no longer offers what ran."""

    def keep(self, asked: ToolCall, text: str) -> None:
        """It is not to run again."""
        super().keep(asked, text)
        part = self.parts[self.at]
        part.tools = tuple(name for name in part.tools if name != asked.name)


class Unasked(Desks):
    """Another part takes over once an order was looked up, and nobody called for it."""

    def keep(self, asked: ToolCall, text: str) -> None:
        """It is as good as paid back."""
        super().keep(asked, text)
        if asked.name == "look_up":
            self.at = "billing"


class Refusing(Desks):
    """The call that hands over is refused, and another part takes over all the same."""

    def keep(self, asked: ToolCall, text: str) -> None:
        """It says no."""
        refused = asked.name.startswith("transfer")
        super().keep(asked, "Error: nobody is there" if refused else text)


class Silent(Desks):
    """The call that hands over gets no result."""

    def takes_over(self) -> None:
        """The history ends with the call."""
        del self.messages[-1]


class Forgetting(Desks):
    """Billing does not get the looks before the call that hands over to it."""

    def takes_over(self) -> None:
        """The task and the call are enough for it."""
        if self.at == "billing":
            del self.messages[1:-2]


EACH = (on_the_client, on_chat, on_anthropic)

RIGHT = (
    (UNSEEN, as_agent(), (on_chat, on_anthropic)),
    (LISTED, as_agent(), EACH),
    (LISTED, as_agent(parts=with_models), EACH),
    (RUN, as_agent(runs=by_tools), EACH),
    (LISTED_SHARED, as_agent(parts=alike), EACH),
)
"""A scenario, an agent, and the wires that it may go by."""

WRONG = (
    (LISTED, as_agent(Telling), "prefix-stable"),
    (LISTED_SHARED, as_agent(Telling, parts=alike), "prefix-stable"),
    (RUN, as_agent(Telling, runs=by_tools), "prefix-stable"),
    (LISTED, as_agent(Turning), "prefix-stable"),
    (RUN, as_agent(Turning, runs=by_tools), "prefix-stable"),
    (LISTED, as_agent(Losing), "prefix-stable"),
    (LISTED, as_agent(Unasked), "prefix-stable"),
    (LISTED, as_agent(Silent), "every-call-answered"),
    (LISTED, as_agent(Forgetting), "history-append-only"),
)
"""A scenario, an agent, and what it violates."""
