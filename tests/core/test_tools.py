import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import Category, Rights, Tool, ToolDef, UsageError, check_names

CATEGORIES: tuple[Category, ...] = ("read_only", "mutating", "destructive")


async def echo(arguments: dict[str, Any]) -> object:
    """A tool that gives back its arguments."""
    return arguments


def contradicts(category: str, parallel: bool, confirm: bool | None) -> bool:
    """R1.3, read once more."""
    return (
        (category == "destructive" and confirm is False)
        or (parallel and category != "read_only")
        or (parallel and confirm is True)
    )


@pytest.mark.parametrize(
    ("category", "parallel", "confirm"),
    list(itertools.product(CATEGORIES, [False, True], [None, False, True])),
)
def test_rights_are_refused_exactly_when_they_contradict_one_another(
    category: Category, parallel: bool, confirm: bool | None
) -> None:
    """Of all rights, the contradictory ones are a usage error, the others stand."""
    if contradicts(category, parallel, confirm):
        with pytest.raises(UsageError):
            Rights(category, parallel=parallel, confirm=confirm)
        return
    rights = Rights(category, parallel=parallel, confirm=confirm)
    assert rights.read_only == (category == "read_only")
    assert rights.alone == (not parallel)
    default = category != "read_only"
    assert rights.confirms == (default if confirm is None else confirm)


@pytest.mark.parametrize(
    ("rights", "words"),
    [
        ({"category": "readonly"}, "category: expected 'read_only', 'mutating' or"),
        ({"category": []}, "category: expected"),
        (
            {"category": "destructive", "confirm": False},
            "a destructive tool can't be declared confirm=False",
        ),
        (
            {"category": "mutating", "parallel": True},
            "only a read-only tool can be parallel",
        ),
        (
            {"parallel": True, "confirm": True},
            "a tool that needs confirmation can't be parallel",
        ),
        ({"parallel": "no"}, "parallel: expected True or False, got 'no'"),
        ({"parallel": None}, "parallel: expected True or False, got None"),
        ({"confirm": 0}, "confirm: expected True or False, got 0"),
        (
            {"volatile": "pid=1"},
            "expected a tuple of regular expressions, got one text",
        ),
        ({"volatile": ("ok", "(")}, "volatile: '(' is not a regular expression"),
        ({"volatile": (5,)}, "volatile: 5 is not a regular expression"),
        ({"volatile": ("a{99999999999999999999}",)}, "is not a regular expression"),
    ],
)
def test_wrong_rights_are_told_in_one_sentence(
    rights: dict[str, Any], words: str
) -> None:
    """Each refusal says what is wrong with which right."""
    with pytest.raises(UsageError) as caught:
        Rights(**rights)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@given(pid=st.integers(0, 10**6), hour=st.integers(0, 23))
def test_volatile_parts_are_masked(pid: int, hour: int) -> None:
    """Outputs that differ in volatile parts only look the same to loop detection."""
    rights = Rights(volatile=(r"pid \d+", r"\d\d:00"))
    assert rights.mask(f"pid {pid} at {hour:02}:00, 95 %") == "* at *, 95 %"


def test_nothing_is_masked_by_default() -> None:
    """Without volatile parts an output is compared as it is."""
    assert Rights().mask("pid 17") == "pid 17"


def test_destructive_tool_needs_a_dry_run() -> None:
    """What can't be undone must be able to say what it would do (R1.3)."""
    with pytest.raises(UsageError, match="tool 'drop' is destructive and needs a dry"):
        Tool(ToolDef("drop"), echo, Rights("destructive"))
    assert Tool(ToolDef("drop"), echo, Rights("destructive"), dry_run=echo).dry_run


def test_tool_is_called_with_keywords() -> None:
    """A tool runs with the arguments by name, and gives what its function gives."""
    tool = Tool(ToolDef("echo"), echo)
    assert tool.name == "echo"
    assert asyncio.run(tool(a=1, name="x")) == {"a": 1, "name": "x"}


def test_definition_takes_no_parameters_by_default() -> None:
    """A definition without a schema is one of an object without properties."""
    assert ToolDef("now").parameters == {"type": "object", "properties": {}}
    assert ToolDef("now").parameters is not ToolDef("then").parameters


@given(names=st.lists(st.sampled_from("abcdef"), max_size=6))
def test_names_of_tools_must_differ(names: list[str]) -> None:
    """A name that stands twice is refused and named (R1.3)."""
    if len(set(names)) == len(names):
        check_names(iter(names))
        return
    with pytest.raises(UsageError) as caught:
        check_names(names)
    (twice,) = [
        name
        for n, name in enumerate(names)
        if name in names[:n] and len(set(names[:n])) == n
    ][:1]
    assert str(caught.value) == f"two tools are named {twice!r}: names must differ"
