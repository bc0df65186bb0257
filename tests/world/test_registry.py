import datetime as dt
import json
from pathlib import Path

import pytest

from agentsim.core import Decision, UsageError
from agentsim.world import (
    SPECS,
    Canned,
    CannedAnswer,
    CannedTool,
    Case,
    Cpu,
    Database,
    Disk,
    Files,
    Human,
    Letter,
    Mail,
    Payments,
    Process,
    PullRequest,
    PullRequests,
    Search,
    Service,
    Services,
    Spec,
    Suite,
    from_plain,
    human_from_plain,
    to_plain,
    world_tools_page,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "world-tools.md"

VARIED: tuple[Spec, ...] = (
    Disk(host="a", capacity_mb=5, used=3, logs="1 MB"),
    Cpu(processes=(Process("a", 1.5, service="b", calm_percent=1.0), Process("c", 2))),
    Cpu(processes=()),
    Services(
        (Service("a", ready_after_s=2.0, logs=("x",)), Service("b", state="failed"))
    ),
    Database(port=1, accepting=False, service="a"),
    Files({"a": "b"}),
    Suite((Case("t", "a", "b"),)),
    Search({"q": "r"}),
    Payments(balance="1.00", honours_keys=False),
    Mail((Letter("a@b", "x"),), {"a@b": "y"}, answer_after_s=2.0, refused=("c@d",)),
    PullRequests((PullRequest(7, "t", {"a": "b"}),)),
    Canned(
        {
            "look": CannedTool(
                "read_only",
                "Look.",
                parallel=False,
                latency_s=0.5,
                parameters={"type": "object", "properties": {"at": {}}},
                answers=(CannedAnswer({"at": "sky"}, "blue"), CannedAnswer(error="?")),
            )
        }
    ),
)


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.kind)
def test_specs_read_back_from_json(spec: Spec) -> None:
    """A spec as JSON data gives an equal spec."""
    data = json.loads(json.dumps(to_plain(spec)))
    assert from_plain(spec.kind, data) == spec


@pytest.mark.parametrize("kind", SPECS)
def test_a_part_by_default_is_an_empty_mapping(kind: str) -> None:
    """Nothing, or an empty mapping, gives the part as it is by default, and back."""
    spec = SPECS[kind]()
    assert from_plain(kind, None) == from_plain(kind, {}) == spec
    assert to_plain(spec) == {}


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        (
            "dsk",
            {},
            "world: unknown part 'dsk' (there are disk, cpu, services, database,",
        ),
        ("dsk", {}, "did you mean 'disk'?"),
        ("disk", [], "world.disk: expected a mapping of fields, got a list"),
        ("disk", "95%", "world.disk: expected a mapping of fields, got '95%'"),
        (
            "disk",
            {"usd": 1},
            "world.disk: unknown field 'usd' (there are host, capacity_mb",
        ),
        ("disk", {"usd": 1}, "did you mean 'used'?"),
        (
            "disk",
            {"used": []},
            "world.disk.used: expected a whole number or text, got a list",
        ),
        (
            "disk",
            {"used": 1.5},
            "world.disk.used: expected a whole number or text, got 1.5",
        ),
        ("disk", {"used": "much"}, "world.disk: used: expected a size such as '95%'"),
        ("disk", {"capacity_mb": "5"}, "capacity_mb: expected a whole number, got '5'"),
        ("disk", {"capacity_mb": True}, "expected a whole number, got true"),
        ("disk", {"host": None}, "world.disk.host: expected text, got nothing"),
        ("disk", {"host": {}}, "world.disk.host: expected text, got a mapping"),
        (
            "disk",
            {"host": dt.date(2026, 1, 1)},
            "world.disk: expected plain data",
        ),
        ("disk", {"capacity_mb": float("nan")}, "world.disk: expected plain data"),
        ("cpu", {"processes": 3}, "world.cpu.processes: expected a list, got 3"),
        (
            "cpu",
            {"processes": ["a"]},
            "world.cpu.processes[0]: expected a mapping of fields",
        ),
        (
            "cpu",
            {"processes": [{"name": "a"}]},
            "world.cpu.processes[0]: the field 'cpu_percent' is missing",
        ),
        (
            "cpu",
            {"processes": [{"name": "a", "cpu_percent": 1, "lod": 2}]},
            "world.cpu.processes[0]: unknown field 'lod' (there are name, cpu_percent, load,",
        ),
        (
            "cpu",
            {"processes": [{"name": "a", "cpu_percent": 1, "load": "x"}]},
            "world.cpu.processes[0].load: expected a number, got 'x'",
        ),
        (
            "cpu",
            {"processes": [{"name": "a", "cpu_percent": -1}]},
            "world.cpu: process 'a': cpu_percent: expected 0 or more, got -1",
        ),
        (
            "services",
            {"units": [{"name": "a", "state": "up"}]},
            "world.services.units[0].state: expected one of running, starting, stopped, failed",
        ),
        (
            "files",
            {"contents": []},
            "world.files.contents: expected a mapping, got a list",
        ),
        (
            "files",
            {"contents": {"a.txt": 1}},
            "world.files.contents.a.txt: expected text, got 1",
        ),
        (
            "database",
            {"accepting": "no"},
            "accepting: expected true or false, got 'no'",
        ),
    ],
)
def test_mistakes_name_field_and_value(kind: str, data: object, words: str) -> None:
    """An error says where, what was expected there, and what came."""
    with pytest.raises(UsageError) as caught:
        from_plain(kind, data)
    assert words in str(caught.value)


def test_a_person_is_read_from_plain_data() -> None:
    """The fields of `Human`, with decisions as mappings."""
    data = {"approves": False, "decisions": [{"approved": True, "reason": "ok"}]}
    human = human_from_plain(data)
    decisions = (Decision(approved=True, reason="ok"),)
    assert human == Human(approves=False, decisions=decisions)
    assert to_plain(human) == data
    assert human_from_plain(None) == Human()
    with pytest.raises(UsageError, match=r"human.decisions\[0\]: the field 'approved'"):
        human_from_plain({"decisions": [{}]})
    with pytest.raises(UsageError, match=r"human.decisions\[0\]: unknown field 'why'"):
        human_from_plain({"decisions": [{"approved": True, "why": ""}]})
    with pytest.raises(UsageError, match="human: latency_s: expected 0 or more"):
        human_from_plain({"latency_s": -1})


def test_the_reference_page_is_what_the_tools_declare() -> None:
    """The table in the documentation is made from the registry."""
    assert PAGE.read_text("utf-8") == world_tools_page()
