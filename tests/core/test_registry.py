"""A registry finds its own entries, added ones, and those that packages bring."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentsim.core import Registry, UsageError

GROUP = "agentsim.tests.colours"


def colours(*own: str) -> Registry[str]:
    """A registry of words that are their own names."""
    return Registry(
        "colour",
        GROUP,
        own,
        name_of=lambda entry: entry.partition("/")[0],
        fits=lambda entry: isinstance(entry, str),
    )


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package; its entry points are written by the test."""
    info = tmp_path / "paint-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paint\nVersion: 1.0\n")
    (tmp_path / "paint_of_a_test.py").write_text(
        "GREEN, BLUE, RED, NUMBER = 'green', 'blue', 'red/2', 7\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "script_of_a_test.py").write_text("raise SystemExit(3)\n")
    yield info
    sys.modules.pop("paint_of_a_test", None)


def offer(package: Path, *lines: str) -> None:
    """Write the entry points of a package."""
    entries = "".join(f"{line}\n" for line in lines)
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{entries}")


def test_ours_come_first_then_all_others_by_name(package: Path) -> None:
    """The order hangs on names alone, not on the order of installing or adding."""
    offer(package, "b = paint_of_a_test:GREEN", "a = paint_of_a_test:BLUE")
    found = colours("red", "amber")
    found.add("cyan")
    assert list(found) == ["red", "amber", "blue", "cyan", "green"]
    assert len(found) == 5
    assert found["green"] == "green"
    assert list(found.own) == ["red", "amber"]


def test_an_entry_is_added_once_and_taken_back() -> None:
    """The same entry may be added again; another of its name may not."""
    found = colours("red")
    assert found.add("blue") == found.add("blue") == "blue"
    with pytest.raises(UsageError, match="there is a colour 'red' already"):
        found.add("red/other")
    with pytest.raises(UsageError, match="expected a colour, got int"):
        found.add(3)  # type: ignore[arg-type]
    found.discard("blue")
    found.discard("blue")
    assert list(found) == ["red"]


def test_all_entries_are_one_tuple_until_one_is_added() -> None:
    """Who judges every run by all of them asks for them at no cost."""
    found = colours("red")
    assert found.all is found.all
    assert list(found.all) == ["red"]
    found.add("blue")
    assert list(found.all) == ["red", "blue"]
    found.discard("blue")
    assert list(found.all) == ["red"]


def test_an_unknown_name_is_told_with_those_that_exist() -> None:
    """The error says where it stands, and what was probably meant."""
    with pytest.raises(UsageError, match=r"^faults\[0\]: unknown colour 'rad' .*red"):
        colours("red").find("rad", "faults[0]: ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a = paint_of_a_test:NUMBER", "expected a colour, got int"),
        ("a = paint_of_a_test:MISSING", "raised AttributeError"),
        ("a = no_such_module_at_all:X", "raised ModuleNotFoundError"),
        ("a = paint_of_a_test:RED", "there is a colour 'red' already"),
        ("a = script_of_a_test:X", "raised SystemExit: 3"),
    ],
)
def test_a_bad_entry_point_is_told_each_time(
    package: Path, line: str, words: str
) -> None:
    """What a package brings wrongly is named with its entry point, and not only once."""
    offer(package, line)
    found = colours("red")
    for _ in range(2):
        with pytest.raises(UsageError, match="entry point 'a' of the group") as caught:
            list(found)
        assert words in str(caught.value)


def test_our_own_names_ask_no_package(package: Path) -> None:
    """A broken package does not stand in the way of what is ours."""
    offer(package, "a = no_such_module_at_all:X")
    assert colours("red")["red"] == "red"


def test_of_many_names_only_the_nearest_is_told() -> None:
    """A list that nobody reads is left out where the name that was meant is found."""
    found = colours(*(f"grey{number}" for number in range(12)), "amber")
    with pytest.raises(UsageError) as near:
        found.find("ambre")
    assert str(near.value) == "unknown colour 'ambre'; did you mean 'amber'?"
    with pytest.raises(UsageError, match="there are grey0, grey1, "):
        found.find("zzz")
