"""The imports of a piece of source: where each name comes from, and what has none."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

__all__ = ["Names"]

OWN = "agentsim"


class Names:
    """Collects what a piece of source has to import.

    Attributes:
        missing: What can't be imported, in words: its name in the source, and what it
            is.
    """

    def __init__(self) -> None:
        self._imported: dict[str, tuple[str, str]] = {}
        self._used: dict[str, list[str]] = {}
        self.missing: dict[str, str] = {}

    def own(self, name: str, package: str = OWN) -> str:
        """Import a name of agentsim; give it as it is written in the source."""
        return self._import(package, name)

    def of(self, value: object) -> str:
        """Import a class or a function; give it as it is written in the source.

        One that can't be imported (it stands inside a function, or in the program
        itself) gets a name all the same, and is listed as missing.
        """
        found = _place(value)
        if found is None:
            return self.lacking(value)
        module, qualified = found
        first, dot, rest = qualified.partition(".")
        return self._import(module, first) + dot + rest

    def reaches(self, value: object) -> bool:
        """Whether something can be imported by its name."""
        return _place(value) is not None

    def lacking(self, value: object) -> str:
        """Give a name to what can't be written as source, and list it as missing."""
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None)
        if not isinstance(name, str):
            name, module = type(value).__qualname__, type(value).__module__
            words = f"an object of {module}:{name}"
        else:
            words = f"{module}:{name}"
        short = re.sub(r"\W", "_", name.rpartition(".")[2]).strip("_") or "value"
        if keyword.iskeyword(short):
            short += "_"
        written, number = short, 2
        while self.missing.get(written, words) != words or written in self._imported:
            written, number = f"{short}_{number}", number + 1
        self.missing[written] = words
        return written

    def use(self, modules: Mapping[str, Sequence[str]]) -> None:
        """Import modules for what they add, each with the names of that."""
        for module, names in modules.items():
            known = self._used.setdefault(module, [])
            known += [name for name in names if name not in known]

    def lines(self) -> Iterator[str]:
        """The import statements: what adds something, then agentsim, then all others."""
        modules: dict[str, list[str]] = {}
        imported = {module for module, _name in self._imported.values()}
        for module, names in self._used.items():
            if module not in imported:
                yield f"import {module}  # noqa: F401 - it adds {', '.join(names)}"
        for written, (module, name) in self._imported.items():
            entry = name if written == name else f"{name} as {written}"
            modules.setdefault(module, []).append(entry)
        for module in sorted(modules, key=lambda m: (m.split(".")[0] != OWN, m)):
            names = sorted(modules[module], key=_case)
            flat = f"from {module} import {', '.join(names)}"
            if len(flat) <= 88:
                yield flat
            else:
                yield f"from {module} import ("
                yield from (f"    {name}," for name in names)
                yield ")"

    def _import(self, module: str, name: str) -> str:
        written, number = name, 2
        while self._imported.get(written, (module, name)) != (module, name):
            written, number = f"{name}_{number}", number + 1
        self._imported[written] = (module, name)
        return written


def _case(name: str) -> tuple[int, str]:
    """The usual order: constants, classes, functions."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name


def _place(value: object) -> tuple[str, str] | None:
    """The module and qualified name to import something by: its public place first."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    for place in _places(module):
        reached = name if "<" not in name else _held_as(place, value)
        if reached is not None and _reached(place, reached) is value:
            return place, reached
    return None


def _held_as(module: str, value: object) -> str | None:
    """The name under which a module holds what a decorator or a lambda made."""
    held = vars(sys.modules[module]) if module in sys.modules else {}
    return next((name for name, found in held.items() if found is value), None)


def _places(module: str) -> Iterator[str]:
    if module == "__main__":
        return
    parts = module.split(".")
    if parts[0] == OWN:
        yield OWN
        yield ".".join(parts[:2])
    elif len(parts) > 1:
        yield ".".join(parts[:-1])
    yield module


def _reached(module: str, name: str) -> object:
    found: object = sys.modules.get(module)
    if found is None and module.split(".", maxsplit=1)[0] == OWN:
        found = import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
