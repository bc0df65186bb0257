"""Requests of Responses as the neutral model has them, those of one client.

A client sends its whole history with each request, or names the response that it goes
on from: then the service knows what was said before. Either way only what is new is
converted and judged, and the neutral messages of a growing history stay the same
objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import (
    Message,
    MessageView,
    ProviderError,
    Request,
    Response,
    tokens_of,
)
from agentsim.providers.openai.errors import wire_error
from agentsim.providers.openai.numbers import temperature_of, whole
from agentsim.providers.openai_responses.carried import carried_for
from agentsim.providers.openai_responses.folding import Folding
from agentsim.providers.openai_responses.items import type_of
from agentsim.providers.openai_responses.messages import write_items
from agentsim.providers.openai_responses.rulebook.fields import counted_faults
from agentsim.providers.openai_responses.rulebook.judge import ResponsesRules
from agentsim.providers.openai_responses.rulebook.models import CONTEXT_WORDS
from agentsim.providers.openai_responses.rulebook.profile import (
    STRICT_RESPONSES,
    ResponsesProfile,
)
from agentsim.providers.openai_responses.rulebook.table import refuse
from agentsim.providers.openai_responses.stored import (
    Items,
    Stored,
    conversation_of,
)
from agentsim.providers.openai_responses.tools import read_tools
from agentsim.providers.wires.asked import Asked
from agentsim.providers.wires.growing import Growing
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["WIRE", "ResponsesReader"]

WIRE = "openai-responses"

_OWN_WORDS = {"context_length_exceeded": CONTEXT_WORDS}


class ResponsesReader:
    """Reads the requests of one client, one after the other.

    Args:
        profile: How strict the service is, and what its model takes.
        stored: What the service keeps, where several clients share one.
    """

    __slots__ = (
        "_elsewhere",
        "_folding",
        "_items",
        "_last",
        "_offset",
        "_profile",
        "_raw_tools",
        "_rules",
        "_seen",
        "_tools",
        "_unresolved",
        "stored",
    )

    def __init__(
        self, profile: ResponsesProfile = STRICT_RESPONSES, stored: Stored | None = None
    ) -> None:
        self.stored = Stored() if stored is None else stored
        self._profile = profile
        self._seen = Growing()
        self._folding = Folding(self.stored)
        self._rules = ResponsesRules(profile, self.stored)
        self._elsewhere = False
        self._offset = 0
        self._raw_tools: object = None
        self._tools = read_tools(None)
        self._items = Items()
        self._unresolved: int | None = None
        self._last = _Turn(self, {}, self._items, 0)

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
            headers: No rule of this wire hangs on them.
        """
        del headers
        if isinstance(body, WireRefusal):
            return Asked(Request("", MessageView([], 0)), body, self)
        held, missing = self._held(body)
        sent = [*held, *input_items(body.get("input"))]
        view = self._follow(sent, len(held), body)
        refusal = self._rules.check(body, view, held=missing)
        self._last = turn = _Turn(self, body, self._items, len(sent))
        return Asked(self._request(body, view), refusal, turn)

    def count(self, body: Mapping[str, Any]) -> int | WireRefusal:
        """Tokens of an input, or what is wrong with its form; nothing is remembered."""
        unknown = next(counted_faults(body), None)
        if unknown is not None:
            return unknown
        fields = {key: value for key, value in body.items() if key != "personality"}
        fields["model"] = body.get("model") or "any"
        reader = ResponsesReader(self._profile, self.stored)
        view = reader.read(fields).request.messages
        refusal = reader._rules.of_form(fields)
        if refusal is None:
            _held, refusal = self._held(body)
        return refusal or tokens_of(sum(message.characters for message in view))

    def answered(self, body: Mapping[str, Any]) -> None:
        """Keep what answers the last request: later ones may go on from it.

        Where requests overlap, the reader that came with each one keeps its own answer.
        """
        self._last.answered(body)

    def carried(self, response: Response) -> Response:
        """What of a response reaches who sent the last request."""
        return self._last.carried(response)

    def failed(self, error: ProviderError, request: Request) -> ProviderError:
        """An error of the service in the words of the wire."""
        told = wire_error(error, model=request.model, own_words=_OWN_WORDS)
        if told.code != "context_length_exceeded" or told.param is not None:
            return told
        return ProviderError(
            str(told), status=told.status, kind=told.kind, param="input", code=told.code
        )

    def resumes(self, messages: Sequence[Message]) -> WireRefusal | None:
        """Why a history with a new message of the user after it is refused, or None."""
        rules = ResponsesRules(self._profile, self.stored)
        items = [item for message in messages for item in write_items(message)]
        rules.feed(items, at=0)
        return rules.of_history()

    def _held(self, body: Mapping[str, Any]) -> tuple[list[Any], WireRefusal | None]:
        """The items that the service holds of a history, or why it does not."""
        previous = body.get("previous_response_id")
        if isinstance(previous, str):
            chain = self.stored.chain(previous)
            if chain is not None:
                return chain, None
            words = f"Previous response with id '{previous}' not found."
            return [], refuse("unknown-response", words, "previous_response_id")
        return self.stored.conversation(conversation_of(body)), None

    def _resolved(self, item: object) -> object:
        """The item that a reference stands for, where it is stored."""
        if type_of(item) != "item_reference" or not isinstance(item, dict):
            return item
        if not item.keys() <= {
            "type",
            "id",
        }:  # an item that lacks its type, and no more
            return item
        known = item.get("id")
        found = self.stored.item(known) if isinstance(known, str) else None
        return item if found is None else found

    def _follow(
        self, sent: list[Any], offset: int, body: Mapping[str, Any]
    ) -> MessageView:
        """Take over what is new of a history; one that was rewritten is read again."""
        before, elsewhere = self._seen.count, bool(conversation_of(body))
        doubtful = self._rules.malformed
        count = self._seen.kept(sent, malformed=doubtful)
        if self._unresolved is not None:  # what was not stored then may be now
            count = min(count, self._unresolved)
            self._unresolved = None
        if count < before:
            self._items = Items(self._items.all[:count])
        if (
            count < before
            or doubtful
            or offset < self._offset
            or elsewhere != self._elsewhere
        ):
            self._rules.restart(elsewhere=elsewhere)
            self._rules.feed(self._items.all[:count], at=-offset)
        new = [self._resolved(item) for item in sent[count:]]
        self._items.all += new
        for number, item in enumerate(new, count):
            if self._unresolved is None and type_of(item) == "item_reference":
                self._unresolved = number
        self._offset, self._elsewhere = offset, elsewhere
        self._rules.feed(new, at=count - offset)
        told = body.get("instructions")
        prompt = told if isinstance(told, str) else ""
        return self._folding.fold(self._items.all, kept=count, prompt=prompt)

    def _request(self, body: Mapping[str, Any], view: MessageView) -> Request:
        raw = body.get("tools")
        if raw != self._raw_tools:
            self._raw_tools = raw
            self._tools = read_tools(raw)
        model = body.get("model")
        return Request(
            model if isinstance(model, str) else "",
            view,
            self._tools,
            temperature_of(body.get("temperature")),
            whole(body.get("max_output_tokens")),
        )


class _Turn:
    """The reader, for one request: its answer is kept with what it answers."""

    __slots__ = ("_body", "_history", "_length", "_reader")

    def __init__(
        self,
        reader: ResponsesReader,
        body: Mapping[str, Any],
        history: Items,
        length: int,
    ) -> None:
        self._reader = reader
        self._body = body
        self._history = history
        self._length = length

    @property
    def wire(self) -> str:
        return WIRE

    def read(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        return self._reader.read(body, headers)

    def answered(self, body: Mapping[str, Any]) -> None:
        self._reader.stored.keep(body, self._history, self._length)

    def carried(self, response: Response) -> Response:
        return carried_for(response, self._body)

    def failed(self, error: ProviderError, request: Request) -> ProviderError:
        return self._reader.failed(error, request)

    def resumes(self, messages: Sequence[Message]) -> WireRefusal | None:
        return self._reader.resumes(messages)


def input_items(value: object) -> list[Any]:
    """The items of an input; a text is one message of the user."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return value if isinstance(value, list) else []
