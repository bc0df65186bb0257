"""What a child process does: it makes the runs it is asked for, and tells each in a line.

The first line tells what is run; each further one is a run, made once and made again from
its token. All is told on the standard output that the parent reads, which is therefore
taken away from the agent and everything that it loads.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentsim.cli.common import load_target, make_menu
from agentsim.cli.determinism.heap import scatter
from agentsim.cli.determinism.plain import trace_text
from agentsim.core import AgentsimError, UsageError
from agentsim.engine import Choices, Replay
from agentsim.simulation import (
    Menu,
    Run,
    Sampled,
    agent_name,
    import_agent,
    replay,
    run,
    warm_up,
)
from agentsim.trace import diff

__all__ = ["main"]


def main() -> None:
    """Do what the first argument says, as JSON: target, agent, runs and heap."""
    # Ctrl-C reaches parent and children alike, and the parent tells of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asked = json.loads(sys.argv[1])
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answer:
        _silence()
        for line in _lines(asked):
            answer.write(json.dumps(line) + "\n")
            answer.flush()


def _silence() -> None:
    """Send what an agent prints nowhere, also what it prints past `sys.stdout`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _lines(asked: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    try:
        yield from _answers(asked)
    except UsageError as error:
        yield {"usage": str(error)}
    except AgentsimError as error:
        yield {"internal": str(error)}


def _answers(asked: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    kept = [scatter(asked["heap"])]  # before the agent's own modules make objects
    scenario, agent = load_target(asked["target"]), import_agent(asked["agent"])
    menu = make_menu("any_order", "all", cancel=True, crash=True)
    yield {
        "scenario": scenario.name,
        "agent": agent_name(agent),
        "flags": list(menu.flags),
    }
    cold = warm_up(scenario, agent, menu)
    kept.append(scatter(asked["heap"]))
    first: Run | None = None
    for number in range(asked["runs"]):
        try:
            made = run(scenario, agent, menu=menu, choices=_source(number, menu, first))
        except UsageError as error:
            yield {"error": str(error)}
            continue
        line = _told(made, agent)
        if not number:
            first = made
            line["cold"] = None if cold is None else diff(cold.trace, made.trace)
            line["ended"] = _ended(made)
        yield line


def _source(number: int, menu: Menu, first: Run | None) -> Choices:
    """The choices of a run by its number; those of run 0 are all dull."""
    if not number:
        return Replay({})
    made = 0 if first is None else len(first.choices.arities)
    return Sampled(number, menu, choices=made)


def _told(made: Run, agent: Callable[..., Any]) -> dict[str, Any]:
    """A run as data; `again` is its repetition, where that is another."""
    return {
        "error": None,
        "token": made.token,
        "choices": [list(choice) for choice in made.choices.log],
        "words": list(made.words),
        "trace": trace_text(made.trace),
        "again": _again(made, agent),
    }


def _again(made: Run, agent: Callable[..., Any]) -> dict[str, Any] | None:
    try:
        repeated = replay(made.scenario, made.token, agent, menu=made.menu)
    except UsageError as error:
        return {"words": str(error), "trace": None}
    words = diff(made.trace, repeated.trace)
    if words is None:
        return None
    return {"words": words, "trace": trace_text(repeated.trace)}


def _ended(made: Run) -> str | None:
    """How a run ended that did not return, in a few words."""
    outcome = made.outcome
    if outcome.ending == "returned":
        return None
    return f"{outcome.ending} ({outcome.error})" if outcome.error else outcome.ending
