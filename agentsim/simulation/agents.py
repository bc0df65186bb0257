"""Finding the agent under test by `module:name`, and telling its name."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePath
from types import FunctionType, ModuleType
from typing import Any

from agentsim.core import UsageError, did_you_mean, named_error

__all__ = [
    "Agent",
    "agent_name",
    "import_agent",
    "import_target",
    "keeps_state",
    "to_write",
]

Agent = Callable[..., object]
"""`async def agent(env)`, `def agent(env)`, a generator of one or the other kind, or a
factory of one: a class, or a function without parameters."""


def agent_name(agent: Callable[..., Any]) -> str:
    """The name of an agent in traces and reports: `module:name`, without addresses.

    A name that the package above exports is told by that, its public place. An object
    is told by its class, and a partial by what it calls: `module:partial(name)`.
    """
    if isinstance(agent, partial):
        module, _, name = agent_name(agent.func).partition(":")
        return f"{module}:partial({name})"
    name = getattr(agent, "__qualname__", None) or type(agent).__qualname__
    module = getattr(agent, "__module__", None) or type(agent).__module__
    package = sys.modules.get(module.rpartition(".")[0])
    if getattr(package, name, None) is agent:
        module = module.rpartition(".")[0]
    return f"{module}:{name}"


def keeps_state(agent: Callable[..., Any]) -> bool:
    """Whether it is an object, or a method of one, that may remember the run before."""
    if isinstance(agent, partial):
        return keeps_state(agent.func)
    return not isinstance(agent, FunctionType | type)


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
    if module_name.endswith(".py") or "/" in module_name:
        raise UsageError(
            f"{what}: expected the name of a module, got the path {module_name!r}: "
            f"write {to_write(module_name, name.lstrip(':'))}"
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
    with contextlib.suppress(OSError):  # the folder is gone: then nothing is in it
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the code of a user raises
        raise UsageError(f"{what}: can't import {name!r}: {_why(error)}") from error


def to_write(path: str, name: str) -> str:
    """The target for a name in a file of Python, and the folder where it is one.

    As for pytest, that is the first folder upwards that is no package.
    """
    file = PurePath(path).with_suffix("")
    folder, names = file.parent, [file.name]
    while folder.name and Path(folder, "__init__.py").is_file():
        folder, names = folder.parent, [folder.name, *names]
    target, place = f"{'.'.join(names)}:{name}", folder.as_posix()
    if place == ".":
        return target
    return f"{target}, in the folder {place} or with PYTHONPATH={place}"


def _why(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return f"there is no module {error.name!r}{_elsewhere(error.name)}"
    return f"importing it raised {named_error(error)}"


def _elsewhere(name: str) -> str:
    """Where a module is that can't be imported from here, as far as that is plain."""
    top, _, rest = name.partition(".")
    with contextlib.suppress(OSError):
        return _hidden(top) if rest else _one_folder_down(top)
    return ""


def _hidden(top: str) -> str:
    """A folder here that is passed over, since a package elsewhere has its name."""
    file = getattr(sys.modules.get(top), "__file__", None)
    if not file or not Path(top).is_dir() or Path(top).samefile(Path(file).parent):
        return ""
    return (
        f": {top!r} is the package in {Path(file).parent}, since the folder {top} here "
        "has no __init__.py"
    )


def _one_folder_down(top: str) -> str:
    for folder in sorted(Path().iterdir()):
        for own in (folder / f"{top}.py", folder / top / "__init__.py"):
            if folder.name[0] != "." and own.is_file():
                return f", but {own.as_posix()} is here: try PYTHONPATH={folder}"
    return ""
