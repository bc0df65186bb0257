"""Stand-ins for functions of the standard library, wherever modules hold those.

Who has written `from time import monotonic` holds the function itself, so that another
one in the module `time` reaches nobody. Modules are therefore searched for such names,
each once, and all that hold one are given the stand-in for as long as a life runs.
Between runs every name is what it was.

A stand-in must serve whoever calls it: on the threads of a run it gives what is the
run's, on every other thread, and where something has kept it beyond its run, it calls
what lies beneath it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from agentsim.engine.seals.inside import depth

__all__ = ["Aliases", "Home"]

Names = dict[str, Any]

_LEFT_ALONE = frozenset(
    {
        # Us, and what runs, measures or debugs the tests.
        "agentsim",
        # Where `os` has its functions from.
        *("posix", "nt"),
        *("_pytest", "pytest", "pluggy", "xdist", "execnet", "pytest_timeout"),
        *("hypothesis", "freezegun", "time_machine", "coverage"),
        *("pydevd", "debugpy", "_pydev_bundle", "_pydevd_bundle", "pdb", "bdb"),
        # What waits for other threads and processes: they take real time.
        *("threading", "queue", "selectors", "concurrent", "multiprocessing"),
        *("subprocess", "socketserver"),
    }
)
"""Packages that keep what they hold."""

_KINDS = (BuiltinFunctionType, FunctionType, MethodType)


class Home:
    """Where a function lives: the module that others take it from.

    Attributes:
        stand_in: What takes its place; a bound method, since classes hold such
            functions too, and a plain one would become a method of theirs.
        original: The function.
        beneath: What was there before the run at hand.
    """

    __slots__ = ("attribute", "beneath", "names", "original", "stand_in")

    def __init__(
        self,
        module: ModuleType,
        attribute: str,
        stand_in: Callable[..., Any],
    ) -> None:
        self.names: Names = vars(module)
        self.attribute = attribute
        self.stand_in = stand_in
        current = self.names[attribute]
        # agentsim may be imported within a freeze.
        frozen = _is_frozen(current, attribute)
        self.original: Any = _thawed(attribute) if frozen else current
        self.beneath: Any = self.original

    def real(self) -> Callable[..., Any]:
        """What would be there without us."""
        current = self.names[self.attribute]
        real: Callable[..., Any]
        real = self.beneath if current is self.stand_in else current
        return real


class _Place(NamedTuple):
    """A name by which a module holds a function."""

    names: Names
    attribute: str
    home: Home


class Aliases:
    """While entered, stand-ins are in place of their functions, at home and elsewhere.

    Args:
        homes: Those of the functions.
    """

    __slots__ = ("_homes", "_places", "_scan")

    def __init__(self, homes: Sequence[Home]) -> None:
        self._homes = homes
        self._places: list[_Place] = []
        self._scan = _Scan()

    def put_in(self) -> list[tuple[Names, str, Any]]:
        """Put them in place; returns what was there before."""
        if not depth():
            self._look_into_new_modules()
        before: list[tuple[Names, str, Any]] = []
        for home in self._homes:
            names, attribute, stand_in = home.names, home.attribute, home.stand_in
            current = names[attribute]
            if current is not stand_in:
                home.beneath = current
                before.append((names, attribute, current))
                names[attribute] = stand_in
        for names, attribute, home in self._places:
            current = names.get(attribute)
            if current is home.original or _is_frozen(current, home.attribute):
                before.append((names, attribute, current))
                names[attribute] = home.stand_in
        return before

    def put_back(self, before: list[tuple[Names, str, Any]]) -> None:
        """Put back what was there, and let no module keep a stand-in."""
        for names, attribute, current in before:
            names[attribute] = current
        if not depth():
            self._look_into_new_modules()

    def _look_into_new_modules(self) -> None:
        """Note who holds one of the functions, or a stand-in that it met in a run."""
        modules = self._scan.new_modules()
        if not modules:
            return
        known: dict[object, Home] = {}
        for home in self._homes:
            known[home.original] = known[home.stand_in] = home
            if "freezegun.api" in sys.modules:
                known[_fake(home.attribute)] = home
        for module in modules:
            names = vars(module)
            for attribute, value in list(names.items()):
                if type(value) in _KINDS and value in known:
                    home = known[value]
                    if names is home.names and attribute == home.attribute:
                        continue
                    self._places.append(_Place(names, attribute, home))
                    if value is home.stand_in:
                        names[attribute] = home.real()


class _Scan:
    """Finds the modules that were not there when it last looked.

    What is imported this very moment counts as new until it is done; and the names of
    `__main__` are looked at whenever there are more, since a notebook is never done.
    """

    __slots__ = ("_mark", "_seen")

    def __init__(self) -> None:
        self._mark: object = None
        self._seen: dict[str, ModuleType] = {}

    def new_modules(self) -> list[ModuleType]:
        """Return them; quickly if nothing was imported meanwhile."""
        modules = sys.modules
        main = modules.get("__main__")
        last = next(reversed(modules))
        count = len(vars(main)) if main is not None else 0
        mark = (len(modules), last, modules[last], count)
        if mark == self._mark:
            return []
        self._mark = mark
        seen = self._seen
        found = []
        for name, module in list(modules.items()):
            if seen.get(name) is module or name.partition(".")[0] in _LEFT_ALONE:
                continue
            if isinstance(module, ModuleType):
                found.append(module)
                if module is main:
                    continue
                if getattr(module.__spec__, "_initializing", False):
                    self._mark = None
                    continue
                seen[name] = module
        return found


def _is_frozen(value: object, attribute: str) -> bool:
    """Whether a value is what freezegun puts in the place of a function."""
    return (
        type(value) is FunctionType
        and value.__module__ == "freezegun.api"
        and value.__name__ == "fake_" + attribute
    )


def _fake(attribute: str) -> object:
    return vars(sys.modules["freezegun.api"]).get("fake_" + attribute)


def _thawed(attribute: str) -> object:
    return vars(sys.modules["freezegun.api"])["real_" + attribute]
