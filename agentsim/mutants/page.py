"""The reference page of the mutants, made from their registry."""

from __future__ import annotations

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
there within 200 random runs. A test holds it to that.

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
    return _HEAD + "".join(rows) + _MIDDLE + "".join(by_invariant)
