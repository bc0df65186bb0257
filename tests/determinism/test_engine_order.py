"""One observable order, whatever the process, the hash seed, the heap and the Python."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.determinism.primitives import CHILDREN, observe
from tests.support.pythons import SUPPORTED, environment
from tests.support.source import ROOT

SCRIPT = Path(__file__).with_name("primitives.py")


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


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_order_depends_on_nothing_but_the_choices(minor: str) -> None:
    """Six processes per version, with other hash seeds and heaps, see one order."""
    here = json.dumps(observe(), indent=1)
    python = environment(minor)
    for number in range(6):
        assert in_child(python, str(number * 977), number) == here


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_strings_have_one_order_under_one_hash_seed(minor: str) -> None:
    """Whatever the heap; without a pinned seed there are several, so pinning matters."""
    python = environment(minor)
    pinned = {in_child(python, "7", n, "set_of_strings") for n in range(6)}
    assert len(pinned) == 1
    free = {in_child(python, str(n), 0, "set_of_strings") for n in range(3)}
    assert len(free) > 1


@pytest.mark.slow
@pytest.mark.parametrize("minor", SUPPORTED)
def test_objects_in_sets_have_no_order_to_rely_on(minor: str) -> None:
    """Six heaps, one hash seed, several orders: this is what the doctor looks for."""
    python = environment(minor)
    seen = {in_child(python, "7", n, "set_of_objects") for n in range(6)}
    assert len(seen) > 1


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
