"""One test that uses `sim`: what it declares, and what came of its runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import (
    AgentsimError,
    InvariantViolation,
    UsageError,
    did_you_mean,
)
from agentsim.faults import parse_option, parse_rules
from agentsim.pytest_plugin.options import Settings
from agentsim.pytest_plugin.repeating import Finding, Plan, Repeats, judged, replayed
from agentsim.pytest_plugin.sim import Sim
from agentsim.pytest_plugin.timelines import timeline_section
from agentsim.pytest_plugin.ways import way_to
from agentsim.report import unmet_text
from agentsim.simulation import KNOWN_FOLDER, RUNS_INDEPENDENT, Menu, Run
from agentsim.trace import to_jsonl

__all__ = ["SimulatedTest", "simulated_test", "trace_name"]

DECLARES = ("world", "faults", "deviations", "runs", "seed")
"""What the marker can say."""

_KEPT = re.compile(r"[\w./-]+(::\w+)+(\[[\w.-]+\])?")
"""The id of a test that its name in a file still tells from all others."""

NAME_MAX = 200
"""Characters of a test's id in the name of its trace: names of files have an end."""


class SimulatedTest:
    """What the plugin does for one test: its simulation, and the verdict on it.

    Args:
        item: The test.
        settings: The options; the test's markers go before them.

    Attributes:
        passed: Whether the test itself did.

    Raises:
        UsageError: for a marker or an option that says what is not known.
    """

    def __init__(self, item: pytest.Function, settings: Settings) -> None:
        self._item = item
        self._settings = settings
        declared = _declared(item)
        self._plan = Plan(
            menu=_menu(settings, declared.get("faults", ())),
            named=len(declared.get("faults", ())),
            deviations=declared.get("deviations", settings.deviations),
            runs=declared.get("runs", settings.runs),
            seed=declared.get("seed", settings.seed),
            known=_known(item),
        )
        self.sim = Sim(world=declared.get("world"), name=item.name)
        self.passed = False
        self._said_before = 0
        self._judged = self._repeated = 0
        self._was_repeated = False
        self._traces = 0
        self._sections: list[tuple[str, str]] = []

    def begin(self) -> None:
        """Note that its fixtures are set up: what they say is said for other tests too."""
        self._said_before = len(self.sim.said)

    def judge(self) -> None:
        """Judge the runs of a test whose function passed, and repeat them as asked.

        Raises:
            InvariantViolation: with the failure text of whatever is violated.
        """
        __tracebackhide__ = True
        findings = self._judge_new()
        if not findings:
            findings = self._repeat()
        self._note_verdict(findings)
        self._fail(findings)

    def finish(self) -> None:
        """Judge what was not yet judged, and let the simulation run no more.

        That is what a fixture ran once the test was judged, and all runs of a test that
        is no plain function: of a `unittest.TestCase`, or of a docstring.

        Raises:
            InvariantViolation: with the failure text of whatever is violated.
            UsageError: for a simulation that a test which passed sets up and never runs.
        """
        __tracebackhide__ = True
        self.sim.over = self._item.name
        findings = self._judge_new()
        if not findings and self.passed:
            findings = self._repeat()
        if findings or self.passed:
            self._note_verdict(findings)
        self._fail(findings)
        said = dict.fromkeys(self.sim.said[self._said_before :])
        if said and self.passed and not self.sim.asked:
            file, line, name = self._item.location
            called = ", ".join(f"sim.{word}()" for word in said)
            raise UsageError(
                f"{file}:{(line or 0) + 1}: {name} calls {called} and never makes a run, "
                "so that nothing is checked: call sim.run(agent, task), in an async test "
                "await sim.arun(agent, task), or pytest.skip() where there is nothing to run"
            )

    def add_findings_to(self, error: BaseException) -> None:
        """Judge the runs of a test that failed already: its own failure stays first."""
        findings = self._judge_new()
        self._note_verdict(findings)
        if findings:
            error.add_note(f"\nand beside this failure:\n\n{self._told(findings)}")

    def _add_before(self, error: AgentsimError, findings: Sequence[Finding]) -> None:
        """Tell with what ended the repeated runs what was found before it."""
        if findings:
            self._note_verdict(findings)
            error.add_note(f"\nand before this error:\n\n{self._told(findings)}")

    def take_sections(self) -> list[tuple[str, str]]:
        """The sections for a report, once."""
        taken, self._sections = self._sections, []
        return taken

    def _fail(self, findings: Sequence[Finding]) -> None:
        __tracebackhide__ = True
        if findings:
            raise InvariantViolation(self._told(findings))

    def _judge_new(self) -> list[Finding]:
        recorded = self.sim.recorded[self._judged :]
        self._judged += len(recorded)
        self._count(len(recorded))
        for one in recorded:
            self._note_beside(one.run.notes)
        return list(judged(recorded))

    def _repeat(self) -> list[Finding]:
        """Replay the token, or repeat the runs, or neither."""
        __tracebackhide__ = True
        plan, recorded = self._plan, self.sim.recorded[self._repeated :]
        if self._was_repeated and not recorded:
            return []
        if self._was_repeated:  # what was named had its chance in the runs of the test
            plan = replace(plan, named=0)
        self._repeated += len(recorded)
        self._was_repeated = True
        if self._settings.replay is not None:
            try:
                found = replayed(recorded, self._settings.replay, plan)
            except UsageError as error:
                self._note("replayed", self._settings.replay)
                raise self._with_way(error) from None
            if found is None:
                return []
            self._note("replayed", self._settings.replay)
            return list(found)
        if not plan.repeats:
            return []
        if "snapshot" in self._item.fixturenames:
            self._note_once("once", "uses a snapshot")
            return []
        repeats = Repeats()
        try:
            repeats.make(recorded, plan)
        except AgentsimError as error:
            told = self._with_way(error) if isinstance(error, UsageError) else error
            self._add_before(told, repeats.findings)
            raise told from None
        finally:
            self._count(repeats.runs)
            self._note_beside(repeats.notes)
            self._note_once("deviations", plan.deviations)
            self._note_once("seed", plan.seed if plan.runs else None)
        return repeats.findings

    def _told(self, findings: Sequence[Finding]) -> str:
        """Tell all findings, and keep their timelines and tokens for the reports."""
        texts = []
        for run, unmet, elsewhere in findings:
            if unmet:
                texts.append(unmet_text(unmet))
            if run is None:
                continue
            self._note_once("token", run.token)
            title = f"agentsim: timeline of {run.token}"
            self._sections.append((title, timeline_section(run, elsewhere)))
            unwritten = self._write_trace(run)
            if run.verdict.violated:
                line = self._repeat_line(run)
                texts.append(run.failure_text(line, elsewhere=elsewhere))
            texts += unwritten
        return "\n\n".join(texts)

    def _repeat_line(self, run: Run) -> str:
        if any(entry.id == RUNS_INDEPENDENT for entry in run.verdict.violated):
            return self._repeated_by(None)
        return self._repeated_by(run.token)

    def _with_way(self, error: UsageError) -> UsageError:
        """What ended a repeated run, with the line that repeats it; all frames are ours."""
        if error.token is not None:
            error.add_note(f"Repeat it: {self._repeated_by(error.token)}")
        return error.with_traceback(None)

    def _repeated_by(self, token: str | None) -> str:
        """The line that makes the run of a token again, or without one all of them."""
        flags = self._plan.flags if token is None else [f"--agentsim-replay={token}"]
        words = ["pytest", way_to(self._item), *flags, *self._settings.flags]
        return shlex.join(words)

    def _write_trace(self, run: Run) -> list[str]:
        """Write the trace of a finding; what keeps it from that must not hide this."""
        if self._settings.traces is None:
            return []
        folder = Path(self._settings.traces)
        file = folder / f"{trace_name(self._item.nodeid)}-{self._traces}.jsonl"
        self._traces += 1
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(to_jsonl(run.trace), "utf-8")
        except (OSError, UsageError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return [f"--agentsim-traces: can't write {file}: {why}"]
        return []

    def _note(self, name: str, value: object) -> None:
        """Leave a property of the test, for JUnit and for our own summary."""
        if value is not None:
            self._item.user_properties.append((f"agentsim_{name}", str(value)))

    def _note_verdict(self, findings: Sequence[Finding]) -> None:
        """Leave the verdict in place of an earlier one: a later run may violate more."""
        left = self._item.user_properties
        left[:] = [entry for entry in left if entry[0] != "agentsim_verdict"]
        self._note("verdict", _verdict(findings))

    def _note_once(self, name: str, value: object) -> None:
        """Leave a property, unless it is there."""
        if (f"agentsim_{name}", str(value)) not in self._item.user_properties:
            self._note(name, value)

    def _note_beside(self, notes: Iterable[str]) -> None:
        """Leave a property, and a section of a failing report, for each new note."""
        for note in notes:
            if ("agentsim_note", note) not in self._item.user_properties:
                self._note("note", note)
                self._sections.append(("agentsim: note", f"{note}."))

    def _count(self, runs: int) -> None:
        """Add to the property that counts the runs."""
        properties = self._item.user_properties
        for place, (name, value) in enumerate(properties):
            if name == "agentsim_runs":
                properties[place] = (name, str(int(str(value)) + runs))
                return
        self._note("runs", runs)


def trace_name(nodeid: str) -> str:
    """The name of a test's traces, with what every file system takes, and no other's."""
    name = re.sub(r"[^\w.-]+", "-", nodeid).strip("-")
    if _KEPT.fullmatch(nodeid) and len(name) <= NAME_MAX:
        return name
    mark = blake2b(ascii(nodeid).encode(), digest_size=4).hexdigest()
    return f"{name[:NAME_MAX]}-{mark}"


def simulated_test(item: pytest.Function, settings: Settings) -> SimulatedTest:
    """What the plugin does for a test that asks for `sim`.

    Raises:
        UsageError: for a marker or an option that says what is not known, naming the
            test.
    """
    __tracebackhide__ = True
    try:
        return SimulatedTest(item, settings)
    except UsageError as error:
        raise UsageError(f"{item.nodeid}: {error}") from None


def _known(item: pytest.Item) -> Path:
    """Where failures of the test's file are kept: scenarios of two files may be alike."""
    file, _, _ = item.nodeid.partition("::")
    return item.config.rootpath / KNOWN_FOLDER / re.sub(r"[^\w.-]+", "-", file)


def _verdict(findings: Sequence[Finding]) -> str:
    if any(run is not None and run.verdict.violated for run, *_ in findings):
        return "violated"
    return "unknown" if findings else "holds"


def _menu(settings: Settings, faults: object) -> Menu:
    """What may happen in the repeated runs: every order, and the faults asked for."""
    rules = (
        *parse_rules(faults, "mark.agentsim: faults", groups=True),
        *parse_option(settings.faults, "--agentsim-faults"),
    )
    return Menu("any_order", rules, cancel=settings.cancel, crash=settings.crash)


def _declared(item: pytest.Function) -> dict[str, Any]:
    """What the markers say, the closest one first."""
    declared: dict[str, Any] = {}
    for marker in item.iter_markers("agentsim"):
        if marker.args:
            raise UsageError(
                f"mark.agentsim takes fields by name only: {', '.join(DECLARES)}"
            )
        for name, value in marker.kwargs.items():
            if name not in DECLARES:
                raise UsageError(
                    f"mark.agentsim has no field {name!r}"
                    f"{did_you_mean(name, DECLARES)} (there are {', '.join(DECLARES)})"
                )
            declared.setdefault(name, value)
    return declared
