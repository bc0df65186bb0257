"""One run: a scenario, an agent and a source of choices give a trace and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from agentsim.core import (
    History,
    IncarnationStarted,
    InvariantViolation,
    MessageView,
    Outcome,
    RunResult,
    UnscriptedRequest,
    UsageError,
)
from agentsim.engine import Choices, Ending, Life, Replay, Token
from agentsim.invariants import judge
from agentsim.report import failure_text
from agentsim.runtime import reference
from agentsim.simulation.agents import agent_name, start_agent
from agentsim.simulation.environment import Environment
from agentsim.simulation.expectation import judge_expectation
from agentsim.simulation.menu import SCRIPTED, Menu
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.stage import Stage
from agentsim.simulation.verdict import Verdict
from agentsim.trace import Header, ToolFacts, Trace

__all__ = ["Run", "replay", "run"]


@dataclass(frozen=True)
class Run:
    """What one run left: everything that judges or prints it reads only this.

    Attributes:
        choices: The source, with the log of all choices made.
        words: The deviations, told in words.
        value: What the agent returned, or None.
        struck: What struck: names of faults, `cancel`, `crash`.
    """

    scenario: Scenario
    agent: str
    menu: Menu
    trace: Trace
    verdict: Verdict
    choices: Choices
    words: tuple[str, ...]
    value: object
    struck: tuple[str, ...] = ()

    @property
    def met(self) -> Iterator[str]:
        """Names of what the run met: faults, cancel, crash, invariants with evidence."""
        yield from self.struck
        yield from (j.id for j in self.verdict.judgements if j.evidence)

    @property
    def token(self) -> str:
        """The short text that repeats this run, with its scenario, agent and menu."""
        return str(Token.of(self.choices, **_bound_to(self.scenario, self.menu)))

    @property
    def outcome(self) -> Outcome:
        """How the run ended."""
        found = self.trace.events[-1]
        assert isinstance(found, Outcome)
        return found

    def failure_text(self, repeat: str) -> str:
        """What is violated, where it shows, and the line that repeats it."""
        return failure_text(
            self.trace, self.verdict.violated, deviations=self.words, repeat=repeat
        )

    def expect_holds(self) -> Run:
        """Return the run if its verdict holds.

        Raises:
            InvariantViolation: with the failure text, if anything is violated or
                something named was never met.
        """
        if self.verdict.violated:
            raise InvariantViolation(
                self.failure_text(f"replay(scenario, {self.token!r}, ...)")
            )
        if self.verdict.unmet:
            raise InvariantViolation(
                f"unknown: never met: {', '.join(self.verdict.unmet)}"
            )
        return self


def run(
    scenario: Scenario,
    agent: Callable[..., Any] = reference,
    *,
    menu: Menu = SCRIPTED,
    choices: Choices | None = None,
    named: Collection[str] = (),
) -> Run:
    """Run a scenario once on an agent, and judge what happened.

    Args:
        agent: `async def agent(env)`, or a factory of one.
        menu: The choice points; by default the script alone, on time.
        choices: The source of choices; by default every choice is the dull one.
        named: Invariants that must have met evidence for the run to hold.

    Raises:
        UsageError: for a script that ran out or was not used up in a run without
            deviations, and for what a simulation does not offer (threads, sockets).
    """
    choices = choices if choices is not None else Choices()
    stage = Stage(scenario, menu, choices)
    ending = _live(stage, agent)
    if stage.unscripted is not None:
        raise stage.unscripted
    stage.recorder.add(_outcome(stage, ending))
    trace = stage.recorder.trace(_header(stage, menu, agent))
    judgements = judge(trace)
    if not stage.deviated:
        # What an agent did wrong goes before what it therefore left unused.
        if all(entry.status != "violated" for entry in judgements):
            _check_used_up(stage)
        judgements = (*judgements, judge_expectation(scenario.expectation, trace))
    stage.engine.bury()
    choices.finish()
    return Run(
        scenario,
        agent_name(agent),
        menu,
        trace,
        Verdict(judgements, (), named),
        choices,
        tuple(stage.engine.words),
        ending.value,
        _struck(stage),
    )


def replay(
    scenario: Scenario,
    token: str | Token,
    agent: Callable[..., Any] = reference,
    *,
    menu: Menu = SCRIPTED,
) -> Run:
    """Repeat a run from its token.

    Raises:
        TokenError: when the token is malformed, or does not fit scenario and menu.
    """
    token = Token.parse(token) if isinstance(token, str) else token
    again = run(scenario, agent, menu=menu, choices=Replay(token.deviations))
    token.check(again.choices, **_bound_to(scenario, menu))
    return again


def _bound_to(scenario: Scenario, menu: Menu) -> dict[str, str]:
    return {"scenario_digest": scenario.digest, "menu": menu.text}


def _live(stage: Stage, agent: Callable[..., Any]) -> Ending:
    async def main(life: Life) -> object:
        life.record(IncarnationStarted(who="engine"))
        return await start_agent(agent, Environment(stage, life))

    while True:
        ending = stage.engine.live(main)
        if isinstance(ending.error, UsageError) and ending.kind == "raised":
            raise ending.error
        if ending.kind != "crashed":
            return ending


def _outcome(stage: Stage, ending: Ending) -> Outcome:
    result = ending.value
    stamp: dict[str, Any] = {
        "at_ns": stage.engine.now_ns,
        "life": stage.engine.life_number,
    }
    if isinstance(result, RunResult):
        return Outcome(
            ending.kind,
            result.status,
            result.output,
            result.error,
            result.iterations,
            result.usage,
            result.tools,
            _view(result),
            **stamp,
        )
    output = result if isinstance(result, str) else None
    return Outcome(ending.kind, None, output, ending.words or None, **stamp)


def _view(result: RunResult) -> MessageView:
    history = result.history
    return history if isinstance(history, MessageView) else History(history).view()


def _struck(stage: Stage) -> tuple[str, ...]:
    kinds = [event.kind for event in stage.recorder.events]
    outside = [name for name in ("cancel", "crash") if name in kinds]
    return (*stage.struck, *outside)


def _header(stage: Stage, menu: Menu, agent: Callable[..., Any]) -> Header:
    scenario = stage.scenario
    declared = stage.declared
    allowed = scenario.tools
    return Header(
        scenario=scenario.name,
        scenario_digest=scenario.digest,
        agent=agent_name(agent),
        policy=menu.policy,
        menu=menu.text,
        task=scenario.task,
        prompt=scenario.prompt,
        tools=tuple(
            ToolFacts.of(tool.definition, tool.rights)
            for tool in stage.world.tools
            if allowed is None or tool.name in allowed
        ),
        limits=declared.limits if declared is not None else None,
        loop=declared.loop if declared is not None else None,
    )


def _check_used_up(stage: Stage) -> None:
    """Refuse a script that was not used up: what it says should happen did not."""
    unused = stage.model.unused()
    if unused is not None and stage.stuck is None:
        raise UnscriptedRequest(unused)
