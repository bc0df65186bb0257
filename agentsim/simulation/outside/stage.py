"""Everything of one run that outlives an incarnation of the agent.

The world, the model, the person and the faults are outside of the process that dies in
a crash; so are the counters that number their operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agentsim.core import Injected
from agentsim.engine import Choices, Engine
from agentsim.faults import check_rules
from agentsim.simulation.menu import Menu
from agentsim.simulation.outside.reads import Reads
from agentsim.simulation.outside.scene import Scene
from agentsim.simulation.scenario import Scenario

__all__ = ["Stage"]


GATES_MAX = 2_000
"""Answers of the outside in one life; an agent that wants more goes on without end."""

GATES_ENDLESS_MAX = 200
"""The same where the model asks for more for ever: what does not end then, never does."""

GATES_PER_ITERATION = 20
"""More of them, where many iterations are allowed, or scripted."""

ITERATIONS_MAX = 10_000
"""Iterations that count as allowed where the scenario has no limit."""

TIMERS_MAX = 100_000

STEPS_MAX = 200_000


class Stage(Scene):
    """The outside of one run in the engine, shared by all its incarnations."""

    def __init__(self, scenario: Scenario, menu: Menu, choices: Choices) -> None:
        _check_offered(scenario, menu)
        plan = menu.plan.striking(scenario.rules)
        super().__init__(scenario, plan, choices)
        self.world = scenario.build_world()
        self.human = scenario.human.build() if scenario.human is not None else None
        self.reads = Reads() if plan.can_be_stale else None
        self.engine = Engine(
            choices,
            policy=menu.policy,
            record=self.recorder.add,
            cancel=menu.cancel,
            crash=menu.crash,
            steps_max=STEPS_MAX,
            timers_max=TIMERS_MAX,
            gates_max=self._gates_max,
            inject=[
                (entry.id, partial(self._arrive, entry)) for entry in scenario.inject
            ],
        )
        self._inbox: list[Injected] = []
        self._operations = 0
        self._questions = 0

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

    def _arrive(self, message: Injected) -> None:
        self._inbox.append(message)

    def _gates_max(self) -> int:
        scripted = len(self.scenario.replies)
        limits = [self.scenario.limits.max_iterations]
        if self.declared is not None and self.declared.limits is not None:
            limits.append(self.declared.limits.max_iterations)
        least, unlimited = GATES_MAX, ITERATIONS_MAX
        if self.striker.without_end or self.scenario.replies.never_ends:
            least, unlimited = GATES_ENDLESS_MAX, scripted
        allowed = [unlimited if limit is None else limit for limit in limits]
        return max(least, GATES_PER_ITERATION * max(scripted, *allowed))


def _check_offered(scenario: Scenario, menu: Menu) -> None:
    """Refuse a fault on the menu that can never strike in this scenario."""
    if menu.plan.names_tools:
        tools = {tool.name: tool.writes for tool in scenario.known_tools}
        check_rules(menu.rules, tools)
