"""Agents on real frameworks: they end, each schedule in one order, and leave nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.frameworks.children import agents_of, child
from tests.support.frameworks import FRAMEWORKS

pytestmark = pytest.mark.slow

RUNS = 200

ANSWER = "web-03 is well, and noted."

FORMS = [
    *((name, form) for name in FRAMEWORKS for form in ("awaiting", "blocking")),
    ("langgraph", "invoking"),
]

SYNC = [(name, form) for name, form in FORMS if form != "awaiting"]


def runs(name: str, form: str, menu: str, count: int, **more: int) -> dict[str, Any]:
    """What `count` runs of an agent gave, in a process of their own."""
    return child(name, "runs", f"{agents_of(name)}:{form}", menu, 0, count, **more)


def told(name: str, form: str, what: str, found: Mapping[str, Any]) -> str:
    """A figure, in one line."""
    count = len(found["digests"])
    each_ms = found["seconds"] / count * 1_000
    violated = ", ".join(f"{k} {v}" for k, v in sorted(found["violated"].items()))
    return (
        f"{name}, {form}, {what}: {count} runs, {found['orders']} different, "
        f"{each_ms:.0f} ms each; violated: {violated or 'nothing'}"
    )


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_an_agent_does_its_work(name: str, form: str) -> None:
    """On the wire and in the world: the right answer, and one effect."""
    found = runs(name, form, "calm", 2)
    assert found["endings"] == {"returned": 2}
    assert found["values"] == {ANSWER: 2}
    assert found["effects"] == {"1": 2}
    assert found["orders"] == 1
    assert found["threads"] == []


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_every_schedule_has_one_order(
    name: str, form: str, figure: Callable[[str], None]
) -> None:
    """Random schedules end as the calm one, and another process makes the same traces."""
    found = runs(name, form, "orders", RUNS)
    figure(told(name, form, "orders", found))
    assert found["errors"] == {}
    assert found["values"] == {ANSWER: RUNS}
    assert found["effects"] == {"1": RUNS}
    assert found["threads"] == []
    assert found["orders"] > 1
    again = runs(name, form, "orders", RUNS, hash_seed=7)
    assert again["digests"] == found["digests"]


@pytest.mark.parametrize("menu", ["crashed", "cancelled"])
@pytest.mark.parametrize(("name", "form"), SYNC)
def test_what_is_cut_off_leaves_nothing(
    name: str, form: str, menu: str, figure: Callable[[str], None]
) -> None:
    """After a crash or a cancellation no thread stays, and nothing is on stderr."""
    found = runs(name, form, menu, RUNS)
    figure(told(name, form, menu, found))
    assert len(found["digests"]) == RUNS
    assert found["threads"] == []
