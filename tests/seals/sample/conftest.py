"""What the tests of the sample project share, and the order in which they run."""

from __future__ import annotations

import os
from random import Random

import pytest

from agentsim import call, say
from agentsim.pytest_plugin import Sim


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the tests, as plugins for that do, where the environment gives a seed."""
    if "SHUFFLED" in os.environ:
        Random(os.environ["SHUFFLED"]).shuffle(items)


@pytest.fixture
def asked(sim: Sim) -> Sim:
    """The model looks at the disk twice, and answers."""
    sim.script(call("check_disk"), call("check_disk"), say("All is well."))
    return sim
