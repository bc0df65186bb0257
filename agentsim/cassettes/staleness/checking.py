"""What is stale, unused or orphaned among the cassettes of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os.path import relpath
from pathlib import Path

from agentsim.cassettes.reading import load_cassette
from agentsim.cassettes.records import Cassette, RecordedExchange, RecordedTool
from agentsim.cassettes.staleness.findings import CHANGED, STALE, StaleFinding, Told
from agentsim.cassettes.staleness.notes import (
    CassetteNotes,
    NotedTest,
    NotedUse,
    load_notes,
)
from agentsim.cassettes.staleness.owners import find_owner
from agentsim.cassettes.staleness.searching import BESIDE, file_digest, find_cassettes
from agentsim.core import CassetteError, shown_path

__all__ = [
    "CheckedCassette",
    "age_days",
    "check_cassettes",
]


@dataclass(frozen=True, slots=True)
class CheckedCassette:
    """A cassette, and what is wrong with it.

    Attributes:
        age_days: Days since it was recorded; None when it does not tell.
        tests: The tests that ask for it: a file, and the place in it. Without notes it
            is the owner.
        findings: What is wrong.
        unknown: What can't be told, in sentences.
    """

    file: Path
    owner: str = ""
    recorded_at: str = ""
    age_days: float | None = None
    exchanges: int = 0
    tests: tuple[tuple[Path, str], ...] = ()
    findings: tuple[StaleFinding, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether it helps to record it again."""
        return any(finding.kind in STALE for finding in self.findings)


def check_cassettes(
    places: Sequence[Path], now: datetime, max_age_days: float | None = None
) -> tuple[CheckedCassette, ...]:
    """Check all cassettes in files and folders.

    Args:
        now: With its time zone.
        max_age_days: Days that a cassette may be old; None: any.

    Raises:
        UsageError: for a place that is not there.
        CassetteError: when there are notes of runs that can't be read.
    """
    notes: dict[Path, CassetteNotes | None] = {}
    return tuple(
        _checked(file, _noted(file, notes), now, max_age_days)
        for file in find_cassettes(places)
    )


@dataclass(frozen=True, slots=True)
class _Noted:
    """The notes of a project, and what one cassette is called in them."""

    notes: CassetteNotes
    root: Path
    name: str

    @property
    def tests(self) -> dict[str, NotedTest]:
        """What is noted of the tests that ask for it."""
        tests = self.notes.tests
        return {
            test: tests[test] for test in tests if tests[test].cassette == self.name
        }

    def knows_all(self, owner: Path | None) -> bool:
        """Whether all tests that may ask for it are known."""
        names = [self.name] if owner is None else [self.name, _seen(owner, self.root)]
        return any(map(self.notes.knows_all, names))


def _noted(file: Path, loaded: dict[Path, CassetteNotes | None]) -> _Noted | None:
    """The notes of the nearest folder above a cassette that has some."""
    whole = file.resolve()
    for folder in whole.parents:
        if folder not in loaded:
            loaded[folder] = load_notes(folder)
        notes = loaded[folder]
        if notes is not None:
            return _Noted(notes, folder, _seen(whole, folder))
    return None


def _seen(file: Path, root: Path) -> str:
    return Path(relpath(file, root)).as_posix()


def _checked(
    file: Path, noted: _Noted | None, now: datetime, max_age_days: float | None
) -> CheckedCassette:
    told = Told()
    if file.name.endswith(BESIDE):
        told.find(
            "unfinished",
            "a recording that did not take the place of the old one, since its test "
            "failed or was killed: look at it, then delete it",
        )
        return CheckedCassette(file, findings=tuple(told.findings))
    try:
        cassette = load_cassette(file)
    except CassetteError as error:
        told.find("unreadable", str(error).removeprefix(shown_path(file)).lstrip(": "))
        return CheckedCassette(file, findings=tuple(told.findings))
    if cassette.left_over_bytes:
        told.find(
            "unfinished",
            f"{cassette.left_over_bytes} bytes of a document that was not finished stand "
            f"behind byte {cassette.complete_bytes}: cut them off, or record again",
        )
    age = age_days(cassette.header.recorded_at, now)
    if max_age_days is not None:
        _judge_age(age, max_age_days, told)
    tests = _judge_tests(cassette, file, noted, told)
    return CheckedCassette(
        file,
        cassette.header.owner,
        cassette.header.recorded_at,
        age,
        len(cassette.exchanges),
        tests,
        tuple(told.findings),
        tuple(told.unknown),
    )


def age_days(recorded_at: str, now: datetime) -> float | None:
    """Days since a recording; None when its text tells no time.

    Args:
        recorded_at: As the header of a cassette has it.
        now: With its time zone.
    """
    try:
        recorded = datetime.fromisoformat(recorded_at)
    except ValueError:
        return None
    recorded = recorded if recorded.tzinfo else recorded.replace(tzinfo=UTC)
    return (now - recorded) / timedelta(days=1)


def _judge_age(days: float | None, days_max: float, told: Told) -> None:
    if days is None:
        told.unknown.append("how old it is: its header has no `recorded_at`")
    elif days > days_max:
        told.find("old", f"recorded {days:.0f} days ago")


def _judge_tests(
    cassette: Cassette, file: Path, noted: _Noted | None, told: Told
) -> tuple[tuple[Path, str], ...]:
    """Tell of the tests that ask for a cassette, and give them."""
    name = cassette.header.owner
    owner = find_owner(file.resolve(), name) if name else None
    if owner is not None and owner.gone:
        advice = (
            "delete it or, if that test has another name now, give the file the name that "
            "it asks for, and change `owner` in its header"
        )
        told.find("orphaned", f"it was recorded for {name}: {owner.gone}: {advice}")
        return ()
    if owner is not None and owner.unsure:
        told.unknown.append(f"whether {name} is still there: {owner.unsure}")
    tests = noted.tests if noted else {}
    if tests and noted:
        _judge_uses(cassette, file_digest(file), tests.values(), told)
        return tuple(_place(noted.root, test) for test in tests)
    if noted is None or not noted.knows_all(owner.file if owner else None):
        told.unknown.append("who asks for it: no run of all its tests is noted")
    elif owner is None:
        told.unknown.append(
            "whether it is used: it has no owner, and no test asks for it by the fixture "
            "`cassette`"
        )
    else:
        told.find("unused", f"no test asks for it; it was recorded for {name}")
        return ()
    return ((owner.file, owner.inside),) if owner and owner.file else ()


def _place(root: Path, test: str) -> tuple[Path, str]:
    name, _, inside = test.partition("::")
    return root / name, inside


def _judge_uses(
    cassette: Cassette, digest: str, tests: Iterable[NotedTest], told: Told
) -> None:
    """Tell what the last runs of its tests say of a cassette."""
    uses = [noted.use for noted in tests]
    known = [use for use in uses if use is not None and use.digest == digest]
    for use in known:
        if use.mode != "replay":
            continue  # what was missing was recorded
        for kind, words in use.changes:
            differed = f"when its test last ran, this differed: {words}"
            told.find(CHANGED.get(kind, "request"), differed)
        if use.misses and not use.changes:
            told.find("request", "its test last made a call that is not in it")
    if len(known) < len(uses):
        told.unknown.append(
            "whether it still fits: its test did not run with it as it is now"
        )
    elif all(use.passed for use in known):
        _judge_untouched(cassette, known, told)


def _judge_untouched(cassette: Cassette, uses: Sequence[NotedUse], told: Told) -> None:
    """Tell what none of its tests asked for, where all of them passed."""
    left = [
        _named(entry)
        for entry in sorted(cassette.entries, key=lambda one: one.number)
        if all(entry.number in use.untouched for use in uses)
    ]
    if left:
        count = f"{len(left)} of its {len(cassette.entries)} entries"
        told.find("untouched", f"{count} were not asked for: {', '.join(left)}")


def _named(entry: RecordedExchange | RecordedTool) -> str:
    if isinstance(entry, RecordedTool):
        return f"call {entry.number} of {entry.name}"
    return f"exchange {entry.number}"
