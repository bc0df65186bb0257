import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import Limits, LoopRules, UsageError

WHOLE = ["max_iterations", "token_budget", "max_parallel"]
NO_NUMBERS: list[object] = [True, False, "10", "", [3], {}, b"1", 1j]
NOT_POSITIVE = [0, -1, -(10**30)]
NOT_WHOLE = [0.0, 2.5, 3.0, math.nan, math.inf]


def test_defaults_are_those_of_the_specification() -> None:
    """R1.8: ten iterations, an hour, no budget, four reads at once; R5.2: 3 of 31."""
    limits = Limits()
    assert (limits.max_iterations, limits.deadline_s) == (10, 3600.0)
    assert (limits.token_budget, limits.max_parallel) == (None, 4)
    assert limits.cache_read_weight == 0
    assert (LoopRules().block_at, LoopRules().end_at, LoopRules().window) == (3, 6, 31)


@pytest.mark.parametrize("name", [*WHOLE, "deadline_s"])
def test_none_means_no_limit(name: str) -> None:
    """Each limit can be switched off."""
    none: dict[str, Any] = {name: None}
    assert getattr(Limits(**none), name) is None


@given(value=st.integers(min_value=1), name=st.sampled_from([*WHOLE, "deadline_s"]))
def test_number_above_zero_is_a_limit(value: int, name: str) -> None:
    """Any whole number above zero is taken as it is."""
    assert getattr(Limits(**{name: value}), name) == value


@pytest.mark.parametrize("value", [*NOT_POSITIVE, *NOT_WHOLE, *NO_NUMBERS], ids=repr)
@pytest.mark.parametrize("name", WHOLE)
def test_limit_that_is_no_whole_number_above_zero_is_refused(
    name: str, value: object
) -> None:
    """The sentence names the limit, what it takes and what came."""
    with pytest.raises(UsageError) as caught:
        Limits(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value) == (
        f"{name}: expected a whole number above zero, or None for no limit, "
        f"got {value!r}"
    )


@pytest.mark.parametrize(
    "value",
    [*NOT_POSITIVE, 0.0, -0.5, math.nan, math.inf, -math.inf, *NO_NUMBERS],
    ids=repr,
)
def test_deadline_that_is_no_time_is_refused(value: object) -> None:
    """A deadline is a finite number of seconds above zero."""
    with pytest.raises(UsageError) as caught:
        Limits(deadline_s=value)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "deadline_s: expected a number of seconds above zero, or None for no limit, "
        f"got {value!r}"
    )


@given(value=st.floats(min_value=0, exclude_min=True, allow_infinity=False))
def test_deadline_may_be_any_finite_time(value: float) -> None:
    """Fractions of a second are a deadline too."""
    assert Limits(deadline_s=value).deadline_s == value


@given(value=st.floats(0, 1) | st.sampled_from([0, 1]))
def test_weight_may_be_anything_from_nothing_to_all(value: float) -> None:
    """Cached tokens count by a part of their number, ends included."""
    assert Limits(cache_read_weight=value).cache_read_weight == value


@pytest.mark.parametrize("value", [-0.1, 1.1, 2, math.nan, None, *NO_NUMBERS], ids=repr)
def test_weight_outside_of_its_range_is_refused(value: object) -> None:
    """A weight below nothing or above all is refused."""
    with pytest.raises(UsageError, match="cache_read_weight: expected a number from 0"):
        Limits(cache_read_weight=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, 0, -3, None, *NOT_WHOLE, *NO_NUMBERS], ids=repr)
def test_block_level_under_two_is_refused(value: object) -> None:
    """One call alone is no repetition."""
    with pytest.raises(UsageError, match="block_at: expected a whole number of 2 or"):
        LoopRules(block_at=value)  # type: ignore[arg-type]


@given(block_at=st.integers(2, 50), short=st.integers(1, 200))
def test_window_must_hold_what_ends_a_loop(block_at: int, short: int) -> None:
    """A window of 2N is the least; one under it is refused, with the number (R5.4)."""
    least = 2 * block_at
    assert LoopRules(block_at=block_at, window=least).end_at == least
    with pytest.raises(UsageError) as caught:
        LoopRules(block_at=block_at, window=least - short)
    assert str(caught.value) == (
        f"window: expected a whole number of {least} (2 x block_at) or more, "
        f"got {least - short}: a shorter one never ends a loop"
    )


@pytest.mark.parametrize("value", [None, *NOT_WHOLE, *NO_NUMBERS], ids=repr)
def test_window_that_is_no_whole_number_is_refused(value: object) -> None:
    """A window is a number of calls."""
    with pytest.raises(UsageError, match="window: expected a whole number of 6"):
        LoopRules(window=value)  # type: ignore[arg-type]
