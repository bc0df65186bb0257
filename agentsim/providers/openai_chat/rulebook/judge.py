"""Judges the requests of one conversation, in the order of the service.

First come a missing model or messages and unknown fields, then the form of each field,
then fields that need one another, then what the model does not take, and at last the
structure of the conversation. Messages are judged once; tools, when they change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentsim.core import MessageView
from agentsim.providers.openai.values import (
    Faults,
    empty,
    missing,
    wrong_type,
)
from agentsim.providers.openai_chat.rulebook.fields import (
    combination_faults,
    field_faults,
    unknown_faults,
)
from agentsim.providers.openai_chat.rulebook.forms import Forms
from agentsim.providers.openai_chat.rulebook.models import context_faults, model_faults
from agentsim.providers.openai_chat.rulebook.pairing import Pairing
from agentsim.providers.openai_chat.rulebook.profile import ChatProfile
from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["ChatRules"]


class ChatRules:
    """The rules of the wire, with what was read of a growing conversation."""

    __slots__ = (
        "_combined",
        "_fields",
        "_forms",
        "_lone",
        "_pairing",
        "_profile",
        "_unknown",
    )

    def __init__(self, profile: ChatProfile) -> None:
        self._profile = profile
        self._fields: str | None = None
        self._unknown: WireRefusal | None = None
        self._lone: WireRefusal | None = None
        self._combined: WireRefusal | None = None
        self.restart()

    def restart(self) -> None:
        """Forget the messages that were read."""
        self._forms = Forms(self._profile.off)
        self._pairing = Pairing(self._profile.off)

    def feed(self, messages: Sequence[object]) -> None:
        """Read the messages that come next."""
        self._forms.feed(messages)
        self._pairing.feed(messages)

    @property
    def malformed(self) -> bool:
        """Whether a message that was read has not the form of one."""
        return self._forms.verdict() is not None

    def of_history(self) -> WireRefusal | None:
        """What is wrong with the messages alone, or None."""
        return self._forms.verdict() or self._pairing.verdict()

    def check(self, body: Mapping[str, Any], view: MessageView) -> WireRefusal | None:
        """The first rule that a request breaks, or None.

        Args:
            view: The messages, which were read before.
        """
        self._look_at_fields({k: v for k, v in body.items() if k != "messages"})
        found = (
            _no_model(body)
            or _no_messages(body)
            or self._unknown
            or self._first(_messages_faults(body["messages"]))
            or self._forms.verdict()
            or self._lone
            or self._combined
        )
        return (
            found
            or self._first(model_faults(body, self._profile))
            or self._pairing.verdict()
            or self._first(context_faults(view, self._profile))
        )

    def _look_at_fields(self, fields: dict[str, Any]) -> None:
        """Judge the fields beside the messages, if they are others than before."""
        written = repr(fields)  # which tells 1 from true, and == does not
        if written == self._fields:
            return
        self._fields = written
        self._unknown = self._first(unknown_faults(fields))
        self._lone = self._first(field_faults(fields))
        self._combined = None
        if self._lone is None:
            self._combined = self._first(combination_faults(fields))

    def _first(self, faults: Iterator[WireRefusal]) -> WireRefusal | None:
        off = self._profile.off
        return next((fault for fault in faults if fault.rule not in off), None)


def _no_model(body: Mapping[str, Any]) -> WireRefusal | None:
    if body.get("model") in (None, ""):
        return refuse("no-model", "you must provide a model parameter")
    return None


def _no_messages(body: Mapping[str, Any]) -> WireRefusal | None:
    return missing("messages") if body.get("messages") is None else None


def _messages_faults(messages: object) -> Faults:
    if not isinstance(messages, list):
        yield wrong_type("messages", "an array of objects", messages)
    elif not messages:
        yield empty("array", "messages", rule="empty-array")
