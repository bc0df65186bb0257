"""Items of one response are brought together, wherever outputs were sent between them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentsim.providers.openai_responses.folding import Gathered


def response_of(item: object) -> str | None:
    """The first letter of a call's id names its response; `x` is of none."""
    name = item.get("call_id", "") if isinstance(item, dict) else ""
    return None if name[:1] in ("", "x") else name[0]


def item(letter: str, number: int, *, output: bool = False) -> dict[str, Any]:
    """A call, or its output."""
    kind = "function_call_output" if output else "function_call"
    return {"type": kind, "call_id": f"{letter}{number}", "name": "look"}


USER: dict[str, Any] = {"role": "user", "content": "hi"}

ITEMS = st.lists(
    st.builds(item, st.sampled_from("abx"), st.integers(0, 2), output=st.booleans())
    | st.just(USER),
    max_size=12,
)


def names(items: list[object]) -> list[str]:
    """Each item by its call, an output with a dash."""
    return [
        f"{one['call_id']}{'-' if 'output' in one['type'] else ''}"
        for one in items
        if isinstance(one, dict) and "call_id" in one
    ]


def whole(items: list[Any]) -> list[object]:
    """All items, taken over at once."""
    gathered = Gathered(response_of)
    gathered.follow(items, 0)
    return gathered.items


def test_calls_of_one_response_stand_before_the_outputs_between_them() -> None:
    """Calls of another response, and such as nobody knows of, stay where they are."""
    sent = [
        *(USER, item("a", 1), item("a", 1, output=True), item("a", 2)),
        *(item("a", 2, output=True), item("b", 1), item("b", 1, output=True)),
        *(item("x", 1), item("x", 1, output=True), item("x", 2)),
    ]
    assert names(whole(sent)) == [
        *("a1", "a2", "a1-", "a2-", "b1", "b1-", "x1", "x1-", "x2"),
    ]


@given(ITEMS)
def test_nothing_is_lost_and_outputs_keep_their_order(items: list[Any]) -> None:
    """What was sent is there, and who reads results finds them as they were sent."""
    made = whole(items)
    assert sorted(map(id, made)) == sorted(map(id, items))
    outputs = [name for name in names(made) if name.endswith("-")]
    assert outputs == [name for name in names(items) if name.endswith("-")]


@given(ITEMS, ITEMS, st.data())
def test_a_history_that_grows_or_is_rewritten_is_followed(
    first: list[Any], second: list[Any], data: st.DataObject
) -> None:
    """What is as it was is a part of the start of both, and what was moved goes anew."""
    kept = data.draw(st.integers(0, len(first)))
    gathered = Gathered(response_of)
    gathered.follow(first, 0)
    before = list(gathered.items)
    after = first[:kept] + second
    same = gathered.follow(after, kept)
    assert same <= kept
    assert gathered.items[:same] == before[:same]
    assert sorted(map(id, gathered.items)) == sorted(map(id, after))
