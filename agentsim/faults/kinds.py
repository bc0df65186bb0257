"""What a fault is: what it strikes, and what happens there instead.

A fault decides nothing: it is data about one kind of failure. A rule says where it
strikes, and the simulation makes it happen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Literal, get_args

from agentsim.core import (
    Carried,
    Decision,
    Response,
    StreamFault,
    StreamPlace,
    UsageError,
)

if TYPE_CHECKING:
    from agentsim.faults.rules import FaultRule

__all__ = ["Fault", "Garble", "Operation", "Tamper", "Target"]

Target = Literal["tool", "model", "human"]

Effect = Literal["normal", "skipped", "applied", "twice"]

Reply = Literal["normal", "error", "never", "outdated"]

WAIT_S_MAX = 999_999_999

PLACE_MAX = 999_999_999

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that an agent does with the outside.

    Attributes:
        name: The tool's name; `model` for a request to the model, whichever it is; for
            a question to a person, the tool that they are asked about.
        attempt: The n-th operation of that target and name in the run, 1-based, over
            all lives.
        writes: Whether the operation may change the world.
        turn: How often the same strike of a lasting fault struck before, 0-based.
        outdated: Whether there is an older answer to the same read, from before the
            last write.
        carried: How the answer of the model comes.
    """

    target: Target
    name: str
    attempt: int
    writes: bool = False
    turn: int = 0
    outdated: bool = False
    carried: Carried = "whole"


Tamper = Callable[[Response, Operation], Response]
"""Makes a faulty reply of a scripted one; a pure function of both."""

Garble = Callable[[object, Operation], object]
"""Makes a faulty output of a tool's own; a pure function of both."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of failure of the outside (spec T3.4, T4).

    Called like a function, it gives the rule of where it strikes:
    `slow("check_cpu", attempt=2)`.

    Attributes:
        name: Its name in the catalogue: small letters, digits and underscores.
        target: What it strikes: a tool, a reply of the model, or the person who is
            asked.
        sentence: What happens, for a person.
        definite: Whether it is certain that the operation did not happen. An agent
            may repeat a write after a definite error only.
        needs_write: Whether it strikes only operations that change the world.
        calls_min: How many calls a reply must have for the fault to strike it.
        delay_s: Virtual seconds that the answer takes longer.
        effect: Of a tool. `normal`: what it does. `skipped`: nothing happens.
            `applied`: it happens, and the answer is another one. `twice`: it happens
            twice. A service of the model skips or not.
        answer: `normal`; `error`, with `error_words`; `never`; `outdated`: a read is
            answered as it was before the last write.
        error_words: What the agent is told, where the answer is an error.
        error_status: HTTP status of the model's service; None: no answer came.
        error_kind: The error type of the model's service.
        retry_after_s: Seconds that the model's service asks to wait.
        tamper: Makes the faulty reply, where the target is the model.
        garble: Makes the faulty output, where the target is a tool.
        decision: What the person says, where the target is the human.
        lasts: How many operations of that name in a row it strikes once it struck;
            None: all from then on. A reply that was struck is then tampered with anew
            for each request.
        rare: Whether random runs take it less often, since it ends most runs.
        stream: What goes wrong with a streamed answer; with `at=None` its place is
            drawn where it strikes.
        carried: How the answer of the model must come for the fault to strike it.

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
    effect: Effect = "normal"
    answer: Reply = "normal"
    error_words: str = ""
    error_status: int | None = None
    error_kind: str = ""
    retry_after_s: float | None = None
    tamper: Tamper | None = None
    garble: Garble | None = None
    decision: Decision | None = None
    lasts: int | None = 1
    rare: bool = False
    stream: StreamFault | None = None
    carried: tuple[Carried, ...] = ("whole", "pieces", "bytes")

    def __post_init__(self) -> None:
        for words in _contradictions(self):
            raise UsageError(f"fault {self.name!r}: {words}")

    def __call__(
        self,
        tool: str | None = None,
        *,
        attempt: int | None = None,
        retry_after_s: float | None = None,
        at: int | StreamPlace | None = None,
    ) -> FaultRule:
        """The rule that the fault strikes there.

        Args:
            tool: Name of the tool that runs, or that a person is asked about; None for
                every one.
            attempt: The n-th operation only, 1-based; None for every one.
            retry_after_s: Virtual seconds that the model's service asks to wait; None
                for as many as the fault has.
            at: Where in the stream; see `StreamFault`. None: it is drawn.

        Raises:
            UsageError: for a tool named for a fault of the model, an attempt below 1,
                a wait that nobody asks for, or a place of no stream.
        """
        from agentsim.faults.rules import FaultRule

        fault = self if retry_after_s is None else self.asking_to_wait(retry_after_s)
        fault = fault if at is None else fault.placed(at)
        return FaultRule(fault, tool, attempt)

    def asking_to_wait(self, seconds: float) -> Fault:
        """The same fault of the model's service, which asks to wait so long.

        Args:
            seconds: Virtual ones, as of the header Retry-After.

        Raises:
            UsageError: when no service answers, or for no number of seconds.
        """
        if self.error_status is None:
            raise UsageError(
                f"fault {self.name!r} is no answer of a service that could ask to wait"
            )
        if not _is_wait(seconds):
            raise UsageError(
                f"fault {self.name!r}: retry_after_s: expected 0 to {WAIT_S_MAX:,} "
                f"seconds, got {seconds!r}"
            )
        seconds = round(float(seconds), 9)
        told, before = f"{seconds:g} seconds", f"{self.retry_after_s or 0:g} seconds"
        if before in self.sentence:
            sentence = self.sentence.replace(before, told)
        else:
            sentence = f"{self.sentence}, and asks to wait {told}"
        return replace(self, sentence=sentence, retry_after_s=seconds)

    def placed(self, at: int | StreamPlace) -> Fault:
        """The same fault of a stream, at a place of it.

        Args:
            at: See `StreamFault`.

        Raises:
            UsageError: when it strikes no stream, or has no such place.
        """
        from agentsim.faults.of_streams import PLACES

        stream = self.stream
        known = () if stream is None else PLACES.get(stream.kind, ())
        if stream is None or not known:
            raise UsageError(f"fault {self.name!r} strikes at no place of a stream")
        names = [place for place, _words in known if isinstance(place, str)]
        if at not in names and (type(at) is not int or not 0 <= at <= PLACE_MAX):
            either = "".join(f", {name!r}" for name in names)
            raise UsageError(
                f"fault {self.name!r}: at: expected 0 to {PLACE_MAX:,}{either}, got {at!r}"
            )
        return replace(self, stream=replace(stream, at=at))

    def applies_to(self, operation: Operation) -> bool:
        """Whether it can strike the operation at all."""
        return (
            operation.target == self.target
            and (operation.writes or not self.needs_write)
            and (operation.outdated or self.answer != "outdated")
            and operation.carried in self.carried
        )


def _is_wait(seconds: object) -> bool:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return False
    return 0 <= seconds <= WAIT_S_MAX


def _contradictions(fault: Fault) -> Iterator[str]:
    """What is wrong with the fields, in words."""
    if not _NAME.fullmatch(fault.name):
        yield "a name has small letters, digits and underscores, and begins with a letter"
    for field, kinds in (("target", Target), ("effect", Effect), ("answer", Reply)):
        if getattr(fault, field) not in get_args(kinds):
            yield (
                f"{field}: expected one of {', '.join(get_args(kinds))}, got "
                f"{getattr(fault, field)!r}"
            )
    for field, target in (
        ("tamper", "model"),
        ("garble", "tool"),
        ("decision", "human"),
        ("stream", "model"),
    ):
        if getattr(fault, field) is not None and fault.target != target:
            yield f"{field} belongs to a fault of target={target!r}"
    if (fault.answer == "error") != bool(fault.error_words):
        yield "error_words are needed with answer='error', and with no other"
    if fault.answer == "error" and fault.target == "human":
        yield "a person answers or does not: give decision, delay_s or answer='never'"
    if (fault.target == "model" and fault.answer == "error") != bool(fault.error_kind):
        yield "error_kind is needed for an error of the model, and for no other"
    if fault.definite and fault.effect != "skipped":
        yield "only a fault with effect='skipped' can be definite"
    for field in ("delay_s", "retry_after_s"):
        seconds = getattr(fault, field)
        if seconds is not None and not 0 <= seconds < inf:
            yield f"{field}: expected 0 seconds or more, got {seconds:g}"
    if fault.lasts is not None and fault.lasts < 1:
        yield f"lasts counts from 1, got {fault.lasts}"
    if not _does_something(fault):
        yield "it changes nothing: give it an effect, an answer, a delay or a function"


def _does_something(fault: Fault) -> bool:
    changes = (fault.tamper, fault.garble, fault.decision, fault.stream)
    return (
        any(change is not None for change in changes)
        or bool(fault.delay_s)
        or fault.answer != "normal"
        or fault.effect != "normal"
    )
