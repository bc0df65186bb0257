"""What the loops on the real SDK are asked, in environments without pytest too."""

from __future__ import annotations

from agentsim.faults import rate_limited, server_error
from agentsim.providers import call, say
from agentsim.simulation import Scenario
from agentsim.world import Disk, Files

FIVE = Scenario(
    task="Look, then note it down.",
    script=[
        call("check_disk"),
        call("write_file", path="note", content="half full"),
        call("read_file", path="note"),
        call("check_disk"),
        say("Noted."),
    ],
    world=[Disk(used="50%"), Files()],
    name="five",
)

STRUCK = Scenario(
    task=FIVE.task,
    script=FIVE.script,
    world=FIVE.world,
    faults=[rate_limited(attempt=1, retry_after_s=30), server_error(attempt=2)],
    name="struck",
)
