"""Agents on real frameworks: they end, each schedule in one order, and leave nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.frameworks.children import Children, agents_of
from tests.support.frameworks import FRAMEWORKS

pytestmark = pytest.mark.slow

ANSWER = "web-03 is well, and noted."

RUNS = {"awaiting": 25, "blocking": 200, "invoking": 25}
"""Random schedules by form; async tools have less that can go wrong."""

ELSEWHERE = 10
"""So many of them are made in another process too."""

ASYNC = [(name, "awaiting") for name in FRAMEWORKS]
BLOCKING = [*((name, "blocking") for name in FRAMEWORKS), ("langgraph", "invoking")]
FORMS = [*ASYNC, *BLOCKING]


Runs = Callable[..., dict[str, Any]]


@pytest.fixture
def runs(children: Children) -> Runs:
    """Tells what `count` runs of an agent gave, in the environment of its framework."""

    def runs(
        name: str, form: str, menu: str, count: int, *, hash_seed: int = 0
    ) -> dict[str, Any]:
        task = ("runs", f"{agents_of(name)}:{form}", menu, 0, count)
        return children.ask(name, *task, hash_seed=hash_seed)

    return runs


def told(name: str, form: str, menu: str, found: Mapping[str, Any]) -> str:
    """A figure, in one line."""
    count = len(found["digests"])
    each_ms = found["seconds"] / count * 1_000
    violated = ", ".join(f"{k} {v}" for k, v in sorted(found["violated"].items()))
    return (
        f"{name}, {form}, {menu}: {count} runs, {found['different']} different, "
        f"{each_ms:.0f} ms each; violated: {violated or 'nothing'}"
    )


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_an_agent_does_its_work(runs: Runs, name: str, form: str) -> None:
    """In the calm run: the right answer, one effect, and the same trace twice."""
    found = runs(name, form, "calm", 2)
    assert found["endings"] == {"returned": 2}
    assert found["values"] == {ANSWER: 2}
    assert found["effects"] == {"1": 2}
    assert (found["different"], found["threads"]) == (1, [])


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_every_schedule_has_one_order(
    runs: Runs, name: str, form: str, figure: Callable[[str], None]
) -> None:
    """Random schedules end, by no false alarm, and repeat here and in another process.

    That the model answers after the SDK's time-out, and so after all its attempts, is
    one of the schedules.
    """
    count = RUNS[form]
    found = runs(name, form, "orders", count)
    figure(told(name, form, "orders", found))
    assert {*found["endings"]} <= {"returned", "raised"}
    assert [
        error for error in found["errors"] if "Request timed out" not in error
    ] == []
    assert found["values"].pop("None", 0) == sum(found["errors"].values())
    assert [*found["values"]] == [ANSWER]
    assert {*found["effects"]} <= {"0", "1"}
    assert found["different"] > count / 5
    assert found["threads"] == []
    assert found["digests"][: len(found["again"])] == found["again"]
    other = runs(name, form, "orders", ELSEWHERE, hash_seed=7)
    assert other["digests"] == found["digests"][:ELSEWHERE]


@pytest.mark.parametrize("menu", ["crashed", "cancelled"])
@pytest.mark.parametrize(("name", "form"), BLOCKING)
def test_what_is_cut_off_leaves_nothing(
    runs: Runs, name: str, form: str, menu: str, figure: Callable[[str], None]
) -> None:
    """After each of so many crashes or cancellations no thread stays, and no word on stderr."""
    found = runs(name, form, menu, RUNS[form])
    figure(told(name, form, menu, found))
    assert len(found["digests"]) == RUNS[form]
    assert {*found["endings"]} <= {"returned", "raised", "cancelled"}
    assert found["threads"] == []
