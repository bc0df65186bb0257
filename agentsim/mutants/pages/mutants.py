"""The reference page of the mutants, made from their registry."""

from __future__ import annotations

from agentsim.mutants.pages.faults import KNOWN_FAULTS, KnownFault
from agentsim.mutants.registry import MUTANTS

__all__ = ["mutants_page"]

_HEAD = """\
# Mutants: agents that are broken on purpose

<!-- Made from the registry by `make docs`; a test compares the two. -->

A checker that never rings may be deaf. Each mutant is a correct agent loop with one
fault, a small subclass of `agentsim.mutants.Loop` that replaces a few of its methods.
Left as it is (`agentsim.mutants:unbroken`), that loop violates nothing, in any scenario
here. So when a mutant is caught, its fault is what was caught.

Each mutant names a scenario that shows the fault, and the invariant that must catch it
there within 200 random runs. A test holds it to that. What else each violates stands on
[a page of its own](mutant-matrix.md).

```console
$ agentsim run scenarios/declined.yaml --agent agentsim.mutants:declined_call_runs  # exit code 1
```

## By what is broken

| mutant | what is broken | scenario | caught by |
|---|---|---|---|
"""

_MIDDLE = """
## By invariant

| invariant | mutants that it must catch |
|---|---|
"""

_FAULTS = """
## What published loops get wrong

Loops in books, blogs and frameworks have these faults. Most are mutants here. A few
leave no trace that could be judged, and are refused or avoided by the reference agent: a
test of it holds them. The others wait for a part of agentsim that is still to come.

| what goes wrong | shown by |
|---|---|
"""


def mutants_page() -> str:
    """The text of `docs/reference/mutants.md`."""
    rows = [
        f"| `{mutant.name}` | {mutant.sentence} | `{mutant.scenario}` "
        f"| `{mutant.invariant}` |\n"
        for mutant in MUTANTS.values()
    ]
    caught: dict[str, list[str]] = {}
    for mutant in MUTANTS.values():
        caught.setdefault(mutant.invariant, []).append(f"`{mutant.name}`")
    by_invariant = [
        f"| `{invariant}` | {', '.join(caught[invariant])} |\n"
        for invariant in sorted(caught)
    ]
    faults = [f"| {fault.words} | {_shown_by(fault)} |\n" for fault in KNOWN_FAULTS]
    return "".join((_HEAD, *rows, _MIDDLE, *by_invariant, _FAULTS, *faults))


def _shown_by(fault: KnownFault) -> str:
    if fault.waits_for:
        return f"not yet: there are no {fault.waits_for}"
    if fault.test:
        return f"the test `{fault.test.rpartition('::')[2]}`"
    return ", ".join(f"`{name}`" for name in fault.mutants)
