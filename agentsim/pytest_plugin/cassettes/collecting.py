"""Which of the collected tests ask for which cassette, and which would share one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import UsageError, shown_path
from agentsim.pytest_plugin.cassettes.naming import Place, declared_in, place_of
from agentsim.pytest_plugin.cassettes.use import mode_of
from agentsim.pytest_plugin.options import RECORDS, Settings

__all__ = ["asked_for"]


def asked_for(
    session: pytest.Session, items: Sequence[pytest.Item], settings: Settings
) -> dict[str, Any]:
    """Look at the tests that ask for a cassette, before any of them is left out.

    Two tests whose names come to one file are reported as an error of the collection.

    Returns:
        What there is to note of them, as plain values.
    """
    config = session.config
    places: dict[str, Place] = {}
    for item in items:
        try:
            declared = declared_in(item)
            mode, _ = mode_of(declared, settings)
            places[item.nodeid] = place_of(item, settings, declared)
        except UsageError:
            continue  # the fixture says it, at the test
        item.stash[RECORDS] = mode != "replay"
    for nodeid, words in _clashes(places):
        report = pytest.CollectReport(nodeid, "failed", longrepr=words, result=None)
        config.hook.pytest_collectreport(report=report)
    root = config.rootpath
    asking = {
        nodeid: Path(os.path.relpath(place.path, root)).as_posix()
        for nodeid, place in places.items()
    }
    return {"asking": asking, "whole": _whole(session)}


def _clashes(places: Mapping[str, Place]) -> Iterator[tuple[str, str]]:
    """The tests whose names come to the file of another, and what to do."""
    first: dict[str, str] = {}
    for nodeid, place in places.items():
        if not place.owner:
            continue
        # Some file systems take letters of both cases for the same.
        other = first.setdefault(str(place.path).casefold(), nodeid)
        if other != nodeid:
            advice = (
                "give one of them another name or other ids of its parameters, or name "
                'a file with @pytest.mark.agentsim_cassette("...")'
            )
            words = f"{nodeid} and {other} would use the same cassette, {shown_path(place.path)}"
            yield nodeid, f"{words}: {advice}"


def _whole(session: pytest.Session) -> list[str]:
    """The folders and files of which every test was collected, seen from the root."""
    config = session.config
    narrowed = ("lf", "ignore", "ignore_glob", "pyargs")
    if session.testsfailed or any(config.getoption(name, None) for name in narrowed):
        return []
    places = [config.invocation_params.dir / word for word in config.args]
    return [
        Path(os.path.relpath(place, config.rootpath)).as_posix()
        for place in places
        if "::" not in place.name and place.exists()
    ]
