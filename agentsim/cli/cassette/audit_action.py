"""`agentsim cassette audit`: secrets that are left in cassettes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from agentsim.cassettes import load_cassette
from agentsim.cassettes.redaction import AuditFinding, audit_cassette
from agentsim.cassettes.staleness import find_cassettes
from agentsim.cli.common import JsonOption
from agentsim.cli.options.declared import Argument
from agentsim.cli.output import console, echo, print_json, tell
from agentsim.core import CassetteError, count_words
from agentsim.report import EXIT_CODES

__all__ = ["command"]

WORST = ("usage", "violated", "unknown", "holds")


def command(
    files: Annotated[
        list[Path], Argument(metavar="FILE...", says="Cassettes, or folders of them.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Look for secrets that are left in cassettes.

    Streams are put together, JSON in strings is read, Base64 and URLs are decoded. Exit
    code 1: a secret is left; 2: something may be one, since it looks random.
    """
    rows = [row for path in files for row in _rows(path, as_json=as_json)]
    status = next(
        worst for worst in WORST if any(row["verdict"] == worst for row in rows)
    )
    if as_json:
        errors = [row["error"] for row in rows if "error" in row]
        told = {"error": errors[0]} if errors else {}
        print_json({"verdict": status, **told, "files": rows})
    return EXIT_CODES[status]


def _rows(place: Path, *, as_json: bool) -> list[dict[str, Any]]:
    """Audit a file, or all cassettes of a folder."""
    if not place.is_dir():
        return [_audited(place, as_json=as_json)]
    rows = [_audited(path, as_json=as_json) for path in find_cassettes([place])]
    return rows or [_unread(place, f"{place}: no cassette is in this folder")]


def _unread(path: Path, error: str) -> dict[str, Any]:
    echo(f"agentsim: {error}", err=True)
    return {"file": str(path), "verdict": "usage", "error": error}


def _audited(path: Path, *, as_json: bool) -> dict[str, Any]:
    """Audit one file; one that can't be read does not keep the others from it."""
    try:
        cassette = load_cassette(path)
    except CassetteError as error:
        return _unread(path, str(error))
    findings = audit_cassette(cassette)
    verdict = _verdict(findings)
    row = {
        "file": str(path),
        "verdict": verdict,
        "entries": len(cassette.entries),
        "left_over_bytes": cassette.left_over_bytes,
        "findings": [
            {
                "entry": finding.entry,
                "field": finding.field,
                "what": finding.what,
                "shown": finding.shown,
                "sure": finding.sure,
            }
            for finding in findings
        ],
    }
    if not as_json:
        _print(path, row, findings)
    return row


def _verdict(findings: Sequence[AuditFinding]) -> str:
    if any(finding.sure == "certain" for finding in findings):
        return "violated"
    return "unknown" if findings else "holds"


def _print(path: Path, row: dict[str, Any], findings: Sequence[AuditFinding]) -> None:
    terminal = console()
    for one in findings:
        words = f"{one.what}, which begins with {one.shown}"
        tell(terminal, f"{path}: {one.entry}, {one.field}: {words} ({one.sure})")
    if row["left_over_bytes"]:
        left = f"{row['left_over_bytes']} bytes behind the last complete document"
        tell(terminal, f"{path}: note: {left} were not looked at: delete them")
    found = count_words(len(findings), "finding")
    entries = count_words(row["entries"], "entry")
    tell(terminal, f"{path}: {row['verdict']}. {found} in {entries}.")
