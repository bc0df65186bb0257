"""Starting the agent under test, in whichever of the usual forms it is written.

Async functions and async generators run on the loop. All else runs on a thread of its
own, one that goes on only while the loop waits for it: there it may block.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextlib import aclosing, closing
from typing import Any, cast

from agentsim.core import Env, Finished, RunResult, UsageError
from agentsim.engine import Baton
from agentsim.simulation.agents import agent_name

__all__ = ["start_agent"]

STEPS_MAX = 1_000_000
"""Steps that a generator may yield in one life; more go on without end."""

_FORMS = "async def agent(env), or def agent(env)"


def start_agent(agent: Callable[..., Any], env: Env) -> Awaitable[object]:
    """Call an agent, or the agent that its factory makes.

    Returns:
        What gives, awaited, what the agent returns. Of a generator that is what it
        returns, if anything; else the last `RunResult` or `Finished` that it yields;
        else the last text.

    Raises:
        UsageError: when it is no callable, or takes other parameters.
    """
    agent = _made(agent)
    code = _code(agent)
    if inspect.iscoroutinefunction(code):
        started: Awaitable[object] = agent(env)
        return started
    name = _name(agent)
    if inspect.isasyncgenfunction(code):
        return _named(_last_of(agent(env), name), name)
    return _named(_on_thread(functools.partial(agent, env), name), name)


def _made(agent: Callable[..., Any]) -> Callable[..., Any]:
    """The agent itself, checked; made anew where a factory is given."""
    if not callable(agent):
        raise UsageError(_no_callable(agent))
    if _is_factory(agent):
        made = agent()
        if not callable(made):
            _close(made)
            raise UsageError(
                f"the agent factory {agent_name(agent)} must return an agent, got "
                f"{type(made).__name__}; an agent takes one parameter, the "
                f"environment: {_FORMS}"
            )
        agent = made
    elif inspect.isclass(agent):
        raise UsageError(
            f"the class {agent_name(agent)} needs arguments to be made: give a function "
            "without parameters that makes one, and let its __call__ take the environment"
        )
    if not _takes_one(agent):
        raise UsageError(
            f"the agent {agent_name(agent)} must take one parameter, the environment: "
            f"{_FORMS}"
        )
    return agent


def _no_callable(agent: object) -> str:
    words = f"the agent must be a callable, got {type(agent).__name__}"
    if not inspect.isawaitable(agent):
        return words
    _close(agent)
    return f"{words}; give the function itself, and not what a call of it returns"


async def _on_thread(agent: Callable[[], Any], name: str) -> object:
    """Run a synchronous agent, or what only looks like one: it may return a coroutine."""

    def whole() -> object:
        result = agent()
        return _drained(result, name) if inspect.isgenerator(result) else result

    result = await Baton(whole, name=name).drive()
    if inspect.isasyncgen(result):
        return await _last_of(result, name)
    return await result if inspect.isawaitable(result) else result


async def _last_of(generator: AsyncGenerator[object, Any], name: str) -> object:
    steps = _Steps(name)
    async with aclosing(generator):
        async for step in generator:
            steps.take(step)
    return steps.last


def _drained(generator: Generator[object, Any, object], name: str) -> object:
    steps = _Steps(name)
    with closing(generator):
        while True:
            try:
                step = next(generator)
            except StopIteration as end:
                return steps.last if end.value is None else end.value
            steps.take(step)


class _Steps:
    """What a generator yields, as far as it says how the run ended."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0
        self._result: RunResult | Finished | None = None
        self._text: str | None = None

    @property
    def last(self) -> RunResult | Finished | str | None:
        """The last `RunResult` or `Finished`, else the last text."""
        return self._text if self._result is None else self._result

    def take(self, step: object) -> None:
        self._count += 1
        if self._count > STEPS_MAX:
            raise UsageError(
                f"the agent {self._name} yielded {STEPS_MAX} steps and goes on: let it "
                "end when the model's answer is final"
            )
        if isinstance(step, (RunResult, Finished)):
            self._result = step
        elif isinstance(step, str):
            self._text = step
        elif inspect.isawaitable(step):
            _close(step)
            raise UsageError(
                f"the agent {self._name} yielded a {type(step).__name__}, which nobody "
                "awaits: await it in an async generator, or ask through env.sync"
            )


def _name(agent: Callable[..., Any]) -> str:
    """The name of an agent where it is told who waits for what."""
    while isinstance(agent, functools.partial):
        agent = agent.func
    return (
        getattr(agent, "__qualname__", None) or f"{type(agent).__qualname__}.__call__"
    )


def _named(coroutine: Coroutine[Any, Any, object], name: str) -> Awaitable[object]:
    """Give a coroutine of ours the name of the agent that it drives."""
    cast("Any", coroutine).__qualname__ = name
    return coroutine


def _code(agent: Callable[..., Any]) -> Callable[..., Any]:
    """The function behind a partial or an object, which tells whether it is async."""
    while isinstance(agent, functools.partial):
        agent = agent.func
    if inspect.isroutine(agent):
        return agent
    return getattr(type(agent), "__call__", agent)  # noqa: B004 - not asked if callable


def _is_factory(agent: Callable[..., Any]) -> bool:
    """Whether it can be called without arguments; an async agent may have defaults."""
    positional, required = _parameters(agent)
    return required == 0 and not (positional and _is_told_apart(_code(agent)))


def _is_told_apart(code: Callable[..., Any]) -> bool:
    """Whether it is an agent by its form, and no factory."""
    return (
        inspect.iscoroutinefunction(code)
        or inspect.isasyncgenfunction(code)
        or inspect.isgeneratorfunction(code)
    )


def _takes_one(agent: Callable[..., Any]) -> bool:
    positional, required = _parameters(agent)
    return positional >= 1 and required <= 1


def _parameters(agent: Callable[..., Any]) -> tuple[int, int]:
    try:
        return _counted(agent)
    except TypeError:  # one that has no hash
        return _counted.__wrapped__(agent)


@functools.lru_cache(maxsize=64)
def _counted(agent: Callable[..., Any]) -> tuple[int, int]:
    """How many arguments it takes by position, and how many it needs in all."""
    try:
        parameters = inspect.signature(agent).parameters.values()
    except (TypeError, ValueError):
        return 1, 1  # written in C: then the call itself will tell
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    required = [p for p in parameters if p.default is p.empty and p.kind not in _REST]
    return len(positional), len(required)


_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def _close(made: object) -> None:
    """Close a coroutine that will not be awaited, which Python would warn of."""
    if inspect.iscoroutine(made):
        made.close()
