"""Small draws, from strategies that are made once.

Making a strategy costs more than drawing from it: what hangs on a tool or a world is
drawn number by number, not by a strategy of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import strategies as st

__all__ = ["Draw", "below", "one_in", "picked", "sized", "strategy_of"]

Draw = st.DrawFn

T = TypeVar("T")


@lru_cache(256)
def below(n: int) -> st.SearchStrategy[int]:
    """Whole numbers from 0 on; Hypothesis takes long to see that it has made them."""
    return st.integers(0, n - 1)


def picked(draw: Draw, options: Sequence[T]) -> T:
    """One of the options; they shrink to the first."""
    return options[draw(below(len(options))) if len(options) > 1 else 0]


def one_in(draw: Draw, n: int) -> bool:
    """Whether something unusual happens, once in n times; it shrinks to not."""
    return draw(below(n)) == n - 1


@st.composite
def sized(draw: Draw, sizes: Sequence[st.SearchStrategy[T]]) -> T:
    """From one of the strategies, alike; they shrink to the first.

    For collections of so many entries at least: left to itself, Hypothesis draws empty
    ones in half of all cases where much else is drawn.
    """
    return draw(sizes[draw(below(len(sizes)))])


def strategy_of(value: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401  # any value
    """A strategy as it is, and anything else as the only value of one."""
    return value if isinstance(value, st.SearchStrategy) else st.just(value)
