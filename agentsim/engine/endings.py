"""How a life ended, and the words for who was still waiting for what."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import AsyncGeneratorType
from typing import Any

from agentsim.core import EndingKind
from agentsim.engine.asyncio_shim import waited_for
from agentsim.engine.seals.callers import module_of
from agentsim.engine.threads.stacks import functions_in

__all__ = ["Ending"]

_THREADS = "agentsim.engine.threads."
_STEPS = ("async_generator_asend", "async_generator_athrow")
_CHAIN_MAX = 20
_TASKS_MAX = 20


@dataclass(frozen=True, slots=True)
class Ending:
    """How one life of the agent ended.

    Attributes:
        kind: `returned`, `raised`, `cancelled` (the cancellation came out), `crashed`,
            `deadlock`, `livelock`, or `leak` (it ended while tasks, or threads that it
            had started, were still alive).
        value: What the agent returned, or None.
        error: What it raised, or None.
        words: Who waits for what, for a deadlock, livelock or leak; else empty.
        unhandled: What went wrong in callbacks, and in tasks that nothing awaited.
    """

    kind: EndingKind
    value: object = None
    error: BaseException | None = None
    words: str = ""
    unhandled: tuple[str, ...] = ()


def who_waits(tasks: Iterable[asyncio.Future[Any]]) -> str:
    """Name the tasks and where each is, from its own coroutine inwards.

    `main waits in agent > gather_all for Task-2; Task-2 waits in worker > Queue.get`

    Of what drives a thread, the functions are told that the thread is in.
    """
    listed = list(tasks)
    told = [_where(task) for task in listed[:_TASKS_MAX]]
    if len(listed) > _TASKS_MAX:
        told.append(f"{len(listed) - _TASKS_MAX} more tasks")
    return "; ".join(told)


def _where(task: asyncio.Future[Any]) -> str:
    if not isinstance(task, asyncio.Task):
        return "a future of another kind waits"
    chain = " > ".join(_chain(task.get_coro())) or "nothing"
    target = waited_for(task)
    if isinstance(target, asyncio.Task):
        return f"{task.get_name()} waits in {chain} for {target.get_name()}"
    return f"{task.get_name()} waits in {chain}"


def _chain(awaited: object) -> Iterator[str]:
    """Yield the names of the coroutines that await each other, outermost first."""
    for _ in range(_CHAIN_MAX):
        name = getattr(awaited, "__qualname__", None)
        frame = getattr(awaited, "cr_frame", None)
        if frame is not None and module_of(frame).startswith(_THREADS):
            # What drives a thread stands for the functions that the thread is in.
            if name == "Baton.outcome":
                yield from functions_in(frame.f_locals["self"].ident)
        elif isinstance(name, str):
            yield name
        awaited = _inner(awaited)
        if awaited is None:
            return


def _inner(awaited: object) -> object:
    """What a coroutine or generator is suspended in, or None."""
    for attribute in ("cr_await", "ag_await", "gi_yieldfrom"):
        inner: object = getattr(awaited, attribute, None)
        if inner is not None:
            return inner
    if type(awaited).__name__ in _STEPS:
        # A step of an async generator has no attribute that leads to it.
        for inner in gc.get_referents(awaited):
            if isinstance(inner, AsyncGeneratorType):
                return inner
    return None
