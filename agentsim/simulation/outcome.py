"""What the agent left behind, as the last event of a trace.

Only texts, numbers and messages go into it: a value of another type might hold a memory
address, and the same run would then leave two traces.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentsim.core import (
    Event,
    Finished,
    History,
    Message,
    MessageView,
    Outcome,
    ResumeProbe,
    RunEnded,
    RunResult,
    Usage,
    UsageError,
    place_of,
)
from agentsim.engine import Ending
from agentsim.providers import ScriptedClient
from agentsim.runtime import describe

__all__ = ["error_words", "outcome_of", "resume_probe"]

WORDS_MAX = 1_000
"""Characters that the words of an exception may take in a trace."""

GROUP_SHOWN = 3
"""Exceptions of a group that are told."""


def outcome_of(
    ending: Ending, events: Sequence[Event], *, at_ns: int, life: int
) -> Outcome:
    """Tell how the last life ended.

    A cancelled agent returns nothing; what its runtime said in `RunEnded` as it went
    stands in for the result, so that the history that it left is judged.

    Raises:
        UsageError: when a field of the agent's `RunResult` or `Finished` is of a wrong
            type, or the agent returned a coroutine that nobody awaits.
    """
    result = ending.value
    if isinstance(result, Finished):
        _check(result, "status", "output", "error")
        return Outcome(
            ending.kind,
            _text(result.status),
            _text(result.output),
            ending.words or _text(result.error),
            at_ns=at_ns,
            life=life,
        )
    if isinstance(result, RunResult):
        _check(result, *_FIELDS)
        return Outcome(
            ending.kind,
            _text(result.status),
            _text(result.output),
            ending.words or _text(result.error),
            result.iterations,
            result.usage,
            tuple(map(_text, result.tools)),
            _view(result.history),
            at_ns=at_ns,
            life=life,
        )
    said = _last_words(events, life) if ending.kind == "cancelled" else None
    if said is not None:
        return Outcome(
            ending.kind,
            said.status,
            said.output,
            said.words,
            said.iterations,
            said.usage,
            said.tools,
            said.history,
            at_ns=at_ns,
            life=life,
        )
    if inspect.iscoroutine(result):
        result.close()
        raise UsageError(
            f"the agent returned the coroutine {result.__qualname__}, which nobody "
            "awaits: let it return what `await` gives"
        )
    output = _text(result) if isinstance(result, str) else None
    kind, error = ending.kind, ending.words or None
    left_behind = kind == "leak" and not isinstance(
        ending.error, asyncio.CancelledError
    )
    if ending.error is not None and (kind == "raised" or left_behind):
        # What it raised matters more than the tasks that it left behind.
        kind, left = "raised", f"; {error}" if error is not None else ""
        error = error_words(ending.error) + left
    return Outcome(kind, None, output, error, at_ns=at_ns, life=life)


def resume_probe(client: ScriptedClient | None, outcome: Outcome) -> ResumeProbe | None:
    """Ask whether the history that a run left takes a new message of the user (R3.9).

    Returns:
        The answer as an event of the outcome's time and life, or None where there is
        nothing to ask: no history was left, or its calls wait for a person.
    """
    history = outcome.history
    if client is None or history is None or outcome.status == "waiting_human":
        return None
    refusal = client.resumes(history)
    found = ResumeProbe(who="engine", at_ns=outcome.at_ns, life=outcome.life)
    if refusal is not None:
        found.rule, found.words, found.param = (
            refusal.rule,
            refusal.words,
            refusal.param or "",
        )
    return found


def error_words(error: BaseException) -> str:
    """An exception in words: its class, what it says, and where in the agent it arose.

    The words of the interpreter's own exceptions may differ between Python versions:
    a run that raises one has the same trace on one version only.
    """
    words = describe(error)
    if isinstance(error, BaseExceptionGroup):
        leaves = list(_leaves(error))
        told = [error_words(leaf) for leaf in leaves[:GROUP_SHOWN]]
        more = len(leaves) - GROUP_SHOWN
        told += [f"and {more} more"] if more > 0 else []
        return _clipped(f"{words}: {'; '.join(told)}")
    place = place_of(error)
    return f"{_clipped(words)}, in {place}" if place else _clipped(words)


def _text(value: Any) -> Any:  # noqa: ANN401 - a text, or None
    """A text without what a class of the agent's adds to it: a trace has plain ones."""
    if type(value) is str or not isinstance(value, str):
        return value
    return str.__str__(value)


def _clipped(words: str) -> str:
    return words if len(words) <= WORDS_MAX else f"{words[: WORDS_MAX - 1]}…"


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _last_words(events: Sequence[Event], life: int) -> RunEnded | None:
    for event in reversed(events):
        if event.life != life:
            return None
        if isinstance(event, RunEnded):
            return event if event.status == "cancelled" else None
    return None


_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "status": (lambda value: isinstance(value, str), "a text"),
    "output": (lambda value: value is None or isinstance(value, str), "a text or None"),
    "error": (lambda value: value is None or isinstance(value, str), "a text or None"),
    "iterations": (
        lambda value: isinstance(value, int) and not isinstance(value, bool),
        "a whole number",
    ),
    "usage": (lambda value: isinstance(value, Usage), "a Usage"),
    "tools": (lambda value: _all_are(value, str), "names of tools"),
    "history": (lambda value: _all_are(value, Message), "messages"),
}


def _check(result: RunResult | Finished, *names: str) -> None:
    for name in names:
        fits, expected = _FIELDS[name]
        value = getattr(result, name)
        if not fits(value):
            raise UsageError(
                f"the agent returned a {type(result).__name__} whose {name} is a "
                f"{type(value).__name__}: expected {expected}"
            )


def _all_are(value: object, kind: type) -> bool:
    # What is most likely comes first: to ask for the general is slow.
    if not isinstance(value, (tuple, MessageView, Sequence)) or isinstance(value, str):
        return False
    kinds = set(map(type, value))
    return kinds <= {kind} or all(issubclass(found, kind) for found in kinds)


def _view(history: Sequence[Message]) -> MessageView:
    return history if isinstance(history, MessageView) else History(history).view()
