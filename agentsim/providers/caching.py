"""The prompt cache of a fake service: a stable prefix is read from it (spec R1.5).

As OpenAI's does it, unasked: from 1,024 tokens on, in steps of 128. What comes first in a
prompt counts first: another model or other tools leave nothing of it.
"""

from __future__ import annotations

from agentsim.core import MessageView, Request, tokens_of

__all__ = ["PromptCache"]

LEAST_TOKENS = 1_024

STEP_TOKENS = 128


class PromptCache:
    """Remembers the last request of a run, and tells what the next one shares with it."""

    __slots__ = ("_before", "_head")

    def __init__(self) -> None:
        self._before = MessageView([], 0)
        self._head: tuple[object, ...] = ()

    def read(self, request: Request, view: MessageView) -> int:
        """Tokens of a request that were in the last one too; take it as the last one.

        Args:
            view: Its messages.
        """
        before, head = self._before, (request.model, tuple(request.tools))
        same_head = head == self._head
        self._before, self._head = view, head
        if not same_head:
            return 0
        shared = before if view.extends(before) else view.shared(before)
        tokens = tokens_of(shared.characters)
        return tokens // STEP_TOKENS * STEP_TOKENS if tokens >= LEAST_TOKENS else 0
