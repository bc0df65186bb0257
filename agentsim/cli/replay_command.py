"""`agentsim replay`: repeat one run from its token."""

from __future__ import annotations

from typing import Annotated

from agentsim.cli.options.bundles import Output, ReplayedMenu, Subject, unbundled
from agentsim.cli.options.declared import Argument
from agentsim.cli.output import agent_output
from agentsim.cli.run_command import finish
from agentsim.simulation import replay

__all__ = ["command"]


@unbundled
def command(
    subject: Subject,
    token: Annotated[str, Argument(metavar="TOKEN", says="As a report prints it.")],
    offered: ReplayedMenu,
    output: Output,
) -> int:
    """Repeat one run exactly, from the line that a report prints."""
    output.check(subject.scenario)
    with agent_output(shown=True):
        scenario, agent = subject.load()
        menu = offered.menu  # it may name faults that the scenario's module registers
        made = replay(scenario, token, agent, menu=menu)
    return finish(made, subject, output)
