"""What the agents of the frameworks work on: reads and a write at the same time."""

from typing import Literal

from agentsim import Scenario, call, say, together, tool
from agentsim.world import Cpu, Files, Services


@tool(read_only=True, latency_s=0.5)
def find_tickets(
    state: Literal["open", "closed"] = "open", limit: int = 10
) -> list[str]:
    """Find tickets.

    Args:
        state: Which tickets to find.
        limit: How many at most.
    """
    return ["T-1", "T-2"][:limit] if state == "open" else []


SCENARIO = Scenario(
    name="frameworks",
    task="Is web-03 well? Note it down.",
    world=[Files(), find_tickets],
    tools=("find_tickets", "write_file"),
    script=[
        together(
            call("find_tickets"),
            call("find_tickets", limit=1),
            call("write_file", path="note", content="web-03 is well"),
        ),
        say("web-03 is well, and noted."),
    ],
    expect={"output": "web-03 is well", "effects": {"write_file": 1}, "calls": 3},
)
"""Thousands of runs are made of it, and most of what one costs is what SDK and framework
make of each tool, of each message and of each request: there are no more than it takes."""

MANY_TOOLS = Scenario(
    name="many tools",
    task="What are your tools?",
    world=[Cpu(), Services(), Files(), find_tickets],
    tools=("check_cpu", "check_status", "read_file", "write_file", "find_tickets"),
    script=[],
)
"""For looking at what a framework makes of them."""
