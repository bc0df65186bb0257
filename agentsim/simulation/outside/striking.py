"""Where faults strike in a run: by rule, by choice, or because they last.

Counters and what lasts belong to the outside: they outlive an incarnation of the agent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from inspect import iscoroutine
from typing import NamedTuple, TypeVar

from agentsim.core import (
    Carried,
    FaultStruck,
    Response,
    Usage,
    UsageError,
    raised_words,
)
from agentsim.faults import Fault, FaultPlan, FaultRule, Operation, Target, groups_of
from agentsim.simulation.outside.incarnation import Incarnation
from agentsim.simulation.outside.requests import message_fault

__all__ = ["Strike", "Striker", "Struck"]

T = TypeVar("T")


class Strike(NamedTuple):
    """A fault that struck an operation, with its attempt."""

    fault: Fault
    target: str
    attempt: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all rules that it fulfils, and the groups that it stands for."""
        return _texts_of(self)


@lru_cache(maxsize=1024)
def _texts_of(strike: Strike) -> tuple[str, ...]:
    fault = strike.fault
    tool = None if fault.target == "model" else strike.target
    rules = [
        FaultRule(fault, name, attempt).text
        for name in dict.fromkeys((None, tool))
        for attempt in (None, strike.attempt)
    ]
    return (*rules, *groups_of(fault.name))


_operation = lru_cache(maxsize=1024)(Operation)
"""Runs of one scenario meet the same ones again and again."""


class _Lasting:
    """A fault that goes on striking the operations of one name."""

    __slots__ = ("_tools", "fault", "response", "turn")

    def __init__(
        self, fault: Fault, response: Response | None, offered: Collection[str]
    ) -> None:
        self.fault = fault
        self.response = response
        self.turn = 0
        calls = response.message.tool_calls if response and fault.tamper else ()
        self._tools = {call.name for call in calls} & {*offered}

    def spares(self, offered: Collection[str]) -> bool:
        """Whether it asks for a tool that this request, unlike the first, does not offer."""
        return not self._tools.issubset(offered)


class Struck(NamedTuple):
    """What strikes an operation, and the reply that it is made of, if it is one."""

    fault: Fault
    operation: Operation
    response: Response | None

    def spoil(self, function: Callable[[T, Operation], T], value: T) -> T:
        """Make a faulty reply or output by the function of the fault.

        Raises:
            UsageError: when the function raises, or gives no reply where it should.
        """
        name = self.fault.name
        try:
            spoilt = function(value, self.operation)
        except (Exception, SystemExit) as error:
            words = raised_words(error)
            raise UsageError(f"fault {name!r}: its function {words}") from error
        if iscoroutine(spoilt):
            spoilt.close()
            raise UsageError(
                f"fault {name!r}: its function is async, and nobody awaits what it "
                "gives: let it be a plain one"
            )
        if isinstance(value, Response):
            fault = _response_fault(spoilt)
            if fault is not None:
                raise UsageError(
                    f"fault {name!r}: its function must return a Response, {fault}"
                )
        return spoilt


def _response_fault(response: object) -> str | None:
    """What is wrong with a reply that no service could have given, or None."""
    if not isinstance(response, Response):
        return f"got {type(response).__name__}"
    fault = message_fault(response.message)
    if fault is not None:
        return f"got one whose message{fault}"
    for name, kind in (("stop_reason", str), ("usage", Usage | None)):
        given: object = getattr(response, name)
        if not isinstance(given, kind):
            return f"got one whose {name} is a {type(given).__name__}"
    if response.message.role != "assistant":
        return f"got one whose message is of the {response.message.role}"
    return None


class Striker:
    """Asks the plan of a run at each operation.

    Args:
        replanned: Whether the run may get another plan while it goes on: then attempts
            are counted from the beginning, whether or not anything may strike.

    Attributes:
        plan: What strikes.
        strikes: Every strike so far; one that lasts for ever counts once.
    """

    def __init__(self, plan: FaultPlan, *, replanned: bool = False) -> None:
        self.plan = plan
        self.strikes: list[Strike] = []
        self._attempts: dict[tuple[Target, str], int] = {}
        self._lasting: dict[tuple[Target, str], _Lasting] = {}
        self._is_idle = not (replanned or plan.rules or plan.offered)

    @property
    def without_end(self) -> bool:
        """Whether something strikes from now on: the script is never used up."""
        return any(lasting.fault.lasts is None for lasting in self._lasting.values())

    def attempts(self, target: Target, name: str) -> int:
        """How many operations of this name there were so far."""
        return self._attempts.get((target, name), 0)

    def unmet(self) -> tuple[str, ...]:
        """The rules that always strike, and never struck, in words."""
        return tuple([str(rule) for rule in self.plan.rules if not self._met(rule)])

    def strike(
        self,
        life: Incarnation,
        target: Target,
        name: str,
        *,
        writes: bool = False,
        outdated: bool = False,
        response: Response | None = None,
        carried: Carried = "whole",
        offered: Collection[str] = (),
    ) -> Struck | None:
        """What strikes the next operation of this name; None for nothing.

        A reply that is given again and again spares other conversations, which do not
        offer its tools: no model asks there for what there is not.

        Args:
            writes: See `Operation`.
            outdated: See `Operation`.
            response: The reply, where the operation is a request to the model.
            carried: See `Operation`.
            offered: Names of the tools that the request to the model offers.
        """
        if self._is_idle:
            return None
        key = (target, name)
        attempt = self._attempts[key] = self._attempts.get(key, 0) + 1
        operation = _operation(target, name, attempt, writes, 0, outdated, carried)
        if self._lasting and key in self._lasting:
            if self._lasting[key].spares(offered):
                return None
            lasting = self._go_on(key)
            if lasting is not None:
                operation = replace(operation, turn=lasting.turn)
                if lasting.fault.lasts is not None:
                    self._record(life, lasting.fault, operation)
                return Struck(lasting.fault, operation, lasting.response)
        fault = self._draw(life, operation, response)
        if fault is None:
            return None
        if fault.lasts != 1:
            self._lasting[key] = _Lasting(fault, response, offered)
        self._record(life, fault, operation)
        return Struck(fault, operation, response)

    def _draw(
        self, life: Incarnation, operation: Operation, response: Response | None
    ) -> Fault | None:
        """The fault that strikes by a rule, or by a choice."""
        plan = self.plan
        message = response.message if response is not None else None
        fault = plan.strikes(operation, message) if plan.rules else None
        if fault is not None:
            return fault
        offer = plan.menu(operation, message)
        if not offer.faults:
            return None
        who = "the person" if operation.target == "human" else operation.name
        drawn = life.choose(f"fault {who}", offer.options, offer.names)
        return offer.faults[drawn - 1] if drawn else None

    def _go_on(self, key: tuple[Target, str]) -> _Lasting | None:
        """The fault that still strikes operations of this name, one turn later."""
        lasting = self._lasting[key]
        lasting.turn += 1
        lasts = lasting.fault.lasts
        if lasts is None or lasting.turn < lasts:
            return lasting
        del self._lasting[key]
        return None

    def _record(self, life: Incarnation, fault: Fault, operation: Operation) -> None:
        self.strikes.append(Strike(fault, operation.name, operation.attempt))
        who = "the person" if fault.target == "human" else operation.name
        life.record(
            FaultStruck(
                fault.name,
                who,
                fault.definite,
                fault.sentence,
                fault.effect,
                fault.answer,
                who="fault",
            )
        )

    def _met(self, rule: FaultRule) -> bool:
        return any(
            strike.fault == rule.fault
            and rule.name in (None, strike.target)
            and rule.attempt in (None, strike.attempt)
            for strike in self.strikes
        )
