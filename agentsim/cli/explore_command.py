"""`agentsim explore`: many runs of a scenario, exhaustively or at random."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from rich.console import Console

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
    load_target,
    make_menu,
    repeat_line,
)
from agentsim.cli.output import LINES_MAX, agent_output, console, print_json, tell
from agentsim.cli.run_command import verdict_line
from agentsim.report import print_timeline
from agentsim.simulation import (
    RUNS,
    RUNS_INDEPENDENT,
    Exploration,
    Run,
    explore,
    import_agent,
)

__all__ = ["command"]

LIMITS_DOMINATE = 0.5
"""Share of runs ended by limits from which a report warns (T5)."""

LIMIT_STATUSES = ("max_iterations", "token_budget", "loop")
"""Not the deadline: that it comes early is a deviation of the exploration's own."""


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
    """Run a scenario many times: at random, or every run up to a number of deviations.

    What the agent prints is left out; `agentsim replay` shows it for one run.
    """
    menu = make_menu(policy, faults, cancel=cancel, crash=crash)
    total = runs if deviations is not None else runs or RUNS
    with agent_output(shown=False), _progress(total, shown=not as_json) as on_run:
        found = explore(
            load_target(scenario),
            import_agent(agent),
            deviations=deviations,
            runs=runs,
            seed=seed,
            menu=menu,
            named=tuple(named or ()),
            on_run=on_run,
        )
    mode = (
        ["--seed", str(seed)]
        if deviations is None
        else ["--deviations", str(deviations)]
    )
    mode += ["--runs", str(runs)] if runs is not None else []
    repeat = _Repeat(scenario, agent, mode)
    if as_json:
        print_json(_data(found, repeat, seed=seed, deviations=deviations))
    else:
        _print(console(), found, repeat)
    return EXIT_CODES[found.status]


class _Repeat:
    """Makes the line that repeats a violation."""

    def __init__(self, target: str, agent: str, mode: list[str]) -> None:
        self._target = target
        self._agent = agent
        self._mode = mode

    def line(self, made: Run, invariant: str) -> str:
        """Replay the run; that runs hang on each other shows only in many of them."""
        if invariant != RUNS_INDEPENDENT:
            return repeat_line(self._target, self._agent, made)
        words = ["agentsim", "explore", self._target, "--agent", self._agent]
        flags = [*made.menu.flags, *(["--no-cancel"] * (not made.menu.cancel))]
        return shlex.join([*words, *self._mode, *flags])


@contextlib.contextmanager
def _progress(
    total: int | None, *, shown: bool
) -> Iterator[Callable[[Run], None] | None]:
    """Show a progress bar, on a terminal only."""
    terminal = Console(stderr=True)
    if not (shown and terminal.is_terminal):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task("runs", total=total)
        yield lambda _made: bar.advance(task)


def _data(
    found: Exploration, repeat: _Repeat, *, seed: int, deviations: int | None
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
            _violation(name, made, repeat.line(made, name))
            for name, made in found.violations.items()
        ],
        "endings": found.endings,
        "never_struck": list(found.never_struck),
        "no_evidence": list(found.no_evidence),
        "unmet": list(found.unmet),
        "warnings": _warnings(found),
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


def _print(terminal: Console, found: Exploration, repeat: _Repeat) -> None:
    shown: dict[tuple[str, str], tuple[Run, str]] = {}
    for name, made in found.violations.items():
        ids = ", ".join(judgement.id for judgement in made.verdict.violated)
        shown.setdefault((made.token, ids), (made, name))
    for (_, ids), (made, name) in shown.items():
        terminal.rule(ids)
        print_timeline(terminal, made.trace, made.verdict.violated, lines_max=LINES_MAX)
        terminal.print()
        tell(terminal, made.failure_text(repeat.line(made, name)))
        tell(terminal, verdict_line(made))
        terminal.print()
    for line in _summary(found):
        tell(terminal, line)


def _warnings(found: Exploration) -> list[str]:
    """What is no violation, and still should be looked at."""
    warnings = []
    expected = found.scenario.expectation.status
    names = [name for name in LIMIT_STATUSES if name != expected]
    limited = sum(found.endings.get(name, 0) for name in names)
    if limited > LIMITS_DOMINATE * found.runs:
        words = "a limit is an insurance, not a way to finish"
        warnings.append(f"{limited} of {found.runs} runs ended by a limit; {words}")
    stuck = sum(found.endings.get(name, 0) for name in ("deadlock", "livelock"))
    if stuck and "ends" not in found.violations:
        words = "an agent without a deadline waits for ever for what never answers"
        warnings.append(f"{stuck} of {found.runs} runs never ended; {words}")
    return warnings


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
    lines += [f"Warning: {warning}." for warning in _warnings(found)]
    for words, names in (
        ("Never struck", found.never_struck),
        ("No evidence", found.no_evidence),
        ("Named and never met", found.unmet),
    ):
        if names:
            lines.append(f"{words}: {', '.join(names)}")
    return lines
