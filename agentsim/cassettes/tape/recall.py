"""Answers out of an old cassette: exchanges and calls of tools, secrets known again.

A recording holds placeholders in place of secrets. The request of today is redacted too
before it is compared, and where it is found, its secrets are called as they are in the
recording from then on.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence

from agentsim.cassettes.matching import Matcher, asked_text
from agentsim.cassettes.records import (
    Cassette,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.redaction import Redactor
from agentsim.cassettes.tape.placeholders import Placeholders
from agentsim.core import CassetteMiss, Change

__all__ = ["Recall"]


class Recall:
    """The answering side of a tape; each recording is used once.

    Args:
        redactor: Knows the placeholders of the cassette.
        volatile: Regular expressions for what may differ beside ids, uuids and times.
    """

    def __init__(
        self, cassette: Cassette, redactor: Redactor, volatile: Sequence[str]
    ) -> None:
        self._name = cassette.name
        self._redactor = redactor
        self._matcher = Matcher(cassette.exchanges, cassette.name, volatile=volatile)
        self._placeholders = Placeholders(redactor, self._matcher.reader)
        self._tools = cassette.tools
        self._waiting: dict[bytes, deque[int]] = {}
        for at, tool in enumerate(self._tools):
            key = self._tool_key(_call_text(tool.name, tool.arguments))
            self._waiting.setdefault(key, deque()).append(at)

    @property
    def unused(self) -> tuple[RecordedExchange, ...]:
        """The exchanges that nobody asked for."""
        return self._matcher.unused

    @property
    def settings(self) -> tuple[Change, ...]:
        """Of answers that were recorded with other settings, what was other."""
        return tuple(self._matcher.notes.values())

    @property
    def unused_tools(self) -> tuple[RecordedTool, ...]:
        """The calls of tools that nobody made."""
        left = sorted(at for waiting in self._waiting.values() for at in waiting)
        return tuple(self._tools[at] for at in left)

    def exchange(self, request: RecordedRequest, wire: str) -> RecordedExchange:
        """The next exchange that was recorded for such a request.

        Raises:
            CassetteMiss: when there is none.
        """
        body = self._asked(request, wire)
        try:
            found = self._matcher.find(body, wire)
        except CassetteMiss:
            waiting = (asked_text(o.request, o.wire) for o in self._matcher.unused)
            if not self._placeholders.learn_from(waiting, body):
                raise
            body = self._asked(request, wire)
            found = self._matcher.find(body, wire, again=True)
        self._placeholders.learn(body, asked_text(found.request, found.wire))
        return found

    def _asked(self, request: RecordedRequest, wire: str) -> str:
        """What a request is matched by, its secrets replaced."""
        url, body = map(self._redactor.text, (request.url, request.body))
        return asked_text(RecordedRequest(request.method, url, body=body), wire)

    def tool(self, name: str, arguments: str) -> RecordedTool:
        """The next call that was recorded of such a tool with such arguments.

        Raises:
            CassetteMiss: when there is none.
        """
        body = _call_text(name, self._redactor.text(arguments))
        if not self._waiting.get(self._tool_key(body)):
            known = (_call_text(one.name, one.arguments) for one in self.unused_tools)
            if self._placeholders.learn_from(known, body):
                body = _call_text(name, self._redactor.text(arguments))
        waiting = self._waiting.get(self._tool_key(body))
        if not waiting:
            redacted = self._redactor.text(arguments)
            raise CassetteMiss(self._missed(name, redacted, used=waiting is not None))
        found = self._tools[waiting.popleft()]
        self._placeholders.learn(body, _call_text(found.name, found.arguments))
        return found

    def _tool_key(self, body: str) -> bytes:
        return self._matcher.reader.read(body, "").digest

    def _missed(self, name: str, arguments: str, *, used: bool) -> str:
        call = f"{self._name}: the call {name}({_shown(arguments)})"
        known = [tool for tool in self._tools if tool.name == name]
        if used:
            return (
                f"{call} was made more often than it was recorded: let the agent make it "
                "no more often, or record again"
            )
        if not self._tools:
            return f"{call}: no call of a tool was recorded: record the tools too"
        if not known:
            listed = ", ".join(sorted({tool.name for tool in self._tools}))
            return (
                f"{call}: no call of {name} was recorded, but of {listed}: record again"
            )
        told = "; ".join(
            f"{one.number}: {_shown(one.arguments)}" for one in known[:CALLS_MAX]
        )
        more = f" and {len(known) - CALLS_MAX} more" if len(known) > CALLS_MAX else ""
        return (
            f"{call} was never recorded: those of {name} have these arguments: "
            f"{told}{more}; record again if others are wanted"
        )


CALLS_MAX = 4
"""Calls of one tool that a miss shows."""

CHARACTERS_MAX = 200
"""Characters of arguments that a miss shows."""


def _shown(arguments: str) -> str:
    more = len(arguments) - CHARACTERS_MAX
    cut = f"{arguments[:CHARACTERS_MAX]}... ({more} characters more)"
    return cut if more > 0 else arguments


def _call_text(name: str, arguments: str) -> str:
    """A call as a request is compared: arguments by their meaning, keys in any order."""
    return json.dumps({"messages": [{"name": name, "arguments": arguments}]})
