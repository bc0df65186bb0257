"""Answers out of an old cassette: exchanges and calls of tools, secrets known again.

A recording holds placeholders in place of secrets. The request of today is redacted too
before it is compared, and where it is found, its secrets are called as they are in the
recording from then on: a later request that holds a secret beside the placeholder that an
answer brought means the same as the recorded one.
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
from agentsim.core import CassetteMiss

__all__ = ["Recall"]

_PLACEHOLDER = "__REDACTED_"


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
    def unused_tools(self) -> tuple[RecordedTool, ...]:
        """The calls of tools that nobody made."""
        left = sorted(at for waiting in self._waiting.values() for at in waiting)
        return tuple(self._tools[at] for at in left)

    def exchange(self, request: RecordedRequest, wire: str) -> RecordedExchange:
        """The next exchange that was recorded for such a request.

        Raises:
            CassetteMiss: when there is none.
        """
        text = self._redactor.text
        asked = RecordedRequest(
            request.method, text(request.url), body=text(request.body)
        )
        body = asked_text(asked, wire)
        found = self._matcher.find(body, wire)
        self._learn(body, asked_text(found.request, found.wire), wire)
        return found

    def tool(self, name: str, arguments: str) -> RecordedTool:
        """The next call that was recorded of such a tool with such arguments.

        Raises:
            CassetteMiss: when there is none.
        """
        asked = self._redactor.text(arguments)
        body = _call_text(name, asked)
        waiting = self._waiting.get(self._tool_key(body))
        if not waiting:
            raise CassetteMiss(self._missed(name, asked, used=waiting is not None))
        found = self._tools[waiting.popleft()]
        self._learn(body, _call_text(found.name, found.arguments), "")
        return found

    def _tool_key(self, body: str) -> bytes:
        return self._matcher.reader.read(body, "").digest

    def _learn(self, asked: str, recorded: str, wire: str) -> None:
        """Call the secrets of a request as its recording calls them."""
        if _PLACEHOLDER not in asked or asked == recorded:
            return
        names_of = self._matcher.reader.names
        theirs = names_of(recorded, wire)
        token_of = {name: token for token, name in theirs.items()}
        for token, name in names_of(asked, wire).items():
            if token.startswith(_PLACEHOLDER):
                self._redactor.call_alike(token, token_of.get(name, token))

    def _missed(self, name: str, arguments: str, *, used: bool) -> str:
        call = f"{self._name}: the call {name}({arguments})"
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
        told = "; ".join(f"{one.number}: {one.arguments}" for one in known[:CALLS_MAX])
        more = f" and {len(known) - CALLS_MAX} more" if len(known) > CALLS_MAX else ""
        return (
            f"{call} was never recorded: those of {name} have these arguments: "
            f"{told}{more}; record again if others are wanted"
        )


CALLS_MAX = 4
"""Calls of one tool that a miss shows."""


def _call_text(name: str, arguments: str) -> str:
    """A call as a request is compared: arguments by their meaning, keys in any order."""
    return json.dumps({"messages": [{"name": name, "arguments": arguments}]})
