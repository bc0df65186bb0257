"""One observable order, whatever the process, the hash seed, the heap and the Python."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.determinism.primitives import CHILDREN, UNORDERED, observe
from tests.support.pythons import CURRENT, SUPPORTED, environment
from tests.support.source import ROOT

SCRIPT = Path(__file__).with_name("primitives.py")

PROCESSES = 6
"""On this version of Python; on others two, which are compared with the same text."""

HEAPS = (0, 1, 2)
"""Under one hash seed."""


def in_child(python: Path, hash_seed: str, heap: int, *names: str) -> str:
    """What the programs print in a process of their own."""
    done = subprocess.run(
        [python, SCRIPT, str(heap), *names],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


@cache
def here() -> str:
    """What the programs print in this process."""
    return json.dumps(observe(), indent=1)


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_order_depends_on_nothing_but_the_choices(minor: str) -> None:
    """Processes with other hash seeds and heaps, on any version, see one order."""
    python = environment(minor)
    for number in range(PROCESSES if minor == CURRENT else 2):
        assert in_child(python, str(number * 977), number) == here()


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_sets_have_the_order_of_their_hashes(minor: str) -> None:
    """Under one hash seed strings have one, whatever the heap, so pinning it matters.

    Objects have none to rely on: this is what the doctor looks for.
    """
    python = environment(minor)
    strings, objects = zip(*(orders(python, "7", heap) for heap in HEAPS), strict=True)
    other, _ = orders(python, "0", HEAPS[0])
    assert len({*strings}) == 1
    assert other not in strings
    assert len({*objects}) > 1


def orders(python: Path, hash_seed: str, heap: int) -> list[str]:
    """What a process sees of a set of strings and of a set of objects."""
    names = [program.__name__ for program in UNORDERED]
    seen: dict[str, Any] = json.loads(in_child(python, hash_seed, heap, *names))
    return [json.dumps(seen[f"{name} 0"]["endings"]) for name in names]


def test_order_does_not_depend_on_what_ran_before() -> None:
    """A second observation in the same process equals the first."""
    assert observe() == observe()


def test_the_dull_orders_are_those_of_the_program() -> None:
    """What is stable is also right: lists are gone through from front to back."""
    seen = observe()

    def value(name: str) -> list[object]:
        found: list[object] = seen[f"{name} 0"]["endings"][-1][1]
        return found

    everyone = list(range(CHILDREN))
    assert value("task_group_abort") == [*everyone, 1]
    assert value("anyio_scopes") == [*everyone, True, 6.0]
    assert value("completed")[:CHILDREN] == everyone[1::2] + everyone[::2]
    assert value("completed")[CHILDREN:] == everyone[::2] + everyone[1::2]
    assert value("timeouts") == everyone[::2] + everyone[1::2]
    assert value("generators")[-1] == 19
    assert value("leftovers") == everyone[::2]
    assert seen["leftovers 0"]["last_words"] == everyone[::2] + everyone[1::2]
    assert value("gathered_and_shielded")[:CHILDREN] == everyone
    assert value("eager") == [*everyone, "made", *everyone]
