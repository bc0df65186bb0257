"""Sessions of several user turns, as a state machine that Hypothesis drives.

Each turn is one simulated run, over the world that the turn before left and with its
conversation before the task. A history that the next turn's service does not accept is
found there: whatever ended a turn, the session must go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from agentsim.core import Message, RequestSent, ResponseReceived, UsageError
from agentsim.faults import FaultRule, parse_rule
from agentsim.providers import Script, say
from agentsim.runtime import reference
from agentsim.simulation import Menu, Run, Scenario, regression_test, run
from agentsim.testing.choices import Drawn, schedules
from agentsim.testing.plans import rules_for
from agentsim.testing.scripts import scripts
from agentsim.testing.simulation import raise_violation, warm_up
from agentsim.world import Disk, Services, Spec

__all__ = ["SessionMachine", "session_machine"]

TASKS = ("Sort it out.", "And now?", "Try again.")

GATES_MAX = 12
"""Among so many answers of the outside, one may be cut off by a cancellation or a crash."""

RUNNER = st.runner()


class SessionMachine(RuleBasedStateMachine):
    """A session: what happens in a turn is said first, and then the user speaks.

    Subclass it for rules or invariants of your own, or have it made by
    `session_machine`. `pytest` and `unittest` collect its `TestCase`.

    Attributes:
        base: The scenario of every turn, but for its task, script, faults, history and
            start.
        agent: The agent, where it keeps no state of its own over the turns.
        make: Makes an agent that does, once per session, and again after a crash.
        runs: The turns so far, in order.
        history: What was said so far, without the system prompt.
    """

    base: ClassVar[Scenario] = Scenario("", [], world=[Disk(), Services()], exact=False)
    agent: ClassVar[Callable[..., Any]] = staticmethod(reference)
    make: ClassVar[Callable[[], Callable[..., Any]] | None] = None

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[Run] = []
        self.history: tuple[Message, ...] = ()
        self._agent = self._made()
        self._plan_nothing()

    def _plan_nothing(self) -> None:
        self._script: Script | None = None
        self._faults: tuple[FaultRule, ...] = ()
        self._menu = Menu()
        self._deviations: Mapping[int, int] = {}

    @rule(script=RUNNER.flatmap(lambda machine: machine.drawn_scripts()))
    def model_says(self, script: Script) -> None:
        """Let the model say this in the next turn."""
        self._script = script

    @rule(fault=RUNNER.flatmap(lambda machine: machine.drawn_faults()))
    def fault(self, fault: FaultRule | str) -> None:
        """Let a fault strike in the next turn, where it applies: `slow:check_disk@2`."""
        self._faults = (*self._faults, parse_rule(fault))

    @rule(gate=st.integers(0, GATES_MAX - 1))
    def cancel(self, gate: int) -> None:
        """Cancel the next turn before this answer of the outside, counted from 0."""
        self._menu, self._deviations = Menu(cancel=True), {gate: 1}

    @rule(gate=st.integers(0, GATES_MAX - 1))
    def crash(self, gate: int) -> None:
        """Let the process die before this answer of the outside, and start anew."""
        self._menu, self._deviations = Menu(crash=True), {gate: 1}

    @rule(deviations=schedules(deviations=3, positions=GATES_MAX))
    def disorder(self, deviations: Mapping[int, int]) -> None:
        """Let the outside answer in another order in the next turn."""
        self._menu, self._deviations = Menu("any_order"), deviations

    @rule(task=st.sampled_from(TASKS))
    def user_says(self, task: str) -> None:
        """Let the user say something: one turn, which must hold.

        Raises:
            InvariantViolation: when it does not; with the session so far as a test.
        """
        scenario = replace(
            self.base,
            task=task,
            script=Script([say("Done.")]) if self._script is None else self._script,
            faults=(*self.base.faults, *self._faults),
            history=self.history,
            start=self.runs[-1].world.snapshot() if self.runs else self.base.start,
            exact=False,
        )
        made = run(
            scenario,
            self._living(),
            menu=self._menu,
            choices=Drawn(self._deviations),
        )
        self._plan_nothing()
        self.runs.append(made)
        if made.verdict.status != "holds":
            raise_violation(
                made,
                regression_test(self.runs, type(self).agent, make=type(self).make),
            )
        self.history = conversation(made)

    def teardown(self) -> None:
        """End with a plain turn, so that what the last one left is tried, too."""
        if self.runs and self.runs[-1].verdict.status == "holds":
            self._plan_nothing()
            self.user_says(TASKS[0])

    @classmethod
    def drawn_scripts(cls) -> st.SearchStrategy[Script]:
        """What the model may say in a turn."""
        return _of_class(cls, "_scripts", lambda: scripts(cls.base.world))

    @classmethod
    def drawn_faults(cls) -> st.SearchStrategy[str]:
        """The faults that may strike in a turn, as texts of rules."""
        return _of_class(
            cls,
            "_rules",
            lambda: rules_for(cls.base.world).map(lambda rule: rule.text),
        )

    def _made(self) -> Callable[..., Any]:
        make = type(self).make
        return type(self).agent if make is None else make()

    def _living(self) -> Callable[..., Any]:
        """The agent for one turn; after a crash in it, one that has forgotten all."""
        if type(self).make is None:
            return self._agent
        lives = 0

        def agent() -> Callable[..., Any]:
            nonlocal lives
            lives += 1
            if lives > 1:
                self._agent = self._made()
            return self._agent

        name = type(self._agent)
        agent.__module__, agent.__qualname__ = name.__module__, name.__qualname__
        return agent


def session_machine(
    agent: Callable[..., Any] | None = None,
    *,
    make: Callable[[], Callable[..., Any]] | None = None,
    world: Sequence[Spec] = (Disk(), Services()),
    **fields: Any,
) -> type[SessionMachine]:
    """Make a state machine for the sessions of an agent.

        TestSessions = session_machine(my_agent).TestCase

    Args:
        agent: The agent, where it keeps no state of its own: it goes on from
            `env.history`.
        make: In its place, what makes an agent that keeps a state over the turns, such
            as a class with `async def __call__(self, env)`; called once per session,
            and again after a crash.
        world: The parts of the world, which each turn leaves to the next.
        **fields: Further fields of the scenario of every turn, such as `limits`.

    Raises:
        UsageError: for both of them, or none.
    """
    if (agent is None) == (make is None):
        raise UsageError(
            "session_machine(): give either an agent, or make=, which makes one that "
            "keeps a state over the turns"
        )
    warm_up()
    body: dict[str, Any] = {
        "base": Scenario("", [], world=world, exact=False, **fields),
        "agent": staticmethod(reference if agent is None else agent),
        "make": None if make is None else staticmethod(make),
        "__module__": __name__,
    }
    return type("Session", (SessionMachine,), body)


def conversation(made: Run) -> tuple[Message, ...]:
    """What was said in a run and before it, as far as a service has accepted it.

    The history that the agent left; where it left none, its last request with the
    final answer to it.
    """
    said = made.outcome.history
    messages: list[Message] = [] if said is None else list(said)
    if said is None:
        for event in made.trace.events:
            if isinstance(event, RequestSent):
                messages = list(event.messages)
            elif isinstance(event, ResponseReceived) and not event.message.tool_calls:
                messages.append(event.message)
    return tuple(message for message in messages if message.role != "system")


def _of_class(
    cls: type[SessionMachine], name: str, make: Callable[[], st.SearchStrategy[Any]]
) -> st.SearchStrategy[Any]:
    """A strategy that is made once per class: making one costs more than drawing."""
    if name not in vars(cls):
        setattr(cls, name, make())
    made: st.SearchStrategy[Any] = vars(cls)[name]
    return made
