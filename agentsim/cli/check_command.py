"""`agentsim check`: judge transcripts and traces that were recorded elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from agentsim.cassettes import is_cassette
from agentsim.cassettes.importing import HTTP_KINDS, http_kind
from agentsim.cli.common import JsonOption, read_trace
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import console, echo, print_json, tell
from agentsim.core import UsageError
from agentsim.invariants import judge, overall
from agentsim.providers.transcripts import HistoryStatus, TranscriptReport, check_file
from agentsim.providers.transcripts.sessions import SESSIONS
from agentsim.report import EXIT_CODES, failure_text, judgements_data

__all__ = ["command"]

STATUSES: tuple[HistoryStatus, ...] = ("holds", "unknown", "violated")

WORST = ("usage", "violated", "unknown", "holds")
"""Verdicts on files, the one that decides the exit code first."""


_KINDS = ", ".join((*HTTP_KINDS, *SESSIONS))


def command(
    files: Annotated[list[Path], Argument(metavar="FILE...", says="What to judge.")],
    kind: Annotated[
        str,
        Option(
            "--from",
            metavar="KIND",
            says=f"Which tool wrote the files, if not as found: {_KINDS}.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Judge recorded transcripts by the rules of a history, and traces by all invariants.

    Formats are recognised by themselves: messages of OpenAI Chat, items of OpenAI
    Responses, messages of Anthropic, JSON Lines of these or of exchanges, sessions of
    Claude Code, traces of the OpenAI Agents SDK, spans of OpenTelemetry, cassettes and
    recordings of vcrpy and browsers (judged by what shows on the wire, too), and traces.
    """
    rows = [_checked(path, kind, as_json=as_json) for path in files]
    status = next(
        worst for worst in WORST if any(row["verdict"] == worst for row in rows)
    )
    if as_json:
        errors = [row["error"] for row in rows if "error" in row]
        told = {"error": errors[0]} if errors else {}
        print_json({"verdict": status, **told, "files": rows})
    return EXIT_CODES[status]


def _checked(path: Path, kind: str, *, as_json: bool) -> dict[str, Any]:
    """Judge one file; one that can't be read does not keep the others from it."""
    try:
        return _check(path, kind, as_json=as_json)
    except UsageError as error:
        echo(f"agentsim: {error}", err=True)
        return {"file": str(path), "verdict": "usage", "error": str(error)}


def _check(path: Path, kind: str, *, as_json: bool) -> dict[str, Any]:
    recorded = kind if kind in HTTP_KINDS else "" if kind else http_kind(path)
    if recorded or (not kind and is_cassette(path)):
        return _check_recording(path, recorded, as_json=as_json)
    report = check_file(path, kind)
    if report.kind == "trace":
        return _check_trace(path, as_json=as_json)
    if not as_json:
        _print(report)
    return _data(report)


def _check_trace(path: Path, *, as_json: bool) -> dict[str, Any]:
    trace = read_trace(path)
    judgements = judge(trace)
    status = overall(judgements)
    if not as_json:
        terminal = console()
        if status == "violated":
            told = failure_text(trace, judgements)
            tell(terminal, told)
        tell(terminal, f"{path}: {status}, a trace judged by all invariants")
    return {
        "file": str(path),
        "kind": "trace",
        "verdict": status,
        "invariants": judgements_data(judgements),
    }


def _print(report: TranscriptReport) -> None:
    _print_findings(report)
    counts = _counts([one.status for one in report.conversations])
    tell(
        console(),
        f"{report.file}: {report.status}. {len(report.conversations)} conversations"
        f"{counts}, {report.messages} messages, {report.calls} calls.",
    )


def _print_findings(report: TranscriptReport) -> None:
    terminal = console()
    for note in report.notes:
        tell(terminal, f"{report.file}: note: {note}")
    for finding in report.findings:
        tell(terminal, str(finding))
    for conversation in report.conversations:
        for note in conversation.notes:
            tell(terminal, f"{report.file}:{conversation.line}: note: {note}")


def _counts(found: Sequence[str]) -> str:
    """How many there are of each verdict, in brackets; nothing where there is none."""
    counted = [f"{found.count(one)} {one}" for one in STATUSES if one in found]
    return f" ({', '.join(counted)})" if counted else ""


def _check_recording(path: Path, kind: str, *, as_json: bool) -> dict[str, Any]:
    """Judge a cassette, or what would become one: each request, each conversation."""
    from agentsim.cli.cassette.judging import judge_recording

    report, judged = judge_recording(path, kind)
    sent = [one.status for one in report.conversations]
    statuses = [one.status for one in judged]
    verdict = next((worst for worst in WORST if worst in (*sent, *statuses)), "unknown")
    if not as_json:
        terminal = console()
        for one in judged:
            if one.status == "violated":
                tell(terminal, f"{path}: the conversation of {one.exchanges_text}:")
                tell(terminal, failure_text(one.trace, one.judgements))
        _print_findings(report)
        tell(
            terminal,
            f"{path}: {verdict}. {len(sent)} requests{_counts(sent)}, "
            f"{len(judged)} conversations{_counts(statuses)} by what shows on the "
            "wire.",
        )
    rows = [one.data for one in judged]
    return {
        **_data(report),
        "kind": kind or "cassette",
        "verdict": verdict,
        "judged": rows,
    }


def _data(report: TranscriptReport) -> dict[str, Any]:
    return {
        "file": report.file,
        "kind": "transcript",
        "verdict": report.status,
        "messages": report.messages,
        "calls": report.calls,
        "notes": list(report.notes),
        "conversations": [
            {
                "line": one.line,
                "label": one.label,
                "wire": one.wire,
                "verdict": one.status,
                "messages": one.messages,
                "calls": one.calls,
                "notes": list(one.notes),
                "findings": [
                    {
                        "line": finding.line,
                        "position": finding.position,
                        "rule": finding.rule,
                        "words": finding.words,
                    }
                    for finding in one.findings
                ],
            }
            for one in report.conversations
        ],
    }
