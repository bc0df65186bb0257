"""What goes wrong while a proxy stands there: told at once, each sentence once."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.core import InternalError

__all__ = ["Troubles"]


class Troubles:
    """What went wrong.

    Args:
        tell: Takes each sentence when it is new.

    Attributes:
        missed: What was asked for and not recorded, in the words of each miss.
        unkept: Why answers could not be recorded.
        noted: What the program met that is no fault of the recording.
        failure: The first bug of ours that was met, or None.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.missed: list[str] = []
        self.unkept: list[str] = []
        self.noted: list[str] = []
        self.failure: InternalError | None = None

    def miss(self, words: str) -> None:
        """A request was not recorded; each time counts."""
        self.missed.append(words)
        self._tell(words)

    def lose(self, words: str) -> None:
        """An answer could not be recorded."""
        if words not in self.unkept:
            self.unkept.append(words)
            self._tell(words)

    def note(self, words: str) -> None:
        """The program met something that it may not have expected."""
        if words not in self.noted:
            self.noted.append(words)
            self._tell(words)

    def fail(self, error: Exception) -> None:
        """A bug of ours was met."""
        if self.failure is None:
            self.failure = InternalError(f"the proxy: {type(error).__name__}: {error}")
