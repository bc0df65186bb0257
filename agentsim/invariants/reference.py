"""The reference page of the invariants, made from the registry."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from agentsim.invariants.judging import INVARIANTS
from agentsim.invariants.registry import Invariant

__all__ = ["reference_page"]

_HEAD = """# Invariants

<!-- Made from the registry by `python -m agentsim.invariants.reference`, and a test compares. -->

An invariant is a rule that a run keeps. Each is judged from the outside, by what stands
at the boundary of the agent: requests, responses, starts and ends of tools, answers of
persons, effects, and the outcome. What a runtime says of itself is not needed.

A judgement is one of four. **holds**: the run put the rule to the test and kept it.
**violated**: it did not, and the events that show it are named. **unknown**: nothing in
the run put it to the test. **not applicable**: its subject does not exist in the run, or
the agent made no such promise (limits and loop detection are judged only where the agent
declares them). A run is violated if any judgement is; it is unknown if an invariant that
you named is unknown; else it holds.
"""


def reference_page() -> str:
    """The page, in Markdown."""
    return "\n".join([_HEAD, *_table(), *(_section(e) for e in INVARIANTS.values())])


def _table() -> Iterator[str]:
    yield "| id | sentence | spec |"
    yield "|---|---|---|"
    for entry in INVARIANTS.values():
        link = f"[`{entry.id}`](#{entry.id})"
        yield f"| {link} | {entry.sentence} | {', '.join(entry.spec)} |"
    yield ""


def _section(entry: Invariant) -> str:
    lines = [f"## {entry.id}", "", entry.sentence, "", f"*Why.* {entry.rationale}", ""]
    if entry.exemptions:
        lines += ["*Exemptions:*", "", *(f"- {text}" for text in entry.exemptions), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(reference_page())
