"""A scenario file that is wrong is told in one sentence with file, line and field."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import ScenarioError
from agentsim.simulation import Scenario, load_scenario, run
from agentsim.world import SPECS
from tests.support.scenarios import FOLDER, NAMES

GOOD = """\
task: How full is the disk?
world:
  disk: {used: 50%}
script:
  - call: check_disk
  - say: Half full.
expect:
  status: done
"""

WRONG = {
    "a misspelt field": GOOD.replace("expect:", "expcet:"),
    "a misspelt field of an entry": GOOD.replace("say:", "sya:"),
    "a misspelt field of a part": GOOD.replace("used:", "usd:"),
    "an unknown part": GOOD.replace("disk: {used: 50%}", "dsik: {}"),
    "a size that is none": GOOD.replace("50%", "half"),
    "an unknown tool in the script": GOOD.replace("check_disk", "check_dsik"),
    "an unknown tool in the expectation": GOOD + "  effects: {clean_log: 1}\n",
    "an unknown status": GOOD.replace("status: done", "status: finished"),
    "a missing task": GOOD.replace("task:", "# task:"),
    "a task that is no text": GOOD.replace("How full is the disk?", "12"),
    "an empty script": GOOD[: GOOD.index("script")] + "script: []\n",
    "an entry that says nothing": GOOD.replace(
        "say: Half full.", "stop_reason: end_turn"
    ),
    "an entry that says two things": GOOD.replace(
        "say: Half", "call: check_disk\n    say: Half"
    ),
    "a limit below one": GOOD + "limits: {max_iterations: 0}\n",
    "a limit that is no number": GOOD + "limits: {deadline_s: soon}\n",
    "an unknown fault": GOOD + "faults: [{answer_lst: check_disk}]\n",
    "a fault on an unknown tool": GOOD + "faults: [{raises: check_dsik}]\n",
    "forever with a neighbour": GOOD.replace(
        "say: Half full.", "forever: [{say: More.}]\n    text: x"
    ),
    "forever before the end": GOOD.replace(
        "- call: check_disk", "- forever: [{call: check_disk}]"
    ),
    "a human that is a number": GOOD + "human: 3\n",
    "a human with a misspelt field": GOOD + "human: {aproves: false}\n",
    "a window that never ends a loop": GOOD + "loop: {window: 4}\n",
    "negative tokens": GOOD.replace(
        "say: Half full.", "say: x\n    usage: {prompt: -1, completion: 2}"
    ),
}


def told(text: str, folder: Path) -> str:
    """The error of a scenario file with this text."""
    path = folder / "story.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    return str(caught.value).replace(str(folder), "")


@pytest.mark.parametrize("what", WRONG)
def test_an_error_names_file_line_and_field(
    what: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """Each kind of mistake is told in one line that says where it is."""
    words = told(WRONG[what], tmp_path)
    assert "\n" not in words
    assert words.startswith("/story.yaml:")
    assert words == snapshot


def test_the_good_file_holds(tmp_path: Path) -> None:
    """The file that the mistakes are made from is sound."""
    path = tmp_path / "story.yaml"
    path.write_text(GOOD, encoding="utf-8")
    made = run(load_scenario(path))
    assert made.verdict.status == "holds"
    assert made.scenario.name == "story"


@settings(max_examples=30)
@given(st.data())
def test_a_damaged_file_gives_a_scenario_or_a_scenario_error(
    data: st.DataObject,
) -> None:
    """Whatever is cut out of a good file or put into it, nothing else comes out."""
    name = data.draw(st.sampled_from(NAMES))
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    inserted = data.draw(st.text("ab: -[]{}\"'\n0#&*!|>%@`\t", max_size=8))
    damaged = text[:start] + inserted + text[end:]
    try:
        made = loads(damaged)
    except ScenarioError:
        return
    assert isinstance(made, Scenario)


def loads(text: str) -> Scenario:
    """Load a scenario from text, through the same door as from a file."""
    from agentsim.plain_yaml import load_yaml
    from agentsim.simulation.files.scenario_file import build_scenario

    return build_scenario(load_yaml(text, "story.yaml"), "story")


OWN = """
from agentsim.world import SPECS, tool, world_part


@SPECS.add
@world_part("kiosk")
class Kiosk:
    papers: int = 1

    @tool(read_only=True)
    def count(self) -> int:
        return self.papers
"""


def test_a_file_names_the_modules_whose_parts_it_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are imported from the current folder before anything of theirs is named."""
    (tmp_path / "kiosk_of_a_test.py").write_text(OWN)
    file = tmp_path / "story.yaml"
    text = "task: Count.\nuses: [{}]\nworld: {{kiosk: {{papers: 4}}}}\nscript: [call: count]\n"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    try:
        file.write_text(text.format("kiosk_of_a_test"))
        scenario = load_scenario(file)
        assert scenario.build_world().apply("count", {}) == "4"
        file.write_text(text.format("kiosk_that_is_not_there"))
        with pytest.raises(ScenarioError) as caught:
            load_scenario(file)
        assert str(caught.value).endswith(
            "story.yaml:2: uses[0]: can't import 'kiosk_that_is_not_there': "
            "there is no module 'kiosk_that_is_not_there'"
        )
    finally:
        SPECS.discard("kiosk")
        sys.modules.pop("kiosk_of_a_test", None)
