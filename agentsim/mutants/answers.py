"""What the loop of the mutants says: answers to calls, and how a run came to its end."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.core import Status

__all__ = ["Answer", "End", "interrupted", "loop_block", "not_executed", "refused"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call is answered with.

    Attributes:
        failed: Whether the model is told that this is an error.
        sign: The signature that it counts under, where another call's block decided
            (R5.5); None for its own.
    """

    output: str
    failed: bool = False
    sign: str | None = None


class End(Exception):
    """The run is at its end: raised where that shows, caught in one place.

    Attributes:
        words: What a person needs to know, unless the run is done.
        output: The final answer, or the text that came with the boundary.
        refusal: Details of a refusal, or None.
    """

    def __init__(
        self,
        status: Status,
        words: str | None = None,
        *,
        output: str | None = None,
        refusal: str | None = None,
    ) -> None:
        super().__init__(status, words)
        self.status: Status = status
        self.words = words
        self.output = output
        self.refusal = refusal


def refused(words: str) -> Answer:
    """The answer to a call that failed, or was not allowed to run."""
    return Answer(f"Error: {words}", failed=True)


def not_executed(why: str) -> Answer:
    """The answer to a call whose turn never came (R3.9)."""
    return refused(f"not executed: {why}")


def interrupted(name: str, why: str) -> Answer:
    """The answer to a call that was cut in flight (R3.9, R6.3)."""
    return refused(f"{name} was interrupted, its outcome is unknown: {why}")


def loop_block(name: str, count: int) -> Answer:
    """The answer to a call that repeats itself (R5.2)."""
    return refused(
        f"loop detected: {name} called {count} times with the same result; "
        "change approach"
    )
