"""Small sessions as Claude Code, the OpenAI Agents SDK and OpenTelemetry write them."""

from __future__ import annotations

import json
from typing import Any


def lines(*rows: object) -> str:
    """JSON lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# --------------------------------------------------------------------------- Claude Code


def row(own: str, parent: str | None, kind: str, **more: Any) -> dict[str, Any]:
    """A line of a session that has an id."""
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "shop",
        "sessionId": "5e55-10a",
        "version": "2.1.40",
        "type": kind,
        "uuid": own,
        **more,
    }


def asks(own: str, parent: str | None, content: object, **more: Any) -> dict[str, Any]:
    """A line of the user."""
    message = {"role": "user", "content": content}
    return row(own, parent, "user", message=message, **more)


def says(
    own: str, parent: str | None, message: str, *blocks: object, **more: Any
) -> dict[str, Any]:
    """A line of the model: a part of the message of this id."""
    told = {
        "id": message,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(blocks),
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 12, "output_tokens": 7},
    }
    return row(own, parent, "assistant", message=told, requestId="req_1", **more)


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def use(call_id: str, **arguments: object) -> dict[str, Any]:
    """A block that asks for a tool."""
    return {"type": "tool_use", "id": call_id, "name": "Read", "input": arguments}


def result(call_id: str, content: object, **more: object) -> dict[str, Any]:
    """A block with the result of a tool."""
    told = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {**told, **more}


def session(*rows: dict[str, Any]) -> str:
    """A file of such lines, one a second."""
    return lines(
        *(
            {**one, "timestamp": f"2026-03-01T10:00:{second:02}.000Z"}
            for second, one in enumerate(rows)
        )
    )


CLAUDE_CODE = session(
    {"type": "summary", "summary": "Prices of the shop", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    asks("u", None, "What do an apple and a pear cost?"),
    says("a1", "u", "msg_1", text("I read both lists.")),
    says("a2", "a1", "msg_1", use("toolu_1", file_path="apples.txt")),
    asks("r1", "a2", [result("toolu_1", "apple 2")], toolUseResult={"file": {}}),
    says("a3", "a2", "msg_1", use("toolu_2", file_path="pears.txt")),
    asks("r2", "a3", [result("toolu_2", "no such file", is_error=True)]),
    row("s1", "r2", "system", subtype="turn_duration", content="3 s"),
    says("a4", "s1", "msg_2", text("An apple is 2, pears I can't tell.")),
    asks("s2", None, "Count the files.", isSidechain=True, agentId="a1b2"),
    says("s3", "s2", "msg_3", text("Two."), isSidechain=True, agentId="a1b2"),
    asks("u2", "a4", "Thanks."),
    says("a5", "u2", "msg_4", text("Gladly.")),
    asks("u3", "a4", "And a plum?"),
    says("a6", "u3", "msg_5", text("No list has it.")),
)
"""A session with two parallel calls, an edited prompt and a sidechain."""

# --------------------------------------------------------------------------- Agents SDK

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "price_of", "arguments": '{"fruit": "apple"}'},
}

ASKED = [
    {"role": "system", "content": "You know prices."},
    {"role": "user", "content": "What does an apple cost?"},
]

CALLING = {
    "role": "assistant",
    "content": None,
    "refusal": None,
    "tool_calls": [CALL],
}

ANSWERED = [
    *ASKED,
    CALLING,
    {"role": "tool", "tool_call_id": "call_1", "content": "2"},
]


def span(number: int, data: object, **more: Any) -> dict[str, Any]:
    """A span of the Agents SDK."""
    return {
        "object": "trace.span",
        "id": f"span_{number:024}",
        "trace_id": "trace_1",
        "parent_id": None,
        "started_at": f"2026-03-01T10:00:{number:02}.000000+00:00",
        "ended_at": f"2026-03-01T10:00:{number:02}.500000+00:00",
        "span_data": data,
        "error": None,
        **more,
    }


def generation(asked: object, said: object) -> dict[str, Any]:
    """The data of a generation span."""
    return {
        "type": "generation",
        "input": asked,
        "output": said,
        "model": "gpt-5-mini",
        "model_config": {"temperature": 0.5, "top_p": None, "base_url": "https://a.b"},
        "usage": {"input_tokens": 20, "output_tokens": 4},
    }


STREAMED = {
    "object": "response",
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "2", "annotations": []}],
        }
    ],
}
"""How the output of a streamed generation stands in its span."""

SPANS = [
    {"object": "trace", "id": "trace_1", "workflow_name": "Prices", "group_id": None},
    span(1, generation(ASKED, [CALLING])),
    span(
        2,
        {
            "type": "function",
            "name": "price_of",
            "input": '{"fruit":"apple"}',
            "output": "2",
            "mcp_data": None,
        },
    ),
    span(3, generation(ANSWERED, [STREAMED])),
    span(4, {"type": "response", "response_id": "resp_1", "usage": None}),
    span(0, {"type": "agent", "name": "Shop", "handoffs": [], "tools": ["price_of"]}),
]

AGENTS_SDK = lines(*SPANS)

# ------------------------------------------------------------------------- OpenTelemetry


def value(plain: object) -> dict[str, Any]:
    """A value as OTLP wraps it."""
    if isinstance(plain, str):
        return {"stringValue": plain}
    if isinstance(plain, bool):
        return {"boolValue": plain}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    if isinstance(plain, float):
        return {"doubleValue": plain}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [value(part) for part in plain]}}
    assert isinstance(plain, dict)
    return {"kvlistValue": {"values": pairs(plain)}}


def pairs(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as OTLP lists them."""
    return [{"key": key, "value": value(part)} for key, part in plain.items()]


def otlp_span(number: int, **attributes: Any) -> dict[str, Any]:
    """A span; its attributes are named with two underscores for a dot."""
    begin = 1_772_359_200_000_000_000 + number * 1_000_000_000
    return {
        "traceId": "t" * 32,
        "spanId": f"{number:016}",
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + 250_000_000),
        "attributes": pairs(
            {
                key.replace("__", "."): part
                for key, part in attributes.items()
                if part is not None
            }
        ),
        "events": [],
        "status": {},
    }


def otlp(*spans: object, **more: object) -> dict[str, Any]:
    """One line of the file exporter."""
    scope = {"scope": {"name": "shop"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}], **more}


INPUT = [
    {"role": "user", "parts": [{"type": "text", "content": "What does it cost?"}]},
]
CALLED = {
    "role": "assistant",
    "parts": [
        {"type": "reasoning", "content": "I look it up."},
        {
            "type": "tool_call",
            "id": "call_1",
            "name": "price_of",
            "arguments": {"fruit": "apple"},
        },
    ],
}
RESULT = {
    "role": "tool",
    "parts": [{"type": "tool_call_response", "id": "call_1", "response": "2"}],
}
OUTPUT = [{**CALLED, "finish_reason": "tool_call"}]
LAST = [
    {
        "role": "assistant",
        "parts": [{"type": "text", "content": "It costs 2."}],
        "finish_reason": "stop",
    }
]


def chat(number: int, asked: object, said: object, **more: Any) -> dict[str, Any]:
    """The span of a model call, with its content."""
    return otlp_span(
        number,
        **{
            "gen_ai__operation__name": "chat",
            "gen_ai__provider__name": "openai",
            "gen_ai__request__model": "gpt-5-mini",
            "gen_ai__request__temperature": 0.5,
            "gen_ai__usage__input_tokens": 20,
            "gen_ai__input__messages": asked,
            "gen_ai__output__messages": said,
            **more,
        },
    )


RAN = otlp_span(
    2,
    gen_ai__operation__name="execute_tool",
    gen_ai__tool__name="price_of",
    gen_ai__tool__call__id="call_1",
    gen_ai__tool__call__arguments='{"fruit": "apple"}',
    gen_ai__tool__call__result="2",
)

OPENTELEMETRY = lines(
    otlp(chat(3, json.dumps([*INPUT, CALLED, RESULT]), json.dumps(LAST))),
    otlp(
        chat(1, INPUT, OUTPUT),
        RAN,
        otlp_span(4, gen_ai__operation__name="invoke_agent"),
        otlp_span(5, http__request__method="GET"),
    ),
)
