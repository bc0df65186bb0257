"""Choices as Hypothesis draws them: a sparse map from positions to deviations.

A map shrinks entry by entry, and most of a run is dull. A seed does not shrink at all,
and one draw per choice hardly ever leaves only a few of them (design 2.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.engine import Choices
from agentsim.testing.drawing import sized

__all__ = ["DEVIATIONS", "Drawn", "schedules"]

DEVIATIONS = 6
"""How many deviations are drawn at most, unless told otherwise."""

POSITIONS = 48
"""How many choices of a run may deviate, unless told otherwise."""

LEAST = 3
"""Up to so many deviations are drawn at least, so that there are often some."""

VALUES = 12


class Drawn(Choices):
    """The choices of a drawn run: some planned deviations, whatever the run is like.

    Unlike a replay it fits any run. A value that is too large for a choice counts on
    through its deviations from the first (never to 0), and a position that the run does
    not reach is ignored; what `deviations` holds, as in any source, is what was chosen.

    Args:
        planned: Position -> value, both counted from 0.

    Raises:
        UsageError: for what is no number of 0 or more.
    """

    __slots__ = ("planned",)

    def __init__(self, planned: Mapping[int, int]) -> None:
        super().__init__()
        for name, number in (
            *(("position", at) for at in planned),
            *(("value", value) for value in planned.values()),
        ):
            if type(number) is not int or number < 0:
                raise UsageError(f"{name}: expected 0 or more, got {number!r}")
        self.planned = dict(planned)

    def draw(self, position: int, label: str, arity: int) -> int:  # noqa: ARG002
        """Take the planned value, counted on where there are not so many options."""
        value = self.planned.get(position, 0)
        return value if value < arity else 1 + (value - 1) % (arity - 1)


def schedules(
    *, deviations: int = DEVIATIONS, positions: int = POSITIONS
) -> st.SearchStrategy[dict[int, int]]:
    """Deviations of a run, as `Drawn` takes them: position -> value.

    They shrink to none, to early ones, and to the first option beside the dull one.

    Args:
        deviations: How many there are at most.
        positions: How many choices of a run may deviate: a script of three calls has
            about twenty.

    Raises:
        UsageError: for a negative number, or no position.
    """
    if deviations < 0 or positions < 1:
        raise UsageError(
            "schedules(): expected deviations of 0 or more and positions of 1 or more, "
            f"got {deviations} and {positions}"
        )
    return _schedules(deviations, positions)


@lru_cache(maxsize=256)
def _schedules(deviations: int, positions: int) -> st.SearchStrategy[dict[int, int]]:
    most = min(deviations, positions)
    at, value = st.integers(0, positions - 1), st.integers(1, VALUES)
    sizes = [
        st.dictionaries(at, value, min_size=least, max_size=most)
        for least in range(min(LEAST, most) + 1)
    ]
    return sized(sizes).map(lambda drawn: dict(sorted(drawn.items())))
