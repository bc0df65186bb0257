"""What the service keeps of what it answered: for chains, references and deletions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsim.providers.openai_responses.items import REASONING, type_of

__all__ = ["Issue", "Items", "Kept", "Stored", "conversation_of"]

_WITH_REASONING = ("message", "function_call", "custom_tool_call")
"""Types of the items that need the reasoning that they came with."""


@dataclass(frozen=True, slots=True)
class Issue:
    """An item that the service sent.

    Attributes:
        response: Id of the response that it is of.
        kept: Whether it can be referred to.
        reasoning: Id of the reasoning item that it came with; empty for none.
        following: Id of the item that followed a reasoning item; empty for none.
    """

    response: str
    kept: bool
    reasoning: str = ""
    following: str = ""


class Items:
    """The items of a history that only grows; what is stored of it are its lengths.

    Attributes:
        listed: So many of them at the start can be referred to.
    """

    __slots__ = ("all", "listed")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.all = list(items)
        self.listed = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A response that the service stores.

    Attributes:
        body: As it was sent.
        history: It begins with all input of the response, what was held included.
        length: So many items are that input.
    """

    body: Mapping[str, Any]
    history: Items
    length: int

    @property
    def items(self) -> list[Any]:
        """All input of the response."""
        return self.history.all[: self.length]


class Stored:
    """Responses and items of one service, whichever client asked for them."""

    __slots__ = (
        "_before",
        "_calls",
        "_conversations",
        "_issues",
        "_items",
        "_responses",
    )

    def __init__(self) -> None:
        self._responses: dict[str, Kept] = {}
        self._conversations: dict[str, list[Any]] = {}
        self._items: dict[str, Mapping[str, Any]] = {}
        self._issues: dict[str, Issue] = {}
        self._calls: dict[str, str] = {}
        self._before: dict[
            str, tuple[str, ...]
        ] = {}  # by id of an item, or of its call

    def keep(self, body: Mapping[str, Any], history: Items, length: int) -> None:
        """Remember an answer; without `store` only that it was given.

        Args:
            history: It begins with the input that is answered.
            length: So many items are that input.
        """
        output, response_id = body.get("output"), body.get("id")
        if not isinstance(output, list) or not isinstance(response_id, str):
            return
        kept = body.get("store") is not False
        self._issued(output, response_id, kept=kept)
        if not kept:
            return
        self._responses[response_id] = answered = Kept(body, history, length)
        self._list(history.all[history.listed : length])
        self._list(output)
        history.listed = max(history.listed, length)
        name = conversation_of(body)
        if name:
            self._conversations[name] = [*answered.items, *output]

    def response(self, response_id: str) -> Kept | None:
        """A response that is stored."""
        return self._responses.get(response_id)

    def forget(self, response_id: str) -> bool:
        """Delete a response, and whether there was one."""
        return self._responses.pop(response_id, None) is not None

    def chain(self, response_id: str) -> list[Any] | None:
        """All items up to the end of a response, or None where it is not stored."""
        kept = self._responses.get(response_id)
        return None if kept is None else [*kept.items, *kept.body["output"]]

    def conversation(self, name: str) -> list[Any]:
        """The items of a conversation, as far as they were said here."""
        return self._conversations.get(name, [])

    def item(self, item_id: str) -> Mapping[str, Any] | None:
        """An item that can be referred to."""
        return self._items.get(item_id)

    def issue(self, item_id: str) -> Issue | None:
        """What is known of an item that was sent, stored or not."""
        return self._issues.get(item_id)

    def response_of(self, item: object) -> str | None:
        """Id of the response that an item is of, by its own id or that of its call."""
        if not isinstance(item, dict):
            return None
        own, call = item.get("id"), item.get("call_id")
        if isinstance(own, str) and own in self._issues:
            return self._issues[own].response
        return self._calls.get(call) if isinstance(call, str) else None

    def before(self, item: object) -> tuple[str, ...]:
        """Types of the items before one in its response, where that is known."""
        names = (item.get("id"), item.get("call_id")) if isinstance(item, dict) else ()
        known = (self._before.get(name) for name in names if isinstance(name, str))
        return next((types for types in known if types is not None), ())

    def _list(self, items: Iterable[Any]) -> None:
        """Let items be referred to."""
        for item in items:
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                self._items.setdefault(item["id"], item)

    def _issued(self, output: Sequence[Any], response_id: str, *, kept: bool) -> None:
        reasoning = ""
        before: tuple[str, ...] = ()
        for number, item in enumerate(output):
            types, before = before, (*before, type_of(item))
            call = item.get("call_id") if isinstance(item, dict) else None
            if isinstance(call, str):
                self._calls[call] = response_id
                self._before[call] = types
            own = item.get("id") if isinstance(item, dict) else None
            if not isinstance(own, str):
                continue
            self._before[own] = types
            if type_of(item) == REASONING:
                reasoning = own
                after = output[number + 1] if number + 1 < len(output) else {}
                following = after.get("id") if isinstance(after, dict) else None
                issue = Issue(response_id, kept, "", following or "")
            else:
                needs = type_of(item) in _WITH_REASONING
                issue = Issue(response_id, kept, reasoning if needs else "")
            self._issues[own] = issue


def conversation_of(body: Mapping[str, Any]) -> str:
    """The id of the conversation that a request or an answer is of, empty for none."""
    told = body.get("conversation")
    name = told.get("id") if isinstance(told, dict) else told
    return name if isinstance(name, str) else ""
