"""The rules of a history, once for all who judge one (spec R3.2, R3.13; design 2.5).

`HistoryRules` reads messages one by one and yields a `Breach` for each rule that a
message breaks. Providers refuse a request by it, invariants judge a trace by it and
`agentsim check` judges transcripts by it; each chooses which rules it enforces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agentsim.core.messages import Message

__all__ = ["RULES", "Breach", "HistoryRules", "Rule", "breaches"]

Rule = Literal[
    "unanswered",
    "orphan",
    "answered-twice",
    "order",
    "duplicate-id",
    "missing-id",
    "role",
]

RULES: dict[Rule, str] = {
    "unanswered": "each call has its result directly after the response that asked for it",
    "orphan": "each result answers a call of the response directly before it",
    "answered-twice": "each call has one result",
    "order": "results stand in the order of their calls",
    "duplicate-id": "the ids of calls are unique",
    "missing-id": "each call and each result has an id",
    "role": "the system prompt comes first, calls come from the model only",
}


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule broken at one message.

    Attributes:
        position: Index of the message where it shows, 0-based; for a call that is
            still open at the end, the index where its result was due.
        call_id: The call concerned, or None.
        asked_at: Index of the response that asked for the call, or None where none
            did, as for an orphan.
        call_number: Which call of its message is meant, 0-based; None when no call of
            the history is, as for an orphan.
    """

    rule: Rule
    position: int
    words: str
    call_id: str | None = None
    asked_at: int | None = None
    call_number: int | None = None


class HistoryRules:
    """Reads a growing history once, and says where it breaks a rule.

    Args:
        unique_over: Whether ids of calls must differ within one `response`, or over the
            whole `history`.
        results: Whether a result must stand `directly` after the response that asked
            for it, or `anywhere` after it, as on the Responses wire, which pairs by id
            over the whole input.
    """

    __slots__ = (
        "_answered",
        "_anywhere",
        "_begun",
        "_hasty",
        "_open",
        "_place",
        "_position",
        "_seen",
        "_wide",
    )

    def __init__(
        self,
        *,
        unique_over: Literal["response", "history"] = "history",
        results: Literal["directly", "anywhere"] = "directly",
    ) -> None:
        self._wide = unique_over == "history"
        self._anywhere = results == "anywhere"
        self._position = 0
        self._open: list[str] = []
        self._answered: set[str] = set()
        self._place: dict[str, tuple[int, int]] = {}
        self._hasty = ""
        self._begun = False
        self._seen: set[str] = set()

    @property
    def open_calls(self) -> tuple[str, ...]:
        """Ids of the calls that have no result yet, in the order of the calls."""
        return tuple(self._open)

    @property
    def has_open_calls(self) -> bool:
        """Whether any call has no result yet."""
        return bool(self._open)

    def feed(self, message: Message) -> list[Breach]:
        """Read the next message and return the rules that it breaks."""
        found: list[Breach] = []  # filled, not yielded: this is a run's hot path
        if message.role == "tool":
            self._read_result(message, found)
        else:
            self._read_turn(message, found)
        self._position += 1
        return found

    def close(self) -> list[Breach]:
        """The breaches of a history that ends here: calls without a result."""
        where = "" if self._anywhere else " directly after its response"
        return [
            self._breach(
                "unanswered", f"the call {call_id} has no result{where}", call_id
            )
            for call_id in self._open
        ]

    def _read_turn(self, message: Message, found: list[Breach]) -> None:
        if not self._anywhere:
            if self._open:
                found += self.close()
                self._open = []
            if self._place:
                self._answered = set()
                self._place = {}
                self._hasty = ""
        if message.role != "system":
            self._begun = True
        elif self._begun:
            words = "a system message stands after the conversation began"
            found.append(self._breach("role", words))
        if message.tool_calls:
            self._read_calls(message, found)

    def _read_calls(self, message: Message, found: list[Breach]) -> None:
        if message.role != "assistant":
            self._blame_caller(message, found)
        seen = self._seen if self._wide else set()
        for number, call in enumerate(message.tool_calls):
            if not call.id:
                words = f"call {number} ({call.name}) has no id"
                found.append(
                    Breach("missing-id", self._position, words, None, None, number)
                )
                continue
            self._place[call.id] = (self._position, number)
            if call.id in seen:
                words = f"the call id {call.id} stands twice"
                found.append(self._breach("duplicate-id", words, call.id))
            seen.add(call.id)
            self._open.append(call.id)

    def _blame_caller(self, message: Message, found: list[Breach]) -> None:
        words = f"a message of role {message.role} carries tool calls"
        found.append(self._breach("role", words))

    def _read_result(self, message: Message, found: list[Breach]) -> None:
        self._begun = True
        if message.tool_calls:
            self._blame_caller(message, found)
        call_id = message.tool_call_id
        if not call_id:
            found.append(self._breach("missing-id", "a tool result has no call id"))
        elif call_id in self._open:
            if self._hasty or self._open[0] != call_id:
                self._check_order(call_id, found)
            self._open.remove(call_id)
            self._answered.add(call_id)
        elif call_id in self._answered:
            words = f"the call {call_id} has two results"
            found.append(self._breach("answered-twice", words, call_id))
        else:
            words = f"the result of {call_id} has no call in the {self._before()} it"
            found.append(self._breach("orphan", words, call_id))

    def _check_order(self, call_id: str, found: list[Breach]) -> None:
        # What was overtaken is out of order when it comes; if it never comes, it is
        # unanswered, and the hasty result did nothing wrong.
        hasty = self._hasty
        if hasty and self._place[call_id] < self._place[hasty]:
            words = (
                f"the result of {call_id} stands after that of a later call, {hasty}"
            )
            found.append(self._breach("order", words, call_id))
        else:
            self._hasty = call_id

    def _before(self) -> str:
        return "history before" if self._anywhere else "response directly before"

    def _breach(self, rule: Rule, words: str, call_id: str | None = None) -> Breach:
        if call_id is None:
            return Breach(rule, self._position, words)
        asked_at, number = self._place.get(call_id, (None, None))
        return Breach(rule, self._position, words, call_id, asked_at, number)


def breaches(messages: Iterable[Message], *, closed: bool = True) -> list[Breach]:
    """All breaches of a history; with `closed`, open calls at its end are breaches."""
    rules = HistoryRules()
    found = [breach for message in messages for breach in rules.feed(message)]
    return found + rules.close() if closed else found
