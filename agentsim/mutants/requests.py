"""Mutants that send the wrong request: another past, another prompt, other tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentsim.core import Env, Message, RunResult, ToolDef, system, user
from agentsim.mutants.loop import Loop

__all__ = [
    "injected_lost",
    "injected_twice",
    "old_messages_dropped",
    "old_results_shortened",
    "prompt_never_sent",
    "prompt_tells_iteration",
    "tools_narrowed",
]


class OldMessagesDropped(Loop):
    def messages(self) -> Sequence[Message]:
        view = self.history.view()
        begin = len(view)
        asked = 0
        while asked < 2 and begin > 2:
            begin -= 1
            asked += bool(view[begin].tool_calls)
        return [*view[:2], *view[max(begin, 2) :]]


async def old_messages_dropped(env: Env) -> RunResult:
    """Only the task and the last two exchanges are sent; older ones are dropped."""
    return await OldMessagesDropped(env).run()


class OldResultsShortened(Loop):
    def messages(self) -> Sequence[Message]:
        view = self.history.view()
        asked = [position for position, entry in enumerate(view) if entry.tool_calls]
        return [
            replace(entry, content="(old result removed)")
            if entry.role == "tool" and position < asked[-1]
            else entry
            for position, entry in enumerate(view)
        ]


async def old_results_shortened(env: Env) -> RunResult:
    """Results of earlier responses are sent again as a short notice."""
    return await OldResultsShortened(env).run()


class PromptNeverSent(Loop):
    def prompt(self) -> str:
        return ""


async def prompt_never_sent(env: Env) -> RunResult:
    """The system prompt is configured and never sent."""
    return await PromptNeverSent(env).run()


class PromptTellsIteration(Loop):
    def messages(self) -> Sequence[Message]:
        prompt = f"{self.prompt()}\nThis is iteration {self.iterations + 1}."
        return [system(prompt), *self.history.view()[1:]]


async def prompt_tells_iteration(env: Env) -> RunResult:
    """The system prompt tells the number of the iteration, so it always changes."""
    return await PromptTellsIteration(env).run()


class ToolsNarrowed(Loop):
    def definitions(self) -> tuple[ToolDef, ...]:
        offered = super().definitions()
        return tuple(d for d in offered if not self.used or d.name in self.used)


async def tools_narrowed(env: Env) -> RunResult:
    """After the first response only tools that were used already are offered."""
    return await ToolsNarrowed(env).run()


class InjectedLost(Loop):
    def take_injected(self) -> None:
        self.env.inject()


async def injected_lost(env: Env) -> RunResult:
    """A message of the user is taken from its queue, and never reaches the history."""
    return await InjectedLost(env).run()


class InjectedTwice(Loop):
    def take_injected(self) -> None:
        if not self.paused:
            for message in self.env.inject():
                self.append(user(message.text))
                self.append(user(message.text))


async def injected_twice(env: Env) -> RunResult:
    """A message of the user is appended where it arrives, and again before a request."""
    return await InjectedTwice(env).run()
