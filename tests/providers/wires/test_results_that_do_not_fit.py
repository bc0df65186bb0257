"""Results that do not fit their calls: what each wire refuses, and what it puts up with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from agentsim.providers.anthropic import MessagesReader
from agentsim.providers.anthropic.rulebook.judge import RESULTS_SPLIT
from agentsim.providers.openai_chat.wire import ChatReader
from agentsim.providers.openai_responses.rulebook.profile import ResponsesProfile
from agentsim.providers.openai_responses.wire import ResponsesReader
from agentsim.providers.wires import Asked, Reader
from agentsim.providers.wires.habits import RESULTS_LATE, RESULTS_SWAPPED, Habits
from tests.providers.wires.stories import (
    ASKS,
    GOOD,
    LATE,
    MISSING,
    ONE,
    ORPHANS,
    SWAPPED,
    TWICE,
    TWO,
    WRITERS,
    A,
    B,
    C,
    Steps,
    messages,
)


def _responses() -> Reader:
    """A reader with the one rule on that is off as long as nobody has told of it."""
    return ResponsesReader(ResponsesProfile())


READERS: Mapping[str, Callable[[], Reader]] = {
    "anthropic-messages": MessagesReader,
    "openai-chat": ChatReader,
    "openai-responses": _responses,
}

DUE = tuple(steps[:count] for count, steps in LATE)
"""Requests that lack results which come later."""

BAD: Mapping[str, tuple[Steps, ...]] = {
    "orphan": ORPHANS,
    "missing": MISSING,
    "duplicated": TWICE,
    "late": DUE,
}


def read(wire: str, steps: Steps, *, begun: int = 0) -> Asked:
    """Read a history by a wire, after the requests before it, if any."""
    reader = READERS[wire]()
    if begun:
        reader.read(WRITERS[wire](steps[:begun]))
    return reader.read(WRITERS[wire](steps))


@pytest.mark.parametrize("wire", READERS)
def test_results_that_fit_are_accepted(wire: str) -> None:
    """Right histories pass, and nothing is said of them."""
    for steps in GOOD:
        asked = read(wire, steps)
        assert asked.refusal is None
        assert warnings(asked) == ()


@pytest.mark.parametrize("wire", READERS)
def test_twenty_of_twenty_that_do_not_fit_are_refused(wire: str) -> None:
    """Orphans, missing, second and late results are refused, at once and in a growing history."""
    refused = {
        (kind, number, begun): read(wire, steps, begun=begun).refusal
        for kind, stories in BAD.items()
        for number, steps in enumerate(stories)
        for begun in (0, 1)
    }
    assert len(refused) == 2 * 20
    assert [place for place, refusal in refused.items() if refusal is None] == []
    assert {refusal.error().status for refusal in refused.values() if refusal} == {400}


@pytest.mark.parametrize("wire", ["anthropic-messages", "openai-chat"])
def test_late_results_mend_nothing(wire: str) -> None:
    """Where results must follow their calls directly they are refused later too."""
    assert [read(wire, steps).refusal is None for _count, steps in LATE] == [False] * 5


def test_late_results_are_accepted_with_a_warning() -> None:
    """Responses pairs by id over the whole input: what comes late is taken."""
    asked = [read("openai-responses", steps) for _count, steps in LATE]
    assert [one.refusal for one in asked] == [None] * 5
    assert [warnings(one) for one in asked] == [(RESULTS_LATE,)] * 5


@pytest.mark.parametrize("wire", READERS)
def test_another_order_is_accepted_with_a_warning(wire: str) -> None:
    """Results in another order than their calls are taken, and told of."""
    asked = [read(wire, steps) for steps in SWAPPED]
    assert [one.refusal for one in asked] == [None] * 5
    assert [warnings(one) for one in asked] == [(RESULTS_SWAPPED,)] * 5


def test_results_split_over_messages_are_accepted_with_a_warning() -> None:
    """Anthropic merges the messages of the user, and a model learns from them."""
    for steps in GOOD:
        asked = MessagesReader().read(messages(steps, split=True))
        assert asked.refusal is None
        assert warnings(asked) == (RESULTS_SPLIT,)


def test_calls_of_messages_that_follow_one_another_are_those_of_one_turn() -> None:
    """Results that answer both are neither late nor in another order."""
    asked = MessagesReader().read(messages((ASKS, TWO, ONE, A, B, C)))
    assert asked.refusal is None
    assert warnings(asked) == ()


def warnings(asked: Asked) -> tuple[str, ...]:
    """What is said of a request that is accepted."""
    return (*asked.warnings, *Habits().look(asked.request.messages))  # type: ignore[arg-type]
