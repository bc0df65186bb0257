"""Judges the requests of one client, in the order of the service.

First come a missing model or input and unknown fields, then the form of the items and
of each field, then fields that exclude one another, then what the model does not take,
and at last the history that the items make. Items are judged once; fields, when they
change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentsim.core import MessageView
from agentsim.providers.openai.values import Faults, empty, missing, wrong_type
from agentsim.providers.openai_responses.rulebook.fields import (
    combination_faults,
    field_faults,
    unknown_faults,
)
from agentsim.providers.openai_responses.rulebook.forms import Forms
from agentsim.providers.openai_responses.rulebook.models import (
    context_faults,
    model_faults,
)
from agentsim.providers.openai_responses.rulebook.pairing import Pairing
from agentsim.providers.openai_responses.rulebook.profile import ResponsesProfile
from agentsim.providers.openai_responses.rulebook.table import refuse
from agentsim.providers.openai_responses.stored import Stored
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["ResponsesRules"]

_HELD = ("previous_response_id", "conversation", "prompt")
"""Fields that refer to an input which the service keeps."""


class ResponsesRules:
    """The rules of the wire, with what was read of a growing history."""

    __slots__ = (
        "_combined",
        "_fields",
        "_forms",
        "_lone",
        "_pairing",
        "_profile",
        "_stored",
        "_unknown",
    )

    def __init__(self, profile: ResponsesProfile, stored: Stored) -> None:
        self._profile = profile
        self._stored = stored
        self._fields: str | None = None
        self._unknown: WireRefusal | None = None
        self._lone: WireRefusal | None = None
        self._combined: WireRefusal | None = None
        self.restart()

    def restart(self, *, elsewhere: bool = False) -> None:
        """Forget the items that were read.

        Args:
            elsewhere: Whether the service holds more of the history than is known here.
        """
        self._forms = Forms(self._profile.off)
        self._pairing = Pairing(self._profile.off, self._stored, elsewhere=elsewhere)

    def feed(self, items: Sequence[object], *, at: int) -> None:
        """Read the items that come next.

        Args:
            at: Index of the first one in the input; below 0 for those that the service
                holds, which were judged when they were sent.
        """
        held = max(0, min(len(items), -at))
        own = items[held:]
        self._pairing.feed(items[:held], held=True)
        self._forms.feed(own, max(at, 0))
        self._pairing.feed(own)

    @property
    def malformed(self) -> bool:
        """Whether an item that was read has not the form of one."""
        return self._forms.verdict() is not None

    def of_history(self) -> WireRefusal | None:
        """What is wrong with the items alone, or None."""
        return self._forms.verdict() or self._pairing.verdict()

    def check(
        self,
        body: Mapping[str, Any],
        view: MessageView,
        *,
        held: WireRefusal | None = None,
    ) -> WireRefusal | None:
        """The first rule that a request breaks, or None.

        Args:
            view: The messages that the items make, which were read before.
            held: Why what the request refers to is not there, or None.
        """
        truncated = body.get("truncation") == "auto"
        return (
            self.of_form(body)
            or self._first(model_faults(body, self._profile))
            or held
            or self._pairing.verdict()
            or self._first(context_faults(view, self._profile, truncated=truncated))
        )

    def of_form(self, body: Mapping[str, Any]) -> WireRefusal | None:
        """What is wrong with the fields and the items of a request, each alone, or None.

        The items were read before.
        """
        self._look_at_fields({k: v for k, v in body.items() if k != "input"})
        return (
            self._first(_nothing_faults(body))
            or self._unknown
            or self._first(_input_faults(body.get("input")))
            or self._forms.verdict()
            or self._lone
            or self._combined
        )

    def _look_at_fields(self, fields: dict[str, Any]) -> None:
        """Judge the fields beside the input, if they are others than before."""
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


def _nothing_faults(body: Mapping[str, Any]) -> Faults:
    """Whether a request says neither what to ask, nor whom."""
    if body.get("model") in (None, "") and body.get("prompt") is None:
        yield missing("model")
    if body.get("input") is None and not any(body.get(key) for key in _HELD):
        words = (
            'One of "input" or "previous_response_id" or "prompt" or "conversation" '
            "must be provided."
        )
        yield refuse("no-input", words)


def _input_faults(value: object) -> Faults:
    if isinstance(value, list):
        if not value:
            yield empty("array", "input", rule="empty-array")
    elif value is not None and not isinstance(value, str):
        yield wrong_type("input", "one of a string or array of objects", value)
