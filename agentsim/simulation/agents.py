"""Finding the agent under test: a callable, a factory of one, or `module:name`."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from agentsim.core import Env, UsageError

__all__ = ["Agent", "agent_name", "import_agent", "start_agent"]

Agent = Callable[[Env], Awaitable[object]]
"""`async def agent(env)`; a function without parameters is a factory of one."""


def agent_name(agent: Callable[..., Any]) -> str:
    """The name of an agent in traces and reports: `module:name`, without addresses.

    A name that the package above exports is told by that, its public place.
    """
    name = getattr(agent, "__qualname__", None) or type(agent).__qualname__
    module = getattr(agent, "__module__", None) or type(agent).__module__
    package = sys.modules.get(module.rpartition(".")[0])
    if getattr(package, name, None) is agent:
        module = module.rpartition(".")[0]
    return f"{module}:{name}"


def start_agent(agent: Callable[..., Any], env: Env) -> Awaitable[object]:
    """Call an agent, or the agent that its factory makes.

    Raises:
        UsageError: when it is no callable, takes other parameters, or is not async.
    """
    if not callable(agent):
        raise UsageError(f"the agent must be a callable, got {type(agent).__name__}")
    if _required_parameters(agent) == 0:
        agent = agent()
        if not callable(agent):
            raise UsageError(
                f"the agent factory must return an agent, got {type(agent).__name__}"
            )
    if _required_parameters(agent) != 1:
        raise UsageError(
            f"the agent {agent_name(agent)} must take one parameter, the environment: "
            "async def agent(env)"
        )
    started = agent(env)
    if not inspect.isawaitable(started):
        raise UsageError(
            f"the agent {agent_name(agent)} must be async (async def agent(env)): "
            "synchronous agents are not supported yet"
        )
    return started


def import_agent(target: str) -> Callable[..., Any]:
    """Import `module:name`; the current directory counts, as it does for pytest.

    Raises:
        UsageError: says which half is missing, and what to write instead.
    """
    module_name, colon, name = target.partition(":")
    if not (module_name and colon and name):
        raise UsageError(f"--agent: expected module:callable, got {target!r}")
    module = _import_module(module_name)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise UsageError(f"--agent: module {module_name!r} has no {name!r}")
    if not callable(found):
        raise UsageError(f"--agent: {target!r} is no callable")
    return found  # type: ignore[no-any-return]


def _import_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name is not None
        why = (
            f"there is no module {error.name!r}"  # type: ignore[attr-defined]
            if missing
            else f"importing it raised {type(error).__name__}: {error}"
        )
        raise UsageError(f"--agent: can't import {name!r}: {why}") from error


@functools.lru_cache(maxsize=64)
def _required_parameters(agent: Callable[..., Any]) -> int:
    try:
        parameters = inspect.signature(agent).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    needed = [p for p in parameters if p.kind in positional and p.default is p.empty]
    return len(needed)
