"""Replies of a model, drawn: what its faults are tried on."""

from hypothesis import strategies as st

from agentsim.core import Response, ToolCall, Usage, assistant, canonical_json

__all__ = ["replies", "texts"]

values = st.none() | st.integers() | st.text(max_size=5) | st.just([1, {"b": []}])
texts = (
    st.dictionaries(st.text(max_size=3), values).map(canonical_json)
    | st.sampled_from(["", " ", "{}", "{} {}", "12", '{"a": 1} ', "nonsense"])
    | st.text(max_size=12)
)


@st.composite
def replies(draw: st.DrawFn) -> Response:
    """Draw a reply with at least two calls."""
    texts_of = draw(st.lists(texts, min_size=2, max_size=4))
    calls = (
        ToolCall(f"call_{n}", f"tool_{n}", text) for n, text in enumerate(texts_of)
    )
    message = assistant(draw(st.text(max_size=5)), *calls)
    return Response(message, "tool_use", Usage(10, 5))
