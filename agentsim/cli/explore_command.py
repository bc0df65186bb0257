"""`agentsim explore`: many runs of a scenario, exhaustively or at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from agentsim.cli.common import (
    EXIT_CODES,
    REFERENCE,
    AgentOption,
    CancelOption,
    CrashOption,
    FaultsOption,
    JsonOption,
    PolicyOption,
    TargetArgument,
    console,
    load_target,
    make_menu,
    print_json,
    repeat_line,
)
from agentsim.cli.run_command import verdict_line
from agentsim.report import print_timeline
from agentsim.simulation import RUNS, Exploration, Run, explore, import_agent

__all__ = ["command"]

LIMITS_DOMINATE = 0.5
"""Share of runs ended by limits from which a report warns (T5)."""

LIMIT_STATUSES = ("max_iterations", "deadline", "token_budget", "loop")


def command(
    scenario: TargetArgument,
    agent: AgentOption = REFERENCE,
    runs: Annotated[
        int | None,
        typer.Option("--runs", min=1, help=f"Random runs, {RUNS} by default."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the random runs.")
    ] = 0,
    deviations: Annotated[
        int | None,
        typer.Option(
            "--deviations", min=0, help="All runs with up to so many deviations."
        ),
    ] = None,
    policy: PolicyOption = "any_order",
    faults: FaultsOption = "all",
    cancel: CancelOption = True,
    crash: CrashOption = False,
    named: Annotated[
        list[str] | None,
        typer.Option(
            "--require", help="A fault, invariant, cancel or crash that must be met."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Run a scenario many times: at random, or every run up to a number of deviations."""
    menu = make_menu(policy, faults, cancel=cancel, crash=crash)
    loaded, tested = load_target(scenario), import_agent(agent)
    total = runs if deviations is not None else runs or RUNS
    with _progress(total, shown=not as_json) as advance:
        found = explore(
            loaded,
            tested,
            deviations=deviations,
            runs=runs,
            seed=seed,
            menu=menu,
            named=tuple(named or ()),
            on_run=advance,
        )
    if as_json:
        print_json(_data(found, scenario, agent, seed, deviations))
    else:
        _print(console(), found, scenario, agent)
    return EXIT_CODES[found.status]


class _progress:  # noqa: N801  # reads as a context in the command
    """A progress bar that is shown only on a terminal."""

    def __init__(self, total: int | None, *, shown: bool) -> None:
        bar = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=bar,
            disable=not (shown and bar.is_terminal),
            transient=True,
        )
        self._task = self._bar.add_task("runs", total=total)

    def __enter__(self) -> Callable[[Run], None]:
        self._bar.start()
        return lambda _: self._bar.advance(self._task)

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()


def _data(
    found: Exploration, target: str, agent: str, seed: int, deviations: int | None
) -> dict[str, Any]:
    left = found.deviations_left
    return {
        "verdict": found.status,
        "scenario": found.scenario.name,
        "agent": found.agent,
        "policy": found.menu.policy,
        "menu": found.menu.text,
        "mode": "random" if deviations is None else "exhaustive",
        **({"seed": seed} if deviations is None else {"deviations": deviations}),
        "runs": found.runs,
        "complete": found.complete,
        "deviations_left": None
        if left is None
        else {"runs": left[0], "exact": left[1]},
        "violated_runs": found.violated_runs,
        "violations": [
            _violation(name, made, repeat_line(target, agent, made))
            for name, made in found.violations.items()
        ],
        "endings": found.endings,
        "never_struck": list(found.never_struck),
        "no_evidence": list(found.no_evidence),
        "unmet": list(found.unmet),
        "runs_per_s": round(found.runs_per_s),
    }


def _violation(name: str, made: Run, repeat: str) -> dict[str, Any]:
    judgement = next(entry for entry in made.verdict.violated if entry.id == name)
    first = judgement.violations[0]
    return {
        "invariant": name,
        "words": first.words,
        "expected": first.expected,
        "found": first.found,
        "deviations": list(made.words),
        "token": made.token,
        "trace_digest": made.trace.digest(),
        "repeat": repeat,
    }


def _print(terminal: Console, found: Exploration, target: str, agent: str) -> None:
    for made in {made.token: made for made in found.violations.values()}.values():
        terminal.rule(", ".join(judgement.id for judgement in made.verdict.violated))
        print_timeline(terminal, made.trace, made.verdict.violated)
        terminal.print()
        repeat = repeat_line(target, agent, made)
        terminal.print(made.failure_text(repeat), markup=False, soft_wrap=True)
        terminal.print(verdict_line(made), markup=False, soft_wrap=True)
        terminal.print()
    for line in _summary(found):
        terminal.print(line, markup=False, soft_wrap=True)


def _summary(found: Exploration) -> list[str]:
    counted = f"{found.runs} runs of {found.agent}, {found.violated_runs} violated"
    lines = [
        f"{found.scenario.name}: {found.status}. {counted}, {found.runs_per_s:.0f} runs/s.",
        f"Menu: {found.menu.text}",
    ]
    if found.deviations_left is not None:
        left, exact = found.deviations_left
        if found.complete:
            lines.append("Complete: every run within the bound was made.")
        else:
            least = "" if exact else "at least "
            lines.append(f"Not complete: {least}{left} runs are left.")
    endings = sorted(found.endings.items(), key=lambda entry: (-entry[1], entry[0]))
    lines.append("Endings: " + ", ".join(f"{name} {count}" for name, count in endings))
    limited = sum(found.endings.get(name, 0) for name in LIMIT_STATUSES)
    if limited > LIMITS_DOMINATE * found.runs:
        lines.append(
            f"Warning: {limited} of {found.runs} runs ended by a limit; a limit is an "
            "insurance, not a way to finish."
        )
    for words, names in (
        ("Never struck", found.never_struck),
        ("No evidence", found.no_evidence),
        ("Named and never met", found.unmet),
    ):
        if names:
            lines.append(f"{words}: {', '.join(names)}")
    return lines
