"""Spans of OpenTelemetry: all forms in which what was said is recorded, on each wire."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentsim.providers.transcripts import check_text
from agentsim.providers.transcripts.sessions import Session, read_session
from tests.providers.transcripts.sessions.samples import (
    CALLED,
    INPUT,
    LAST,
    OPENTELEMETRY,
    OUTPUT,
    RESULT,
    chat,
    lines,
    otlp,
    otlp_span,
    pairs,
    value,
)

HISTORY = [*INPUT, CALLED, RESULT]


def read(*rows: object) -> Session:
    """A file of the exporter, read."""
    return read_session("f", lines(*rows), "opentelemetry")


def test_spans_are_read_in_the_order_of_their_time() -> None:
    """Structured or as JSON text, in any order of lines; what is left out is counted."""
    found = read_session("f", OPENTELEMETRY, "opentelemetry")
    assert [len(part.body["messages"]) for part in found.parts] == [1, 3]
    assert found.parts[0].body["temperature"] == 0.5
    first, last = (part.answer or {} for part in found.parts)
    assert first["choices"][0]["finish_reason"] == "tool_calls"
    assert first["usage"]["prompt_tokens"] == 20
    assert last["choices"][0]["message"]["content"] == "It costs 2."
    (call,) = found.calls
    assert (call.name, call.call_id, call.arguments, call.result, call.took_ms) == (
        "price_of",
        "call_1",
        '{"fruit": "apple"}',
        "2",
        250,
    )
    assert found.notes == (
        "left out: 2 parts of type reasoning, which Chat has no place for",
        "left out: 1 span of the operation invoke_agent",
        "left out: 1 span of something else than a model",
    )


def _anthropic() -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": [{"type": "text", "text": "What does it cost?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I look it up.", "signature": ""},
                {
                    "type": "tool_use",
                    "id": "call_1",
                    "name": "price_of",
                    "input": {"fruit": "apple"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "2"},
                {"type": "tool_result", "tool_use_id": "call_1", "content": "2"},
            ],
        },
    ]


def test_anthropic_has_turns_with_blocks() -> None:
    """Instructions are its system field, results of one answer stand in one turn."""
    span = chat(
        1,
        [*HISTORY, RESULT],
        LAST,
        gen_ai__provider__name="anthropic",
        gen_ai__system_instructions=[{"type": "text", "content": "Be brief."}],
        gen_ai__tool__definitions=[{"type": "function", "name": "f", "parameters": {}}],
    )
    (part,) = read(otlp(span)).parts
    assert part.wire == "anthropic-messages"
    assert part.body["system"] == [{"type": "text", "text": "Be brief."}]
    assert part.body["tools"] == [{"name": "f", "input_schema": {"type": "object"}}]
    assert part.body["messages"] == _anthropic()
    assert part.answer is not None
    assert part.answer["stop_reason"] == "end_turn"
    assert part.answer["content"] == [{"type": "text", "text": "It costs 2."}]


def test_responses_has_items() -> None:
    """Where the API is told to be Responses, each part is an item of its input."""
    (part,) = read(otlp(chat(1, HISTORY, LAST, openai__api__type="responses"))).parts
    assert part.wire == "openai-responses"
    assert [item["type"] for item in part.body["input"]] == [
        *("message", "reasoning", "function_call", "function_call_output"),
    ]
    assert part.answer is not None
    assert part.answer["output"][0]["content"][0]["text"] == "It costs 2."


EVENTS = (
    ("gen_ai.user.message", {"content": "What does it cost?"}),
    (
        "gen_ai.assistant.message",
        {
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "price_of", "arguments": '{"fruit":"apple"}'},
                }
            ]
        },
    ),
    ("gen_ai.tool.message", {"id": "call_1", "content": "2"}),
    (
        "gen_ai.choice",
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "It costs 2."},
        },
    ),
)


def _without_content(**more: Any) -> dict[str, Any]:
    nothing = {"gen_ai__input__messages": None, "gen_ai__output__messages": None}
    return chat(1, None, None, **nothing, **more)


def _with_events() -> list[object]:
    span = _without_content()
    for name, told in EVENTS:
        flat = {
            key: part if isinstance(part, (str, int)) else json.dumps(part)
            for key, part in told.items()
        }
        span["events"].append({"name": name, "attributes": pairs(flat)})
    return [otlp(span)]


def _with_records() -> list[object]:
    records = [
        {
            "traceId": "t" * 32,
            "spanId": f"{1:016}",
            "body": value(told),
            **(
                {"eventName": name}
                if number % 2
                else {"attributes": pairs({"event.name": name})}
            ),
        }
        for number, (name, told) in enumerate(EVENTS)
    ]
    stray = {"spanId": "x", "body": value("?"), "eventName": "gen_ai.choice"}
    scope = {"logRecords": [*records, stray]}
    return [{"resourceLogs": [{"scopeLogs": [scope]}]}, otlp(_without_content())]


def _with_an_attribute() -> list[object]:
    listed = [{"event.name": name, **told} for name, told in EVENTS]
    return [otlp(_without_content(events=json.dumps(listed)))]


def _with_details() -> list[object]:
    span = _without_content()
    told = {"gen_ai.input.messages": HISTORY, "gen_ai.output.messages": LAST}
    name = "gen_ai.client.inference.operation.details"
    span["events"].append({"name": name, "attributes": pairs(told)})
    return [otlp(span)]


def _with_indexes() -> list[object]:
    told = {
        "gen_ai__prompt__0__role": "user",
        "gen_ai__prompt__0__content": "What does it cost?",
        "gen_ai__prompt__1__role": "assistant",
        "gen_ai__prompt__1__tool_calls__0__id": "call_1",
        "gen_ai__prompt__1__tool_calls__0__name": "price_of",
        "gen_ai__prompt__1__tool_calls__0__arguments": '{"fruit":"apple"}',
        "gen_ai__prompt__2__role": "tool",
        "gen_ai__prompt__2__tool_call_id": "call_1",
        "gen_ai__prompt__2__content": "2",
        "gen_ai__completion__0__content": "It costs 2.",
        "gen_ai__completion__0__finish_reason": "stop",
    }
    marks = {
        name.replace("__tool_calls__", ".tool_calls."): part
        for name, part in told.items()
    }
    operation = {"gen_ai__operation__name": None, "gen_ai__system": "openai"}
    return [otlp(_without_content(**operation, **marks))]


def _printed() -> list[object]:
    """As the console exporter of the Python SDK prints a span."""
    return [
        {
            "name": "chat gpt-5-mini",
            "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
            "start_time": "2026-03-01T10:00:01.000000Z",
            "end_time": "2026-03-01T10:00:01.250000Z",
            "status": {"status_code": "UNSET"},
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "gpt-5-mini",
                "gen_ai.input.messages": json.dumps(HISTORY),
                "gen_ai.output.messages": json.dumps(LAST),
            },
            "events": [],
        }
    ]


@pytest.mark.parametrize(
    "rows",
    [
        _with_events(),
        _with_records(),
        _with_an_attribute(),
        _with_details(),
        _with_indexes(),
        _printed(),
    ],
    ids=["events", "records", "attribute", "details", "indexes", "printed"],
)
def test_each_form_of_content_is_read(rows: list[object]) -> None:
    """Whichever way an emitter recorded it, the request and the answer are the same."""
    found = read(*rows)
    (part,) = found.parts
    assert (part.wire, part.sent) == ("openai-chat", True)
    assert [message["role"] for message in part.body["messages"]] == [
        "user",
        "assistant",
        "tool",
    ]
    (call,) = part.body["messages"][1]["tool_calls"]
    assert call["function"] == {"name": "price_of", "arguments": '{"fruit":"apple"}'}
    assert part.body["messages"][2]["content"] == "2"
    assert part.answer is not None
    assert part.answer["choices"][0]["message"]["content"] == "It costs 2."
    assert part.times[1] - part.times[0] == 250


def test_documents_of_several_lines_stand_one_behind_the_other() -> None:
    """What the console exporter prints is no JSON lines, and is read all the same."""
    text = "\n".join(json.dumps(row, indent=4) for row in (*_printed(), *_printed()))
    assert len(check_text("f", text).conversations) == 2


def test_what_was_not_recorded_is_told() -> None:
    """Content is opt-in: a span without it is counted, with what is missing."""
    tool = otlp_span(1, gen_ai__operation__name="execute_tool")
    image = {"role": "user", "parts": [{"type": "blob", "content": "AAAA"}]}
    found = read(
        otlp(
            _without_content(),
            chat(2, INPUT, []),
            chat(3, [], LAST),
            tool,
            chat(4, [image, *INPUT], LAST),
        ),
        {"a": 1},
    )
    assert len(found.parts) == 1
    assert found.notes == (
        "left out: 1 value that is no span",
        "left out: 1 span of a model whose messages were not recorded",
        "left out: 1 span of a tool whose arguments and result were not recorded",
        "left out: 1 span of a model without an answer",
        "left out: 1 span of a model without what it was asked",
        "left out: 1 part of type blob",
    )


def test_a_thread_that_the_service_keeps_is_no_breach() -> None:
    """With threads a request has only what is new: the call of a result may be held."""
    blocks = [{"type": "text", "text": "2"}, {"type": "text", "text": " each"}]
    told = {"type": "tool_call_response", "id": "call_1", "response": blocks}
    asked = [{"role": "user", "parts": [told]}]
    anthropic = {"gen_ai__provider__name": "anthropic"}
    beta = {"anthropic__beta": ["message-threads-2026-08-12"]}
    ran = otlp_span(
        2,
        gen_ai__operation__name="execute_tool",
        anthropic__tool_result__content=json.dumps(blocks),
    )
    found = read(otlp(chat(1, asked, LAST, **anthropic, **beta), ran))
    assert found.parts[0].body["messages"][0]["content"][0]["content"] == "2 each"
    assert found.calls[0].result == "2 each"
    for more, status in ((beta, "unknown"), ({}, "violated")):
        text = lines(otlp(chat(1, asked, LAST, **anthropic, **more)))
        assert check_text("f", text).status == status


def test_bare_events_are_no_content() -> None:
    """Where content is not recorded, emitters name the messages all the same."""
    (rows,) = _with_events()
    assert isinstance(rows, dict)
    (span,) = rows["resourceSpans"][0]["scopeSpans"][0]["spans"]
    span["events"][0]["attributes"] = pairs({"gen_ai.system": "openai"})
    indexed = {"gen_ai__prompt__0__role": "user", "gen_ai__completion__0__content": "?"}
    found = read(rows, otlp(_without_content(**indexed)))
    assert found.parts == ()
    assert found.notes == (
        "left out: 2 spans of a model whose messages were not recorded",
    )


def test_a_tool_that_failed_has_its_error() -> None:
    """The status of its span says what it failed with."""
    told = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "f"}
    span = otlp_span(1, **told, gen_ai__tool__call__arguments={"a": 1})
    span["status"] = {"code": 2, "message": "it broke"}
    (call,) = read(otlp(span, chat(2, INPUT, LAST))).calls
    assert (call.arguments, call.error) == ('{"a":1}', "it broke")


def test_emitters_of_before_are_understood() -> None:
    """Without an operation the attributes show it; invalid arguments are told."""
    tool = otlp_span(
        1,
        gen_ai__tool__name="f",
        tool_arguments="{}",
        tool_response=value("x")["stringValue"],
    )
    call = {"type": "tool_call", "id": "c", "name": "f", "arguments": "{broken"}
    cloud = {"gen_ai__provider__name": None, "gen_ai__system": "aws.bedrock"}
    model = {"gen_ai__request__model": "eu.anthropic.claude-x"}
    asked = [*INPUT, {"role": "assistant", "parts": [call]}]
    found = read(otlp(tool, chat(2, asked, LAST, **cloud, **model)))
    assert [(one.name, one.arguments, one.result) for one in found.calls] == [
        ("f", "{}", "x")
    ]
    (part,) = found.parts
    assert part.wire == "anthropic-messages"
    assert part.body["messages"][1]["content"][0]["input"] == {}
    assert found.notes == (
        "left out: 1 text of arguments that is no JSON: Anthropic has no place for it",
    )
    (chatted,) = read(otlp(chat(1, INPUT, LAST, **model))).parts
    assert chatted.wire == "openai-chat"


def test_definitions_of_tools_are_as_the_wire_has_them() -> None:
    """From either form of the conventions into that of Chat and of Responses."""
    tools = [{"type": "function", "name": "f", "parameters": {"type": "object"}}, 7]
    told = {"gen_ai__tool__definitions": json.dumps(tools)}
    (part,) = read(otlp(chat(1, INPUT, LAST, **told))).parts
    function = {"name": "f", "parameters": {"type": "object"}}
    assert part.body["tools"] == [{"type": "function", "function": function}]
    told["openai__api__type"] = "responses"
    (part,) = read(otlp(chat(1, INPUT, LAST, **told))).parts
    assert part.body["tools"] == [{"type": "function", **function}]


def test_records_that_an_sdk_prints_belong_to_its_spans() -> None:
    """The console exporter prints log records too: they are found by their ids."""
    (span,) = _printed()
    assert isinstance(span, dict)
    attributes = span["attributes"]
    del attributes["gen_ai.input.messages"], attributes["gen_ai.output.messages"]
    span["status"] = {"status_code": "ERROR", "description": "late"}
    span["events"] = [{"name": EVENTS[0][0], "attributes": EVENTS[0][1]}]
    record = {
        "body": EVENTS[3][1],
        "severity_number": 9,
        "attributes": {"event.name": "gen_ai.choice"},
        "trace_id": "0x1",
        "span_id": "0x2",
    }
    (part,) = read([span, record]).parts
    assert part.body["messages"] == [{"role": "user", "content": "What does it cost?"}]
    assert part.answer is not None
    assert part.answer["choices"][0]["message"]["content"] == "It costs 2."


def test_a_broken_history_is_found_by_the_name_of_its_attribute() -> None:
    """The place is the span and the message, whether it is JSON text or structured."""
    asked = [*INPUT, CALLED, *INPUT]
    text = json.dumps(otlp(chat(1, json.dumps(asked), OUTPUT)), indent=1)
    (finding,) = check_text("f", text).findings
    place = "resourceSpans[0].scopeSpans[0].spans[0]"
    assert finding.position == f"{place}.gen_ai.input.messages[1]"
    assert text.split("\n")[finding.line - 1].strip() == "{"
