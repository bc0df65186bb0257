"""The simulation that a test sets up step by step: what the `sim` fixture gives.

It works as well without pytest, in a notebook for instance: `sim = Sim()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from agentsim.core import Limits, UsageError, did_you_mean
from agentsim.faults import FaultRule
from agentsim.providers import Script
from agentsim.simulation import Run, Scenario, run
from agentsim.world import SPECS, Human, Spec, World, tools_of_part

__all__ = ["WORLD", "Recorded", "Sim"]

WORLD: tuple[Spec, ...] = tuple(
    part() for kind, part in SPECS.own.items() if tools_of_part(kind)
)
"""The world of a test that names none: every part with tools, as it is by default."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run as it was asked for, so that it can be asked for again."""

    scenario: Scenario
    agent: Callable[..., Any]
    run: Run


class Sim:
    """A simulation that is set up step by step, and in which agents run.

    What is set holds for all runs that follow. Each run goes on in the world as the run
    before left it.

    Args:
        world: The parts of the world; None for every part, as it is by default.
        name: The name of its scenarios.
        seed: What the world draws its numbers from.

    Attributes:
        world: The live world: set it up before a run, look at it afterwards.
        recorded: The runs so far, as they were asked for.
        said: What was said of runs, and is nothing without one: names of methods.
        asked: Whether a run was asked for, or its scenario.
        over: The name of the test that it was of, once that is over: nobody would judge
            another run.
    """

    def __init__(
        self,
        *,
        world: Iterable[Spec] | None = None,
        name: str = "simulation",
        seed: int = 0,
    ) -> None:
        self._specs = tuple(WORLD if world is None else world)
        self._fields: dict[str, Any] = {"name": name, "seed": seed}
        self.world = World(self._specs, seed=seed)
        self.recorded: list[Recorded] = []
        self.said: list[str] = []
        self.asked = False
        self.over: str | None = None

    def __repr__(self) -> str:
        made = len(self.recorded)
        return f"<Sim: {made} run{'' if made == 1 else 's'}>"

    def add(self, *specs: Spec) -> None:
        """Add parts to the world, each in place of one of its kind; the others stay."""
        kinds = {getattr(spec, "kind", None) for spec in specs}
        kept = tuple(spec for spec in self._specs if spec.kind not in kinds)
        before, self.world = self.world.snapshot(), World((*kept, *specs))
        self._specs = (*kept, *specs)
        fresh = self.world.snapshot()["parts"]
        parts = {
            kind: fresh[kind] if kind in kinds else before["parts"][kind]
            for kind in fresh
        }
        self.world.restore({**before, "parts": parts})

    def script(self, *replies: Any) -> None:
        """Say what the model answers: replies in order, or a policy such as `by(...)`."""
        whole = len(replies) == 1 and isinstance(replies[0], Script)
        self._say("script", replies[0] if whole else Script(replies))

    def faults(self, *rules: FaultRule) -> None:
        """Let faults strike wherever they match, in every run; none to take them away."""
        self._say("faults", rules)

    def limits(self, limits: Limits | None = None, **fields: Any) -> None:
        """Set the limits that the agent is to keep: `Limits`, or their fields."""
        self._say("limits", Limits(**fields) if limits is None else limits)

    def human(self, *who: Human | None, **fields: Any) -> None:
        """Say who approves: a `Human`, None for nobody, or the fields of one."""
        if len(who) + bool(fields) != 1:
            raise UsageError("sim.human(): expected a Human, None, or fields of one")
        self._say("human", Human(**fields) if fields else who[0])

    def tools(self, *tools: str | Spec) -> None:
        """Give tools: names are all of those that the agent gets; own ones are added."""
        names = tuple(tool for tool in tools if isinstance(tool, str))
        self.add(*(tool for tool in tools if not isinstance(tool, str)))
        if names:
            self._say("tools", names)

    def scenario(self, task: str | Scenario, **fields: Any) -> Scenario:
        """Build the scenario of the next run.

        Raises:
            UsageError: for a field that no scenario has, or without a script.
        """
        self.asked = True
        if self.over is not None:
            raise UsageError(
                f"sim.run(): this sim is of the test {self.over}, which is over, so that "
                "nobody would judge the run: ask for the fixture sim in the test that runs"
            )
        known = Scenario.__dataclass_fields__
        for name in fields:
            if name not in known:
                raise UsageError(
                    f"sim.run(): a scenario has no field {name!r}{did_you_mean(name, known)}"
                )
        if isinstance(task, Scenario):
            return replace(task, **fields)
        told = {**self._fields, **fields}
        if self.recorded and "name" not in fields:
            told["name"] = f"{told['name']} {len(self.recorded) + 1}"
        if "world" not in told:
            told["world"] = self._specs
            told.setdefault("start", self.world.snapshot())
        if "script" not in told:
            raise UsageError(
                "sim.run(): say first what the model answers, such as "
                'sim.script(call("check_disk"), say("Half full."))'
            )
        return Scenario(task=task, **told)

    def run(
        self, agent: Callable[..., Any], task: str | Scenario, **fields: Any
    ) -> Run:
        """Run an agent once, as it was set up, in the order in which answers are due.

        Args:
            agent: One in any of the forms of `Agent`, or a factory of one.
            task: What the user asks for; or a whole scenario, with a world of its own.
            fields: Other fields of the scenario, for this run alone, such as `prompt`.

        Raises:
            UsageError: for a script that ran out or was not used up, and for what can't
                be simulated.
        """
        scenario = self.scenario(task, **fields)
        made = run(scenario, agent)
        self.recorded.append(Recorded(scenario, agent, made))
        if scenario.world != self._specs:
            self._specs, self.world = tuple(scenario.world), scenario.build_world()
        self.world.restore(made.world.snapshot())
        return made

    async def arun(
        self, agent: Callable[..., Any], task: str | Scenario, **fields: Any
    ) -> Run:
        """The same inside a running event loop, which stands still meanwhile.

        The agent runs on the simulation's own loop, so that nothing of the outer loop
        happens during the run; afterwards it goes on as it was.
        """
        return self.run(agent, task, **fields)

    def _say(self, name: str, value: object) -> None:
        self._fields[name] = value
        self.said.append(name)
