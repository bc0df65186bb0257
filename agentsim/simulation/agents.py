"""Finding the agent under test: a callable, a factory of one, or `module:name`."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from agentsim.core import Env, UsageError, did_you_mean

__all__ = ["Agent", "agent_name", "import_agent", "import_target", "start_agent"]

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
    if _is_factory(agent):
        made = agent()
        if not callable(made):
            _close(made)
            raise UsageError(
                f"the agent factory {agent_name(agent)} must return an agent, got "
                f"{type(made).__name__}; an agent takes one parameter, the environment: "
                "async def agent(env)"
            )
        agent = made
    if not _takes_one(agent):
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
    found = import_target(target, "--agent")
    if not callable(found):
        raise UsageError(f"--agent: {target!r} is no callable")
    return found


def import_target(target: str, what: str) -> object:
    """Import what `module:name` names.

    Args:
        what: The option or argument that holds the target, for the error.

    Raises:
        UsageError: says which half is missing, and what to write instead.
    """
    module_name, colon, name = target.partition(":")
    if not (module_name and colon and name) or module_name.startswith("."):
        raise UsageError(f"{what}: expected module:name, got {target!r}")
    if module_name.endswith(".py"):
        stem = PurePath(module_name).stem
        raise UsageError(
            f"{what}: expected the name of a module, got the file {module_name!r}: "
            f"write {stem}:{name}, from the folder of the file"
        )
    found: object = _import_module(module_name, what)
    for part in name.split("."):
        found = _attribute(found, part, module_name, what)
    return found


def _attribute(owner: object, name: str, module: str, what: str) -> object:
    try:
        return getattr(owner, name)
    except AttributeError:
        near = did_you_mean(name, [known for known in dir(owner) if known[0] != "_"])
        raise UsageError(f"{what}: module {module!r} has no {name!r}{near}") from None
    except Exception as error:  # a module may resolve its names lazily
        raise UsageError(
            f"{what}: can't import {name!r} of {module!r}: {_why(error)}"
        ) from error


def _import_module(name: str, what: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the code of a user raises
        raise UsageError(f"{what}: can't import {name!r}: {_why(error)}") from error


def _why(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return f"there is no module {error.name!r}"
    words = " ".join(str(error).split())
    return f"importing it raised {type(error).__name__}" + (words and f": {words}")


def _is_factory(agent: Callable[..., Any]) -> bool:
    """Whether it can be called without arguments; an async agent may have defaults."""
    positional, required = _parameters(agent)
    return required == 0 and not (positional and inspect.iscoroutinefunction(agent))


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
