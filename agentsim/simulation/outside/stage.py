"""Everything of one run that outlives an incarnation of the agent.

The world, the model, the person and the faults are outside of the process that dies in
a crash; so are the counters that number their operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import NamedTuple

from agentsim.core import (
    Declared,
    FaultStruck,
    Injected,
    Message,
)
from agentsim.engine import Choices, Engine, Life
from agentsim.faults import (
    Fault,
    FaultPlan,
    FaultRule,
    Operation,
    Target,
    check_rules,
)
from agentsim.providers import ScriptedClient, ScriptedModel
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario
from agentsim.trace import Recorder

__all__ = ["Stage", "Strike"]


GATES_MAX = 2_000
"""Answers of the outside in one life; an agent that wants more goes on without end."""

GATES_PER_ITERATION = 20
"""More of them, where the scenario allows many iterations."""

ITERATIONS_MAX = 10_000
"""Iterations that count as allowed where the scenario has no limit."""

TIMERS_MAX = 100_000

STEPS_MAX = 200_000


class Strike(NamedTuple):
    """A fault that struck an operation, with its attempt."""

    fault: Fault
    target: str
    attempt: int

    @property
    def texts(self) -> Iterator[str]:
        """The texts of all rules that it fulfils."""
        tool = None if self.fault.target == "model" else self.target
        for name in dict.fromkeys((None, tool)):
            for attempt in (None, self.attempt):
                yield FaultRule(self.fault, name, attempt).text


class Stage:
    """The outside of one run, shared by all its incarnations.

    Attributes:
        client: That of the latest incarnation, or None before the first.
    """

    def __init__(self, scenario: Scenario, menu: Menu, choices: Choices) -> None:
        _check_offered(scenario, menu)
        self.scenario = scenario
        self.choices = choices
        self.recorder = Recorder()
        self.world = scenario.build_world()
        self.human = scenario.human.build() if scenario.human is not None else None
        self.model = ScriptedModel(scenario.replies, earlier=None)
        self.plan = FaultPlan(rules=tuple(scenario.faults), offered=menu.rules)
        self.engine = Engine(
            choices,
            policy=menu.policy,
            record=self.recorder.add,
            cancel=menu.cancel,
            crash=menu.crash,
            steps_max=STEPS_MAX,
            timers_max=TIMERS_MAX,
            gates_max=_gates_max(scenario),
            inject=[
                (entry.id, partial(self._arrive, entry)) for entry in scenario.inject
            ],
        )
        self.client: ScriptedClient | None = None
        self.declared: Declared | None = None
        self.stuck: tuple[Fault, Message] | None = None
        self.strikes: list[Strike] = []
        self.request_numbers = count(1)
        self._inbox: list[Injected] = []
        self._attempts: dict[tuple[str, str], int] = {}
        self._operations = 0
        self._questions = 0

    @property
    def deviated(self) -> bool:
        """Whether anything but the dull choice was made; faults by rule are the story."""
        return bool(self.choices.deviations)

    def next_operation(self) -> int:
        """Number the next run of a tool, 1-based over all lives."""
        self._operations += 1
        return self._operations

    def next_question(self) -> int:
        """Number the next question to the person, 1-based over all lives."""
        self._questions += 1
        return self._questions

    def take_injected(self) -> Sequence[Injected]:
        """Hand over the messages that arrived since the last call."""
        taken, self._inbox = self._inbox, []
        return taken

    def unmet_rules(self) -> tuple[str, ...]:
        """The scenario's own faults that never struck, in words."""
        return tuple(str(rule) for rule in self.plan.rules if not self._met(rule))

    def _met(self, rule: FaultRule) -> bool:
        return any(
            strike.fault == rule.fault
            and rule.name in (None, strike.target)
            and rule.attempt in (None, strike.attempt)
            for strike in self.strikes
        )

    def _arrive(self, message: Injected) -> None:
        self._inbox.append(message)

    def operation(self, target: Target, name: str, *, writes: bool) -> Operation:
        """Describe the next operation on a tool or the model, with its attempt."""
        attempt = self._attempts.get((target, name), 0) + 1
        self._attempts[target, name] = attempt
        return Operation(target, name, attempt, writes)

    def strike(
        self, life: Life, operation: Operation, message: Message | None = None
    ) -> Fault | None:
        """The fault that strikes an operation: the scenario's own, or a choice."""
        fault = self.plan.strikes(operation, message)
        if fault is None:
            offered = self.plan.menu(operation, message)
            if not offered:
                return None
            options = _told(offered, operation.name)
            drawn = life.choose(f"fault {operation.name}", options)
            if drawn == 0:
                return None
            fault = offered[drawn - 1]
        self.strikes.append(Strike(fault, operation.name, operation.attempt))
        life.record(
            FaultStruck(
                fault.name, operation.name, fault.definite, fault.sentence, who="fault"
            )
        )
        return fault


def _check_offered(scenario: Scenario, menu: Menu) -> None:
    """Refuse a fault on the menu that can never strike in this scenario."""
    if any(rule.name is not None for rule in menu.rules):
        tools = {tool.name: tool.writes for tool in scenario.known_tools}
        check_rules(menu.rules, tools)


def _gates_max(scenario: Scenario) -> int:
    iterations = scenario.limits.max_iterations
    allowed = ITERATIONS_MAX if iterations is None else iterations
    return max(GATES_MAX, GATES_PER_ITERATION * allowed)


@lru_cache(maxsize=256)
def _told(offered: tuple[Fault, ...], name: str) -> tuple[str, ...]:
    """The options of a fault's choice in words."""
    return ("no fault", *(f"{fault.name} strikes {name}" for fault in offered))
