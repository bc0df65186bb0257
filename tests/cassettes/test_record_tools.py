"""Tools are recorded with what they return, and replayed without running any."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from agentsim.cassettes import load_cassette
from agentsim.cassettes.tape import Mode, Tape, record_tools
from agentsim.core import (
    CassetteError,
    CassetteMiss,
    Rights,
    SyncTool,
    Tool,
    ToolDef,
    ToolFailed,
    UsageError,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
).filter(lambda value: value not in (float("inf"), float("-inf")))


def play(path: Path, function: Callable[..., Any], *calls: Any) -> list[Any]:
    """Record calls of a tool with one argument, then replay them; what each gave."""

    def never(at: object) -> object:
        raise AssertionError(at)

    heard: list[Any] = []
    for mode, tool in (("record", function), ("replay", never)):
        with Tape(path, mode) as tape:  # type: ignore[arg-type]
            (taped,) = record_tools(tape, {"tool": tool}).values()
            heard.append([taped(one) for one in calls])
            assert tape.use.unused_tools == ()
    assert heard[0] == [function(one) for one in calls]
    return heard


@settings(max_examples=40)
@given(st.lists(values, max_size=3))
def test_results_come_back_with_their_type(
    tmp_path_factory: pytest.TempPathFactory, results: list[Any]
) -> None:
    """What JSON carries is equal in the replay: a text stays one, whatever it says."""
    path = tmp_path_factory.mktemp("tools") / "t.yaml"
    recorded, replayed = play(path, lambda at: results[at], *range(len(results)))
    assert replayed == recorded
    assert list(map(type, replayed)) == list(map(type, recorded))


class Color(Enum):
    """Something that JSON does not know."""

    RED = "red"


@dataclass
class Bill:
    """Something with fields."""

    amount: Decimal
    due: date


def test_what_json_does_not_carry_is_told(tmp_path: Path) -> None:
    """It comes as what it consists of, and the recording names the types."""
    results = {
        "tuple": (1, 2),
        "set": {"b", "a"},
        "record": Bill(Decimal("4.50"), date(2026, 11, 30)),
        "keys": {1: Color.RED},
        "bytes": b"a\xff",
        "path": PurePosixPath("a/b"),
        "object": [Tape],
        "number": float("nan"),
        "model": Order(items=[Color.RED], due=date(2026, 11, 30)),
        "texts": [Name("a"), Count(3), Share(0.5), Level.HIGH, 10**400],
        "mapping": MappingProxyType({Name("k"): (UUID(int=5),)}),
    }
    path = tmp_path / "l.yaml"
    with Tape(path, "record") as tape:
        (tool,) = record_tools(tape, [results.__getitem__])
        for name in results:
            tool(name)
        lost = [one.partition(": ")[2] for one in tape.use.lost]
    assert lost == [
        *("tuple", "set", "Bill, Decimal, date", "Color, int as a key", "bytes"),
        *("PurePosixPath", "type", "float", "Color, Order, date"),
        *("Count, Level, Name, Share, int", "Name as a key, UUID, mappingproxy, tuple"),
    ]
    with Tape(path) as tape:
        (tool,) = record_tools(tape, [results.__getitem__])
        assert [tool(name) for name in results] == [
            *([1, 2], ["a", "b"], {"amount": "4.50", "due": "2026-11-30"}),
            *({"1": "red"}, "a\\xff", "a/b", ["<type>"], "nan"),
            {"items": ["red"], "due": "2026-11-30"},
            ["a", 3, 0.5, 2, hex(10**400)],
            {"k": ["00000000-0000-0000-0000-000000000005"]},
        ]


class Order(BaseModel):
    """Something of pydantic."""

    items: list[Color]
    due: date


class Name(str):
    """A text by another name."""

    __slots__ = ()


class Count(int):
    """A number by another name."""


class Share(float):
    """Another one."""


class Level(IntEnum):
    """A number with a name."""

    HIGH = 2


class Busy(Exception):
    """An error that takes a text."""


class Picky(Exception):
    """An error that does not."""

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code + 0}")


def test_failures_are_raised_again(tmp_path: Path) -> None:
    """With their class where that can be made of the text, else as a failed tool."""
    errors = [ValueError("bad"), KeyError("k"), OSError(2, "No such file"), Busy("b")]
    wanted = [(type(error), str(error)) for error in errors]

    def fail(at: int) -> None:
        raise [*errors, Picky(5), ToolFailed("down")][at]

    path = tmp_path / "f.yaml"
    heard: list[list[tuple[type, str]]] = []
    modes: tuple[Mode, ...] = ("record", "replay")
    for mode in modes:
        with Tape(path, mode) as tape:
            (tool,) = record_tools(tape, [fail])
            heard.append([])
            for at in range(6):
                with pytest.raises(Exception, match=r".+") as caught:
                    tool(at)
                heard[-1].append((caught.type, str(caught.value)))
    assert heard[0] == [*wanted, (Picky, "code 5"), (ToolFailed, "down")]
    assert heard[1] == [*wanted, (ToolFailed, "code 5"), (ToolFailed, "down")]
    text = path.read_text().replace("raised: ValueError", "raised: os.system")
    path.write_text(text)
    with Tape(path) as tape, pytest.raises(ToolFailed, match="bad"):
        record_tools(tape, [fail])[0](0)


def test_tools_look_as_before(tmp_path: Path) -> None:
    """Name, signature, docstring and kind stay, in a list and in a mapping."""

    async def look(path: str, depth: int = 1, *more: str, **options: object) -> str:
        """Looks."""
        return f"{path} {depth} {more} {options}"

    part = functools.partial(look, depth=3)

    class Counter:
        """A tool that is an object."""

        async def __call__(self, n: int) -> int:
            """Count."""
            return n + 1

    path = tmp_path / "a.yaml"

    async def session(tape: Tape) -> list[object]:
        given: dict[str, Any] = {"look": look, "part": part, "count": Counter()}
        tools = record_tools(tape, given)
        assert inspect.iscoroutinefunction(tools["look"])
        assert inspect.signature(tools["look"]) == inspect.signature(look)
        assert tools["look"].__doc__ == "Looks."
        calls = (
            tools["look"]("a", 2, "b", x=1),
            tools["look"](depth=2, path="a"),
            tools["part"]("p"),
            tools["count"](4),
        )
        return [await call for call in calls]

    with Tape(path, "record") as tape:
        heard = asyncio.run(session(tape))
    assert load_cassette(path).tools[0].arguments == (
        '{"depth":2,"more":["b"],"path":"a","x":1}'
    )
    with Tape(path) as tape:
        assert asyncio.run(session(tape)) == heard
        assert tape.use.tool_hits == 4


def test_tools_of_the_core_are_taken_too(tmp_path: Path) -> None:
    """A `Tool` keeps its rights; its dry run is a call of its own."""
    ran: list[str] = []

    async def run(arguments: dict[str, Any]) -> object:
        ran.append("run")
        return {"deleted": arguments["path"]}

    async def dry(arguments: dict[str, Any]) -> object:
        ran.append("dry")
        return f"would delete {arguments['path']}"

    path = tmp_path / "c.yaml"
    tool = Tool(ToolDef("delete"), run, Rights("destructive"), dry)
    blocking = SyncTool(ToolDef("list"), sorted)

    async def session(tape: Tape) -> list[object]:
        delete, listing = record_tools(tape, [tool, blocking])
        assert isinstance(delete, Tool)
        assert isinstance(listing, SyncTool)
        assert delete.rights == tool.rights
        assert delete.dry_run is not None
        told = await delete.dry_run({"path": "a"})
        return [told, await delete(path="a"), listing(b=1, a=2)]

    with Tape(path, "record") as tape:
        heard = asyncio.run(session(tape))
    with Tape(path) as tape:
        assert asyncio.run(session(tape)) == heard
    assert heard == ["would delete a", {"deleted": "a"}, ["a", "b"]]
    assert ran == ["dry", "run"]


def test_a_context_can_be_left_out(tmp_path: Path) -> None:
    """What changes with each run does not count where it is named."""
    path = tmp_path / "x.yaml"

    def look(ctx: dict[str, int], what: str) -> str:
        return f"{what} {ctx}"

    with Tape(path, "record") as tape:
        record_tools(tape, [look], without=["ctx"])[0]({"run": 1}, "a")
    with Tape(path) as tape:
        (tool,) = record_tools(tape, [look], without=["ctx"])
        assert tool({"run": 2}, "a") == "a {'run': 1}"


def test_a_call_that_was_not_recorded_is_a_miss(tmp_path: Path) -> None:
    """It says what was, and nothing runs; wrong arguments fail as they did."""
    path = tmp_path / "m.yaml"

    def look(**given: int) -> int:
        return check(**given)

    def check(a: int) -> int:
        return a

    def other(**given: int) -> int:
        raise AssertionError(given)

    with Tape(path, "record") as tape:
        (tool,) = record_tools(tape, [look])
        tool(a=1)
        for wrong in ({"b": 1}, {}):
            with pytest.raises(TypeError):
                tool(**wrong)
        strict: Any = record_tools(tape, [check])[0]
        with pytest.raises(TypeError):
            strict(1, 2)
    with Tape(path) as tape:
        tool, unknown = record_tools(tape, [look, other])
        for wrong in ({"b": 1}, {}):
            with pytest.raises(TypeError):
                tool(**wrong)
        with pytest.raises(
            CassetteMiss, match=r'have these arguments: 1: \{"a":1\}; 2: '
        ):
            tool(a=2)
        assert tool(a=1) == 1
        with pytest.raises(
            CassetteMiss, match=r'"0x1b4ec.*\.\.\. \(143 characters more\)'
        ):
            tool(a=10**400)
        with pytest.raises(CassetteMiss, match="more often than it was recorded"):
            tool(a=1)
        with pytest.raises(CassetteMiss, match="no call of other was recorded, but of"):
            unknown()
        strict = record_tools(tape, [check])[0]
        with pytest.raises(TypeError):
            strict(1, 2)
        assert (tape.use.tool_hits, tape.use.tool_misses) == (4, 4)
    Tape(tmp_path / "e.yaml", "record").close()
    with (
        Tape(tmp_path / "e.yaml") as tape,
        pytest.raises(CassetteMiss, match="record the tools too"),
    ):
        record_tools(tape, [look])[0](a=1)


def test_a_cancelled_call_is_no_result(tmp_path: Path) -> None:
    """It is kept as one of which nobody knows what it did."""

    async def hang() -> None:
        await asyncio.Event().wait()

    async def cancel(tape: Tape) -> None:
        (tool,) = record_tools(tape, [hang])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(tool(), 0.001)

    path = tmp_path / "h.yaml"
    with Tape(path, "record") as tape:
        asyncio.run(cancel(tape))
        tape.begin_tool("left", "{}")
    with Tape(path) as tape, pytest.raises(ToolFailed, match="was cancelled"):
        asyncio.run(cancel(tape))
    assert load_cassette(path).tools[1].error == (
        "the recording ended before the tool did"
    )


def test_what_is_no_tool_is_refused(tmp_path: Path) -> None:
    """Things without a name, that can't be called, that yield, that return a promise."""

    def yields() -> Iterator[int]:
        yield 1

    async def late() -> int:
        return 1

    def promise() -> object:
        return late()

    loop: list[object] = []
    loop.append(loop)
    with Tape(tmp_path / "n.yaml", "record") as tape:
        with pytest.raises(UsageError, match="got one of int: give a mapping"):
            record_tools(tape, [5])
        with pytest.raises(UsageError, match="five: expected a function"):
            record_tools(tape, {"five": 5})
        with pytest.raises(UsageError, match="it yields its results"):
            record_tools(tape, [yields])
        with pytest.raises(UsageError, match="two tools are named"):
            record_tools(tape, [late, late])
        with pytest.raises(UsageError, match="returned something to await"):
            record_tools(tape, [promise])[0]()
        with pytest.raises(CassetteError, match="contains itself"):
            record_tools(tape, {"len": len})["len"](loop)
    text = (tmp_path / "n.yaml").read_text()
    spoilt = (
        f"{text}---\nkind: tool\nnumber: 2\nname: len\narguments: '{{\"obj\":[]}}'\n"
    )
    (tmp_path / "n.yaml").write_text(f"{spoilt}returned: json\ncomplete: true\n")
    with (
        Tape(tmp_path / "n.yaml") as tape,
        pytest.raises(CassetteError, match="call 2 of the cassette, len: result"),
    ):
        record_tools(tape, {"len": len})["len"]([])
