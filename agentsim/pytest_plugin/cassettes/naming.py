"""Where the cassette of a test is: a path made from its name, or the one it declares."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import UsageError, did_you_mean
from agentsim.pytest_plugin.options import Settings

__all__ = ["MARKER", "Place", "declared_in", "file_name", "place_of"]

MARKER = "agentsim_cassette"

DECLARES = (
    "path",
    "mode",
    "redact",
    "secrets",
    "keep_headers",
    "volatile",
    "allow_hosts",
    "max_age",
    "fail_unused",
    "timed",
)
"""What the marker can say."""

ADDS_UP = ("redact", "secrets", "keep_headers", "volatile", "allow_hosts")
"""Fields of which those of all markers count, and not the closest alone."""

NAME_BYTES_MAX = 150
"""Bytes of a test's name in the name of its cassette: names of files have an end."""


@dataclass(frozen=True, slots=True)
class Place:
    """The file of a cassette.

    Attributes:
        owner: The test, as it is kept in the cassette; empty for a file that the marker
            names, since several tests may name it.
    """

    path: Path
    owner: str = ""


def declared_in(item: pytest.Item) -> Mapping[str, Any]:
    """What the markers of a test say, the closest one first.

    Raises:
        UsageError: for what no marker can say.
    """
    __tracebackhide__ = True
    declared: dict[str, Any] = {}
    for marker in item.iter_markers(MARKER):
        if len(marker.args) > 1:
            raise UsageError(
                f"mark.{MARKER} takes a path, and all else by name: {', '.join(DECLARES)}"
            )
        by_place = [("path", value) for value in marker.args]
        for name, value in (*by_place, *marker.kwargs.items()):
            if name not in DECLARES:
                raise UsageError(
                    f"mark.{MARKER} has no field {name!r}{did_you_mean(name, DECLARES)} "
                    f"(there are {', '.join(DECLARES)})"
                )
            if name in ADDS_UP:
                declared[name] = (*_texts(name, value), *declared.get(name, ()))
            else:
                declared.setdefault(name, value)
    _check_kinds(declared)
    return declared


def _texts(name: str, value: object) -> tuple[str, ...]:
    """A text, or several; a secret may be missing, as a variable that is not set."""
    __tracebackhide__ = True
    told = tuple(value) if isinstance(value, list | tuple) else (value,)
    if name == "secrets":
        told = tuple(one for one in told if one not in (None, ""))
    for one in told:
        if not isinstance(one, str):
            raise UsageError(
                f"mark.{MARKER}, {name}: expected a text or a list of them, got {one!r}"
            )
    return tuple(map(str, told))


def _check_kinds(declared: Mapping[str, Any]) -> None:
    __tracebackhide__ = True
    days = declared.get("max_age", 0)
    if isinstance(days, bool) or not isinstance(days, int | float) or not days >= 0:
        raise UsageError(
            f"mark.{MARKER}, max_age: expected days from 0 on, got {days!r}"
        )
    for name in ("fail_unused", "timed"):
        if not isinstance(declared.get(name, False), bool):
            raise UsageError(
                f"mark.{MARKER}, {name}: expected True or False, got {declared[name]!r}"
            )


def place_of(
    item: pytest.Item, settings: Settings, declared: Mapping[str, Any]
) -> Place:
    """Where the cassette of a test is.

    Raises:
        UsageError: for a path that is none.
    """
    __tracebackhide__ = True
    named = declared.get("path")
    if named is not None:
        if not isinstance(named, str | os.PathLike) or not str(named):
            raise UsageError(f"mark.{MARKER}, path: expected a path, got {named!r}")
        return Place(item.path.parent / named)
    inside = item.nodeid.partition("::")[2]
    name = f"{file_name(inside)}.yaml"
    if settings.cassette_dir is None:
        folder = item.path.parent / "cassettes" / item.path.stem
        return Place(folder / name, f"{item.path.name}::{inside}")
    root = item.config.rootpath
    file = Path(os.path.relpath(item.path, root))
    if file.parts[0] == os.pardir:
        file = Path(file.name)
    folder = root / settings.cassette_dir / file.with_suffix("")
    return Place(folder / name, f"{file.as_posix()}::{inside}")


def file_name(inside: str) -> str:
    """The place of a test in its file, with what every file system takes."""
    name = re.sub(r"[^\w.-]+", "-", inside.replace("::", ".")).strip("-") or "test"
    data = name.encode()
    if len(data) <= NAME_BYTES_MAX:
        return name
    mark = blake2b(data, digest_size=4).hexdigest()
    return f"{data[:NAME_BYTES_MAX].decode(errors='ignore')}-{mark}"
