"""The orders that an exploration makes are exactly those that the world can have."""

from __future__ import annotations

import pytest

from agentsim.core import Limits, ToolEnded
from agentsim.providers import call, say, together
from agentsim.simulation import Menu, Run, Scenario, explore
from agentsim.world import Files

MORE_THAN_ANY = 20


def three_reads_and_a_write(at_once: int) -> Scenario:
    """Three parallel reads and a write in one response."""
    reads = [call("read_file", path=path) for path in ("a", "b", "c")]
    write = call("write_file", path="d", content="4")
    return Scenario(
        task="Read three files, then write one.",
        script=[together(*reads, write), say("Done.")],
        world=[Files({"a": "1", "b": "2", "c": "3"})],
        limits=Limits(max_parallel=at_once, deadline_s=None),
    )


@pytest.mark.parametrize(("at_once", "orders"), [(3, 6), (2, 4), (1, 1)])
def test_three_parallel_reads_and_a_write_have_exactly_these_orders(
    at_once: int, orders: int
) -> None:
    """3! orders when all three are in flight, 4 when two are, 1 when one is."""
    seen: list[tuple[int, ...]] = []

    def note(made: Run) -> None:
        seen.append(tuple(event.operation for event in made.trace.of(ToolEnded)))

    found = explore(
        three_reads_and_a_write(at_once),
        menu=Menu("any_order"),
        deviations=MORE_THAN_ANY,
        on_run=note,
    )
    assert found.complete
    assert len(seen) == len(set(seen)) == orders
    assert found.status == "holds"
