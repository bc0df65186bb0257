"""Plain data fits a dataclass exactly where strict pydantic says so."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from agentsim.plain_yaml import Between, MisfitError, can_fit, fit
from agentsim.simulation import ScenarioFile
from agentsim.world import SPECS, Human


@dataclass(frozen=True)
class Leaf:
    name: str
    weight: float = 0.5

    def __post_init__(self) -> None:
        if self.name == "none":
            raise ValueError("a leaf has a name")


@dataclass(frozen=True)
class Tree:
    leaf: Leaf | None = None
    leaves: tuple[Leaf, ...] = ()
    kind: Literal["oak", "ash"] = "oak"
    size: int | float | str = 0
    height: float | int | None = None
    tall: bool = False
    notes: list[str | None] = field(default_factory=list)
    named: Mapping[str, Leaf] = field(default_factory=dict)
    others: dict[str, list[int]] = field(default_factory=dict)
    free: Any = None
    up: list[Tree] | None = None


FIELDS = [*Tree.__dataclass_fields__, "name", "weight", "more"]

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 2.0, 10**400, "oak", "ash", "x", "none", ""]),
)

DATA = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=8,
)

BY_PYDANTIC = TypeAdapter(list[Tree], config=ConfigDict(extra="forbid", strict=True))

Place = tuple[object, ...]


def places(
    findings: Iterable[Mapping[str, Any]], data: object
) -> set[tuple[str, Place]]:
    """What is wrong where, without the names that pydantic gives to alternatives."""
    return {(one["type"], _place(one, data)) for one in findings}


def _place(one: Mapping[str, Any], data: object) -> Place:
    path: list[object] = []
    for step in one["loc"]:
        try:
            data = data[step]  # type: ignore[index]
        except (TypeError, KeyError, IndexError):
            continue
        path.append(step)
    return *path, *(one["loc"][-1:] if one["type"] == "missing" else ())


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(FIELDS), DATA))
def test_data_fits_where_pydantic_says_so(data: dict[str, Any]) -> None:
    """The same values come out, or the same is wrong at the same places."""
    try:
        [expected] = BY_PYDANTIC.validate_json(json.dumps([data]))
    except ValidationError as error:
        told = [{**one, "loc": one["loc"][1:]} for one in error.errors()]
        with pytest.raises(MisfitError) as caught:
            fit(Tree, data)
        assert places(caught.value.findings, data) == places(told, data)
    else:
        assert repr(fit(Tree, data)) == repr(expected)


@dataclass
class Bounded:
    some: Annotated[list[int], Between(1, 2)]
    part: Annotated[float, Between(0, 1)] | None = None
    with_: str = field(default="", metadata={"name": "with"})


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        ({"some": []}, "too_short", ("some",)),
        ({"some": [1, 2, 3]}, "too_long", ("some",)),
        ({"some": [1], "part": -1}, "greater_than_equal", ("part",)),
        ({"some": [1], "part": 2}, "less_than_equal", ("part",)),
        ({"some": [1], "with_": "x"}, "unexpected_keyword_argument", ("with_",)),
        ({"with": "x"}, "missing", ("some",)),
        ([], "dataclass_type", ()),
    ],
)
def test_what_is_beyond_its_bounds_does_not_fit(
    data: object, kind: str, place: Place
) -> None:
    """Numbers and lists have bounds, and a field may have another name in a file."""
    with pytest.raises(MisfitError) as caught:
        fit(Bounded, data)
    [found] = caught.value.findings
    assert (found["type"], found["loc"]) == (kind, place)


def test_the_bounds_stand_in_the_schema() -> None:
    """What pydantic does not check it says, by the words of a JSON Schema."""
    assert fit(Bounded, {"some": [1, 2], "part": 1, "with": "x"}) == Bounded(
        [1, 2], 1.0, "x"
    )
    told = TypeAdapter(Bounded).json_schema()["properties"]
    assert (told["some"]["minItems"], told["some"]["maxItems"]) == (1, 2)
    assert told["part"]["anyOf"][0] == {"type": "number", "minimum": 0, "maximum": 1}


@dataclass
class WithDate:
    day: dt.date


@dataclass
class Outer:
    inside: list[WithDate]


@dataclass
class WithPydantic:
    count: Annotated[int, Field(ge=1)]


@dataclass
class WithConfig:
    count: int
    __pydantic_config__ = ConfigDict(strict=False)


@dataclass
class WithHidden:
    count: int = field(init=False, default=0)


@dataclass
class WithArgument:
    count: InitVar[int]


@dataclass
class Lost:
    count: Nowhere  # type: ignore[name-defined] # noqa: F821 - that is the point


@dataclass
class Two:
    one: Leaf | Bounded


class Below(Leaf):
    pass


@pytest.mark.parametrize(
    "kind",
    [
        *(WithDate, Outer, WithPydantic, WithConfig),
        *(WithHidden, WithArgument, Lost, Two, Below),
    ],
)
def test_types_that_files_have_no_word_for_are_left_to_others(kind: type[Any]) -> None:
    """Also where pydantic would be told something that is not known here."""
    assert not can_fit(kind)


@pytest.mark.parametrize("kind", [ScenarioFile, Human, Tree, *SPECS.own.values()])
def test_all_that_files_hold_is_known(kind: type[Any]) -> None:
    """No scenario file of ours needs another reader."""
    assert can_fit(kind)
