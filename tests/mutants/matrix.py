"""Which invariants each mutant violates in 200 random runs: made here, kept, compared.

python -m tests.mutants.matrix          # what is missing in the file that is kept
python -m tests.mutants.matrix --all    # everything, in some minutes
python -m tests.mutants.matrix NAME...  # these mutants
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from pathlib import Path

from agentsim.invariants import INVARIANTS
from agentsim.mutants import MUTANTS, Mutant
from tests.support.sampled import sampled
from tests.support.scenarios import scenario

__all__ = ["RUNS", "kept", "matrix_page", "violated"]

RUNS = 200

FILE = Path(__file__).with_suffix(".json")

Matrix = dict[str, list[str]]
"""Name of a mutant -> the invariants that it violates, in the order of the registry."""

_HEAD = f"""\
# Which mutant violates what

<!-- Made by `python -m tests.mutants.matrix` and `make docs`; tests compare both. -->

For each [mutant](mutants.md) the [invariants](invariants.md) that it violated in {RUNS}
random runs of the scenario that it names, with all faults, orders and a cancellation. The
one that must catch it stands in bold.

## By mutant

| mutant | violates |
|---|---|
"""

_BY_INVARIANT = """
## By invariant

| invariant | must catch | violated by |
|---|---|---|
"""


def violated(mutant: Mutant) -> list[str]:
    """The invariants that a mutant violates, in the same runs as those of `explore`."""
    story = scenario(mutant.scenario.removesuffix(".yaml"))
    found: set[str] = set()
    for made in sampled(story, mutant.agent, runs=RUNS):
        found.update(entry.id for entry in made.verdict.violated)
    return [name for name in INVARIANTS.own if name in found]


def kept() -> Matrix:
    """What was found when the file was made."""
    found: Matrix = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def make(names: Collection[str]) -> None:
    """Find out about some mutants, and drop those that there are no longer."""
    before = kept()
    after = {
        name: violated(mutant) if name in names else before[name]
        for name, mutant in MUTANTS.items()
        if name in names or name in before
    }
    rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in after.items()]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def matrix_page() -> str:
    """The text of `docs/reference/mutant-matrix.md`."""
    matrix = kept()
    rows = [
        f"| `{name}` | {_row(MUTANTS[name], row)} |\n"
        for name, row in matrix.items()
        if name in MUTANTS
    ]
    count = {
        name: sum(name in row for row in matrix.values()) for name in INVARIANTS.own
    }
    must = [mutant.invariant for mutant in MUTANTS.values()]
    by_invariant = [
        f"| `{name}` | {must.count(name)} | {count[name]} |\n"
        for name in INVARIANTS.own
    ]
    return "".join((_HEAD, *rows, _BY_INVARIANT, *by_invariant))


def _row(mutant: Mutant, row: list[str]) -> str:
    others = [f"`{name}`" for name in row if name != mutant.invariant]
    named = [f"**`{mutant.invariant}`**"] if mutant.invariant in row else []
    return ", ".join([*named, *others])


if __name__ == "__main__":
    asked = sys.argv[1:]
    if asked == ["--all"]:
        asked = list(MUTANTS)
    make(asked or [name for name in MUTANTS if name not in kept()])
