"""Messages, responses and contents of the wire, drawn for properties."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

from agentsim.core import (
    Message,
    Response,
    ToolCall,
    Usage,
    assistant,
    tool_result,
    user,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
SAID = TEXTS.filter(lambda text: text != "")
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True)

FLOATS = st.floats(allow_nan=False, allow_infinity=False)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)

INPUTS = st.dictionaries(NAMES, JSON, max_size=2)

CALLS = st.builds(
    lambda call_id, name, given: ToolCall(
        call_id, name, json.dumps(given, ensure_ascii=False)
    ),
    NAMES,
    NAMES,
    INPUTS,
)

THOUGHTS = st.one_of(
    st.builds(
        lambda text, signature: {
            "type": "thinking",
            "thinking": text,
            "signature": signature,
        },
        TEXTS,
        NAMES,
    ),
    st.builds(lambda data: {"type": "redacted_thinking", "data": data}, NAMES),
)

OF_MODEL = st.builds(
    lambda text, calls, blocks: Message(
        "assistant", text, tuple(calls), blocks=tuple(blocks)
    ),
    TEXTS,
    st.lists(CALLS, max_size=3),
    st.lists(THOUGHTS, max_size=2),
)

NEUTRAL = st.one_of(
    OF_MODEL,
    st.builds(user, TEXTS),
    st.builds(
        lambda call_id, text, failed: tool_result(call_id, text, is_error=failed),
        NAMES,
        TEXTS,
        st.booleans(),
    ),
)

MARKS = st.sampled_from([{"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}])

MARKED = st.fixed_dictionaries({}, optional={"cache_control": MARKS})


def _block(kind: str, required: dict[str, Any], **optional: Any) -> Any:  # noqa: ANN401
    return st.fixed_dictionaries(
        {"type": st.just(kind), **required},
        optional={"cache_control": MARKS, **optional},
    )


TEXT_BLOCKS = _block(
    "text", {"text": SAID}, citations=st.none() | st.lists(JSON, max_size=1)
)

RESULTS = _block(
    "tool_result",
    {"tool_use_id": NAMES},
    content=TEXTS | st.lists(TEXT_BLOCKS, max_size=2),
    is_error=st.booleans(),
    toolset_name=NAMES,
)

UNKNOWN = _block("novel", {"novelty": JSON})

MODEL_BLOCKS = st.one_of(
    TEXT_BLOCKS,
    UNKNOWN,
    THOUGHTS,
    _block("tool_use", {"id": NAMES, "name": NAMES, "input": INPUTS}),
    _block("server_tool_use", {"id": NAMES, "name": NAMES, "input": INPUTS}),
    _block("web_search_tool_result", {"tool_use_id": NAMES, "content": JSON}),
)

USER_BLOCKS = st.one_of(
    TEXT_BLOCKS, RESULTS, RESULTS, UNKNOWN, _block("image", {"source": JSON})
)

TURNS = st.one_of(
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": SAID | st.lists(MODEL_BLOCKS, max_size=4),
        }
    ),
    st.fixed_dictionaries(
        {"role": st.just("user"), "content": SAID | st.lists(USER_BLOCKS, max_size=4)}
    ),
)

COUNTS = st.integers(0, 10_000)

USAGES = st.builds(
    lambda fresh, said, cached: Usage(fresh + cached, said, cached),
    COUNTS,
    COUNTS,
    COUNTS,
)

REASONS = st.sampled_from(
    ["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "novel"]
)

RESPONSES = st.builds(Response, OF_MODEL, REASONS, st.none() | USAGES) | st.builds(
    lambda text, told: Response(assistant(text), "refusal", Usage(3, 4), told),
    TEXTS,
    st.none() | TEXTS,
)


def by_wire(value: object) -> Any:  # noqa: ANN401
    """A value as it is after it was sent."""
    return json.loads(json.dumps(value))


def places(
    value: object, at: tuple[str | int, ...] = ()
) -> list[tuple[str | int, ...]]:
    """The paths to all values in a body."""
    found = [at] if at else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:5]):
            found += places(inner, (*at, number))
    return found


@st.composite
def spoilt(draw: st.DrawFn, bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """A body of which one value or two are anything, or gone."""
    body: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(bodies)))
    for _time in range(draw(st.integers(1, 2))):
        found = places(body)
        if not found:
            break
        path = draw(st.sampled_from(found))
        owner: Any = body
        for step in path[:-1]:
            owner = owner[step]
        if draw(st.booleans()):
            owner[path[-1]] = draw(JSON)
        elif isinstance(owner, dict):
            del owner[path[-1]]
    return body
