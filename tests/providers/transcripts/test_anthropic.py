"""What the Anthropic wire accepts and refuses beyond the common rules."""

import pytest

from tests.providers.transcripts.histories import (
    IMAGE,
    TEXT,
    USER,
    Found,
    Json,
    found,
    judged,
    request,
    result,
    says,
    turn,
    use,
)

ANTHROPIC_GOOD: dict[str, list[Json]] = {
    "any order, text and image after": [
        says(TEXT, use("x"), use("y")),
        turn(result("y"), result("x"), TEXT, IMAGE),
    ],
    "asking turns merge": [
        says(use("x")),
        says(use("y")),
        turn(result("x"), result("y")),
    ],
    "server tools": [
        says(use("s", "server_tool_use"), result("s", "web_search_tool_result"), TEXT),
        turn(TEXT),
        says(use("m", "mcp_tool_use"), result("m", "mcp_tool_result")),
        turn(TEXT),
    ],
    "a server tool in flight": [
        says(use("s", "server_tool_use"), use("x")),
        turn(result("x")),
        says(result("s", "web_fetch_tool_result"), TEXT),
    ],
    "system at the end": [says(TEXT), turn(TEXT), turn(TEXT, role="system")],
    "thinking, and results with content": [
        says({"type": "thinking", "thinking": "", "signature": "s"}, use()),
        turn({**result(), "content": [TEXT], "is_error": True}),
    ],
}

ANTHROPIC_BAD: dict[str, tuple[list[Json], Found]] = {
    "no result": (
        [says(TEXT, use("x"), use("y")), turn(result("x"), TEXT), says(TEXT)],
        [("unanswered", "messages[0].content[2]")],
    ),
    "history ends with the calls": (
        [says(use())],
        [("unanswered", "messages[0].content[0]")],
    ),
    "text before the results": (
        [says(use("x"), use("y")), turn(TEXT, result("x"), TEXT, result("y"))],
        [("unanswered", "messages[1].content[0]")],
    ),
    "text before, in a message that is merged": (
        [says(use()), USER, turn(result())],
        [("unanswered", "messages[1]")],
    ),
    "a result of an older turn": (
        [says(use()), turn(result()), says(TEXT), turn(result())],
        [("orphan", "messages[3].content[0]")],
    ),
    "two results, over two messages": (
        [says(use()), turn(result()), turn(result())],
        [("answered-twice", "messages[2].content[0]")],
    ),
    "an id of long ago": (
        [says(use()), turn(result()), says(use()), turn(result())],
        [("duplicate-id", "messages[2].content[0]")],
    ),
    "no ids": (
        [says(use(None)), turn(result(None))],
        [
            ("missing-id", "messages[0].content[0]"),
            ("missing-id", "messages[1].content[0]"),
        ],
    ),
    "a call in a user message": (
        [turn(use()), says(TEXT)],
        [("role", "messages[0].content[0]")],
    ),
    "a result in an assistant message": (
        [says(use(), result()), turn(result())],
        [("role", "messages[0].content[1]")],
    ),
    "a server result without its call": (
        [says(result("s", "advisor_tool_result")), turn(TEXT)],
        [("orphan", "messages[0].content[0]")],
    ),
    "a system message between": (
        [says(use()), turn(TEXT, role="system"), turn(result())],
        [
            ("unanswered", "messages[0].content[0]"),
            ("orphan", "messages[2].content[0]"),
        ],
    ),
    "an empty turn between": (
        [says(use()), turn(), says(), turn(result())],
        [
            ("unanswered", "messages[0].content[0]"),
            ("orphan", "messages[3].content[0]"),
        ],
    ),
}


@pytest.mark.parametrize("name", ANTHROPIC_GOOD)
def test_anthropic_accepts(name: str) -> None:
    """What the Anthropic service takes is no violation."""
    body = request("messages", *ANTHROPIC_GOOD[name], system="Be brief.")
    one = judged(body)
    assert (one.wire, one.status, one.notes) == ("anthropic-messages", "holds", ())


@pytest.mark.parametrize("name", ANTHROPIC_BAD)
def test_anthropic_refuses(name: str) -> None:
    """What the Anthropic service refuses is found at its block."""
    messages, expected = ANTHROPIC_BAD[name]
    assert found(request("messages", *messages)) == expected


def test_results_over_several_messages_are_noted() -> None:
    """The service merges the user turns, yet R3.3 wants one message: a note."""
    turns = [says(use("x"), use("y")), turn(result("x")), turn(result("y"))]
    one = judged(request("messages", *turns))
    words = "results of one turn are spread over several user messages"
    assert (one.status, one.notes) == ("holds", (f"messages[2].content[0]: {words}",))


def test_a_continued_thread_is_unknown() -> None:
    """The first turn may answer calls of the thread, a later one may not."""
    thread = {"type": "continue", "previous_message_id": "msg_1"}
    one = judged(request("messages", turn(result()), thread=thread))
    assert one.status == "unknown"
    assert one.notes == (
        "the service holds a part of the history (thread)",
        "messages[0].content[0]: the call that a answers may be in the thread",
    )
    body = request(
        "messages", turn(result()), says(TEXT), turn(result()), thread=thread
    )
    assert found(body) == [("orphan", "messages[2].content[0]")]
    created = request("messages", turn(result()), thread={"type": "create"})
    assert found(created) == [("orphan", "messages[0].content[0]")]
