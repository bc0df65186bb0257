"""Sessions of Claude Code: lines are put together, and each branch is a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.providers.transcripts import check_text
from agentsim.providers.transcripts.sessions import (
    Session,
    calls_in,
    exchanges_in,
    read_session,
)
from tests.providers.transcripts.sessions.samples import (
    CLAUDE_CODE,
    asks,
    lines,
    result,
    row,
    says,
    session,
    text,
    use,
)


def read(*rows: dict[str, Any]) -> Session:
    """A session of these lines, read."""
    return read_session("f", session(*rows), "claude-code")


def shapes(read: Session) -> list[list[str]]:
    """Each conversation as the kinds of its blocks."""
    return [
        [
            message["content"]
            if isinstance(message["content"], str)
            else " ".join(block["type"] for block in message["content"])
            for message in part.body["messages"]
        ]
        for part in read.parts
    ]


def test_a_message_in_several_lines_is_one_and_branches_stand_apart() -> None:
    """Blocks of one id are one answer, results one message; an edit is a branch."""
    found = read_session("f", CLAUDE_CODE, "claude-code")
    start = [
        "What do an apple and a pear cost?",
        "text tool_use tool_use",
        "tool_result tool_result",
        "text",
    ]
    assert shapes(found) == [
        [*start, "Thanks.", "text"],
        [*start, "And a plum?", "text"],
        ["Count the files.", "text"],
    ]
    assert [part.label for part in found.parts] == [
        "5e55-10a",
        "5e55-10a",
        "sidechain a1b2",
    ]
    assert found.notes == (
        "left out: 1 line of type summary",
        "left out: 1 line of type file-history-snapshot",
        "left out: 1 line of type system",
    )


def test_answers_and_tools_are_taken_apart() -> None:
    """Each answer is asked with all before it; a call has its result, or its error."""
    part = read_session("f", CLAUDE_CODE, "claude-code").parts[0]
    told = list(exchanges_in(part))
    assert [(one.position, len(one.body["messages"])) for one in told] == [
        (1, 1),
        (3, 3),
        (5, 5),
    ]
    assert told[0].answer["stop_reason"] == "tool_use"
    assert told[0].answer["usage"] == {"input_tokens": 12, "output_tokens": 7}
    assert told[1].body["model"] == "claude-sonnet-4-5"
    assert all(list(m) == ["role", "content"] for m in told[2].body["messages"])
    assert (told[1].took_ms, told[1].at_ms - told[0].at_ms) == (2_000, 5_000)
    calls = [call for _, call in calls_in(part, "f")]
    assert [(call.call_id, call.result, call.error) for call in calls] == [
        ("toolu_1", "apple 2", None),
        ("toolu_2", "", "no such file"),
    ]


def test_a_call_without_a_result_is_found_at_its_line() -> None:
    """The history went on without a result: told with line and path of the file."""
    rows = [
        asks("u", None, "Read it."),
        says("a1", "u", "m1", text("Yes.")),
        says("a2", "a1", "m1", use("toolu_1")),
        asks("u2", "a2", "And?"),
    ]
    report = check_text("f", session(*rows))
    (finding,) = report.findings
    assert str(finding).startswith("f:3: message.content[0]: ")
    assert finding.rule == "unanswered"
    assert "it was due before message in line 4" in finding.words
    assert check_text("f", session(*rows[:3])).status == "holds"


def test_results_of_another_branch_answer_nothing() -> None:
    """A result that leads on belongs to its own branch; a dead end to all of them."""
    rows = [
        asks("u", None, "Read it."),
        says("a", "u", "m1", use("toolu_1")),
        asks("r", "a", [result("toolu_1", "1")]),
        says("b", "r", "m2", text("It is 1.")),
        asks("u2", "a", "Stop."),
        says("c", "u2", "m3", text("I stop.")),
    ]
    reports = check_text("f", session(*rows)).conversations
    assert [report.status for report in reports] == ["holds", "violated"]


def test_what_is_no_message_is_counted() -> None:
    """Errors that the program wrote, dead prompts, doubles and unknown lines are told."""
    broken = row("x", "a", "user", message="no object")
    made_up = says("e", "a", "m2", text("API Error"), isApiErrorMessage=True)
    found = read(
        asks("u", None, "Go."),
        asks("u", None, "Go."),
        says("a", "u", "m1", text("Gone.")),
        asks("dead", "a", "Never sent."),
        made_up,
        asks("u2", "e", "Again."),
        broken,
        row("y", None, "new-thing"),
    )
    assert shapes(found) == [["Go.", "text", "Again."]]
    assert found.notes == (
        "left out: 1 line that stands there twice",
        "left out: 1 message that the program wrote in the name of the model",
        "left out: 1 line of type user without a message",
        "left out: 1 line of type new-thing",
        "left out: 1 message that nothing came of",
    )


def test_a_file_that_was_cut_is_read_up_to_there() -> None:
    """A last line that a killed program left is told, and all before it is read."""
    report = check_text("f", CLAUDE_CODE + '{"type": "assistant", "mess')
    assert report.notes[0].startswith("left out: line 17:28: not JSON: ")
    assert len(report.conversations) == 3


def _printed(row: dict[str, Any], agent: str | None = None) -> dict[str, Any]:
    """A line as the program prints it while it runs."""
    told = {"type": row["type"], "message": row["message"], "session_id": "5e55"}
    return {**told, "parent_tool_use_id": agent, "uuid": row["uuid"]}


def test_what_the_program_prints_is_read_in_its_order() -> None:
    """Without a tree each line follows the one before; a subagent's follow their own."""
    found = read_session(
        "f",
        lines(
            {
                "type": "system",
                "subtype": "init",
                "session_id": "5e55",
                "tools": ["Task"],
            },
            _printed(asks("u", None, "Go.")),
            _printed(says("a1", None, "m1", text("Yes."))),
            _printed(says("a2", None, "m1", use("toolu_1"))),
            _printed(asks("s1", None, "Look."), "toolu_1"),
            _printed(says("s2", None, "m2", text("Seen.")), "toolu_1"),
            _printed(asks("r", None, [result("toolu_1", "Seen.")])),
            _printed(says("a3", None, "m3", text("Gone."))),
            {"type": "result", "subtype": "success", "session_id": "5e55"},
        ),
        "claude-code",
    )
    assert shapes(found) == [
        ["Go.", "text tool_use", "tool_result", "text"],
        ["Look.", "text"],
    ]
    assert [part.label for part in found.parts] == ["5e55", "sidechain toolu_1"]
    assert found.notes == (
        "left out: 1 line of type system",
        "left out: 1 line of type result",
    )


def test_trees_that_run_in_circles_end() -> None:
    """Lines that are each other's parents, or have none, are read as far as that goes."""
    circle = [asks("u", "a", "Go."), says("a", "u", "m1", text("Gone."))]
    assert shapes(read(*circle)) == [["Go.", "text"]]
    assert shapes(read(asks("u", "u", "Go."))) == [["Go."]]
    assert shapes(read(says("a", "missing", "m1", text("Gone.")))) == [["text"]]


def test_long_sessions_are_read_in_time_that_grows_with_them() -> None:
    """A chain of thousands of lines, and as many dead ends, cost one walk."""
    rows = []
    for number in range(300):
        above = f"r{number - 1}" if number else None
        rows.append(says(f"a{number}", above, f"m{number}", use(f"t{number}")))
        rows.append(asks(f"x{number}", f"a{number}", [result(f"t{number}", "1")]))
        rows.append(asks(f"r{number}", f"a{number}", [result(f"t{number}", "1")]))
    (part,) = read(*[{**one, "timestamp": ""} for one in rows]).parts
    assert len(part.body["messages"]) == 600


def test_an_empty_session_is_told() -> None:
    """A file with lines but no message has nothing to judge, and says what it has."""
    with pytest.raises(UsageError) as caught:
        check_text("f", lines({"type": "summary", "summary": "x", "leafUuid": "y"}))
    assert str(caught.value) == (
        "f: no conversation is in it, read as claude-code "
        "(left out: 1 line of type summary)"
    )
