"""The progress of an exploration, on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.console import Console

from agentsim.simulation import Exploration

__all__ = ["by_frequency", "progress", "progress_words"]

ENDINGS_SHOWN = 3
"""Endings that the bar has room for."""

EVERY_S = 0.1
"""Real seconds between two updates of the bar."""


@contextlib.contextmanager
def progress(
    total: int | None, *, shown: bool
) -> Iterator[Callable[[Exploration], None] | None]:
    """Show a progress bar, on a terminal only.

    Args:
        total: How many runs there are at most, or None where nobody knows.
        shown: Whether it may be shown at all.
    """
    # Its own file: what an agent prints is redirected, and the bar is not.
    terminal = Console(file=sys.stderr)
    if not (shown and terminal.is_terminal):
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
    )
    # Refreshed with each update, and by no thread: workers can then be copies.
    with Progress(
        *columns, console=terminal, transient=True, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=total, told="")
        next_s = 0.0

        def tell_progress(found: Exploration) -> None:
            nonlocal next_s
            if found.elapsed_s < next_s:
                return
            next_s = found.elapsed_s + EVERY_S
            known = total
            if found.deviations_left is not None:
                known = found.runs + found.deviations_left[0]
                known = min(known, total) if total is not None else known
            bar.update(
                task, total=known, completed=found.runs, told=progress_words(found)
            )
            bar.refresh()

        yield tell_progress


def progress_words(found: Exploration) -> str:
    """Where an exploration stands, in one short line."""
    parts = [f"{found.runs}, {found.runs_per_s:.0f} runs/s"]
    if found.deviations_left is not None:
        left, exact = found.deviations_left
        parts.append(f"{'' if exact else 'at least '}{left} left")
    if found.failures:
        parts.append(f"{found.violated_runs} violated")
    endings = by_frequency(found.endings)
    told = [f"{name} {count}" for name, count in endings[:ENDINGS_SHOWN]]
    told += ["…"] * (len(endings) > ENDINGS_SHOWN)
    return "; ".join([*parts, ", ".join(told)])


def by_frequency(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names with their counts, the most frequent first."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
