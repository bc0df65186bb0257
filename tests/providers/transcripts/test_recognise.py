"""Each layout and each wire is recognised by its structure."""

import json
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.providers.transcripts import check_text

Json = dict[str, Any]

PLAIN: list[Json] = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": "Done."},
]


def with_block(kind: str) -> list[Json]:
    """A message with one block of a type."""
    return [{"role": "user", "content": [{"type": kind, "tool_use_id": "a"}]}]


FUNCTION_TOOL = {"type": "function", "function": {"name": "f"}}

BODIES: list[tuple[str, object]] = [
    ("unclear", PLAIN),
    ("unclear", {"messages": PLAIN}),
    ("unclear", {"messages": PLAIN, "tools": "none", "max_tokens": 5}),
    ("unclear", {"messages": PLAIN, "system": "x", "n": 1}),
    ("openai-responses", {"input": PLAIN}),
    ("openai-responses", {"messages": None, "input": PLAIN}),
    ("openai-responses", with_block("input_text")),
    ("openai-responses", [*PLAIN, {"type": "function_call", "call_id": "a"}]),
    ("openai-chat", with_block("image_url")),
    ("openai-chat", {"messages": PLAIN, "tools": [1, FUNCTION_TOOL]}),
    ("openai-chat", {"messages": PLAIN, "max_completion_tokens": 5}),
    ("openai-chat", [*PLAIN, {"role": "tool", "tool_call_id": "a", "content": ""}]),
    ("anthropic-messages", {"messages": PLAIN, "system": "Be brief."}),
    ("anthropic-messages", {"messages": PLAIN, "tools": [{"input_schema": {}}]}),
    ("anthropic-messages", with_block("tool_result")),
    ("anthropic-messages", with_block("x_tool_result")),
    ("anthropic-messages", with_block("document")),
    (
        "anthropic-messages",
        {"request": {"messages": PLAIN}, "response": {"content": []}},
    ),
    ("openai-chat", {"request": {"messages": PLAIN}, "response": {"choices": []}}),
    ("openai-chat", {"request": {"messages": PLAIN}, "wire": "openai-chat"}),
    ("unclear", {"request": {"messages": PLAIN}, "wire": "telepathy"}),
    ("unclear", {"role": "user", "content": "Go."}),
]


@pytest.mark.parametrize(("wire", "value"), BODIES)
def test_the_wire_is_recognised(wire: str, value: object) -> None:
    """Messages decide first, then the fields beside them, then the file's own word."""
    (one,) = check_text("f", json.dumps(value)).conversations
    assert one.wire == wire


def test_structure_wins_over_the_files_word() -> None:
    """A `wire` field that the structure contradicts is noted, and not followed."""
    exchange = {"request": {"messages": with_block("document")}, "wire": "openai-chat"}
    (one,) = check_text("f", json.dumps(exchange)).conversations
    assert one.wire == "anthropic-messages"
    words = "the file calls its wire openai-chat, its structure is anthropic-messages"
    assert one.notes == (words,)


MIXED = [
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "type": "custom"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
]


def test_two_wires_in_one_conversation_are_refused() -> None:
    """Marks of two wires are told with the place of each; the file's word decides."""
    with pytest.raises(UsageError) as caught:
        check_text("f", json.dumps({"messages": MIXED}, indent=1))
    assert str(caught.value) == (
        "f:16: messages[1].content[0]: reads as anthropic-messages, while "
        "messages[0].tool_calls reads as openai-chat: expected one wire"
    )
    exchange = {"request": {"messages": MIXED}, "wire": "anthropic-messages"}
    (one,) = check_text("f", json.dumps(exchange)).conversations
    assert [finding.rule for finding in one.findings] == ["orphan"]


def test_a_trace_is_marked_and_not_judged() -> None:
    """A trace of agentsim is left to its own reader."""
    header = json.dumps({"agentsim_trace": 1})
    for text in (header, f'{header}\n{{"kind": "run_started"}}\n'):
        report = check_text("f", text)
        assert (report.kind, report.conversations) == ("trace", ())
        assert report.status == "unknown"


def test_many_conversations_in_one_file() -> None:
    """A list of bodies, a list of lists and JSON Lines give one verdict each."""
    bodies = [{"messages": PLAIN}, {"input": PLAIN}, PLAIN]
    lines = "\ufeff\n" + "\r\n".join(json.dumps(body) for body in bodies) + "\r\n\r\n"
    report = check_text("f", lines)
    assert [one.line for one in report.conversations] == [2, 3, 4]
    assert (report.status, report.count("holds"), report.messages) == ("holds", 3, 6)
    report = check_text("f", json.dumps(bodies, indent=0).replace("\n", "\n\n"))
    assert [one.line for one in report.conversations] == [3, 27, 51]


def test_the_verdict_of_a_file() -> None:
    """Violated if any conversation is, else unknown if any is, else it holds."""
    holds: Json = {"messages": PLAIN}
    unknown: Json = {"messages": []}
    violated: Json = {"messages": with_block("tool_result")}
    for bodies, status in (
        ([holds], "holds"),
        ([holds, unknown], "unknown"),
        ([holds, unknown, violated], "violated"),
    ):
        text = "\n".join(json.dumps(body) for body in bodies)
        report = check_text("f", text)
        assert report.status == status
        assert len(report.findings) == (status == "violated")


def test_nothing_to_judge_is_unknown() -> None:
    """A conversation without a message holds nothing."""
    for text in ("[]", '{"messages": []}', '{"input": [], "model": "m"}'):
        assert check_text("f", text).status == "unknown"


def test_labels_are_kept() -> None:
    """The `id` of an exchange is its label."""
    exchange = {"id": "a#1\n", "request": {"messages": PLAIN}}
    (one,) = check_text("f", json.dumps(exchange)).conversations
    assert one.label == "a#1\\n"


def test_repeated_keys_are_noted() -> None:
    """A key that stands twice is read as services read it, and told."""
    text = '{"messages": [],\n "messages": [{"role": "user", "content": "Go."}]}'
    (one,) = check_text("f", text).conversations
    assert (one.status, one.messages) == ("holds", 1)
    assert one.notes == ('the key "messages" stands twice; the last value counts',)
