"""The scenarios that ship with the project, loaded once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agentsim.simulation import Scenario, load_scenario

__all__ = ["FOLDER", "NAMES", "scenario"]

FOLDER = Path(__file__).parents[2] / "scenarios"

NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def scenario(name: str) -> Scenario:
    """A scenario by the stem of its file."""
    return load_scenario(FOLDER / f"{name}.yaml")
