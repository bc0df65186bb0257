"""One test with a cassette: what it declares, and what came of it."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from agentsim.cassettes.redaction import RedactionRules
from agentsim.cassettes.staleness import age_days, file_digest
from agentsim.cassettes.tape import SystemClock
from agentsim.core import (
    CassetteError,
    CassetteMiss,
    UsageError,
    linked_errors,
    shown_path,
)
from agentsim.engine import unseen_clients
from agentsim.pytest_plugin.cassettes.naming import MARKER, declared_in, place_of
from agentsim.pytest_plugin.cassettes.telling import use_words
from agentsim.pytest_plugin.options import RECORD_MODES, Settings
from agentsim.pytest_plugin.ways import way_to

if TYPE_CHECKING:
    from agentsim.cassettes import RecordedExchange, RecordedTool
    from agentsim.cassettes.deck import Deck
    from agentsim.cassettes.tape import Mode, TapeUse

__all__ = ["CassetteTest", "mode_of"]


class ModeOf(NamedTuple):
    """The one mode in which a test uses its cassette.

    Attributes:
        note: Why it is not what the marker says; empty when it is.
    """

    mode: Mode
    note: str = ""


def mode_of(declared: Mapping[str, Any], settings: Settings) -> ModeOf:
    """The command line goes before the marker; where `CI` is set only it can record.

    Raises:
        UsageError: for a marker with a mode that is none.
    """
    __tracebackhide__ = True
    said = declared.get("mode")
    if said is not None and said not in RECORD_MODES:
        raise UsageError(
            f"mark.{MARKER}, mode: expected one of {', '.join(RECORD_MODES)}, got {said!r}"
        )
    if settings.record is not None:
        return ModeOf(settings.record)  # type: ignore[arg-type]  # was checked as it was read
    if said not in (None, "replay") and os.environ.get("CI", "") not in (
        "",
        "0",
        "false",
    ):
        return ModeOf(
            "replay",
            f"it replays, though its marker says {said}: where CI is set, recording is "
            f"asked for with --agentsim-record={said}",
        )
    return ModeOf(said or "replay")


class CassetteTest:
    """What the plugin does for one test with a cassette.

    Args:
        item: The test.
        settings: The options; the test's markers go before them, but for the mode.
        asking: Id of each collected test with a cassette -> that, seen from the root.

    Attributes:
        passed: Whether the function of the test has, so that a recording is kept.
        noted: What the report of the test carries; None while the cassette is in use.

    Raises:
        UsageError: for a marker that says what is not known.
        CassetteError: for a cassette that can't be used so.
    """

    def __init__(
        self, item: pytest.Item, settings: Settings, asking: Mapping[str, str]
    ) -> None:
        __tracebackhide__ = True
        self._item = item
        self._settings = settings
        self._declared = declared_in(item)
        self._place = place_of(item, settings, self._declared)
        self._mode, note = mode_of(self._declared, settings)
        self._notes = [note] if note else []
        self._failure: UsageError | None = None
        self.passed = False
        self.noted: dict[str, Any] | None = None
        self._check(asking)
        self.deck = self._made().__enter__()
        self._look_at_age()

    def _check(self, asking: Mapping[str, str]) -> None:
        """Refuse what would fail in a way that says less, or destroy something."""
        __tracebackhide__ = True
        path = self._place.path
        if self._mode == "replay" and not path.exists():
            raise CassetteError(
                f"{shown_path(path)}: there is no such cassette: record it with "
                f"`{self._line('record-missing')}`, which asks the real services"
            )
        if self._mode in ("record", "refresh"):
            mine = asking.get(self._item.nodeid)
            others = [test for test, cassette in asking.items() if cassette == mine]
            if len(others) > 1:
                raise CassetteError(
                    f"{shown_path(path)}: {len(others)} tests use this cassette, and each would "
                    f"replace what the others {self._mode}: delete it, and run them with "
                    "--agentsim-record=record-missing"
                )

    def _made(self) -> Deck:
        from agentsim.cassettes.deck import Deck

        told = self._declared
        rules = RedactionRules(
            (*self._settings.redact, *told.get("redact", ())),
            told.get("secrets", ()),
            told.get("keep_headers", ()),
        )
        return Deck(
            self._place.path,
            self._mode,
            rules=rules,
            volatile=(*self._settings.volatile, *told.get("volatile", ())),
            allow_hosts=told.get("allow_hosts", ()),
            timed=told.get("timed", False),
            owner=self._place.owner,
            max_age_days=self._days_max,
        )

    @property
    def _days_max(self) -> float | None:
        days: float | None = self._declared.get(
            "max_age", self._settings.cassette_max_age
        )
        return days

    def _look_at_age(self) -> None:
        """Note that the cassette is too old to be replayed without a word."""
        if self._mode != "replay" or self._days_max is None:
            return
        days = age_days(self.deck.tape.recorded_at, SystemClock().now())
        if days is None:
            self._notes.append("how old its cassette is can't be told")
        elif days > self._days_max:
            self._notes.append(
                f"its cassette was recorded {days:.0f} days ago, more than "
                f"{self._days_max:g}"
            )

    def judge(self) -> None:
        """Fail a test whose function passed for what it did with its cassette.

        Raises:
            UsageError: for what was not in it or went around it, whatever the agent made
                of that; and for what is too old or was not asked for, if that was asked.
        """
        __tracebackhide__ = True
        self._failure = self.deck.failure()
        if self._failure is None and self._mode == "replay":
            told = [*self._unused(), *self._too_old()]
            self._failure = CassetteError("\n\n".join(told)) if told else None
        if self._failure is not None:
            raise self._advised(self._failure)

    def add_findings_to(self, error: BaseException) -> None:
        """Tell beside a failure what was not in the cassette, unless it is the same."""
        failure = self._failure = self.deck.failure()
        if failure is None:
            return
        shown = "\n\n".join(map(str, linked_errors(error)))
        for line in str(failure).split("\n\n"):
            if line not in shown:
                error.add_note(f"\nand beside this failure: {line}")
        if isinstance(failure, CassetteMiss):
            error.add_note(f"\n{self._advice()}")

    def finish(self) -> None:
        """Close the cassette; a recording takes the place of an old one if all passed.

        Raises:
            UsageError: for what fixtures looked for after the test, in vain.
        """
        from agentsim.cassettes.deck import UnseenClientWarning

        __tracebackhide__ = True
        use = self.deck.tape.use
        failed = self._failure or CassetteError(f"{self._item.nodeid} failed")
        error = None if self.passed else failed
        try:
            with warnings.catch_warnings():
                # Once for the session is enough, and it is nobody's failure.
                warnings.simplefilter("ignore", UnseenClientWarning)
                self.deck.__exit__(None if error is None else type(error), error, None)
        finally:
            self._note_beside(use)
            self.noted = self._noted(use)

    def _note_beside(self, use: TapeUse) -> None:
        """Note what the summary has to tell, and what a replay could not see."""
        if use.lost:
            listed = ", ".join(use.lost)
            self._notes.append(f"a replay gives results as JSON has them, of {listed}")
        if use.live + use.tool_live and not self.passed:
            name = self.deck.tape.written.name
            self._notes.append(f"it failed: what it recorded is in {name}")
        unseen = unseen_clients() if self._mode == "replay" else ()
        if unseen:
            verb = "is" if len(unseen) == 1 else "are"
            words = f"{', '.join(unseen)} {verb} loaded, written in C"
            advice = "what such clients send is not seen, and a replay lets it out"
            self._item.user_properties.append(("agentsim_note", f"{words}: {advice}"))

    def _noted(self, use: TapeUse) -> dict[str, Any]:
        """What the report of the test carries, as plain values."""
        path, root = self._place.path, self._item.config.rootpath
        replaced = self.passed and self._mode in ("record", "refresh")
        left = [] if replaced else [entry.number for entry in _left(use)]
        noted = {
            "cassette": Path(os.path.relpath(path, root)).as_posix(),
            "mode": self._mode,
            "passed": self.passed,
            "digest": file_digest(path),
            "hits": use.hits + use.tool_hits,
            "misses": use.misses + use.tool_misses,
            "live": use.live + use.tool_live,
            "untouched": left,
            "changes": [
                [change.what, change.where]
                for change in use.changes
                if change.what != "settings"
            ],
            "notes": self._notes,
        }
        self._item.user_properties += [
            ("agentsim_cassette", str(noted["cassette"])),
            ("agentsim_cassette_use", use_words(noted)),
        ]
        return noted

    def _unused(self) -> Iterator[str]:
        left = [entry.number for entry in _left(self.deck.tape.use)]
        if left and self._declared.get("fail_unused", self._settings.fail_unused):
            listed = ", ".join(map(str, left))
            yield f"{shown_path(self._place.path)}: these entries were not asked for: {listed}"

    def _too_old(self) -> Iterator[str]:
        if self._settings.fail_old and self._days_max is not None:
            days = age_days(self.deck.tape.recorded_at, SystemClock().now())
            if days is None or days > self._days_max:
                yield f"{shown_path(self._place.path)}: {self._notes[-1]}"

    def _advised(self, failure: UsageError) -> UsageError:
        if not isinstance(failure, CassetteMiss | CassetteError):
            return failure
        return type(failure)(f"{failure}\n\n{self._advice()}")

    def _advice(self) -> str:
        shared = not self._place.owner
        return f"Record again: {self._line('record-missing' if shared else 'refresh')}"

    def _line(self, mode: str) -> str:
        return shlex.join(["pytest", way_to(self._item), f"--agentsim-record={mode}"])


def _left(use: TapeUse) -> list[RecordedExchange | RecordedTool]:
    """What is in a cassette and was not asked for, in order."""
    return sorted((*use.unused, *use.unused_tools), key=lambda entry: entry.number)
