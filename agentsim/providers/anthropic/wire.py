"""Requests of Anthropic Messages as the neutral model has them, one client each.

A client sends its whole history with each request. What was sent before is compared,
and only what is new is converted and judged: the neutral messages of a growing history
stay the same objects, as boundary and judges expect.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import (
    History,
    Message,
    MessageView,
    ProviderError,
    Request,
    Response,
)
from agentsim.providers.anthropic.carrying import carried
from agentsim.providers.anthropic.conversation.blocks import unmarked
from agentsim.providers.anthropic.conversation.growth import Growth
from agentsim.providers.anthropic.conversation.reading import read_message, read_system
from agentsim.providers.anthropic.conversation.tools import read_tools
from agentsim.providers.anthropic.conversation.writing import write_history
from agentsim.providers.anthropic.errors import wire_error
from agentsim.providers.anthropic.rulebook.judge import MessagesRules, version_refusal
from agentsim.providers.anthropic.rulebook.profile import (
    MESSAGES_STRICT,
    VERSION,
    MessagesProfile,
)
from agentsim.providers.anthropic.rulebook.table import THREADS, refuse
from agentsim.providers.anthropic.rulebook.thoughts import Thoughts
from agentsim.providers.wires.asked import Asked
from agentsim.providers.wires.bodies import read_object
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["WIRE", "MessagesReader", "read_body"]

WIRE = "anthropic-messages"

FLOAT_MAX = sys.float_info.max

TEMPERATURE = 1.0
"""What the service takes where a request has none."""


_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""How JSON may write half of a character that takes two."""


def read_body(raw: bytes) -> dict[str, Any] | WireRefusal:
    """Read the body of a request.

    Half of a character is no text for this service. Programs send one that cut a text
    by its UTF-16 units, as those in JavaScript do, within an emoji.
    """
    body = read_object(raw)
    words = "The request body is not valid JSON"
    if body is None:
        return refuse("no-json", words)
    if _HALF.search(raw) and not _is_whole(body):
        return refuse("no-json", f"{words}: no low surrogate in string")
    return body


def _is_whole(body: Mapping[str, Any]) -> bool:
    """Whether all texts of a body can be written in UTF-8."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _thread_refusal(body: Mapping[str, Any]) -> WireRefusal | None:
    """The answer to who asks to go on from a stored conversation: there is none here.

    SDKs then send the whole history of themselves, so that no rule is broken by it.
    """
    if body.get("thread") is None:
        return None
    words = (
        "thread: This request can't be served from a stored conversation. Send the full "
        "conversation without `thread`."
    )
    return WireRefusal("", words, code=THREADS)


def _model(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    return model if isinstance(model, str) else ""


def _temperature(value: object) -> float:
    """A temperature as a request has it; what is none is refused, and told there."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return TEMPERATURE
    # Python's own integers may be greater than any number that is reckoned with.
    return value if abs(value) <= FLOAT_MAX else TEMPERATURE


class MessagesReader:
    """Reads the requests of one client, one after the other.

    Args:
        profile: How strict the service is, and what its model takes.
        thoughts: What the service gave out before; None for nothing.
    """

    __slots__ = (
        "_betas",
        "_body",
        "_ends",
        "_growth",
        "_history",
        "_profile",
        "_prompt",
        "_raw_prompt",
        "_raw_tools",
        "_rules",
        "_start",
        "_thoughts",
        "_tools",
    )

    def __init__(
        self,
        profile: MessagesProfile = MESSAGES_STRICT,
        thoughts: Thoughts | None = None,
    ) -> None:
        self._profile = profile
        self._thoughts = Thoughts() if thoughts is None else thoughts
        self._growth = Growth()
        self._history = History()
        self._ends: list[int] = []
        self._start = 0
        self._rules = MessagesRules(profile, VERSION, self._thoughts)
        self._raw_prompt: object = unmarked({"content": None})
        self._prompt: Message | None = None
        self._raw_tools: object = None
        self._tools = read_tools(None)
        self._body: Mapping[str, Any] = {}
        self._betas = ""

    @property
    def wire(self) -> str:
        """The name of the wire."""
        return WIRE

    def read(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        """Read a request, and judge it.

        Args:
            body: Parsed, or the refusal of what could not be.
            headers: Names in lower case; `anthropic-version` says by which rules. None
                where nothing is known of them: the version is 2023-06-01 then.
        """
        return self._read(body, headers, counting=False)

    def count(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        """Read a request to count tokens, which is judged as one for an answer.

        What is read of the client's conversation stays as it is.
        """
        fresh = MessagesReader(self._profile, self._thoughts)
        return fresh._read(body, headers, counting=True)

    def _read(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None,
        *,
        counting: bool,
    ) -> Asked:
        version = VERSION if headers is None else headers.get("anthropic-version")
        if isinstance(body, WireRefusal) or version is None:
            empty = Request("", MessageView([], 0))
            refused = (
                body if isinstance(body, WireRefusal) else version_refusal(version)
            )
            return Asked(empty, refused, self)
        self._body = body
        self._betas = "" if headers is None else headers.get("anthropic-beta", "")
        messages = body.get("messages")
        listed = messages if isinstance(messages, list) else []
        view = self._follow(listed, body.get("system"), version)
        refusal = _thread_refusal(body)
        if refusal is None:
            refusal = self._rules.check(body, view, counting=counting)
        warnings = self._rules.warnings
        return Asked(self._request(body, view), refusal, self, warnings)

    def answered(self, body: Mapping[str, Any]) -> None:
        """Remember the thinking of an answer, and whether the model paused in it."""
        self._thoughts.given(body)

    def carried(self, response: Response) -> Response:
        """What of a response reaches the client."""
        begins = not self._rules.answering
        return carried(response, self._body, begins=begins, betas=self._betas)

    def failed(self, error: ProviderError, request: Request) -> ProviderError:
        """An error of the service in the words of the wire."""
        return wire_error(error, model=request.model)

    def resumes(self, messages: Sequence[Message]) -> WireRefusal | None:
        """Why a history with a new message of the user after it is refused, or None."""
        rules = MessagesRules(self._profile, self._rules.version, self._thoughts)
        told = write_history(messages)
        rules.feed([*told["messages"], {"role": "user", "content": "Go on."}])
        return rules.of_history(told)

    def _follow(self, messages: list[Any], prompt: object, version: str) -> MessageView:
        """Take over what is new of a history; one that was rewritten is read again."""
        before = self._growth.count
        count, moved = self._growth.kept(messages)
        other_prompt = self._take_prompt(prompt)
        rewritten = count < before or other_prompt
        if rewritten:
            self._keep(count)
        taken = [self._rules.remark(index, messages[index]) for index in moved]
        same = version == self._rules.version and all(taken)
        if rewritten or self._rules.malformed or not same:
            self._rules.restart(version)
            self._rules.feed(messages[:count])
        for message in messages[count:]:
            self._append(message)
        self._rules.feed(messages[count:])
        return self._history.view()

    def _take_prompt(self, prompt: object) -> bool:
        """Take over the system prompt; whether it is another one."""
        told = unmarked({"content": prompt})
        if told == self._raw_prompt:
            return False
        self._raw_prompt = told
        was, self._prompt = self._prompt, read_system(prompt)
        return self._prompt != was

    def _keep(self, count: int) -> None:
        """Begin a new history with so many messages of the wire of the old one."""
        ends = self._ends[:count]
        start = self._start
        kept = self._history.view()[start : ends[-1] if ends else start]
        first = [] if self._prompt is None else [self._prompt]
        shift, self._start = len(first) - start, len(first)
        self._ends = [end + shift for end in ends]
        self._history = History([*first, *kept])

    def _append(self, message: object) -> None:
        view = self._history.view()
        after = view[-1].role if view else None
        for piece in read_message(message, after=after):
            self._history.append(piece)
        self._ends.append(len(self._history))

    def _request(self, body: Mapping[str, Any], view: MessageView) -> Request:
        raw = body.get("tools")
        if raw != self._raw_tools:
            self._raw_tools = raw
            self._tools = read_tools(raw)
        limit = body.get("max_tokens")
        return Request(
            _model(body),
            view,
            self._tools,
            _temperature(body.get("temperature")),
            limit if isinstance(limit, int) and not isinstance(limit, bool) else None,
        )
