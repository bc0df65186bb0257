"""The rules of a conversation on this wire, read message by message, each once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from agentsim.providers.anthropic.rulebook.pairing import Pairing
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.texts import block_faults, text_faults
from agentsim.providers.anthropic.rulebook.thoughts import (
    THINKING,
    Altered,
    Thoughts,
    altered_refusal,
)
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Turns"]

Found = Iterator[WireRefusal | None]


class Turns:
    """Reads a growing conversation of well-formed messages once.

    Attributes:
        last: The message that was read last, or None.
        first_kind: Type of the first block of the last turn of the model, merged.
        loop: Where the model began to call, before the last results, and the type of
            the block that it began with.

    Args:
        off: Ids of the rules that are not enforced.
        thoughts: What the service gave out.
        own_only: Whether only its own signatures are valid.
    """

    __slots__ = (
        "_altered",
        "_empty",
        "_found",
        "_off",
        "_own_only",
        "_pairing",
        "_role",
        "_thoughts",
        "_turn",
        "first_kind",
        "last",
        "loop",
        "position",
        "system_at",
    )

    def __init__(
        self, off: Collection[str], thoughts: Thoughts, *, own_only: bool
    ) -> None:
        self._off = off
        self._own_only = own_only
        self._thoughts = thoughts
        self._pairing = Pairing()
        self.position = 0
        self._role = ""
        self._turn = 0
        self._empty: int | None = None
        self._altered: tuple[Altered, str, int] | None = None
        self._found: WireRefusal | None = None
        self.last: Mapping[str, Any] | None = None
        self.first_kind = ""
        self.loop: tuple[int, str] | None = None
        self.system_at: int | None = None

    def feed(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Read the messages that come next."""
        for message in messages:
            if self._found is None:
                found = (
                    fault
                    for fault in self._message(message)
                    if fault is not None and fault.rule not in self._off
                )
                self._found = next(found, None)
            self.last = message
            self.position += 1

    def verdict(self) -> WireRefusal | None:
        """What is wrong with every conversation that begins so, or None."""
        return self._found or self._of_altered()

    def left_open(self) -> WireRefusal | None:
        """What is wrong with ending it here, if calls have no result."""
        return self._pairing.left_open()

    @property
    def answering(self) -> bool:
        """Whether the conversation ends with results."""
        return self._role == "user" and self._pairing.answering

    @property
    def split(self) -> bool:
        """Whether results of one turn of the model came in several messages."""
        return self._pairing.split

    @property
    def has_blocks(self) -> bool:
        """Whether the conversation has calls."""
        return self._pairing.has_blocks

    def _of_altered(self) -> WireRefusal | None:
        if self._altered is None:
            return None
        altered, path, turn = self._altered
        found = altered_refusal(altered, path, latest=turn == self._turn)
        return None if found.rule in self._off else found

    def _message(self, message: Mapping[str, Any]) -> Found:
        role, content, at = message["role"], message["content"], self.position
        if self._empty is not None:
            yield _empty_message(self._empty)
        if not content:
            if role != "assistant":
                yield _empty_message(at)
            self._empty = at
        yield from self._begins(role, at)
        if isinstance(content, str):
            if content:
                yield from text_faults(content, "messages")
                self._texts(role)
            return
        for number, block in enumerate(content):
            path = f"messages.{at}.content.{number}"
            yield from block_faults(block, path)
            if role == "assistant":
                yield from self._of_model(block, path)
            elif role == "user":
                yield self._pairing.of_user(block, at, path)

    def _texts(self, role: str) -> None:
        """A message that is a text only."""
        if role == "assistant":
            self.first_kind = self.first_kind or "text"
            self._set_loop()
        elif role == "user":
            self._pairing.of_user({"type": "text"}, self.position, "")

    def _begins(self, role: str, at: int) -> Found:
        """A message begins: a turn of its own, or more of the last one."""
        if at == 0 and role == "assistant":
            words = 'first message must use the "user" role'
            yield refuse("first-user", words, "messages")
        if role == self._role:
            if role != "system":
                yield _in_a_row(role)
            return
        if role == "system":
            if self.system_at is None:
                self.system_at = at
            if self._role != "user":
                words = "a `system` message must directly follow a `user` message"
                yield refuse("system-place", words, f"messages.{at}")
        if role == "assistant":
            if not self._pairing.answering:
                self.loop = None
            self._turn, self.first_kind = at, ""
        if self._role != "assistant":
            yield self._pairing.turn()
        self._role = role

    def _of_model(self, block: Mapping[str, Any], path: str) -> Found:
        kind = block["type"]
        self.first_kind = self.first_kind or kind
        self._set_loop()
        if kind in THINKING:
            if self.first_kind not in THINKING:
                words = (
                    "If an assistant message contains any thinking blocks, the first "
                    "block must be `thinking` or `redacted_thinking`. Found "
                    f"`{self.first_kind}`."
                )
                where = f"messages.{self._turn}.content.0.type"
                yield refuse("thinking-lead", words, where)
            altered = self._thoughts.altered(block, own_only=self._own_only)
            if altered is not None and self._altered is None:
                self._altered = (altered, path, self._turn)
        yield self._pairing.of_model(block, self.position, path)

    def _set_loop(self) -> None:
        if self.loop is None:
            self.loop = (self._turn, self.first_kind)


def _empty_message(at: int) -> WireRefusal:
    words = (
        "all messages must have non-empty content except for the optional final "
        "assistant message"
    )
    return refuse("empty-message", words, f"messages.{at}")


def _in_a_row(role: str) -> WireRefusal:
    words = (
        'roles must alternate between "user" and "assistant", but found multiple '
        f'"{role}" roles in a row'
    )
    return refuse("alternating-roles", words, "messages")
