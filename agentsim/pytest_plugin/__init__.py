"""The pytest plugin: the fixtures `sim` and `cassette`, options, and runs as snapshots.

pytest loads `hooks` alone, which imports nothing heavy; the rest comes with first use.
"""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.pytest_plugin.reference import pytest_page as pytest_page
    from agentsim.pytest_plugin.sim import Sim as Sim
    from agentsim.pytest_plugin.snapshots import TimelineExtension as TimelineExtension
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Sim": "sim",
            "TimelineExtension": "snapshots",
            "pytest_page": "reference",
        },
    )
