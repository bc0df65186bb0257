"""What an exploration found, as text and as data."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console

from agentsim.cli.common import repeat_line
from agentsim.cli.exploration.progress import by_frequency
from agentsim.cli.exploration.stories import story_data, story_lines
from agentsim.cli.output import tell
from agentsim.cli.run_command import verdict_line
from agentsim.core import AgentsimError
from agentsim.faults import CATALOGUE, folded
from agentsim.report import print_timeline
from agentsim.simulation import RUNS_INDEPENDENT, Exploration, Failure, Known

__all__ = ["Repeat", "exploration_data", "found_before", "print_exploration"]

LINES_SHOWN = 80
"""Lines of a timeline that are printed with a failure; `replay` prints more of them."""

STOPPED = {"keyboard": "the keyboard", "error": "an error"}
"""What breaks in upon an exploration, which else ends as it was asked to."""

LIMITS_DOMINATE = 0.5
"""Share of runs ended by limits from which a report warns (T5)."""

LIMIT_STATUSES = ("max_iterations", "token_budget", "loop")
"""Not the deadline: that it comes early is a deviation of the exploration's own."""


class Repeat:
    """Makes the line that repeats a failure.

    Attributes:
        agent: The agent, as an option has it.
    """

    def __init__(self, target: str, agent: str, mode: list[str]) -> None:
        """Repeat what was found in a target by an agent, with the options `mode`."""
        self._target = target
        self.agent = agent
        self._mode = mode

    def line(self, failure: Failure) -> str:
        """Replay the run; that runs hang on each other shows only in many of them."""
        made = failure.run
        if failure.invariant != RUNS_INDEPENDENT:
            return repeat_line(self._target, self.agent, made)
        words = ["agentsim", "explore", self._target, "--agent", self.agent]
        flags = [*made.menu.flags, *(["--no-cancel"] * (not made.menu.cancel))]
        return shlex.join([*words, *self._mode, *flags])


def found_before(error: AgentsimError) -> Exploration | None:
    """The exploration that an error ended, where it has anything to tell.

    The note of the error that tells the same in few words is taken away.
    """
    found: Exploration | None = error.found
    if found is not None and found.failures:
        found.take_note_off(error)
        return found
    return found if found is not None and found.known and found.known.replayed else None


def exploration_data(
    found: Exploration, repeat: Repeat, mode: Mapping[str, Any]
) -> dict[str, Any]:
    """An exploration as data for `--json`.

    Args:
        found: What was found.
        repeat: Makes the lines that repeat the failures.
        mode: How the runs were chosen.
    """
    left = found.deviations_left
    stopped = found.stopped_by == "keyboard"
    return {
        "verdict": "stopped" if stopped else found.status,
        "scenario": found.scenario.name,
        "agent": found.agent,
        "policy": found.menu.policy,
        "menu": found.menu.text,
        **mode,
        "runs": found.runs,
        "different": found.different,
        "complete": found.complete,
        "stopped_by": found.stopped_by,
        **({"error": found.error} if found.error else {}),
        "deviations_left": None
        if left is None
        else {"runs": left[0], "exact": left[1]},
        "violated_runs": found.violated_runs,
        "violations": [_failure_data(failure, repeat) for failure in found.failures],
        "other_kinds": found.other_kinds,
        "known": _known_data(found.known),
        "endings": found.endings,
        "never_struck": list(found.never_struck),
        "no_evidence": list(found.no_evidence),
        "unmet": list(found.unmet),
        "warnings": warnings(found),
        "notes": list(found.notes),
        "runs_per_s": round(found.runs_per_s),
    }


def _known_data(known: Known | None) -> dict[str, Any] | None:
    if known is None:
        return None
    parts = {"failing": known.failing, "mended": known.mended, "dropped": known.dropped}
    return {
        **{name: list(map(asdict, entries)) for name, entries in parts.items()},
        "notes": known.notes,
    }


def _failure_data(failure: Failure, repeat: Repeat) -> dict[str, Any]:
    made = failure.run
    judgement = next(e for e in made.verdict.violated if e.id == failure.invariant)
    first = judgement.violations[0]
    return {
        "invariant": failure.invariant,
        "kind": failure.kind,
        "runs": failure.runs,
        "known": failure.known,
        "shrunk": failure.shrunk,
        "words": first.words,
        "expected": first.expected,
        "found": first.found,
        "deviations": list(made.words),
        "token": made.token,
        "trace_digest": made.trace.digest(),
        "printed": made.printed,
        "repeat": repeat.line(failure),
        "story": story_data(failure, repeat.agent),
    }


def print_exploration(terminal: Console, found: Exploration, repeat: Repeat) -> None:
    """Print each failing run once, and what the exploration comes to."""
    for failure in found.distinct_failures:
        made, elsewhere = failure.run, found.elsewhere(failure)
        shown = [one for one in made.verdict.violated if one.id not in elsewhere]
        terminal.rule(", ".join(judgement.id for judgement in shown))
        print_timeline(terminal, made.trace, shown, lines_max=LINES_SHOWN)
        terminal.print()
        tell(terminal, made.failure_text(repeat.line(failure), elsewhere=elsewhere))
        for line in story_lines(failure, repeat.agent):
            tell(terminal, line)
        tell(terminal, verdict_line(made))
        terminal.print()
    for line in _summary(found):
        tell(terminal, line)


def warnings(found: Exploration) -> list[str]:
    """What is no violation, and still should be looked at."""
    warned = []
    expected = found.scenario.expectation.status
    names = [name for name in LIMIT_STATUSES if name != expected]
    limited = sum(found.endings.get(name, 0) for name in names)
    if limited > LIMITS_DOMINATE * found.runs:
        words = "a limit is an insurance, not a way to finish"
        warned.append(f"{limited} of {found.runs} runs ended by a limit; {words}")
    stuck = sum(found.endings.get(name, 0) for name in ("deadlock", "livelock"))
    if stuck and "ends" not in found.violations:
        words = "an agent without a deadline waits for ever for what never answers"
        warned.append(f"{stuck} of {found.runs} runs never ended; {words}")
    return warned


def _summary(found: Exploration) -> list[str]:
    counted = f"{found.runs} runs of {found.agent}, {found.violated_runs} violated"
    breaks_in = STOPPED.get(found.stopped_by or "")
    stopped = f", stopped by {breaks_in}" if breaks_in else ""
    rate = f"{found.runs_per_s:.0f} runs/s"
    lines = [
        f"{found.scenario.name}: {found.status}{stopped}. {counted}, {rate}.",
        f"Menu: {found.menu.text}",
        *_extent(found),
    ]
    told = ", ".join(f"{name} {count}" for name, count in by_frequency(found.endings))
    lines.append(f"Endings: {told}")
    lines += _failures(found)
    lines += _known(found.known)
    lines += [f"Warning: {warning}." for warning in warnings(found)]
    for words, names in (
        ("Never struck", tuple(folded(found.never_struck))),
        ("No evidence", found.no_evidence),
        ("Named and never met", tuple(_with_option(found))),
    ):
        if names:
            lines.append(f"{words}: {', '.join(names)}")
    lines += [f"Note: {note}." for note in found.notes]
    if found.error and found.stopped_by != "error":  # else it is told as what it is
        lines.append(f"Before that an error ended the runs: {found.error}")
    return lines


def _with_option(found: Exploration) -> Iterator[str]:
    """What was named and never met; where it could not be, with what offers it."""
    menu = found.menu
    could_be = {rule.fault.name for rule in (*menu.rules, *found.scenario.rules)}
    for name in found.unmet:
        if name in ("crash", "cancel"):
            offered, option = getattr(menu, name), f"--{name}"
        else:
            offered = name not in CATALOGUE or name in could_be
            option = f"{name} among --faults"
        yield name if offered else f"{name} (it could not be: give {option})"


def _extent(found: Exploration) -> Iterator[str]:
    """How many runs were different, whether these were all, and what is left of them."""
    if found.different < found.runs:
        yield f"Different runs: {found.different} of {found.runs}, the others repeat one."
    if found.complete:
        yield "Complete: every run within the bound was made."
        return
    why = {"time": "the time is over", "dependence": "the runs do not repeat"}
    reason = why.get(found.stopped_by or "", "")
    if found.deviations_left is not None:
        left, exact = found.deviations_left
        told = f"{'' if exact else 'at least '}{left} runs are left"
        yield f"Not complete: {told}{f', {reason}' if reason else ''}."
    elif reason:
        yield f"Stopped: {reason}."


def _failures(found: Exploration) -> Iterator[str]:
    """How often each kind of failure was seen, where there is more than one."""
    if len(found.failures) > 1 and found.violated_runs > 1:
        for failure in found.failures:
            times = "1 run" if failure.runs == 1 else f"{failure.runs} runs"
            times += " and a known one" * failure.known
            yield f"Failed in {times}: {failure.invariant}: {failure.kind}"
    for invariant, runs in found.other_kinds.items():
        yield f"Failed in other ways, {runs} times: {invariant}"
    unshrunk = [f for f in found.failures if not f.shrunk]
    if unshrunk and found.stopped_by in STOPPED:
        yield f"Not made smaller: {len(unshrunk)} of {len(found.failures)} failures."


def _known(known: Known | None) -> Iterator[str]:
    """What became of the known failures, where there were any."""
    if known is None:
        return
    if known.replayed:
        failing = len(known.failing)
        yield f"Known failures: {len(known.replayed)} replayed, {failing} still failing."
    for entry in known.mended:
        yield f"Mended, and removed from the known failures: {entry.words}"
    for entry in known.dropped:
        yield f"No longer fits, and is dropped: {entry.words}"
    for note in known.notes:
        yield f"Note: {note}."
