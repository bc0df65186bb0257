"""`agentsim check` on a cassette: each request, and what shows in its conversations."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import Response, ToolCall, assistant, tool_result, user
from tests.simulation.recorded.told import ASKED, DONE, TASK, session
from tests.support.command import agentsim
from tests.support.sessions import WIRES, answered, refused, written


@pytest.mark.parametrize("wire", WIRES)
def test_a_sound_recording_holds(wire: str) -> None:
    """On every wire, and streamed answers count as others do."""
    made = session(wire, (5.0, 9.0))
    written(Path("in-order.yaml"), *made.entries[:1])
    done = agentsim("check", "in-order.yaml")
    assert (done.code, done.err) == (0, "")
    requests = "0 requests" if wire == "neutral" else "1 requests (1 holds)"
    assert done.out == (
        f"in-order.yaml: holds. {requests}, 1 conversations (1 holds) by what shows on "
        "the wire.\n"
    )


def test_what_breaks_an_invariant_is_shown(snapshot: SnapshotAssertion) -> None:
    """Results in another order than their calls, and words that were changed."""
    written(Path("rome.yaml"), *session().entries)
    done = agentsim("check", "rome.yaml")
    assert done.code == 1
    assert done.out == snapshot
    data = agentsim("check", "rome.yaml", "--json").data
    [row] = data["files"]
    assert (row["kind"], row["verdict"]) == ("cassette", "violated")
    [judged] = row["judged"]
    assert judged["exchanges"] == [1, 2]
    assert judged["invariants"]["results-in-order"]["status"] == "violated"
    assert judged["invariants"]["response-kept-whole"]["status"] == "holds"


def test_a_refused_request_is_told_with_its_line() -> None:
    """A call without a result breaks the rules of its wire, where the exchange begins."""
    call = Response(assistant("", ToolCall("c", "look", "{}")), "tool_use")
    open_end = [*TASK, call.message, user("Well?")]
    path = written(
        Path("bad.yaml"),
        answered(1, "openai-chat", TASK, call),
        refused(2, "openai-chat", open_end, 400),
        refused(3, "openai-chat", TASK, None),
    )
    lines = path.read_text("utf-8").splitlines()
    begins = [number for number, line in enumerate(lines, 1) if line == "---"]
    done = agentsim("check", "bad.yaml")
    assert done.code == 1
    assert f"bad.yaml:{begins[2]}: request.messages[2].tool_calls[0]" in done.out
    assert "provider-accepts is violated" in done.out
    assert "the service answered 400" in done.out


def test_a_body_that_has_no_form_is_told_with_its_line() -> None:
    """Where no reader knows what was sent, the place is that of the cassette."""
    odd = answered(1, "openai-chat", TASK, DONE, body={"messages": [{"role": "x"}]})
    path = written(Path("odd.yaml"), odd)
    begins = path.read_text("utf-8").splitlines().index("kind: exchange")
    done = agentsim("check", "odd.yaml")
    assert done.code == 3
    assert f"odd.yaml:{begins}: request.messages[0].role: expected one of" in done.err


def test_a_recording_without_a_conversation_is_unknown() -> None:
    """Nothing was said, so nothing is known."""
    written(Path("empty.yaml"))
    assert agentsim("check", "empty.yaml").code == 2
    (Path("cut.yaml")).write_text("---\nagentsim_cassette: 1\n", "utf-8")
    done = agentsim("check", "cut.yaml")
    assert (done.code, "no document in it is complete" in done.err) == (3, True)


def test_a_changed_answer_is_found_in_a_neutral_recording() -> None:
    """What the model said must come back as it was, whatever the wire."""
    more = [*TASK, assistant("Look.", *ASKED.message.tool_calls)]
    more += [tool_result("call_a", "sunny"), tool_result("call_b", "rain")]
    written(
        Path("changed.yaml"),
        answered(1, "neutral", TASK, ASKED),
        answered(2, "neutral", more, DONE),
    )
    done = agentsim("check", "changed.yaml")
    assert done.code == 1
    assert "response-kept-whole is violated" in done.out
