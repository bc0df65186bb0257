"""Traces of the OpenAI Agents SDK: generation spans are requests with their answers."""

from __future__ import annotations

import json

import pytest

from agentsim.providers.transcripts import check_text
from agentsim.providers.transcripts.sessions import Session, read_session
from tests.providers.transcripts.sessions.samples import (
    AGENTS_SDK,
    ANSWERED,
    ASKED,
    CALL,
    CALLING,
    SPANS,
    generation,
    lines,
    span,
)

FORMS = {
    "lines": AGENTS_SDK,
    "a list": json.dumps(SPANS, indent=1),
    "as sent": json.dumps({"data": SPANS}),
    "batches": lines({"data": SPANS[:3]}, {"data": SPANS[3:]}),
}


def read(*items: object) -> Session:
    """A trace, read."""
    return read_session("f", lines(*items), "agents-sdk")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_trace_is_read(form: str) -> None:
    """Items one a line, in one list, or in the batches that are sent: all the same."""
    found = read_session("f", FORMS[form], "agents-sdk")
    assert [part.body["messages"] for part in found.parts] == [ASKED, ANSWERED]
    first, last = (part.answer["choices"][0] for part in found.parts if part.answer)
    assert (first["message"]["tool_calls"], first["finish_reason"]) == (
        [CALL],
        "tool_calls",
    )
    assert (last["message"]["content"], last["finish_reason"]) == ("2", "stop")
    assert found.parts[0].body["temperature"] == 0.5
    assert "base_url" not in found.parts[0].body
    (call,) = found.calls
    assert (call.name, call.call_id, call.result) == ("price_of", "call_1", "2")
    assert call.took_ms == 500
    assert found.notes == (
        "left out: 1 header of a trace",
        "left out: 1 response span that has only the id of its response",
        "left out: 1 span of type agent",
    )


def test_spans_without_content_are_told() -> None:
    """What was not recorded, what failed, and what is no message, each with its reason."""
    failed = span(1, generation(ASKED, None), error={"message": "x", "data": None})
    found = read(
        failed,
        span(2, generation(None, None)),
        span(3, generation(ASKED, [7])),
        span(4, {"type": "response", "response": {"output": []}}),
        {"object": "trace.span", "span_data": 7},
    )
    assert found.parts == ()
    assert found.notes == (
        "left out: 1 generation span of a request that failed",
        "left out: 1 generation span without its messages",
        "left out: 1 generation span with an output that is no message",
        "left out: 1 response span without the input of its request",
        "left out: 1 item that is no span",
    )


def test_response_spans_with_their_content_are_read() -> None:
    """Exporters of one's own may add what the SDK leaves out of a response span."""
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    said = {"id": "resp_1", "model": "gpt-5", "output": [call], "tools": []}
    ran = {"type": "function", "name": "f", "input": "{}", "output": None}
    found = read(
        span(1, {"type": "response", "input": "Go.", "response": said}),
        span(2, ran, error={"message": "it broke", "data": None}),
    )
    (part,) = found.parts
    assert (part.wire, part.body["input"]) == ("openai-responses", "Go.")
    assert part.answer is not None
    assert part.answer["output"] == [call]
    assert [(one.call_id, one.error) for one in found.calls] == [("c", "it broke")]


def test_a_broken_history_is_found_at_its_line() -> None:
    """A request that lacks the result of a call is told with the path in its span."""
    broken = span(1, generation([*ASKED, CALLING, ASKED[1]], [CALLING]))
    (finding,) = check_text("f", lines(SPANS[0], broken)).findings
    assert (finding.line, finding.position) == (
        2,
        "span_data.input[2].tool_calls[0]",
    )


def test_a_streamed_answer_has_its_calls_and_its_refusal() -> None:
    """The items of a streamed answer become the message that the wire has."""
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    ]
    (part,) = read(span(1, generation(ASKED, [{"output": items}]))).parts
    assert part.answer is not None
    message = part.answer["choices"][0]["message"]
    assert (message["content"], message["refusal"]) == (None, "No.")
    assert message["tool_calls"][0]["id"] == "c"
