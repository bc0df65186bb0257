"""Lazy package names: one table per package, resolved on first use (PEP 562).

How to write a package's `__init__.py` (this is the whole file):

    \"\"\"One sentence: the role of the package and its limits.\"\"\"

    from typing import TYPE_CHECKING

    from agentsim._lazy import attach

    if TYPE_CHECKING:
        from agentsim.core.messages import Message as Message
    else:
        __getattr__, __dir__, __all__ = attach(__name__, {"Message": "messages"})

The `if` half is what tools read (`as Message` marks a re-export for mypy --strict);
the `else` half is what runs: exported name -> module, relative to the package. Both
list the same names; `tests/house/test_lazy.py` compares them and resolves each one.
The `else` keeps `__getattr__` out of mypy's sight, so a misspelt import stays an error.
A name may equal its module's (`explore` in `explore.py`): the exported name wins.
This module sits below `core`: every package may import it, and it imports none.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

__all__ = ["attach"]


def attach(
    package: str, table: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Build the module hooks that serve a package's exported names on first use.

    Args:
        package: The package's `__name__`.
        table: Exported name -> module that defines it, relative to the package
            (`"messages"`, or `"simulation"` for a whole subpackage).

    Returns:
        The package's `__getattr__`, `__dir__` and `__all__`.
    """
    module = sys.modules[package]
    modules = frozenset(table.values())
    if any(name in modules for name in table):
        _guard(module, frozenset(table))

    def resolve(name: str) -> object:
        source = table.get(name)
        if source is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{source}"), name)
        # Kept on the package, so that the second look-up never comes here.
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(module), *table})

    return resolve, names, sorted(table)


def _guard(module: ModuleType, exported: frozenset[str]) -> None:
    """Keep a submodule from taking the place of the exported name it shares.

    The import system binds every loaded submodule on its package. For `explore.py`
    with an exported `explore` that would hide the function as soon as a sibling
    imports the file, so that one binding is dropped.
    """

    class LazyPackage(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if name not in exported or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    module.__class__ = LazyPackage
