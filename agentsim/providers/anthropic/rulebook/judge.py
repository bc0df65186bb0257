"""Judges the requests of one client, in the order of the service.

First come the version asked for, then the form of each field and of the messages, then
fields that need one another, then what the model does not take, and at last the
conversation. Messages are judged once; other fields, when they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentsim.core import MessageView
from agentsim.providers.anthropic.conversation.blocks import marks_of
from agentsim.providers.anthropic.rulebook.ends import end_faults
from agentsim.providers.anthropic.rulebook.fields import (
    combination_faults,
    field_faults,
    marks_beside,
)
from agentsim.providers.anthropic.rulebook.forms import Forms
from agentsim.providers.anthropic.rulebook.models import (
    Abilities,
    abilities,
    context_faults,
    model_faults,
)
from agentsim.providers.anthropic.rulebook.profile import VERSIONS, MessagesProfile
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.thoughts import Thoughts
from agentsim.providers.anthropic.rulebook.turns import Turns
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["RESULTS_SPLIT", "MessagesRules", "version_refusal"]

MARKS_MAX = 4

RESULTS_SPLIT = (
    "the results of one response went back in several messages of the user: the service "
    "merges them, but a model that reads such histories learns to call one tool at a "
    "time; put all results of a response in one message"
)
"""What the service accepts, and a loop should not get used to."""


class MessagesRules:
    """The rules of the wire, with what was read of a growing conversation.

    Attributes:
        version: That of the interface, for what is read from now on.
    """

    __slots__ = (
        "_beside",
        "_combined",
        "_fields",
        "_forms",
        "_lone",
        "_marks",
        "_off",
        "_profile",
        "_thoughts",
        "_turns",
        "version",
    )

    def __init__(
        self, profile: MessagesProfile, version: str, thoughts: Thoughts
    ) -> None:
        self._profile = profile
        self._off = profile.without
        self._thoughts = thoughts
        self._fields: str | None = None
        self._lone: WireRefusal | None = None
        self._combined: WireRefusal | None = None
        self._beside = 0
        self.restart(version)

    def restart(self, version: str) -> None:
        """Forget the messages that were read."""
        self.version = version
        self._forms = Forms(self._off, version)
        own_only = self._profile.signatures == "own"
        self._turns = Turns(self._off, self._thoughts, own_only=own_only)
        self._marks: list[int] = []

    def feed(self, messages: Sequence[object]) -> None:
        """Read the messages that come next."""
        for message in messages:
            self._forms.feed([message])
            if self._forms.verdict() is None:
                assert isinstance(message, Mapping)
                self._turns.feed([message])
            self._marks.append(_marks_in(message))

    def remark(self, position: int, message: object) -> bool:
        """Take over the breakpoints of a message that has others than when it was read.

        Returns:
            Whether they may stand there; if not, all is to be read again.
        """
        self._marks[position] = _marks_in(message)
        return self._forms.fault_of(message, position) is None

    @property
    def malformed(self) -> bool:
        """Whether a message that was read has not the form of one."""
        return self._forms.verdict() is not None

    @property
    def answering(self) -> bool:
        """Whether the messages end with results, so that the model's turn goes on."""
        return self._turns.answering

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the messages the service accepts, and should be said."""
        return (RESULTS_SPLIT,) if self._turns.split else ()

    def of_history(self, body: Mapping[str, Any]) -> WireRefusal | None:
        """What is wrong with the messages alone, or None."""
        able = abilities("", self._profile)
        return (
            self._forms.verdict()
            or self._turns.verdict()
            or self._first(self._end(body, able))
        )

    def check(
        self,
        body: Mapping[str, Any],
        view: MessageView,
        *,
        counting: bool = False,
    ) -> WireRefusal | None:
        """The first rule that a request breaks, or None.

        Args:
            view: The messages, which were read before.
            counting: Whether tokens are to be counted only.
        """
        others = {key: value for key, value in body.items() if key != "messages"}
        messages = body.get("messages")
        self._look_at_fields(others, counting=counting)
        formless = self._first(_formless(body, self.version, counting=counting))
        if formless is not None or not isinstance(messages, list):
            return formless
        found = self._forms.verdict() or self._lone
        if found is None and not messages:
            found = refuse(
                "no-messages", "at least one message is required", "messages"
            )
        found = found or self._combined
        if found is not None:
            return found
        able = abilities(body["model"], self._profile)
        return (
            self._first(self._too_many_marks())
            or self._first(model_faults(body, able, self._profile))
            or self._turns.verdict()
            or self._first(self._end(body, able))
            or self._first(context_faults(body, view, self._profile))
        )

    def _end(self, body: Mapping[str, Any], able: Abilities) -> Iterator[WireRefusal]:
        paused = self._thoughts.paused(self._turns.last)
        yield from end_faults(body, self._turns, able, paused=paused)

    def _look_at_fields(self, fields: dict[str, Any], *, counting: bool) -> None:
        """Judge the fields beside the messages, if they are others than before."""
        written = f"{self.version} {counting} {fields!r}"  # which tells 1 from true
        if written == self._fields:
            return
        self._fields = written
        whole = {**fields, "messages": []}
        self._lone = self._first(field_faults(whole, self.version, counting=counting))
        self._combined = None
        if self._lone is None:
            self._combined = self._first(combination_faults(fields))
            self._beside = marks_beside(fields)

    def _too_many_marks(self) -> Iterator[WireRefusal]:
        count = sum(self._marks) + self._beside
        if count > MARKS_MAX:
            words = (
                f"A maximum of {MARKS_MAX} blocks with cache_control may be provided. "
                f"Found {count}."
            )
            yield refuse("breakpoints", words)

    def _first(self, faults: Iterable[WireRefusal]) -> WireRefusal | None:
        return next((fault for fault in faults if fault.rule not in self._off), None)


def _marks_in(message: object) -> int:
    content = message.get("content") if isinstance(message, Mapping) else None
    return sum(1 for _mark in marks_of(content))


def _formless(
    body: Mapping[str, Any], version: str, *, counting: bool
) -> Iterator[WireRefusal]:
    """A request whose messages are none, which nothing else can be said of."""
    if version not in VERSIONS:
        yield version_refusal(version)
    messages = body.get("messages")
    if not isinstance(messages, list):
        yield from field_faults(body, version, counting=counting)


def version_refusal(version: str | None) -> WireRefusal:
    """The refusal of a version that there is not, or of none."""
    if version is None:
        return refuse("version", "header is required", "anthropic-version")
    return refuse("version", f'"{version}" is not a valid version', "anthropic-version")
