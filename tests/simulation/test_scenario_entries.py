"""What a file says is what the scenario holds, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import Injected, Limits, LoopRules, ScenarioError, Usage
from agentsim.faults import answer_lost, raises
from agentsim.plain_yaml import load_yaml
from agentsim.providers import Reply, Script, call, forever, say, together
from agentsim.simulation import Expectation, Scenario, run
from agentsim.simulation.files.scenario_file import build_scenario
from agentsim.world import Disk, Files, Human

HEAD = """\
task: t
world: {disk: {}, files: {}}
"""


def scenario(text: str) -> Scenario:
    """The scenario of a text."""
    return build_scenario(load_yaml(text, "story.yaml"), "story")


def script(*entries: str) -> Script:
    """The script that these entries make."""
    lines = "".join(f"  - {entry}\n" for entry in entries)
    return scenario(f"{HEAD}script:\n{lines}").replies


READ = call("read_file", path="a")

ENTRIES: list[tuple[str, Reply]] = [
    ("{say: Done.}", say("Done.")),
    ("{call: check_disk}", call("check_disk")),
    ("{call: read_file, with: {path: a}}", READ),
    ("{call: read_file, with: {path: a}, id: c1}", READ.but(id="c1")),
    (
        '{call: read_file, with: "{path"}',
        call("read_file").but(arguments="{path"),
    ),
    ('{call: read_file, with: ""}', call("read_file").but(arguments="")),
    ("{call: check_disk, text: Look.}", together(call("check_disk"), text="Look.")),
    (
        "{calls: [{call: read_file, with: {path: a}}, {call: check_disk, id: x}]}",
        together(READ, call("check_disk").but(id="x")),
    ),
    (
        "{calls: [{call: check_disk}], text: Look.}",
        together(call("check_disk"), text="Look."),
    ),
    ("{say: Cut, stop_reason: max_tokens}", say("Cut").but(stop_reason="max_tokens")),
    ("{say: No., refusal: Never.}", say("No.").but(refusal="Never.")),
    ("{say: Late., latency_s: 3}", say("Late.").but(latency_s=3.0)),
    ("{say: x, usage: missing}", say("x").but(usage=None)),
    (
        "{say: x, usage: {prompt: 5, completion: 2, cache_read: 1}}",
        say("x").but(usage=Usage(5, 2, 1)),
    ),
]


@pytest.mark.parametrize(("entry", "reply"), ENTRIES, ids=lambda value: str(value)[:50])
def test_an_entry_makes_a_reply(entry: str, reply: Reply) -> None:
    """Each field of an entry is one of the reply that code would write."""
    assert script(entry).plain() == Script([reply]).plain()


def test_the_last_entry_may_go_on_for_ever() -> None:
    """`forever` takes the same entries, in turn."""
    made = script("{say: a}", "{forever: [{call: check_disk}, {say: b}]}")
    assert (
        made.plain()
        == Script([say("a"), forever(call("check_disk"), say("b"))]).plain()
    )


WRONG: dict[str, str] = {
    "{say: x, with: {a: 1}}": "with belongs to call, not to say",
    "{say: x, id: a}": "id belongs to call, not to say",
    "{say: x, text: y}": "text belongs to call or calls, not to say",
    "{calls: [{call: check_disk}], with: {}}": "with belongs to call, not to calls",
    "{calls: [{call: check_disk}], id: a}": "id belongs to call, not to calls",
    "{calls: []}": "calls needs at least one call",
    "{stop_reason: end_turn}": "expected one of say, call, calls or forever, got none",
    "{say: x, call: y}": "expected one of say, call, calls or forever, got say and call",
    "{forever: []}": "forever needs at least one reply",
    "{forever: [{say: x}], with: {}}": "forever stands alone, beside it stands 'with'",
    "{forever: [{forever: [{say: x}]}]}": "expected one of say, call, calls or forever",
    "{say: x, usage: none}": "usage: expected",
    "{say: x, latency_s: -1}": "latency_s: expected 0 or more, got -1",
    "{say: x, latency_s: soon}": "latency_s: expected a number, got 'soon'",
    "{say: true}": "say: expected text, got true",
    "{say: [x]}": "expected text, got a list",
    "{say: {a: 1}}": "expected text, got a mapping",
    "{call: null, with: 3}": "expected",
    "{say: x, usage: {prompt: 1}}": "this field is missing",
    "{say: x, usage: {prompt: 1.5, completion: 1}}": "expected a whole number, got 1.5",
    "{calls: {call: x}}": "expected a list, got a mapping",
    "x": "expected a mapping, got 'x'",
    "{calls: [{cal: x}]}": "unknown field (there are call, id, with); did you mean 'call'",
}


@pytest.mark.parametrize("entry", WRONG)
def test_a_wrong_entry_is_told_with_its_line(entry: str) -> None:
    """File, line and field stand before the words."""
    with pytest.raises(ScenarioError) as caught:
        script("{say: fine}", entry)
    told = str(caught.value)
    assert told.startswith("story.yaml:5: script[1]")
    assert WRONG[entry] in told


FIELDS: list[tuple[str, str, Any]] = [
    ("name: another", "name", "another"),
    ("world: {disk: {used: 50%}, files: {}}", "world", (Disk(used="50%"), Files())),
    ("tools: [check_disk]", "tools", ("check_disk",)),
    ("human: none", "human", None),
    ("human: {approves: false, reason: No.}", "human", Human(False, reason="No.")),
    ("prompt: Be brief.", "prompt", "Be brief."),
    ("temperature: 1", "temperature", 1),
    (
        "limits: {max_iterations: null, deadline_s: 60, token_budget: 9}",
        "limits",
        Limits(None, 60, 9),
    ),
    ("loop: {block_at: 4, window: 40}", "loop", LoopRules(4, 40)),
    (
        "faults: [{raises: check_disk}, answer_lost]",
        "faults",
        (raises("check_disk"), answer_lost()),
    ),
    ("inject: [{id: m1, text: Hurry.}]", "inject", (Injected("m1", "Hurry."),)),
    ("seed: 7", "seed", 7),
    (
        "expect: {tools: [check_disk], effects: {clean_logs: 0}, output: x}",
        "expect",
        Expectation(tools=("check_disk",), effects={"clean_logs": 0}, output="x"),
    ),
]


@pytest.mark.parametrize(
    ("line", "field", "value"), FIELDS, ids=[entry[0][:30] for entry in FIELDS]
)
def test_a_field_of_a_file_is_one_of_the_scenario(
    line: str, field: str, value: object
) -> None:
    """Each of them is what code would give."""
    head = "" if field == "world" else "world: {disk: {}, files: {}}\n"
    made = scenario(f"task: t\n{head}script: [{{say: x}}]\n{line}\n")
    assert getattr(made, field) == value


def test_a_file_and_code_make_the_same_scenario() -> None:
    """The digests agree, so that a token fits both."""
    told = """\
    task: How full is the disk?
    name: reading
    world: {disk: {used: 50%}}
    script:
      - call: check_disk
      - say: Half full.
    """
    code = Scenario(
        "How full is the disk?",
        [call("check_disk"), say("Half full.")],
        name="reading",
        world=[Disk(used="50%")],
    )
    assert run(scenario(told)).token == run(code).token


def test_a_story_is_for_people() -> None:
    """It tells a reader what the file is about, and is no part of the scenario."""
    plain = scenario(f"{HEAD}script: [{{say: x}}]\n")
    told = scenario(f"story: Once upon a time.\n{HEAD}script: [{{say: x}}]\n")
    assert plain.digest == told.digest


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("world: {disk: {used: 101%}}", "story.yaml:2: world.disk.used: "),
        ("world: {dsik: {}}", "story.yaml:2: world.dsik: "),
        ("world: [disk]", "story.yaml:2: world: expected a mapping, got a list"),
        ("human: {aproves: true}", "story.yaml:2: human.aproves: unknown field"),
        ("faults: [{raises: check_dsik}]", "story.yaml:2: faults"),
        ("temperature: 3", "story.yaml:2: temperature: expected 2 or less, got 3"),
        ("temperature: hot", "story.yaml:2: temperature: expected a number, got 'hot'"),
        ("seed: -1", "story.yaml:2: seed: expected 0 or more, got -1"),
        ("seed: true", "story.yaml:2: seed: expected a whole number, got true"),
        ("tools: check_disk", "story.yaml:2: tools: expected a list, got 'check_disk'"),
        ("tools: [1]", "story.yaml:2: tools[0]: expected text, got 1"),
        ("loop: {block_at: 1}", "story.yaml:2: loop.block_at: expected a whole number"),
        ("inject: [{id: m1}]", "story.yaml:2: inject[0].text: this field is missing"),
        ("human: null", "story.yaml:2: human: expected"),
        (f"prompt: [{'x' * 60}]", "story.yaml:2: prompt: expected text, got a list"),
        (f"seed: {'x' * 60}", f"expected a whole number, got '{'x' * 36}..."),
    ],
)
def test_a_wrong_field_is_told_with_its_place(line: str, words: str) -> None:
    """What is wrong stands behind file, line and the dotted name of the field."""
    head = "" if line.startswith("world") else "world: {disk: {}}\n"
    with pytest.raises(ScenarioError) as caught:
        scenario(f"task: t\n{line}\n{head}script: [{{say: x}}]\n")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{}", "history[0]: expected one of user, model or result, got none"),
        ("{user: a, model: b}", "expected one of user, model or result, got user and"),
        ("{user: a, calls: []}", "history[0]: calls belongs to model, not to"),
        ("{model: a, failed: true}", "failed belongs to result, not to model"),
        ("{result: a}", "result needs the id of its call: write it as `of`"),
        (
            '{model: "", calls: [{call: look}]}',
            "calls[0]: a call of an earlier turn needs its id",
        ),
    ],
)
def test_a_message_of_an_earlier_turn_is_one_thing(entry: str, words: str) -> None:
    """What contradicts itself is told with its place."""
    with pytest.raises(ScenarioError) as error:
        scenario(f"{HEAD}history: [{entry}]\nscript: [{{say: a}}]\n")
    assert words in str(error.value)
