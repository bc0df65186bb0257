"""One run: a scenario, an agent and a source of choices give a trace and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from agentsim.core import (
    AgentsimError,
    ImproperRequest,
    IncarnationStarted,
    InvariantViolation,
    Outcome,
    TokenError,
    UnscriptedRequest,
    UsageError,
)
from agentsim.engine import Choices, Ending, Life, Replay, Token, in_turn
from agentsim.report import failure_text, unmet_text
from agentsim.runtime import reference
from agentsim.simulation.agents import agent_name, keeps_state
from agentsim.simulation.judging import (
    judge_cut_off,
    judge_whole,
    met_in,
    verdict_on,
)
from agentsim.simulation.loading import Loading
from agentsim.simulation.menu import EXPLORING, SCRIPTED, Menu
from agentsim.simulation.outcome import outcome_of, resume_probe
from agentsim.simulation.outside.environment import Environment
from agentsim.simulation.outside.stage import Stage
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.slips import noted
from agentsim.simulation.starting import start_agent
from agentsim.simulation.verdict import RUNS_INDEPENDENT, Verdict, check_named
from agentsim.trace import Header, Trace
from agentsim.world import World

__all__ = ["Run", "replay", "run"]


@dataclass(frozen=True, repr=False)
class Run:
    """What one run left: everything that judges or prints it reads only this.

    Attributes:
        choices: The source, with the log of all choices made.
        words: The deviations, told in words.
        value: What the agent returned, or None.
        world: The world as the run left it, to be looked at.
        struck: What struck: names of faults, `cancel`, `crash`.
        rules_met: Texts of all fault rules that the strikes fulfil, such as `slow@2`.
        unmet_rules: The scenario's own faults that never struck.
        printed: What the agent printed and logged, of a failing run that an exploration
            made again for it; else empty.
        notes: What was met and not refused, such as a thread that a library left
            running, a habit of the loop that its service puts up with, or a slip of the
            script; no part of trace and verdict.
    """

    scenario: Scenario
    agent: str
    menu: Menu
    trace: Trace
    verdict: Verdict
    choices: Choices
    words: tuple[str, ...]
    value: object
    world: World
    struck: tuple[str, ...] = ()
    rules_met: tuple[str, ...] = ()
    unmet_rules: tuple[str, ...] = ()
    printed: str = ""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        outcome = self.outcome
        return (
            f"<Run of {self.scenario.name}: {self.verdict.status}; {self.agent} ended "
            f"{outcome.status or outcome.ending}, {outcome.at_ns / 1e9:.3f} virtual seconds>"
        )

    @property
    def met(self) -> Iterator[str]:
        """What the run met: faults, texts of rules, cancel, crash, and invariants."""
        evident = [found.id for found in self.verdict.judgements if found.evidence]
        return iter([*self.struck, *self.rules_met, *evident])

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

    def failure_text(self, repeat: str, *, elsewhere: Collection[str] = ()) -> str:
        """What is violated, where it shows, and the line that repeats it.

        Args:
            elsewhere: Invariants that are told by another run, and named here only.
        """
        return failure_text(
            self.trace,
            self.verdict.violated,
            deviations=self.words,
            printed=self.printed,
            repeat=repeat,
            elsewhere=elsewhere,
        )

    @property
    def repeat(self) -> str:
        """The call that repeats the run, in Python."""
        if any(entry.id == RUNS_INDEPENDENT for entry in self.verdict.violated):
            return "by the same exploration; a run alone shows nothing of it"
        menu = {SCRIPTED: "", EXPLORING: ", menu=EXPLORING"}.get(
            self.menu, f", menu={self.menu!r}"
        )
        return (
            f"replay(scenario, {self.token!r}, agent{menu}) where agent is {self.agent}"
        )

    def expect_holds(self) -> Run:
        """Return the run if its verdict holds.

        Raises:
            InvariantViolation: with the failure text, if anything is violated or
                something named was never met.
        """
        if self.verdict.violated:
            raise InvariantViolation(self.failure_text(self.repeat))
        if self.verdict.status != "holds":
            raise InvariantViolation(unmet_text(self.verdict.unmet))
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

    The verdict is unknown, unless something is violated, when one of the scenario's own
    faults never struck, or something named was never met. Runs of several threads follow
    one another, since what they seal (clock, chance, the network) is the whole process's.

    Args:
        agent: One in any of the forms of `Agent`, or a factory of one.
        menu: The choice points; by default the script alone, on time.
        choices: The source of choices; by default every choice is the dull one.
        named: Faults, invariants, `cancel` or `crash` that must be met.

    Raises:
        UsageError: for a script that ran out or was not used up in a run without
            deviations, for what a simulation does not offer (an event loop of its own,
            the network), and for a request of wrong types where all went as usual.
    """
    if not isinstance(scenario, Scenario):
        raise UsageError(
            f"expected a Scenario, got {type(scenario).__name__}; "
            "load_scenario(path) reads one from a file"
        )
    if named:
        check_named(named)
    source = choices if choices is not None else Choices()
    with in_turn():
        return _made(scenario, agent, menu, source, named)


def _made(
    scenario: Scenario,
    agent: Callable[..., Any],
    menu: Menu,
    choices: Choices,
    named: Collection[str],
) -> Run:
    stage = Stage(scenario, menu, choices)
    lost: list[str] = []
    try:
        try:
            ending = _live(stage, agent, lost)
            choices.finish()
            judgements = None
        except UnscriptedRequest as error:
            # What an agent did wrong goes before the script that it ran out of.
            header = _header(stage, menu, agent)
            judgements = judge_cut_off(stage.recorder.trace(header))
            if all(entry.status != "violated" for entry in judgements):
                raise
            ending = Ending("raised", error=error)
        except ImproperRequest as error:
            if not stage.troubled:
                raise
            # What it took trouble to bring to light is what trouble is made for.
            choices.finish()
            ending, judgements = Ending("raised", error=error), None
        _record_outcome(stage, ending)
        trace = stage.recorder.trace(_header(stage, menu, agent))
        if judgements is None:
            judgements = judge_whole(stage, trace, lost)
        met = met_in(stage)  # before the dead do what is left to them at their burial
    except UsageError as error:
        _note_deviations(error, stage, menu)
        raise
    finally:
        stage.engine.bury()
        stage.client = None  # it holds the stage: such rings wait for the collector
    stage.world.pass_time(stage.engine.now_ns)
    return Run(
        scenario,
        trace.header.agent,
        menu,
        trace,
        verdict_on(judgements, met, named),
        choices,
        tuple(stage.engine.words),
        ending.value,
        stage.world,
        met.struck,
        met.rules,
        met.unmet_rules,
        notes=(
            *stage.engine.notes,
            *stage.warnings,
            *noted(scenario.slips, trace.events),
        ),
    )


def replay(
    scenario: Scenario,
    token: str | Token,
    agent: Callable[..., Any] = reference,
    *,
    menu: Menu = SCRIPTED,
) -> Run:
    """Repeat a run from its token.

    Where the agent loads modules for it, the run is made again: what it repeats was made
    where they were loaded. An object as the agent may keep what it was told, as one that
    has a session does; its run is made again only if it was another one.

    Raises:
        TokenError: when the token is malformed, or does not fit scenario, agent and
            menu.
    """
    token = Token.parse(token) if isinstance(token, str) else token
    again = _warm(scenario, token, agent, menu)
    try:
        token.check(again.choices, **_bound_to(scenario, menu))
    except TokenError:
        raise TokenError(
            f"token {str(token)!r} does not fit: it was made with another scenario, "
            f"agent or menu (here it is {menu.text!r}); give them as they stand beside "
            "the token in the report"
        ) from None
    return again


def _warm(
    scenario: Scenario, token: Token, agent: Callable[..., Any], menu: Menu
) -> Run:
    """Make the run of a token, where nothing is left to load."""
    loading = Loading(agent)
    notes: tuple[str, ...] = ()
    try:
        made = run(scenario, agent, menu=menu, choices=Replay(token.deviations))
    except AgentsimError:
        if not loading:
            raise
    else:
        if not loading or (keeps_state(agent) and _fits(token, made)):
            return made
        notes = made.notes
    again = run(scenario, agent, menu=menu, choices=Replay(token.deviations))
    return replace(again, notes=tuple(dict.fromkeys((*notes, *again.notes))))


def _fits(token: Token, made: Run) -> bool:
    try:
        token.check(made.choices, **_bound_to(made.scenario, made.menu))
    except TokenError:
        return False
    return True


def _bound_to(scenario: Scenario, menu: Menu) -> dict[str, str]:
    return {"scenario_digest": scenario.digest, "menu": menu.bound}


def _live(stage: Stage, agent: Callable[..., Any], lost: list[str]) -> Ending:
    """Run life after life, and note the errors that nobody took in them."""

    async def main(life: Life) -> object:
        life.record(IncarnationStarted(who="engine"))
        env = Environment(stage, life, trusted=agent is reference)
        return await start_agent(agent, env)

    main.__qualname__ = "simulation"  # it stands in the words of who waits for what
    while True:
        ending = stage.engine.live(main)
        if ending.kind == "raised" and isinstance(ending.error, UsageError):
            raise ending.error
        if ending.kind == "crashed":
            # Who died may not have come to look at the errors of its tasks.
            continue
        lost += ending.unhandled
        return ending


def _note_deviations(error: UsageError, stage: Stage, menu: Menu) -> None:
    """Say with an error that ended a run what was not as usual in it."""
    if isinstance(error, TokenError) or not stage.deviated:
        return
    error.token = str(Token.of(stage.choices, **_bound_to(stage.scenario, menu)))
    error.add_note(f"What was not as usual: {'; '.join(stage.engine.words)}")


def _record_outcome(stage: Stage, ending: Ending) -> None:
    """Close the trace: what a service says of the history left, then the outcome."""
    outcome = outcome_of(
        ending,
        stage.recorder.events,
        at_ns=stage.engine.now_ns,
        life=stage.engine.life_number,
    )
    probe = resume_probe(stage.client, outcome)
    if probe is not None:
        stage.recorder.add(probe)
    stage.recorder.add(outcome)


def _header(stage: Stage, menu: Menu, agent: Callable[..., Any]) -> Header:
    scenario = stage.scenario
    declared = stage.declared
    return Header(
        scenario=scenario.name,
        scenario_digest=scenario.digest,
        agent=agent_name(agent),
        policy=menu.policy,
        menu=menu.text,
        task=scenario.task,
        prompt=scenario.prompt,
        tools=scenario.allowed_tools,
        limits=declared.limits if declared is not None else None,
        loop=declared.loop if declared is not None else None,
        model=scenario.model if scenario.model != Scenario.model else "",
        temperature=(
            scenario.temperature
            if scenario.temperature != Scenario.temperature
            else None
        ),
    )
