from collections.abc import Callable, Sequence
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    History,
    Message,
    MessageView,
    Request,
    ToolCall,
    assistant,
    estimate_usage,
    user,
)
from tests.support.examples import FEWER

MESSAGES = st.sampled_from("abc").map(user)
LISTS = st.lists(MESSAGES, max_size=6)


@FEWER
@given(before=LISTS, after=LISTS)
def test_view_never_changes_when_the_history_grows(
    before: list[Message], after: list[Message]
) -> None:
    """What a view shows is what stood there when it was made."""
    history = History(before)
    view = history.view()
    walk = iter(view)
    for message in after:
        history.append(message)
    assert list(walk) == list(view) == before
    assert len(view) == len(before)
    assert list(history.view()) == before + after
    assert len(history) == len(before) + len(after)


@FEWER
@given(before=LISTS, after=LISTS, data=st.data())
def test_view_is_a_sequence_like_any_other(
    before: list[Message], after: list[Message], data: st.DataObject
) -> None:
    """Index, slice, search and comparison are those of a list of its messages."""
    history = History(before)
    view = history.view()
    for message in after:
        history.append(message)
    steps = st.none() | st.integers(-9, 9)
    part = slice(
        data.draw(steps), data.draw(steps), data.draw(steps.filter(lambda n: n != 0))
    )
    assert list(view[part]) == before[part]
    for index in range(-len(before), len(before)):
        assert view[index] == before[index]
    for index in (len(before), -len(before) - 1):
        with pytest.raises(IndexError):
            view[index]
    assert list(reversed(view)) == before[::-1]
    for start in range(len(before) + 2):
        assert view.since(start) == before[start:]
    assert [view.count(user(name)) for name in "abc"] == [
        before.count(user(name)) for name in "abc"
    ]
    assert repr(view) == f"MessageView({before!r})"


@FEWER
@given(left=LISTS, right=LISTS)
def test_views_equal_what_holds_the_same_messages(
    left: list[Message], right: list[Message]
) -> None:
    """A view equals a view, a list or a tuple of the same messages, and nothing else."""
    view = History(left).view()
    others: list[Sequence[Message]] = [right, tuple(right), History(right).view()]
    for other in others:
        assert (view == other) == (left == right)
        assert (other == view) == (left == right)
    assert view == view[:]


@FEWER
@given(left=LISTS, right=LISTS, more=st.lists(MESSAGES, min_size=1, max_size=3))
def test_views_of_two_growing_lists_are_compared_as_they_are(
    left: list[Message], right: list[Message], more: list[Message]
) -> None:
    """What was found to be the same stays so, and what comes after it is looked at."""
    one, two, others = History(left), History(right), History(left)
    for message in (None, *more, user("one")):
        if message is not None:
            one.append(message)
            others.append(message)
            two.append(message if message != user("one") else user("two"))
        for first, second in ((one, two), (two, one), (one, others), (one, two)):
            same = list(first.view()) == list(second.view())
            assert (first.view() == second.view()) == same
            assert first.view()[:2] == first.view()[:2]
    assert one.view() == others.view() != two.view()


@FEWER
@given(messages=LISTS)
def test_views_of_one_list_differ_by_length(messages: list[Message]) -> None:
    """Of one history, views are equal exactly when they are equally long."""
    history = History(messages)
    earlier = history.view()
    assert history.view() == earlier
    history.append(user("a"))
    assert history.view() != earlier


def test_view_equals_no_text_and_no_number() -> None:
    """An empty view is not the empty text, although both are empty sequences."""
    view = History().view()
    others: list[object] = ["", b"", 0, None]
    assert [view == other for other in others] == [False] * 4


def test_view_has_no_hash() -> None:
    """What equals a list can't be a key, as a list can't."""
    with pytest.raises(TypeError):
        hash(History().view())


@FEWER
@given(earlier=LISTS, later=LISTS, appended=LISTS)
def test_view_extends_its_prefixes(
    earlier: list[Message], later: list[Message], appended: list[Message]
) -> None:
    """A view extends another exactly when that one is its beginning."""
    history = History(earlier)
    first = history.view()
    for message in appended:
        history.append(message)
    second = history.view()
    assert second.extends(first)
    assert first.extends(second) == (not appended)
    other = History(later).view()
    begins = later[: len(earlier)] == earlier
    assert other.extends(first) == begins
    assert other.behind(first) == (later[len(earlier) :] if begins else None)
    assert second.behind(first) == appended


SOURCES: list[Callable[[list[Message]], Sequence[Message]]] = [
    list,
    tuple,
    lambda messages: History(messages).view(),
]


@FEWER
@given(
    requests=st.lists(LISTS, max_size=5),
    appending=st.booleans(),
    source=st.sampled_from(SOURCES),
)
def test_follow_shows_each_request_as_it_was(
    requests: list[list[Message]],
    appending: bool,
    source: Callable[[list[Message]], Sequence[Message]],
) -> None:
    """Whether a runtime appends or rewrites, each view shows what was sent."""
    if appending:
        requests = list(accumulate(requests))
    history = History()
    views = [history.follow(source(request)) for request in requests]
    assert [list(view) for view in views] == requests
    for view, earlier in zip(views[1:], views, strict=False):
        if appending:
            assert view._items is earlier._items
        assert view.extends(earlier) == (list(view)[: len(earlier)] == list(earlier))


def test_follow_keeps_one_list_while_a_runtime_appends() -> None:
    """Appending costs no copy: all views share the list, equal messages its objects."""
    history = History([user("a")])
    first = history.view()
    second = history.follow([user("a"), user("b")])
    assert second._items is first._items
    assert second[0] is first[0]
    assert history.follow([user("a"), user("b")]) == second


@pytest.mark.parametrize("rewritten", [[], [user("b")], [user("b"), user("a")]])
def test_follow_starts_anew_when_a_runtime_rewrites(rewritten: list[Message]) -> None:
    """After a rewrite the old views stand, and appending goes on from the new list."""
    history = History([user("a")])
    before = history.view()
    after = history.follow(rewritten)
    assert list(after) == rewritten
    assert not after.extends(before)
    grown = history.follow([*rewritten, user("c")])
    assert grown._items is after._items
    assert list(before) == [user("a")]


def test_follow_takes_its_own_view_as_it_is() -> None:
    """A view of the same history comes back unchanged, also an earlier one."""
    history = History([user("a")])
    view = history.view()
    history.append(user("b"))
    assert history.follow(view) is view
    assert len(history) == 2


def test_history_leaves_the_given_list_alone() -> None:
    """A list that a caller passed never grows, and its later growth is not seen."""
    given_list = [user("a")]
    history = History(given_list)
    history.append(user("b"))
    given_list.append(user("c"))
    assert [message.content for message in history.view()] == ["a", "b"]


class Measured(Message):
    """A message that counts how often it is measured."""

    __slots__ = ()
    times = 0

    @property
    def characters(self) -> int:
        Measured.times += 1
        return super().characters


def test_long_run_measures_each_message_once() -> None:
    """Estimates of a growing history look at each message once, not once per turn."""
    Measured.times = 0
    history = History()
    prompts = []
    for _ in range(50):
        history.append(Measured("user", "12345678"))
        request = Request("model", history.view())
        prompts.append(estimate_usage(request, assistant("abcd")).prompt)
    assert prompts == [2 * (turn + 1) for turn in range(50)]
    assert Measured.times == 50


@FEWER
@given(messages=LISTS, more=LISTS)
def test_estimate_is_the_same_for_view_and_list(
    messages: list[Message], more: list[Message]
) -> None:
    """How a request holds its messages does not change what they cost."""
    history = History(messages)
    early = history.view()
    for message in more:
        history.append(message)
    late = history.view()
    for view in (late, early, MessageView(list(messages), len(messages))):
        sizes = [
            estimate_usage(Request("model", held), user("hi"))
            for held in (view, list(view))
        ]
        assert sizes[0] == sizes[1]


def test_estimate_counts_calls_rounds_up_and_is_never_zero() -> None:
    """Four characters are a token, a started one counts, nothing costs one (R1.5)."""
    asked = [user("12345"), assistant("", ToolCall("id", "read", '{"a":1}'))]
    usage = estimate_usage(Request("model", asked), assistant("1234"))
    assert (usage.prompt, usage.completion) == (4, 1)
    assert usage.estimated
    nothing = estimate_usage(Request("model", []), assistant())
    assert (nothing.prompt, nothing.completion) == (1, 1)
