from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    Message,
    ToolCall,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from tests.support.examples import FEWER

COUNTS = st.integers(0, 10**6)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    """A usage as R1.5 wants it: the prompt includes what came from the cache."""
    prompt = draw(COUNTS)
    cached = draw(st.integers(0, prompt))
    return Usage(prompt, draw(COUNTS), cached, draw(st.booleans()))


@FEWER
@given(usage=usages(), weight=st.floats(0, 1))
def test_billable_lies_between_fresh_and_all(usage: Usage, weight: float) -> None:
    """Billable tokens are never negative, and never more than were used."""
    fresh = usage.prompt - usage.cache_read + usage.completion
    assert 0 <= fresh <= usage.billable(weight) <= usage.prompt + usage.completion
    assert usage.billable() == fresh
    assert usage.billable(1) == usage.prompt + usage.completion


@FEWER
@given(usage=usages())
def test_billable_is_whole_where_cached_tokens_count_nothing(usage: Usage) -> None:
    """Without a weight no float comes in, so that big sums stay exact."""
    assert isinstance(usage.billable(), int)


@FEWER
@given(parts=st.lists(usages(), max_size=5))
def test_usage_adds_up(parts: list[Usage]) -> None:
    """The usage of a run is the sum of its parts, estimated if any part is."""
    total = sum(parts, Usage())
    assert total.prompt == sum(part.prompt for part in parts)
    assert total.completion == sum(part.completion for part in parts)
    assert total.cache_read == sum(part.cache_read for part in parts)
    assert total.estimated == any(part.estimated for part in parts)
    assert total.billable() == sum(part.billable() for part in parts)


def test_messages_are_made_by_role() -> None:
    """Each maker sets the role and what belongs to it, and nothing else."""
    call = ToolCall("c1", "read", '{"a":1}')
    assert system("s") == Message("system", "s")
    assert user("u") == Message("user", "u")
    assert assistant("a", call) == Message("assistant", "a", (call,))
    assert tool_result("c1", "r", is_error=True) == Message(
        "tool", "r", tool_call_id="c1", is_error=True
    )


def test_message_knows_its_length() -> None:
    """Text, names and arguments count; ids do not."""
    call = ToolCall("a long id", "read", "{}")
    assert assistant("four", call, call).characters == 16
