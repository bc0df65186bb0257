"""A sound conversation of any wire holds; one broken result is found where it is."""

import json

import pytest
from hypothesis import given

from agentsim.providers.transcripts import check_text
from tests.providers.transcripts.conversations import (
    FEW,
    MAKERS,
    Break,
    Round,
    broken_rounds,
    rounds,
)

WIRES = sorted(MAKERS)


@pytest.mark.parametrize("wire", WIRES)
@FEW
@given(made=rounds())
def test_sound_conversations_hold(wire: str, made: list[Round]) -> None:
    """Results in any order are accepted, and every call counts as judged."""
    (one,) = check_text("f", json.dumps(MAKERS[wire](made, None).body)).conversations
    assert (one.wire, one.status, one.notes) == (wire, "holds", ())
    assert one.calls == sum(len(round_.ids) for round_ in made)


@pytest.mark.parametrize("wire", WIRES)
@FEW
@given(case=broken_rounds())
def test_a_broken_result_is_found_where_it_is(
    wire: str, case: tuple[list[Round], Break]
) -> None:
    """Drop, repeat, move or rename one result: exactly its findings, at their places."""
    broken = MAKERS[wire](*case)
    report = check_text("f", json.dumps(broken.body))
    assert report.status == "violated"
    found = {(finding.rule, finding.position) for finding in report.findings}
    assert found == broken.expected
    assert len(report.findings) == len(found)


@pytest.mark.parametrize("wire", WIRES)
@FEW
@given(case=broken_rounds())
def test_lines_point_at_the_messages(
    wire: str, case: tuple[list[Round], Break]
) -> None:
    """In an indented file, a finding's line is that of its message."""
    body = MAKERS[wire](*case).body
    key = "messages" if "messages" in body else "input"
    for finding in check_text("f", json.dumps(body, indent=2)).findings:
        index = int(finding.position.partition("[")[2].partition("]")[0])
        marked = {**body, key: [*body[key][:index], "@@", *body[key][index + 1 :]]}
        lines = json.dumps(marked, indent=2).split("\n")
        assert '"@@"' in lines[finding.line - 1]


@pytest.mark.parametrize("wire", WIRES)
@FEW
@given(case=broken_rounds())
def test_all_layouts_of_a_conversation_agree(
    wire: str, case: tuple[list[Round], Break]
) -> None:
    """A body, a bare list, an exchange and a message a line have the same findings."""
    broken = MAKERS[wire](*case)
    key = "messages" if "messages" in broken.body else "input"
    listed = broken.body[key]
    expected = {(rule, at.removeprefix(key)) for rule, at in broken.expected}
    layouts = {
        f"request.{key}": json.dumps({"request": broken.body}),
        f"[0].{key}": json.dumps([{key: listed}], indent=1),
        "": json.dumps(listed),
    }
    for prefix, text in layouts.items():
        found = {
            (finding.rule, finding.position.removeprefix(prefix))
            for finding in check_text("f", text).findings
        }
        assert found == expected, prefix
    lines = "\n\n".join(json.dumps(message) for message in listed)
    for finding in check_text("f", lines).findings:
        assert (finding.rule, finding.position) in expected
        index = int(finding.position.partition("[")[2].partition("]")[0])
        assert finding.line == 2 * index + 1
