"""Drawn deviations fit every run, and what is reported is what was chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.engine import Replay
from agentsim.testing import Drawn, schedules

ARITIES = st.lists(st.integers(1, 6), max_size=30)


@given(schedules(), ARITIES)
def test_drawn_choices_fit_any_run(planned: dict[int, int], arities: list[int]) -> None:
    """Whatever the run offers, each choice is one of its options, and repeats."""
    drawn = Drawn(planned)
    values = [drawn.choose("x", arity) for arity in arities]
    drawn.finish()
    again = Replay(drawn.deviations, drawn.log)
    assert [again.choose("x", arity) for arity in arities] == values
    again.finish()
    assert all(0 <= value < arity for value, arity in zip(values, arities, strict=True))
    assert set(drawn.deviations) == {at for at in planned if at < len(drawn.arities)}


@pytest.mark.parametrize(
    ("value", "arity", "chosen"),
    [(0, 3, 0), (1, 3, 1), (2, 3, 2), (3, 3, 1), (4, 3, 2), (7, 2, 1), (5, 4, 2)],
)
def test_a_value_that_is_too_large_counts_on_from_the_first(
    value: int, arity: int, chosen: int
) -> None:
    """A planned deviation stays one: it never becomes the dull option."""
    assert Drawn({0: value}).choose("x", arity) == chosen


@pytest.mark.parametrize("planned", [{-1: 1}, {0: -1}, {0: True}, {"0": 1}])
def test_what_is_no_number_is_refused(planned: dict[int, int]) -> None:
    """Positions and values count from 0."""
    with pytest.raises(UsageError, match="expected 0 or more"):
        Drawn(planned)


@given(schedules(deviations=2, positions=5))
def test_schedules_are_as_large_as_asked(planned: dict[int, int]) -> None:
    """There are no more deviations, and none further on, in order of position."""
    assert len(planned) <= 2
    assert all(0 <= at < 5 for at in planned)
    assert list(planned) == sorted(planned)


@pytest.mark.parametrize("size", [{"deviations": -1}, {"positions": 0}])
def test_an_impossible_schedule_is_refused(size: dict[str, int]) -> None:
    """Numbers that allow nothing are told when the strategy is made."""
    with pytest.raises(UsageError, match="schedules"):
        schedules(**size)
