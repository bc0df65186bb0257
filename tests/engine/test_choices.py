"""Choice sources: the log, seeds, replays, and what does not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import NondeterminismError, TokenError, UsageError
from agentsim.engine import Choices, Replay, Seeded

arities = st.lists(st.integers(1, 6), max_size=40)


def draw_all(source: Choices, widths: list[int]) -> list[int]:
    """Make one choice per width, labelled by its place."""
    return [source.choose(f"c{place}", n) for place, n in enumerate(widths)]


@given(arities)
def test_the_plain_source_is_dull(widths: list[int]) -> None:
    """Without a source of deviations every choice is 0."""
    source = Choices()
    assert draw_all(source, widths) == [0] * len(widths)
    assert source.deviations == {}


@given(arities, st.integers())
def test_only_real_choices_are_logged(widths: list[int], seed: int) -> None:
    """A single option is no choice; every other is logged with label and arity."""
    source = Seeded(seed, probability=0.5)
    values = draw_all(source, widths)
    logged = [(f"c{place}", n) for place, n in enumerate(widths) if n > 1]
    assert source.log == logged
    kept = [value for value, n in zip(values, widths, strict=True) if n > 1]
    assert source.deviations == {at: value for at, value in enumerate(kept) if value}
    assert all(0 <= value < n for value, n in zip(values, widths, strict=True))


@pytest.mark.parametrize("n", [0, -1])
def test_no_option_is_refused(n: int) -> None:
    """A choice among nothing is the caller's error, and names the choice."""
    with pytest.raises(UsageError, match="'next model' has"):
        Choices().choose("next model", n)


@given(arities, st.integers())
def test_a_seed_repeats(widths: list[int], seed: int) -> None:
    """The same seed gives the same choices."""
    assert draw_all(Seeded(seed), widths) == draw_all(Seeded(seed), widths)


def test_seeds_do_not_change_over_versions() -> None:
    """What a seed means is fixed: these values hold on every Python version."""
    source = Seeded(17)
    assert (source.probability, draw_all(source, [4] * 12)) == (
        0.3,
        [0, 0, 3, 0, 0, 1, 0, 0, 2, 0, 0, 0],
    )


def test_seeds_differ_in_temper() -> None:
    """A campaign has calm runs and wild ones."""
    tempers = {Seeded(seed).probability for seed in range(60)}
    assert tempers == {0.02, 0.1, 0.3, 0.6}


@pytest.mark.parametrize(("probability", "deviations"), [(0.0, 0), (1.0, 200)])
def test_the_probability_is_kept(probability: float, deviations: int) -> None:
    """At 0 nothing deviates, at 1 everything does."""
    source = Seeded(3, probability)
    draw_all(source, [3] * 200)
    assert len(source.deviations) == deviations


def test_every_option_can_be_drawn() -> None:
    """A deviation reaches each option but the dull one, and only those."""
    assert set(draw_all(Seeded(5, 1.0), [4] * 200)) == {1, 2, 3}


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_an_impossible_probability_is_refused(probability: float) -> None:
    """A probability outside of 0 to 1 is an error that names it."""
    with pytest.raises(UsageError, match="probability must be from 0 to 1"):
        Seeded(1, probability)


@given(arities, st.integers())
def test_replay_repeats(widths: list[int], seed: int) -> None:
    """The deviations of a run, replayed, give the same choices and the same log."""
    first = Seeded(seed, 0.4)
    values = draw_all(first, widths)
    again = Replay(first.deviations, expected=first.log)
    assert draw_all(again, widths) == values
    again.finish()
    assert (again.log, again.deviations) == (first.log, first.deviations)


def test_a_value_beyond_its_arity_does_not_fit() -> None:
    """A planned value that the choice has not is a TokenError that says which."""
    source = Replay({0: 2})
    with pytest.raises(TokenError, match=r"does not fit: choice 0 \('next a'\) has 2"):
        source.choose("next a", 2)


def test_a_position_never_reached_does_not_fit() -> None:
    """A deviation past the end of the run is a TokenError when it is over."""
    source = Replay({0: 1, 4: 1})
    source.choose("next a", 2)
    with pytest.raises(TokenError, match=r"at choice 4, but the run made 1 choice$"):
        source.finish()


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ([("a", 2), ("x", 3)], "choice 1 was 'b' with 3 options before, now it is 'x'"),
        ([("a", 2), ("b", 2)], "with 3 options before, now it is 'b' with 2 options"),
        ([("a", 2)], "choice 1 was 'b' with 3 options before, now the run ended"),
        ([("a", 2), ("b", 3), ("c", 2)], "ended after 2 choices before, now choice 2"),
    ],
)
def test_the_first_difference_is_named(made: list[tuple[str, int]], words: str) -> None:
    """Against an expected log every other label, arity or length is told exactly."""
    source = Replay({}, expected=[("a", 2), ("b", 3)])

    def again() -> None:
        for label, arity in made:
            source.choose(label, arity)
        source.finish()

    with pytest.raises(NondeterminismError, match="the same choices gave another") as e:
        again()
    assert words in str(e.value)
