"""A part of a world as one class: state in fields, tools as methods."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from agentsim.core import ToolFailed, UsageError
from agentsim.providers import call, say
from agentsim.simulation import Menu, Scenario, explore, run
from agentsim.world import (
    SPECS,
    Disk,
    World,
    from_plain,
    to_plain,
    tool,
    world_part,
    world_tool,
)


@dataclass
class Order:
    item: str
    day: date


@world_part("shop")
class Shop:
    """A shop."""

    stock: int = 2
    orders: list[Order] = field(default_factory=list)
    notes: dict[str, str] = {}  # noqa: RUF012 - copied by the decorator

    @tool(read_only=True)
    def check_stock(self) -> str:
        """Show how much there is."""
        return f"{self.stock} left"

    @tool(confirm=False)
    async def order(self, item: str, *, world: World) -> Order:
        """Order a thing."""
        if not self.stock:
            raise ToolFailed("sold out")
        self.stock -= 1
        self.orders.append(Order(item, date(2026, 1, 1 + len(self.orders))))
        self.notes[item] = f"{world.now_ns}"
        return self.orders[-1]

    @world_tool("mutating", latency_s=1.0)
    def close(self, *, confirmed_by: str | None = None) -> str:
        """Close the shop."""
        self.notes["closed"] = confirmed_by or "nobody"
        return "closed"


def buying(**changed: Any) -> Scenario:
    """A scenario in which something is bought."""
    fields: dict[str, Any] = {
        "task": "Buy tea.",
        "world": [Disk(), Shop(stock=1)],
        "script": [
            call("check_stock"),
            call("order", item="tea"),
            call("close"),
            say("Bought."),
        ],
        "expect": {"effects": {"order": 1, "close": 1}},
    }
    return Scenario(**{**fields, **changed})


def test_each_run_begins_anew_and_its_state_can_be_looked_at() -> None:
    """A run works on a copy: `world.shop` is of the class, and the spec stays."""
    scenario = buying()
    for _ in range(2):
        world = run(scenario).expect_holds().world
        assert isinstance(world.shop, Shop)
        assert (world.shop.stock, len(world.shop.orders)) == (0, 1)
        assert world.shop.notes["closed"] == "operator-1"
    assert list(scenario.world) == [Disk(), Shop(stock=1)]
    assert Shop().notes == {}


def test_an_own_part_is_explored_like_any_other() -> None:
    """Faults, crashes and orders over it leave the reference clean."""
    menu = Menu("any_order", ("raises", "answer_lost"), cancel=True, crash=True)
    found = explore(buying(), deviations=1, menu=menu)
    assert found.status == "holds", found.violations
    assert found.complete


def test_its_tools_stand_in_the_order_of_its_text() -> None:
    """Methods marked by either decorator, with the rights that they declare."""
    tools = World([Shop()]).tools
    assert [own.name for own in tools] == ["check_stock", "order", "close"]
    assert [own.writes for own in tools] == [False, True, True]
    assert [own.confirms for own in tools] == [False, False, True]


def test_a_restored_part_goes_on_as_before() -> None:
    """A snapshot is JSON data, and has all that the fields hold."""
    made = run(buying(world=[Shop(stock=3)])).expect_holds().world
    text = json.dumps(made.snapshot())
    other = World([Shop()])
    other.restore(json.loads(text))
    assert other.shop == made.shop
    assert other.shop.orders == [Order("tea", date(2026, 1, 1))]
    assert json.dumps(other.snapshot()) == text
    assert other.apply("check_stock", {}) == "2 left"


def test_a_run_goes_on_from_where_another_ended() -> None:
    """What was bought in the first run is gone in the second."""
    first = run(buying(world=[Shop(stock=3)])).expect_holds().world
    second = buying(world=[Shop()], start=first.snapshot())
    assert run(second).expect_holds().world.shop.stock == 1


def test_a_value_of_another_type_is_told_by_the_snapshot() -> None:
    """What a field holds against its type would not come back as it was."""
    world = World([Shop()])
    world.shop.stock = object()
    with pytest.raises(UsageError, match="part 'shop' holds a value that is not as"):
        world.snapshot()


def test_a_registered_part_is_read_from_plain_data() -> None:
    """A file names it and its fields, and errors say where."""
    SPECS.add(Shop)
    try:
        spec: Any = from_plain("shop", {"stock": 5})
        assert spec == Shop(stock=5)
        assert to_plain(spec) == {"stock": 5}
        with pytest.raises(UsageError, match=r"world.shop.stock: expected a whole num"):
            from_plain("shop", {"stock": "5"})
    finally:
        SPECS.discard("shop")


def test_its_methods_are_still_methods() -> None:
    """A tool of a class can be called without a world, for plain tests."""
    shop = Shop(stock=7)
    assert shop.check_stock() == "7 left"


def test_a_part_may_be_named_by_its_class_and_inherited() -> None:
    """Without a name it is called like the class; what is overridden counts once."""

    @world_part
    class TicketQueue:
        open: int = 1

        @tool(read_only=True)
        def count(self) -> int:
            return self.open

    @world_part("other")
    class Other(TicketQueue):
        @tool(read_only=True)
        def count(self) -> int:
            return self.open + 1

    assert World([TicketQueue()]).apply("count", {}) == "1"
    assert World([Other()]).other.open == 1
    assert World([Other()]).apply("count", {}) == "2"
    assert World([TicketQueue()]).ticket_queue.open == 1


def nothing(cls: type[Any]) -> Callable[[], object]:
    """Decorate a class when asked to."""
    return lambda: world_part("thing")(cls)


class Started:
    def __init__(self) -> None:
        self.a = 1


class Named:
    kind: str = "x"


class Bare:
    a: int


class Toolless:
    a: int = 1


@dataclass(frozen=True)
class Frozen:
    a: int = 1


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (
            Started,
            "part 'thing': leave out __init__, and declare what it sets as fields",
        ),
        (Named, "part 'thing': call its 'kind' otherwise"),
        (Bare, "part 'thing': its field 'a' needs a default"),
        (Toolless, "part 'thing' has no tools: mark its methods"),
        (Frozen, "part 'thing': its fields are its state, so it can't be frozen"),
    ],
)
def test_what_can_be_no_part_is_told_at_once(cls: type[Any], words: str) -> None:
    """The error names the part, and what to change."""
    with pytest.raises(UsageError) as caught:
        nothing(cls)()
    assert words in str(caught.value)


def test_a_name_of_a_part_can_stand_behind_a_world() -> None:
    """It is an attribute of the world and a key of YAML."""
    with pytest.raises(UsageError, match="'my shop' can't be the name of a part"):
        world_part("my shop")(Toolless)
