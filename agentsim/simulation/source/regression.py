"""A scenario as source, and a run as a test that can be pasted and run as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentsim.simulation.menu import SCRIPTED
from agentsim.simulation.run import Run
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.source.additions import additions
from agentsim.simulation.source.layout import Group, Node, laid_out
from agentsim.simulation.source.values import Writer

__all__ = ["expression_of", "regression_test", "source_of"]


def source_of(scenario: Scenario) -> str:
    """Write a scenario as Python: imports, and the statement `scenario = Scenario(...)`.

    Running it gives an equal scenario. Functions are imported from where they are
    defined; those that can't be (they stand inside another function) are named in a
    comment at the top, to be put in by hand.
    """
    writer = Writer()
    node = writer.scenario(scenario)
    body = [f"scenario = {laid_out(node, before=11)}"]
    writer.names.use(additions(scenario, parts=False))
    return _module(writer, body, blank=1)


def expression_of(value: object) -> str:
    """Write a value as a Python expression, without the imports that it needs."""
    return laid_out(Writer().value(value))


def regression_test(
    runs: Run | Sequence[Run],
    agent: Callable[..., Any],
    *,
    make: Callable[[], Callable[..., Any]] | None = None,
    invariant: str | None = None,
) -> str:
    """Write runs as a pytest function that repeats them and expects that they hold.

    Args:
        runs: One run, or those of a session in their order.
        agent: The agent that was run.
        make: What made the agent, where it keeps a state from run to run.
        invariant: Whose violation the test is named after; the first one unless given.
    """
    runs = [runs] if isinstance(runs, Run) else runs
    writer = Writer()
    last = runs[-1]
    violated = last.verdict.violated
    name = invariant or (violated[0].id if violated else "verdict")
    lines = [f"def test_{re.sub(r'[^a-z0-9]+', '_', name.lower())}() -> None:"]
    if violated and (sentence := _sentence(name)):
        lines.append(f'    """{sentence}"""')
    written: Node
    if make is None:
        written = writer.names.of(agent)
    else:
        written = "agent"
        lines.append(f"    agent = {writer.names.of(make)}()")
    for run in runs:
        named = [entry.id for entry in run.verdict.violated]
        writer.names.use(additions(run.scenario, run.menu, named, parts=False))
        lines += _repeated(writer, run, written)
    return _module(writer, lines, blank=2)


def _repeated(writer: Writer, run: Run, agent: Node) -> Iterator[str]:
    scenario = writer.scenario(run.scenario)
    yield f"    scenario = {laid_out(scenario, indent=4, before=11)}"
    parts: list[tuple[str, Node]] = [
        ("", "scenario"),
        ("", writer.value(run.token)),
        ("", agent),
    ]
    if run.menu != SCRIPTED:
        menu = writer.value(run.menu)
        yield f"    menu = {laid_out(menu, indent=4, before=7)}"
        parts.append(("menu=", "menu"))
    call = Group(f"{writer.names.own('replay')}(", parts)
    yield f"    {laid_out(call, indent=4, after=16)}.expect_holds()"


def _sentence(identifier: str) -> str:
    from agentsim.report import invariant_sentence

    return invariant_sentence(identifier).replace("\\", "\\\\").replace('"', "'")


def _module(writer: Writer, body: Sequence[str], *, blank: int) -> str:
    missing = writer.names.missing
    lines = [
        f"# {written} can't be imported: put in {words} here."
        for written, words in missing.items()
    ]
    lines += [*writer.names.lines(), *[""] * blank, *body]
    return "\n".join(lines) + "\n"
