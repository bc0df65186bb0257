"""The enumeration of all runs within a bound, against brute force."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import NondeterminismError, UsageError
from agentsim.engine import Choices, Exhaustive

Run = tuple[tuple[int, int], ...]


class Tree:
    """A random tree of choices: each node's arity depends on the way to it."""

    def __init__(self, seed: int, depth: int = 7, width: int = 4) -> None:
        self.seed, self.depth, self.width = seed, depth, width

    def arity(self, path: tuple[int, ...]) -> int:
        """Options at a node; 0 at a leaf, 1 where there is no choice."""
        drawn = random.Random(f"{self.seed}:{path}").random()
        leaf = len(path) >= self.depth or (len(path) > 2 and drawn < 0.15)
        return 0 if leaf else 1 + int(drawn * self.width)

    def run(self, source: Choices) -> None:
        """Walk from the root to a leaf."""
        path: tuple[int, ...] = ()
        while arity := self.arity(path):
            path += (source.choose(f"at {len(path)}", arity),)

    def all_runs(self, bound: int) -> Iterator[Run]:
        """Brute force: every leaf with at most `bound` deviations."""
        yield from self._below((), {}, 0, bound)

    def _below(
        self, path: tuple[int, ...], made: dict[int, int], logged: int, bound: int
    ) -> Iterator[Run]:
        arity = self.arity(path)
        if not arity:
            yield tuple(made.items())
            return
        for value in range(arity if len(made) < bound else 1):
            more = {**made, logged: value} if value else made
            yield from self._below((*path, value), more, logged + (arity > 1), bound)


def enumerate_runs(tree: Tree, search: Exhaustive) -> Iterator[Run]:
    """Run every source that a search hands out."""
    while (source := search.next()) is not None:
        tree.run(source)
        search.done(source)
        yield tuple(source.deviations.items())


@pytest.mark.parametrize("block", range(6))
def test_each_run_comes_exactly_once(block: int) -> None:
    """On 300 random trees the enumeration equals brute force, without repeats."""
    for seed in range(50 * block, 50 * block + 50):
        tree, bound = Tree(seed, depth=5, width=3), seed % 4
        search = Exhaustive(bound)
        found = list(enumerate_runs(tree, search))
        assert sorted(found) == sorted(tree.all_runs(bound))
        assert len(found) == len(set(found)) == search.runs
        assert search.complete
        assert search.left == (0, True)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 3))
def test_runs_come_breadth_first(seed: int, bound: int) -> None:
    """No run comes before one with fewer deviations."""
    runs = enumerate_runs(Tree(seed, depth=5), Exhaustive(bound))
    sizes = [len(run) for run in islice(runs, 100)]
    assert sizes == sorted(sizes)


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 60))
def test_what_is_left_is_told_honestly(seed: int, bound: int, done: int) -> None:
    """What is called exact is exact, and what is called a lower bound is one."""
    tree = Tree(seed, depth=5, width=3)
    total = len(list(tree.all_runs(bound)))
    search = Exhaustive(bound)
    ran = len(list(islice(enumerate_runs(tree, search), done)))
    left, exact = search.left
    assert left == total - ran if exact else left <= total - ran
    assert search.complete == (ran == total)


def test_what_is_left_is_exact_in_the_last_level() -> None:
    """Once the level before the last is done, the number left is known."""
    tree = Tree(4)
    search = Exhaustive(1)
    assert search.left == (1, False)
    runs = enumerate_runs(tree, search)
    next(runs)
    total = len(list(tree.all_runs(1)))
    assert search.left == (total - 1, True)


def test_several_runs_may_be_out_at_once() -> None:
    """Workers may hold several sources; each run still comes exactly once."""
    tree = Tree(11, depth=5)
    search = Exhaustive(2)
    found: list[Run] = []
    while not search.complete:
        held: list[Choices] = []
        while len(held) < 3 and (source := search.next()) is not None:
            held.append(source)
        assert held
        for source in reversed(held):
            tree.run(source)
            search.done(source)
            found.append(tuple(source.deviations.items()))
    assert sorted(found) == sorted(tree.all_runs(2))


def test_a_run_that_is_out_is_not_done() -> None:
    """A search is not complete while a run is out, even if none is left to start."""
    search = Exhaustive(0)
    source = search.next()
    assert source is not None
    assert search.next() is None
    assert not search.complete
    assert search.left == (1, True)
    search.done(source)
    assert search.complete


def test_another_arity_on_the_way_is_named() -> None:
    """A child whose choice lost options is a nondeterminism, not a silent skip."""
    search = Exhaustive(1)
    first = search.next()
    assert first is not None
    first.choose("next a", 3)
    search.done(first)
    search.next()
    child = search.next()
    assert child is not None
    with pytest.raises(NondeterminismError, match="now it is 'next b' with 2 options"):
        child.choose("next b", 2)


def test_a_choice_that_is_gone_is_named() -> None:
    """A child that never reaches its own deviation is a nondeterminism."""
    search = Exhaustive(1)
    first = search.next()
    assert first is not None
    first.choose("next a", 2)
    search.done(first)
    child = search.next()
    assert child is not None
    with pytest.raises(NondeterminismError, match="reached choice 0 before, now it"):
        search.done(child)


def test_a_negative_bound_is_refused() -> None:
    """A bound below zero is the caller's error."""
    with pytest.raises(UsageError, match="deviations must be 0 or more, got -1"):
        Exhaustive(-1)
