"""What an exploration found: how runs ended, what was violated, what was never met."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentsim.core import InvariantViolation, count_words
from agentsim.invariants import Judgement, VerdictStatus
from agentsim.report import unmet_text, violation_kind
from agentsim.simulation.expectation import EXPECTED
from agentsim.simulation.exploring.known import Known
from agentsim.simulation.menu import Menu
from agentsim.simulation.run import Run
from agentsim.simulation.scenario import Scenario

__all__ = [
    "KINDS_MAX",
    "Exploration",
    "ExplorationStopped",
    "Failure",
    "StoppedBy",
    "kinds_violated",
]

KINDS_MAX = 4
"""Kinds of violation that are kept for one invariant; runs with others are counted."""

TEXTS_MAX = 5
"""Failures that are told in full where an exploration is asserted to hold."""

StoppedBy = Literal["runs", "time", "keyboard", "dependence", "error"]


@dataclass(slots=True)
class Failure:
    """One way in which runs violate an invariant, and the least run that shows it.

    Attributes:
        invariant: Its id, or `runs-independent`.
        kind: The words of the violation without names and numbers.
        run: A run that shows it, with the fewest deviations that were found.
        runs: How many runs of the exploration show it.
        known: Whether a known failure showed it before the exploration began; it may
            then be in none of its runs.
        shrunk: Whether `run` was made as small as it could be.
        story: The least run of the shortest scenario that shows it: with fewer and
            shorter replies than `run`, or the same run; None before it is shrunk.
        test: `story` as a pytest function that can be pasted.
    """

    invariant: str
    kind: str
    run: Run
    runs: int = 1
    known: bool = False
    shrunk: bool = False
    story: Run | None = None
    test: str = ""

    @property
    def text(self) -> str:
        """The failure text, and the shortest story as a test where there is one."""
        return self.told()

    def told(self, elsewhere: Collection[str] = ()) -> str:
        """The same, without what another failing run of the report shows."""
        told = self.run.failure_text(self.run.repeat, elsewhere=elsewhere)
        if not self.test:
            return told
        return f"{told}\n\nThe shortest story that shows it, as a test:\n\n{self.test}"


@dataclass(slots=True, repr=False)
class Exploration:
    """What an exploration found.

    Attributes:
        runs: Runs made.
        different: How many of them chose what none before them chose: random runs draw
            the same again, and then are the same.
        complete: Whether every run within the bound of deviations was made.
        stopped_by: What ended it before that: the number of `runs`, the `time`, the
            `keyboard`, `dependence` (runs did not repeat), or an `error`; None if
            nothing did.
        error: The error that ended it, in words.
        deviations_left: How many runs within the bound are left, and whether that is
            exact; None for a random exploration, which has no bound.
        failures: What was violated, each kind with its least run, in the order found.
            Runs that can't be repeated stand under `runs-independent`.
        other_kinds: Invariant -> runs that violated it in more ways than are kept.
        violated_runs: How many runs violated anything.
        endings: How often runs ended in which way, by status or ending.
        never_struck: Faults, cancellation and crash of the menu that never happened.
        no_evidence: Invariants that met no evidence in any run.
        unmet: What was named and never met: it makes the verdict unknown.
        known: What became of the known failures; None where none are kept.
        elapsed_s: Real seconds that the runs took.
        notes: What was met beside the runs and not refused, each once.
    """

    scenario: Scenario
    agent: str
    menu: Menu
    runs: int = 0
    different: int = 0
    complete: bool = False
    stopped_by: StoppedBy | None = None
    error: str = ""
    deviations_left: tuple[int, bool] | None = None
    failures: list[Failure] = field(default_factory=list)
    other_kinds: dict[str, int] = field(default_factory=dict)
    violated_runs: int = 0
    endings: dict[str, int] = field(default_factory=dict)
    never_struck: tuple[str, ...] = ()
    no_evidence: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    known: Known | None = None
    elapsed_s: float = 0.0
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<Exploration of {self.scenario.name}: {self.status}; {self.runs} runs of "
            f"{self.agent}, {self.violated_runs} violated>"
        )

    @property
    def violations(self) -> dict[str, Run]:
        """The least run of the first failure of each invariant, by its id."""
        found: dict[str, Run] = {}
        for failure in self.failures:
            found.setdefault(failure.invariant, failure.run)
        return found

    @property
    def distinct_failures(self) -> list[Failure]:
        """One failure for each failing run: a run may show several of them."""
        found: dict[tuple[str, ...], Failure] = {}
        for failure in self.failures:
            found.setdefault(_run_of(failure), failure)
        return list(found.values())

    def elsewhere(
        self, failure: Failure, told: Sequence[Failure] | None = None
    ) -> tuple[str, ...]:
        """What the run of a failure violates in ways that other failing runs show.

        One bug may show in all runs, and need not be told with each of them.

        Args:
            told: The failures of a report; by default each failing run.
        """
        told = self.distinct_failures if told is None else told
        own = _run_of(failure)
        runs = [run for run in map(_run_of, told) if run != own]
        others = {(f.invariant, f.kind) for f in self.failures if _run_of(f) in runs}
        return tuple(
            entry.id
            for entry in failure.run.verdict.violated
            if all((entry.id, k) in others for k in kinds_violated(entry, failure.run))
        )

    @property
    def text(self) -> str:
        """The failure texts of the violating runs; empty where there are none."""
        failures = self.distinct_failures
        told = failures[:TEXTS_MAX]
        texts = [failure.told(self.elsewhere(failure, told)) for failure in told]
        if len(failures) > len(told):
            more = count_words(len(failures) - len(told), "more failing run")
            texts.append(f"and {more}")
        return "\n\n".join(texts)

    @property
    def error_note(self) -> str:
        """What an error that ended it carries: the failures before it, in a text."""
        return f"\nand before this error:\n\n{self.text}" if self.failures else ""

    def take_note_off(self, error: BaseException) -> None:
        """Take that text off the error again, for who tells the failures at length."""
        notes = getattr(error, "__notes__", [])
        if self.error_note in notes:
            notes.remove(self.error_note)

    @property
    def status(self) -> VerdictStatus:
        """Violated if any run is.

        Unknown if something named was not met, no run was made, or an error ended it.
        """
        if self.failures:
            return "violated"
        return "unknown" if self.unmet or not self.runs or self.error else "holds"

    @property
    def runs_per_s(self) -> float:
        """Runs per real second."""
        return self.runs / self.elapsed_s if self.elapsed_s else 0.0

    def expect_holds(self) -> Exploration:
        """Return the exploration if its verdict holds.

        Raises:
            InvariantViolation: with the failure texts of the violating runs, or with
                what was named and never met.
        """
        if self.failures:
            raise InvariantViolation(self.text)
        if self.error:
            raise InvariantViolation(f"unknown: an error ended it: {self.error}")
        if self.unmet:
            raise InvariantViolation(unmet_text(self.unmet))
        if not self.runs:
            raise InvariantViolation("unknown: no run was made")
        return self

    def note(self, notes: Sequence[str]) -> None:
        """Take down the notes of a run that are new."""
        if notes:
            self.notes = tuple(dict.fromkeys((*self.notes, *notes)))

    def keep(self, made: Run, *, only: str | None = None, known: bool = False) -> None:
        """Take down what a run violates.

        Args:
            made: The run.
            only: The one invariant that counts, or None for all.
            known: Whether it is a known failure, and no run of the exploration.
        """
        for judgement in made.verdict.violated:
            if only is not None and judgement.id != only:
                continue
            for kind in kinds_violated(judgement, made):
                self._keep(judgement.id, kind, made, 0 if known else 1)

    def keep_kinds(self, kinds: Iterable[tuple[str, str]], made: Run | None) -> None:
        """Take down what a run violates, by invariant and kind.

        Args:
            kinds: Invariants with kinds.
            made: The run, which may be left out where none of them is new.
        """
        for invariant, kind in kinds:
            self._keep(invariant, kind, made, 1)

    def is_new(self, invariant: str, kind: str) -> bool:
        """Whether a run is wanted that shows this kind of violation: there is none yet."""
        kept = [one.kind for one in self.failures if one.invariant == invariant]
        return kind not in kept and len(kept) < KINDS_MAX

    def _keep(self, invariant: str, kind: str, made: Run | None, runs: int) -> None:
        kept = [entry for entry in self.failures if entry.invariant == invariant]
        for entry in kept:
            if entry.kind == kind:
                entry.runs += runs
                return
        if len(kept) < KINDS_MAX:
            assert made is not None, "a run of a new kind is needed whole"
            failure = Failure(invariant, kind, made, runs, known=not runs)
            self.failures.append(failure)
        elif runs:
            self.other_kinds[invariant] = self.other_kinds.get(invariant, 0) + runs


class ExplorationStopped(KeyboardInterrupt):
    """Ctrl-C during an exploration.

    Attributes:
        found: What was found until then. Where an error had ended the runs before, so
            that only its failures were made smaller, it is `found.error`.
    """

    def __init__(self, found: Exploration) -> None:
        super().__init__("the exploration was stopped by the keyboard")
        self.found = found


def _run_of(failure: Failure) -> tuple[str, ...]:
    """What tells a failing run from others: its token, and what it violates."""
    violated = failure.run.verdict.violated
    return (failure.run.token, *(entry.id for entry in violated))


def kinds_violated(judgement: Judgement, made: Run) -> Iterator[str]:
    """The kinds of what a judgement of a run found, each once, in order."""
    if judgement.id == EXPECTED:
        yield "the run is not as its scenario expects"
        return
    tools = [tool.name for tool in made.trace.header.tools]
    kinds = (
        violation_kind(entry, made.outcome, tools) for entry in judgement.violations
    )
    yield from dict.fromkeys(kinds)
