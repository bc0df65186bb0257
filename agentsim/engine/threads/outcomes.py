"""What a job on a thread is: what it calls, its name, and where its outcome goes."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import Any, NamedTuple

Report = Callable[[object, BaseException | None], object]
"""Takes what a function returned, or raised."""


class Job(NamedTuple):
    """A function for a thread.

    Attributes:
        call: What the thread runs.
        name: That of the function, as it is told to people.
        report: Called on the loop's thread with the outcome.
        cancel: Called if it is dropped before there was a thread for it.
    """

    call: Callable[[], object]
    name: str
    report: Report
    cancel: Callable[[], object] | None = None


def function_name(function: object) -> str:
    """The name of a function, without addresses; that within a partial, if it is one."""
    while isinstance(function, partial):
        ran_in = getattr(function.func, "__self__", None)
        in_context = isinstance(ran_in, Context) and function.args
        function = function.args[0] if in_context else function.func
    return str(getattr(function, "__name__", type(function).__name__))


def settle(future: Future[Any], value: object, error: BaseException | None) -> None:
    """Put an outcome into a future, unless nobody waits for it any more."""
    if future.done():
        return
    if error is None:
        future.set_result(value)
    elif isinstance(error, StopIteration):
        # As asyncio says it since 3.12; before, the awaiting task never went on.
        told = RuntimeError("StopIteration interacts badly with generators")
        told.__cause__ = error
        future.set_exception(told)
    else:
        future.set_exception(error)
