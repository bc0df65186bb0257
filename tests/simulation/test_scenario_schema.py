"""The JSON Schema of scenario files takes what the reader takes, and says more to editors."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from agentsim.core import ScenarioError
from agentsim.simulation import load_scenario, scenario_schema
from agentsim.world import SPECS, tool, world_part
from tests.simulation.test_scenario_file import GOOD
from tests.support.command import agentsim
from tests.support.scenarios import FOLDER, NAMES

SCHEMA = jsonschema_rs.validator_for(scenario_schema(own=True))


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_that_ships_fits(name: str) -> None:
    """What is read without an error is no error in an editor."""
    data = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    assert [error.message for error in SCHEMA.iter_errors(data)] == []


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("expect:", "expcet:"),
        GOOD.replace("say:", "sya:"),
        GOOD.replace("used:", "usd:"),
        GOOD.replace("used: 50%", "used: [50]"),
        GOOD.replace("task:", "tusk:"),
        GOOD + "human: nobody\n",
        GOOD + "human: {approves: 3}\n",
        GOOD + "seed: -1\n",
        GOOD + "limits: {max_iterations: many}\n",
    ],
)
def test_what_is_refused_by_shape_is_refused_by_the_schema(
    text: str, tmp_path: Path
) -> None:
    """Misspelt fields and wrong types are seen by both, at any depth."""
    (tmp_path / "story.yaml").write_text(text)
    with pytest.raises(ScenarioError):
        load_scenario(tmp_path / "story.yaml")
    assert not SCHEMA.is_valid(yaml.safe_load(text))


def test_own_parts_are_in_the_schema_of_who_has_them() -> None:
    """A registered part is completed by editors; a part that is not known is let pass."""

    @world_part("kiosk")
    class Kiosk:
        papers: int = 1

        @tool(read_only=True)
        def count(self) -> int:
            """Count the papers."""
            return self.papers

    story = {"task": "x", "script": [{"say": "y"}], "world": {"kiosk": {"papers": "3"}}}
    assert SCHEMA.is_valid(story)
    SPECS.add(Kiosk)
    try:
        assert not jsonschema_rs.is_valid(scenario_schema(), story)
        assert "kiosk" not in json.dumps(scenario_schema(own=True))
        printed = json.loads(agentsim("list", "--schema").out)
        assert printed == scenario_schema()
        assert "count" in agentsim("list", "tools").out
    finally:
        SPECS.discard("kiosk")
