"""What a fault is: what it strikes, and what happens there instead.

A fault decides nothing: it is data about one kind of failure. `rules` says where it
strikes, and the simulation makes it happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agentsim.core import Message, UsageError

__all__ = ["Fault", "Operation", "Tamper", "Target"]

Target = Literal["tool", "model"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that an agent does with the outside.

    Attributes:
        name: The tool's name; `model` for a request to the model, whichever it is.
        attempt: The n-th operation of that name in the run, 1-based, over all lives.
        writes: Whether the operation may change the world.
    """

    target: Target
    name: str
    attempt: int
    writes: bool = False


Tamper = Callable[[Message, Operation], Message]
"""Makes a faulty reply of a scripted one; a pure function of both."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of failure of the outside (spec T3.4, T4).

    Attributes:
        name: Its name in the catalogue.
        target: What it strikes: a tool, or a reply of the model.
        sentence: What happens, for a person.
        definite: Whether it is certain that the operation did not happen. An agent
            may repeat a write after a definite error only.
        needs_write: Whether it strikes only operations that change the world.
        calls_min: How many calls a reply must have for the fault to strike it.
        delay_s: Virtual seconds that the operation takes longer.
        effect: `normal`: what the operation does. `skipped`: nothing happens.
            `applied`: it happens, and the answer is another one.
        answer: `normal`; `error`, with `error_words`; `never`.
        error_words: What the agent is told, where the answer is an error.
        tamper: Makes the faulty reply, where the target is the model.
        sticky: Whether it stays: after the first strike all replies are `tamper` of
            the reply that was struck, each with its own operation.

    Raises:
        UsageError: when the fields contradict one another.
    """

    name: str
    target: Target
    sentence: str
    definite: bool = False
    needs_write: bool = False
    calls_min: int = 0
    delay_s: float = 0.0
    effect: Literal["normal", "skipped", "applied"] = "normal"
    answer: Literal["normal", "error", "never"] = "normal"
    error_words: str = ""
    tamper: Tamper | None = None
    sticky: bool = False

    def __post_init__(self) -> None:
        if (self.target == "model") != (self.tamper is not None):
            raise UsageError(
                f"fault {self.name!r}: a fault of the model needs a tamper function, "
                "and a fault of a tool can't have one"
            )
        if (self.answer == "error") != bool(self.error_words):
            raise UsageError(
                f"fault {self.name!r}: error_words are needed with answer='error', "
                "and with no other"
            )
        if self.definite and self.effect != "skipped":
            raise UsageError(
                f"fault {self.name!r}: only a fault with effect='skipped' can be definite"
            )

    def applies_to(self, operation: Operation) -> bool:
        """Whether it can strike the operation at all."""
        return operation.target == self.target and (
            operation.writes or not self.needs_write
        )

    def applies_to_reply(self, message: Message) -> bool:
        """Whether it can strike this reply: the reply has the calls that it needs."""
        return len(message.tool_calls) >= self.calls_min
