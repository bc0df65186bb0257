"""What the tests of the sample project share."""

from __future__ import annotations

import pytest

from agentsim import call, say, together
from agentsim.pytest_plugin import Sim


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of the async tests."""
    return "asyncio"


@pytest.fixture
def looking(sim: Sim) -> Sim:
    """The model looks at disk and processor at once, then answers."""
    sim.world.disk.fill("95%")
    sim.script(
        together(call("check_disk"), call("check_cpu")), say("The disk is full.")
    )
    return sim
