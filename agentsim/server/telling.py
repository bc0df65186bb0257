"""What is told of a run over HTTP: its verdict, as data and as an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from agentsim.core import (
    AgentsimError,
    InternalError,
    ResponseReceived,
    UnscriptedRequest,
    count_words,
)
from agentsim.report import EXIT_CODES, judgements_data
from agentsim.server.session import Session
from agentsim.simulation import (
    Verdict,
    judge_cut_off,
    judge_whole,
    met_in,
    verdict_on,
)
from agentsim.trace import Trace

__all__ = ["ServedVerdict", "exit_code", "state_of", "verdict_of"]

Word = Literal["holds", "violated", "unknown", "not_applicable", "usage", "internal"]

WORST = ("internal", "usage", "violated", "unknown", "holds")
"""Verdicts on several runs, the one that decides the exit code first."""

EXIT_INTERNAL = 4

NEVER_ASKED = (
    "no request reached the model: does the program take its base URL from OPENAI_BASE_URL or "
    "ANTHROPIC_BASE_URL, or from the option of its client?"
)


@dataclass(frozen=True)
class ServedVerdict:
    """What is told of one run.

    Attributes:
        word: The verdict in one word.
        trace: What it is about.
        verdict: All judgements, or None where the run could not be judged.
        error: Why the run was halted, such as a script that ran out, what is wrong with
            script or scenario, or why there is nothing to judge.
        ended: Whether the run was ended; else it may come to another verdict.
    """

    session: Session
    word: Word
    trace: Trace
    verdict: Verdict | None
    error: str = ""
    ended: bool = True

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this verdict."""
        return EXIT_INTERNAL if self.word == "internal" else EXIT_CODES[self.word]

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        count = count_words(self.session.life.asked, "request")
        seconds = self.trace.events[-1].at_ns / 1_000_000_000
        name = f"{self.trace.header.scenario}, run {self.session.name}"
        return f"{name}: {self.word}. {count}, {seconds:.3f} virtual seconds."

    @property
    def data(self) -> dict[str, Any]:
        """All of it as JSON data."""
        verdict = self.verdict
        return {
            "verdict": self.word,
            "exit_code": self.exit_code,
            "run": self.session.name,
            "ended": self.ended,
            "scenario": self.trace.header.scenario,
            "agent": self.trace.header.agent,
            "error": self.error or None,
            "invariants": {}
            if verdict is None
            else judgements_data(verdict.judgements),
            "unmet": [] if verdict is None else list(verdict.unmet),
            "deviations": list(self.session.life.words),
            "trace_digest": self.trace.digest(),
            "notes": list(self.session.scene.warnings),
        }


def verdict_of(session: Session) -> ServedVerdict:
    """Judge a run by what happened so far, as if it ended now."""
    trace = session.trace_to_judge()
    ended = session.outcome is not None
    failure = session.life.failure
    verdict: Verdict | None = None
    word: Word
    if not session.life.asked and failure is None:
        return ServedVerdict(session, "unknown", trace, None, NEVER_ASKED, ended)
    try:
        if failure is None:
            judgements = judge_whole(session.scene, trace)
        else:
            # What a program did wrong goes before the script that it ran out of.
            judgements = judge_cut_off(trace)
            if all(entry.status != "violated" for entry in judgements):
                raise failure
    except UnscriptedRequest as error:
        return ServedVerdict(session, "usage", trace, None, str(error), ended)
    except AgentsimError as error:
        word = "internal" if isinstance(error, InternalError) else "usage"
        return ServedVerdict(session, word, trace, None, str(error), ended)
    verdict = verdict_on(judgements, met_in(session.scene))
    halted = "" if failure is None else str(failure)
    return ServedVerdict(session, verdict.status, trace, verdict, halted, ended)


def exit_code(told: Iterable[ServedVerdict]) -> int:
    """The exit code for several verdicts: that of the worst; 2 where there is none."""
    words = {entry.word: entry.exit_code for entry in told}
    return next((words[word] for word in WORST if word in words), EXIT_CODES["unknown"])


def state_of(session: Session) -> dict[str, Any]:
    """Where a run stands, as JSON data."""
    model, events = session.scene.model, session.scene.recorder.events
    failure = session.life.failure
    return {
        "run": session.name,
        "state": session.state,
        "requests": session.life.asked,
        "responses": sum(isinstance(event, ResponseReceived) for event in events),
        "late_requests": session.late,
        "replies_unused": list(model.unused_indexes()),
        "virtual_s": session.life.now_ns / 1_000_000_000,
        "deviations": list(session.life.words),
        "pending": [rule.text for rule in session.deviations.pending],
        "error": None if failure is None else str(failure),
    }
