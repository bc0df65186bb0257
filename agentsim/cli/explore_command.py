"""`agentsim explore`: many runs of a scenario, exhaustively or at random."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from agentsim.cli.common import JsonOption, replay_line
from agentsim.cli.exploration.progress import progress
from agentsim.cli.exploration.stories import check_place, save_failure
from agentsim.cli.exploration.telling import (
    Repeat,
    exploration_data,
    found_before,
    print_exploration,
)
from agentsim.cli.options.bundles import ExploringMenu, Subject, unbundled
from agentsim.cli.options.declared import Option
from agentsim.cli.options.durations import parse_duration
from agentsim.cli.output import (
    EXIT_STOPPED,
    FullyTold,
    agent_output,
    console,
    echo,
    error_words,
    print_json,
    tell,
)
from agentsim.core import AgentsimError, UsageError
from agentsim.report import EXIT_CODES
from agentsim.simulation import KNOWN_FOLDER, RUNS, ExplorationStopped, explore

__all__ = ["command"]


@dataclass(frozen=True)
class Extent:
    """Which runs are made, and how many."""

    runs: Annotated[
        int | None,
        Option(
            "--runs",
            "--max-runs",
            least=1,
            says=f"At most so many runs; {RUNS} random ones by default.",
        ),
    ] = None
    time: Annotated[
        str | None,
        Option(
            "--time",
            metavar="DURATION",
            says="Begin no run after this time: 30s, 5m, 1h30m.",
        ),
    ] = None
    seed: Annotated[int, Option("--seed", least=0, says="Seed of the random runs.")] = 0
    deviations: Annotated[
        int | None,
        Option("--deviations", least=0, says="All runs with up to so many deviations."),
    ] = None
    workers: Annotated[
        int,
        Option(
            "--workers",
            least=1,
            says="How many processes make the runs; what is found is the same.",
        ),
    ] = 1
    require: Annotated[
        list[str] | None,
        Option(
            "--require", says="A fault, invariant, cancel or crash that must be met."
        ),
    ] = None

    @property
    def mode(self) -> dict[str, str | int]:
        """How the runs are chosen, as data."""
        if self.deviations is None:
            return {"mode": "random", "seed": self.seed}
        return {"mode": "exhaustive", "deviations": self.deviations}

    @property
    def flags(self) -> list[str]:
        """The options that make the same runs again."""
        if self.deviations is None:
            flags = ["--seed", str(self.seed)]
        else:
            flags = ["--deviations", str(self.deviations)]
        return flags + (["--runs", str(self.runs)] if self.runs is not None else [])


@dataclass(frozen=True)
class Kept:
    """What is kept in files."""

    save: Annotated[
        Path | None,
        Option(
            "--save-failure",
            metavar="FILE",
            says="Write the shortest story of the first failure as a scenario.",
        ),
    ] = None
    known: Annotated[
        bool,
        Option(
            "--known/--no-known",
            says=f"Replay known failures first, and keep new ones in {KNOWN_FOLDER}/.",
        ),
    ] = True


@unbundled
def command(
    subject: Subject,
    extent: Extent,
    offered: ExploringMenu,
    kept: Kept,
    as_json: JsonOption = False,
) -> int:
    """Run a scenario many times: at random, or every run up to a number of deviations.

    What the agent prints and logs is left out; `agentsim replay` shows it for one run.
    Ctrl-C ends with what was found until then, and so does an error.
    """
    if kept.save is not None:
        check_place(kept.save, subject.scenario)
    seconds = None if extent.time is None else parse_duration(extent.time, "--time")
    stopped = False
    failed: AgentsimError | None = None
    with progress(extent.runs, shown=not as_json) as bar, agent_output(shown=False):
        scenario, agent = subject.load()
        menu = offered.menu  # it may name faults that the scenario's module registers
        try:
            found = explore(
                scenario,
                agent,
                deviations=extent.deviations,
                runs=extent.runs,
                time_s=seconds,
                seed=extent.seed,
                menu=menu,
                named=tuple(extent.require or ()),
                known=KNOWN_FOLDER if kept.known else None,
                workers=extent.workers,
                on_progress=bar,
            )
        except ExplorationStopped as error:
            found, stopped = error.found, True
        except AgentsimError as error:
            if isinstance(error, UsageError) and error.token is not None:
                words = (subject.scenario, subject.agent, error.token, menu.flags)
                error.add_note(f"Repeat it: {replay_line(*words)}")
            before = found_before(error)
            if before is None:
                raise
            found, failed = before, error
    repeat = Repeat(subject.scenario, subject.agent, extent.flags)
    saved = None
    if kept.save is not None:
        saved = save_failure(found, kept.save, subject.agent)
    if as_json:
        data = exploration_data(found, repeat, extent.mode)
        if failed is not None:
            data["verdict"], data["error"] = error_words(failed)
        print_json({**data, "saved": saved} if saved is not None else data)
    else:
        terminal = console()
        print_exploration(terminal, found, repeat)
        if saved is not None:
            tell(terminal, saved)
    if stopped:
        echo("agentsim: stopped by the keyboard", err=True)
        return FullyTold(EXIT_STOPPED)
    if failed is not None:
        verdict, told = error_words(failed)
        echo(f"agentsim: {told}", err=True)
        return FullyTold(EXIT_CODES[verdict])
    return EXIT_CODES[found.status]
