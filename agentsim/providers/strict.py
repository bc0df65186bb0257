"""Refuses what a real service would refuse, in the neutral form (spec T3.2).

The rules are those on which the services agree; what one wire adds is its dialect's.
A growing history is read once: a cursor keeps the verdict on what was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from agentsim.core import (
    RULES,
    Breach,
    HistoryRules,
    Message,
    MessageView,
    ProviderError,
    Request,
    Rule,
    ToolDef,
)
from agentsim.providers.cursor import Cursor, as_view
from agentsim.providers.words import quoted

__all__ = ["STRICT_RULES", "Refusal", "RequestRule", "StrictRules"]

RequestRule = Literal[
    "no-messages",
    "first-user",
    "empty-assistant",
    "tool-name",
    "duplicate-tool",
    "tool-parameters",
    "temperature",
    "max-tokens",
]

NOT_ENFORCED: tuple[Rule, ...] = ("order",)
"""Rules of a history that judge runtimes only: services accept results in any order."""

STRICT_RULES: dict[Rule | RequestRule, str] = {
    **{rule: words for rule, words in RULES.items() if rule not in NOT_ENFORCED},
    "no-messages": "a request has messages",
    "first-user": "the conversation begins with a message of the user",
    "empty-assistant": "a message of the model has text, calls or blocks",
    "tool-name": "tool names are 1 to 64 letters, digits, underscores and dashes",
    "duplicate-tool": "the names of tools are unique",
    "tool-parameters": "the parameters of a tool are a schema of type object",
    "temperature": "the temperature is between 0 and 2",
    "max-tokens": "max_tokens is above zero",
}
"""Every rule that is enforced, with its sentence."""

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused.

    Attributes:
        param: Where in the request the fault is, such as `messages[3]`.
    """

    rule: Rule | RequestRule
    words: str
    param: str

    def error(self) -> ProviderError:
        """The answer of the service: status 400."""
        return ProviderError(
            f"{self.param}: {self.words}",
            status=400,
            kind="invalid_request_error",
            param=self.param,
        )


class StrictRules:
    """Judges the requests of one conversation after another."""

    __slots__ = ("_begun", "_cursor", "_found", "_history", "_tools", "_tools_found")

    def __init__(self) -> None:
        self._cursor = Cursor()
        self._tools: tuple[ToolDef, ...] = ()
        self._tools_found: Refusal | None = None
        self._restart()

    def check(self, request: Request) -> Refusal | None:
        """The first rule that a request breaks, or None."""
        return (
            self._check_history(as_view(request.messages))
            or self._check_tools(tuple(request.tools))
            or _check_parameters(request)
        )

    def resumes(self, messages: Sequence[Message]) -> Refusal | None:
        """Why a history is refused when a new message of the user follows it, or None.

        What was read before is not read again.
        """
        self._read_on(as_view(messages))
        return self._found or self._left_open()

    def enforce(self, request: Request) -> None:
        """Raise the service's error for a request that breaks a rule.

        Raises:
            ProviderError: of status 400 and kind `invalid_request_error`.
        """
        refusal = self.check(request)
        if refusal is not None:
            raise refusal.error()

    def _restart(self) -> None:
        self._history = HistoryRules()
        self._begun = False
        self._found: Refusal | None = None

    def _read_on(self, view: MessageView) -> None:
        """Read what is new of a history."""
        start = self._cursor.advance(view)
        if start == 0:
            self._restart()
        if self._found is None:
            self._found = self._read(start, view.since(start))

    def _check_history(self, view: MessageView) -> Refusal | None:
        self._read_on(view)
        if self._found is not None:
            return self._found
        if not self._begun:
            words = "expected at least one message of the user"
            return Refusal("first-user" if view else "no-messages", words, "messages")
        return self._left_open()

    def _left_open(self) -> Refusal | None:
        """What is wrong with ending a history here, if anything is."""
        if not self._history.has_open_calls:
            return None
        return _of_breach(self._history.close()[0])

    def _read(self, start: int, messages: Sequence[Message]) -> Refusal | None:
        """Read what is new; a verdict on it stands for every longer history."""
        feed = self._history.feed
        for position, message in enumerate(messages, start):
            breaches = feed(message)
            if breaches or message.role == "assistant" or not self._begun:
                found = self._judge(position, message, breaches)
                if found is not None:
                    return found
        return None

    def _judge(
        self, position: int, message: Message, breaches: Sequence[Breach]
    ) -> Refusal | None:
        for breach in breaches:
            if breach.rule not in NOT_ENFORCED:
                return _of_breach(breach)
        if not self._begun and message.role != "system":
            self._begun = True
            if message.role != "user":
                words = f"expected a message of the user first, got {message.role}"
                return Refusal("first-user", words, f"messages[{position}]")
        if message.role == "assistant" and not (
            message.tool_calls or message.blocks or message.content.strip()
        ):
            words = "the message of the model is empty"
            return Refusal("empty-assistant", words, f"messages[{position}]")
        return None

    def _check_tools(self, tools: tuple[ToolDef, ...]) -> Refusal | None:
        if tools is not self._tools:
            self._tools_found = next(_faults_of_tools(tools), None)
            self._tools = tools
        return self._tools_found


def _of_breach(breach: Breach) -> Refusal:
    return Refusal(breach.rule, breach.words, f"messages[{breach.position}]")


def _faults_of_tools(tools: tuple[ToolDef, ...]) -> Iterator[Refusal]:
    seen: dict[str, int] = {}
    for position, tool in enumerate(tools):
        where = f"tools[{position}]"
        if not _TOOL_NAME.fullmatch(tool.name):
            words = (
                f"{quoted(tool.name)} does not match ^[a-zA-Z0-9_-]{{1,64}}$, "
                "the pattern of tool names"
            )
            yield Refusal("tool-name", words, f"{where}.name")
        if tool.name in seen:
            words = f"the name {tool.name} is that of tools[{seen[tool.name]}] too"
            yield Refusal("duplicate-tool", words, f"{where}.name")
        seen[tool.name] = position
        if tool.parameters.get("type") != "object":
            words = f"the parameters of {tool.name} are no schema of type object"
            yield Refusal("tool-parameters", words, f"{where}.parameters")


def _check_parameters(request: Request) -> Refusal | None:
    if not 0 <= request.temperature <= 2:
        words = f"expected 0 to 2, got {request.temperature!r}"
        return Refusal("temperature", words, "temperature")
    if request.max_tokens is not None and request.max_tokens < 1:
        words = f"expected 1 or more, got {request.max_tokens!r}"
        return Refusal("max-tokens", words, "max_tokens")
    return None
