"""One observable order, whatever the process, the hash seed, the heap and the Python."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.determinism.primitives import CHILDREN, PROGRAMS, UNORDERED, observe
from tests.support.pythons import CURRENT, SUPPORTED, environment
from tests.support.source import ROOT

SCRIPT = Path(__file__).with_name("primitives.py")

HEAPS = (0, 1)
"""Under one hash seed."""

PROCESSES = (*(("7", heap) for heap in HEAPS), ("0", 0))
"""Hash seed and heap of each, on every version of Python."""

MORE = (("977", 3), ("1954", 4))
"""On this one only."""

NAMES = [program.__name__ for program in (*PROGRAMS, *UNORDERED)]


def in_child(python: Path, hash_seed: str, heap: int) -> dict[str, Any]:
    """What all programs print in a process of their own."""
    done = subprocess.run(
        [python, SCRIPT, str(heap), *NAMES],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stderr, done.returncode) == ("", 0)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@cache
def here() -> str:
    """What the programs that have an order print in this process."""
    return json.dumps(observe())


def ordered(seen: dict[str, Any]) -> str:
    """The same of what a process printed."""
    names = {program.__name__ for program in UNORDERED}
    return json.dumps({k: v for k, v in seen.items() if k.split()[0] not in names})


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_order_depends_on_nothing_but_the_choices(minor: str) -> None:
    """Processes with other hash seeds and heaps, on any version, see one order.

    A set of strings has that of their hashes under one seed, whatever the heap, so
    pinning it matters; one of objects has none to rely on: the doctor looks for that.
    """
    python = environment(minor)
    settings = (*PROCESSES, *(MORE if minor == CURRENT else ()))
    found = [in_child(python, *setting) for setting in settings]
    for seen in found:
        assert ordered(seen) == here()
    *pinned, (other, _) = map(unordered, found[: len(PROCESSES)])
    strings, objects = zip(*pinned, strict=True)
    assert len({*strings}) == 1
    assert other not in strings
    assert len({*objects}) > 1


def unordered(seen: dict[str, Any]) -> list[str]:
    """What a process saw of a set of strings and of a set of objects."""
    names = [program.__name__ for program in UNORDERED]
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
