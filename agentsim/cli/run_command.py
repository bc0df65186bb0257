"""`agentsim run`: one run of a scenario, its timeline and its verdict."""

from __future__ import annotations

from typing import Any

from agentsim.cli.common import repeat_line
from agentsim.cli.options.bundles import Output, Subject, unbundled
from agentsim.cli.options.places import trace_not_written
from agentsim.cli.output import (
    LINES_MAX,
    FullyTold,
    agent_output,
    console,
    echo,
    print_json,
    tell,
)
from agentsim.report import (
    EXIT_CODES,
    judgements_data,
    print_judgements,
    print_timeline,
)
from agentsim.simulation import Run, run

__all__ = ["command", "finish", "run_data", "verdict_line"]


@unbundled
def command(subject: Subject, output: Output) -> int:
    """Run a scenario once, on time and without faults but its own, and judge it."""
    output.check(subject.scenario)
    with agent_output(shown=True):
        made = run(*subject.load())
    return finish(made, subject, output)


def finish(made: Run, subject: Subject, output: Output) -> int:
    """Print a run, write its trace where asked to, and give its exit code."""
    unwritten = None
    if output.trace is not None:
        unwritten = trace_not_written(output.trace, made.trace)
    repeat = repeat_line(subject.scenario, subject.agent, made)
    if output.as_json:
        print_json({**run_data(made), "repeat": repeat})
    else:
        print_run(made, repeat, runtime_events=output.runtime_events)
    if unwritten is not None:
        echo(f"agentsim: {unwritten}", err=True)
        return FullyTold(EXIT_CODES["usage"])
    return EXIT_CODES[made.verdict.status]


def run_data(made: Run) -> dict[str, Any]:
    """A run as data for `--json`."""
    outcome = made.outcome
    usage = outcome.usage
    return {
        "verdict": made.verdict.status,
        "scenario": made.scenario.name,
        "agent": made.agent,
        "menu": made.menu.text,
        "status": outcome.status if outcome.status is not None else outcome.ending,
        "output": outcome.output,
        "error": outcome.error,
        "iterations": outcome.iterations,
        "messages": None if outcome.history is None else len(outcome.history),
        "usage": None
        if usage is None
        else {
            "prompt": usage.prompt,
            "completion": usage.completion,
            "cache_read": usage.cache_read,
            "estimated": usage.estimated,
        },
        "tools": None if outcome.tools is None else list(outcome.tools),
        "virtual_s": outcome.at_ns / 1_000_000_000,
        "invariants": judgements_data(made.verdict.judgements),
        "unmet": list(made.verdict.unmet),
        "deviations": list(made.words),
        "token": made.token,
        "trace_digest": made.trace.digest(),
        "notes": list(made.notes),
    }


def verdict_line(made: Run) -> str:
    """The verdict on a run in one line."""
    outcome = made.outcome
    ending = outcome.status if outcome.status is not None else outcome.ending
    counted = (
        f" in {outcome.iterations} iterations" if outcome.iterations is not None else ""
    )
    seconds = outcome.at_ns / 1_000_000_000
    return (
        f"{made.scenario.name}: {made.verdict.status}. "
        f"{made.agent} ended {ending}{counted}, {seconds:.3f} virtual seconds."
    )


def print_run(made: Run, repeat: str, *, runtime_events: bool) -> None:
    """Print the timeline, the table of judgements and, if any, the failure text."""
    terminal = console()
    judgements = made.verdict.judgements
    print_timeline(
        terminal, made.trace, judgements, runtime=runtime_events, lines_max=LINES_MAX
    )
    terminal.print()
    print_judgements(terminal, judgements)
    terminal.print()
    if made.verdict.violated:
        tell(terminal, made.failure_text(repeat))
    elif made.verdict.unmet:
        tell(terminal, f"Named and never met: {', '.join(made.verdict.unmet)}")
    tell(terminal, verdict_line(made))
    for note in made.notes:
        tell(terminal, f"Note: {note}.")
