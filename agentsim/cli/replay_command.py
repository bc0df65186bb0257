"""`agentsim replay`: repeat one run from its token."""

from __future__ import annotations

from typing import Annotated

import typer

from agentsim.cli.common import (
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
)
from agentsim.cli.output import agent_output
from agentsim.cli.run_command import RuntimeOption, TraceOption, finish
from agentsim.simulation import import_agent, replay

__all__ = ["command"]


def command(
    scenario: TargetArgument,
    token: Annotated[
        str, typer.Argument(metavar="TOKEN", help="As a report prints it.")
    ],
    agent: AgentOption = REFERENCE,
    policy: PolicyOption = "timed",
    faults: FaultsOption = "none",
    cancel: CancelOption = False,
    crash: CrashOption = False,
    trace: TraceOption = None,
    runtime_events: RuntimeOption = False,
    as_json: JsonOption = False,
) -> int:
    """Repeat one run exactly, from the line that a report prints."""
    menu = make_menu(policy, faults, cancel=cancel, crash=crash)
    with agent_output(shown=True):
        made = replay(load_target(scenario), token, import_agent(agent), menu=menu)
    return finish(
        made, scenario, agent, trace, runtime_events=runtime_events, as_json=as_json
    )
