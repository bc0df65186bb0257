"""Chance in a run: the same in all runs, another in each life, and put back after it."""

from __future__ import annotations

import os
import random
import secrets
import sys
import threading
import uuid
from os import urandom
from random import Random, SystemRandom, getrandbits
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.engine import Baton, Life
from tests.engine.runs import every_run, run


def drawn() -> list[object]:
    """One draw of each kind."""
    return [
        random.random(),
        random.gauss(0, 1),
        getrandbits(64),
        random.sample(range(100), 3),
        Random().random(),
        SystemRandom().random(),
        SystemRandom().sample(range(100), 3),
        os.urandom(8),
        urandom(8),
        secrets.token_hex(8),
        secrets.choice(range(10**9)),
        str(uuid4()),
        str(uuid.uuid4()),
        str(uuid.uuid1()),
        uuid.getnode(),
    ]


async def draws(life: Life) -> list[list[object]]:
    """Draw, wait and draw again."""
    first = drawn()
    await life.gate("a", latency_s=1)
    return [first, drawn()]


def test_every_run_draws_the_same() -> None:
    """All sources repeat, whatever was drawn outside, and none repeats itself."""
    random.seed(5)
    first: Any = run(draws).ending.value
    random.seed(6)
    uuid.uuid1()
    assert run(draws).ending.value == first
    one, two = first
    assert not [a for a, b in zip(one[:-1], two[:-1], strict=True) if a == b]


def test_the_clock_of_a_uuid_is_the_runs() -> None:
    """uuid1 tells the virtual time and the address of no machine."""

    async def main(life: Life) -> list[object]:
        await life.gate("a", latency_s=1)
        made = uuid.uuid1()
        return [made.time - 0x01B21DD213814000, made.node]

    ticks = 17_672_256_010_000_000
    assert run(main).ending.value == [ticks, int.from_bytes(b"\x01agent")]


def test_a_second_life_draws_others() -> None:
    """The streams of a restarted agent are others, and the same in each such run."""

    async def main(life: Life) -> None:
        lists.append(drawn()[:-1])
        await life.gate("a", latency_s=5)

    lists: list[list[object]] = []
    runs = []
    for _ in range(2):
        for seen in every_run(main, deviations=1, crash=True):
            if len(seen.endings) > 1:
                runs.append([*lists])
            lists.clear()
    first, again = runs
    assert again == first
    one, two = first
    assert not [a for a, b in zip(one, two, strict=True) if a == b]


def test_the_users_own_sequence_goes_on_after_a_run() -> None:
    """A seed set before a simulation governs what is drawn after it."""
    random.seed(42)
    random.gauss(0, 1)  # leaves a second value in store
    expected = [random.random(), random.gauss(0, 1), getrandbits(32)]
    random.seed(42)
    random.gauss(0, 1)
    run(draws)
    assert [random.random(), random.gauss(0, 1), getrandbits(32)] == expected


def test_all_is_put_back_where_a_run_fails() -> None:
    """Names and states are what they were, also after an error of the harness."""
    names = os.urandom, urandom, Random.seed, random.seed, uuid.getnode()

    async def main(life: Life) -> None:
        random.seed(1)
        life.halt(KeyError("of the harness"))
        await life.gate("a")

    random.seed(42)
    expected = random.random()
    random.seed(42)
    with pytest.raises(KeyError):
        run(main)
    assert random.random() == expected
    assert (os.urandom, urandom, Random.seed, random.seed, uuid.getnode()) == names


def test_an_agent_may_seed_what_it_likes() -> None:
    """A seed of its own counts; a seed from the machine is the run's."""

    async def main(_: Life) -> list[float]:
        random.seed(1)
        own = random.random(), Random(7).random()
        random.seed()
        return [*own, random.random()]

    first: Any = run(main).ending.value
    *own, anew = first
    assert own == [Random(1).random(), Random(7).random()]
    again: Any = run(main).ending.value
    assert again[2] == anew


def test_baton_threads_draw_from_the_same_streams() -> None:
    """A thread of the run draws on where the loop's thread stopped."""

    async def main(_: Life) -> list[object]:
        first = uuid4()
        second = await Baton(uuid4, name="uuid4").drive()
        return [first, second, uuid4()]

    async def plain(_: Life) -> list[object]:
        return [uuid4() for _ in range(3)]

    assert run(main).ending.value == run(plain).ending.value


def test_strange_threads_draw_real_chance() -> None:
    """What a thread draws of which the run knows nothing does not repeat."""
    ask, answer = threading.Event(), threading.Event()
    found: list[object] = []

    def stranger() -> None:
        while ask.wait(10):
            ask.clear()
            found.append((os.urandom(16), Random().random()))
            answer.set()

    threading.Thread(target=stranger, daemon=True).start()

    async def main(_: Life) -> bytes:
        ask.set()
        assert answer.wait(10)
        answer.clear()
        return os.urandom(16)

    assert run(main).ending.value == run(main).ending.value
    assert found[0] != found[1]


def test_a_negative_number_of_bytes_is_refused() -> None:
    """As the real one refuses it."""

    async def main(_: Life) -> None:
        os.urandom(-1)

    assert type(run(main).ending.error) is ValueError


@given(st.data())
def test_hypothesis_draws_as_before(data: st.DataObject) -> None:
    """A run within a property test changes neither its draws nor `random` there."""
    number = data.draw(st.integers(0, 10))
    random.seed(number)
    expected = random.random()
    random.seed(number)
    run(draws)
    assert random.random() == expected
    assert 0 <= data.draw(st.integers(0, 10)) <= 10


class NumpysRandom(ModuleType):
    """Obeys the contract of `numpy.random`'s global generator, over Python's."""

    class RandomState:
        """A generator of its own, seeded."""

        def __init__(self, seed: int) -> None:
            self._random = Random(seed)

        def get_state(self) -> object:
            """All that its next draws depend on."""
            return self._random.getstate()

        def set_state(self, state: tuple[Any, ...]) -> None:
            """Go on from there."""
            self._random.setstate(state)

        def random(self) -> float:
            """Draw one."""
            return self._random.random()

    def __init__(self, seed: int) -> None:
        super().__init__("numpy.random")
        generator = self.RandomState(seed)
        self.get_state = generator.get_state
        self.set_state = generator.set_state
        self.random = generator.random


def test_numpys_generator_is_seeded_where_numpy_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The global one is the run's within, and the user's after it."""
    numpy = NumpysRandom(3)
    monkeypatch.setitem(sys.modules, "numpy.random", numpy)

    async def main(_: Life) -> float:
        return numpy.random()

    first = run(main).ending.value
    assert numpy.random() == Random(3).random()
    assert run(main).ending.value == first
