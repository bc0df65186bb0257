"""`agentsim cassette check`: stale, unused and orphaned cassettes of a project."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from os.path import relpath
from pathlib import Path
from typing import Annotated, Any

from agentsim.cassettes.staleness import CheckedCassette, check_cassettes
from agentsim.cassettes.tape import SystemClock
from agentsim.cli.common import JsonOption
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import console, print_json, tell
from agentsim.core import count_words
from agentsim.report import EXIT_CODES

__all__ = ["command"]

RECORD = "--agentsim-record=refresh"


def command(
    places: Annotated[
        list[Path] | None,
        Argument(
            metavar="[DIR...]", says="Folders or cassettes; the working directory."
        ),
    ] = None,
    max_age: Annotated[
        float | None,
        Option("--max-age", metavar="DAYS", least=0, says="What is older is stale."),
    ] = None,
    refresh: Annotated[
        bool,
        Option("--refresh", says="Record the stale ones again: pytest runs."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """List the stale, unused and orphaned cassettes of a project.

    Stale: older than asked for, or its test asked for something else when it last ran
    (another model, system prompt, tool, request), or did not ask for all that is in it.
    Unused: no test asks for it. Orphaned: its test is not there any more, by the syntax
    of the file. What tests ask for is what pytest noted in `.agentsim/` when it last ran.
    Exit code 1: something is wrong; 2: something can't be told, such as before a run.
    """
    asked = places or [Path()]
    checked = _check(asked, max_age)
    words = _refreshing(checked, max_age)
    if refresh and words:
        status = subprocess.run(
            [sys.executable, "-m", *words],
            check=False,
            stdout=2 if as_json else None,  # what it prints is no JSON
        ).returncode
        if status == 0:
            checked = _check(asked, max_age)
            words = _refreshing(checked, max_age)
    verdict = _verdict(checked)
    if as_json:
        line = shlex.join(words)
        rows = list(map(_row, checked))
        print_json({"verdict": verdict, "refresh": line, "cassettes": rows})
    else:
        _print(checked, verdict, words)
    return EXIT_CODES[verdict]


def _check(places: Sequence[Path], max_age: float | None) -> list[CheckedCassette]:
    return list(check_cassettes(places, SystemClock().now(), max_age))


def _verdict(checked: Sequence[CheckedCassette]) -> str:
    if any(one.findings for one in checked):
        return "violated"
    return "unknown" if any(one.unknown for one in checked) else "holds"


def _refreshing(checked: Sequence[CheckedCassette], max_age: float | None) -> list[str]:
    """The command that records the stale ones again; empty when there are none."""
    tests = [test for one in checked if _is_refreshed(one) for test in one.tests]
    if not tests:
        return []
    names = dict.fromkeys(_test(file, inside) for file, inside in tests)
    age = [] if max_age is None else [f"--agentsim-cassette-max-age={max_age:g}"]
    return ["pytest", *names, RECORD, *age]


def _is_refreshed(one: CheckedCassette) -> bool:
    """Whether the one test of a cassette can record it again."""
    return one.stale and len(one.tests) == 1


def _test(file: Path, inside: str) -> str:
    return "::".join((Path(relpath(file)).as_posix(), inside)).removesuffix("::")


def _row(one: CheckedCassette) -> dict[str, Any]:
    return {
        "file": str(one.file),
        "owner": one.owner,
        "recorded_at": one.recorded_at,
        "age_days": None if one.age_days is None else round(one.age_days, 3),
        "exchanges": one.exchanges,
        "tests": [_test(file, inside) for file, inside in one.tests],
        "findings": [
            {"kind": found.kind, "words": found.words} for found in one.findings
        ],
        "unknown": list(one.unknown),
    }


def _print(
    checked: Sequence[CheckedCassette], verdict: str, words: Sequence[str]
) -> None:
    terminal = console()
    for one in checked:
        for found in one.findings:
            tell(terminal, f"{one.file}: {found.kind}: {found.words}")
        if one.stale and len(one.tests) > 1:
            shared = (
                f"{len(one.tests)} tests ask for it, and each would record it alone"
            )
            advice = "delete it, and run them with --agentsim-record=record-missing"
            tell(terminal, f"{one.file}: note: {shared}: {advice}")
    unknown: dict[str, list[CheckedCassette]] = {}
    for one in checked:
        for reason in one.unknown:
            unknown.setdefault(reason, []).append(one)
    for reason, ones in unknown.items():
        which = str(ones[0].file) if len(ones) == 1 else f"{len(ones)} cassettes"
        tell(terminal, f"{which}: unknown: {reason}")
    counts = Counter(found.kind for one in checked for found in one.findings)
    listed = "".join(f", {count} {kind}" for kind, count in counts.items())
    tell(
        terminal,
        f"{verdict}. {count_words(len(checked), 'cassette')}{listed}.",
    )
    if words:
        tell(terminal, f"Record the stale ones again: {shlex.join(words)}")
