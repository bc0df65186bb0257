"""What goes on next when nothing is ready: a gate, a timer, or the unexpected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentsim.core import CancelRequested, Crashed
from agentsim.engine.choices import Choices
from agentsim.engine.gates import Gate, first_due
from agentsim.engine.incarnation import Incarnation
from agentsim.engine.loop import SimLoop
from agentsim.engine.refusals import Refused
from agentsim.engine.seals.epoch import SECOND_NS

__all__ = ["Told"]


class Told(NamedTuple):
    """One deviation in words, with its position in the log and its label."""

    position: int
    label: str
    words: str


class Scheduler:
    """Decides, by one choice at a time, over all lives of a run.

    The options stand in this order: the gate that is due first, and under `any_order`
    the other gates as they came and the next timer; then cancellation, crash and the
    injections, as far as they are still left.

    Attributes:
        told: The deviations in words.
    """

    def __init__(
        self,
        choices: Choices,
        *,
        any_order: bool,
        cancels: int,
        crashes: int,
        injections: Sequence[tuple[str, Callable[[], None]]],
    ) -> None:
        self.told: list[Told] = []
        self._choices = choices
        self._any_order = any_order
        self._cancels = cancels
        self._crashes = crashes
        self._injections = list(injections)
        self._count_extras()

    def draw(
        self, loop: SimLoop, label: str, options: Sequence[str], kinds: Sequence[str]
    ) -> int:
        """Draw a choice for the agent's outside, from inside one of its tasks.

        What a source raises ends the run, whatever the agent makes of it.
        """
        try:
            value = self._choices.choose(label, len(options), kinds)
        except BaseException as error:
            loop.halt(error)
            raise Refused(str(error)) from error
        if value:
            self._tell(label, options[value])
        return value

    def step(self, now: Incarnation) -> bool:
        """Let one thing happen; False when nothing can, or the life is over."""
        loop, gates = now.loop, now.gates
        loop.looks = 0
        if loop.handed_in and loop.take_in():
            return True
        timer_ns = loop.next_timer_ns() if loop.timers else None
        if not gates:
            if timer_ns is None:
                return loop.wait_outside()
            return self._fire(now, timer_ns)
        first = gates[0] if len(gates) == 1 else first_due(gates)
        options = 1 + self._extras
        if self._any_order:
            options += len(gates) - (timer_ns is None)
        elif timer_ns is not None and timer_ns <= first.due_ns:
            return self._fire(now, timer_ns)
        if options > 1:
            label = "next " + first.label
            timed = self._any_order and timer_ns is not None
            kinds = self._kinds_with_timer if timed else self._kinds
            value = self._choices.choose(label, options, kinds)
            if value:
                self._tell(label, self._deviate(value, first, timer_ns, now))
                return not now.crashed
        return self._open(now, first, timer_ns)

    def _deviate(
        self, value: int, first: Gate, timer_ns: int | None, now: Incarnation
    ) -> str:
        """Do what a deviation says, and tell it."""
        if self._any_order:
            others = [gate for gate in now.gates if gate is not first]
            if value <= len(others):
                gate = others[value - 1]
                self._open(now, gate, timer_ns)
                if gate.label == first.label:
                    return f"another {first.label} came first"
                return f"{gate.label} came before {first.label}"
            value -= len(others)
            if timer_ns is not None:
                if value == 1:
                    self._fire(now, timer_ns)
                    due = seconds_text(timer_ns)
                    return f"the timer due at {due} s fired before {first.label}"
                value -= 1
        return self._interfere(value, first, now)

    def _interfere(self, value: int, first: Gate, now: Incarnation) -> str:
        """Cancel, crash or inject: an option beside the gates and the timer."""
        if self._cancels:
            if value == 1:
                self._cancels = 0
                self._count_extras()
                now.cancelled = True
                now.life.record(CancelRequested(who="engine"))
                now.main.cancel()
                return f"cancelled before {first.label}"
            value -= 1
        if self._crashes:
            if value == 1:
                self._crashes -= 1
                self._count_extras()
                now.crashed = True
                now.life.record(Crashed(who="engine"))
                return f"the process died before {first.label}"
            value -= 1
        words, act = self._injections.pop(value - 1)
        self._count_extras()
        act()
        return f"{words} came before {first.label}"

    def _count_extras(self) -> None:
        """Note what may still happen beside the gates and the timer."""
        self._kinds = (
            *(("cancel",) if self._cancels else ()),
            *(("crash",) if self._crashes else ()),
            *("inject" for _ in self._injections),
        )
        self._kinds_with_timer = ("timer", *self._kinds)
        self._extras = len(self._kinds)

    def _open(self, now: Incarnation, gate: Gate, timer_ns: int | None) -> bool:
        """Let a gate go on; one that is due after the next timer comes early."""
        now.timers_in_row = 0
        now.gates_left -= 1
        if now.gates_left < 0 and not now.gates_go_on():
            return False
        loop = now.loop
        due_ns = gate.due_ns
        if due_ns > loop.now_ns and (timer_ns is None or due_ns < timer_ns):
            loop.advance(due_ns)
        now.gates.remove(gate)
        gate.opened.set_result(None)
        return True

    def _fire(self, now: Incarnation, timer_ns: int) -> bool:
        """Move the clock to the next timer, which makes it ready."""
        now.timers_in_row += 1
        if now.timers_in_row > now.timers_max:
            return False
        now.loop.advance(timer_ns)
        return True

    def _tell(self, label: str, words: str) -> None:
        self.told.append(Told(len(self._choices.arities) - 1, label, words))


def seconds_text(at_ns: int) -> str:
    """Write nanoseconds as seconds, exactly and without needless zeros."""
    whole, rest = divmod(at_ns, SECOND_NS)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
