"""What there is of one kind, by name: our own, what a test adds, and what packages bring.

A package offers an entry by an entry point of the registry's group, such as
`agentsim.faults`. They are looked up when a name is not our own or all are asked for,
and never before: looking costs milliseconds, and importing them may cost more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Generic, TypeVar

from agentsim.core.errors import UsageError
from agentsim.core.words import did_you_mean, named_error

__all__ = ["Registry"]

Entry = TypeVar("Entry")

LISTED_MAX = 12
"""So many names can be read in an error."""


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries of one kind by name: ours first, then all others in order of their names.

    Args:
        what: What an entry is, for errors: `fault`.
        group: The group of entry points that bring further ones.
        own: Those that come with agentsim; a mapping by name where they are many and each
            takes time to load.
        name_of: Reads the name of an entry.
        fits: Whether an object that an entry point names is an entry.
    """

    __slots__ = (
        "_added",
        "_added_by",
        "_all",
        "_brought",
        "_fits",
        "_group",
        "_name_of",
        "_own",
        "_what",
    )

    def __init__(
        self,
        what: str,
        group: str,
        own: Iterable[Entry] | Mapping[str, Entry],
        *,
        name_of: Callable[[Entry], str],
        fits: Callable[[object], bool],
    ) -> None:
        self._what = what
        self._group = group
        self._name_of = name_of
        self._fits = fits
        self._own: Mapping[str, Entry] = (
            own if isinstance(own, Mapping) else {name_of(one): one for one in own}
        )
        self._added: dict[str, Entry] = {}
        self._added_by: dict[str, str | None] = {}
        self._brought: dict[str, Entry] | None = None
        self._all: tuple[Entry, ...] | None = None

    @property
    def all(self) -> tuple[Entry, ...]:
        """Every entry, in order; the same tuple for as long as none is added."""
        if self._all is None:
            self._all = tuple(self.values())
        return self._all

    @property
    def own(self) -> Mapping[str, Entry]:
        """Those that come with agentsim, whatever else is installed."""
        return self._own

    def __getitem__(self, name: str) -> Entry:
        found = self._own.get(name)
        return found if found is not None else self._others()[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from sorted(self._others())

    def __len__(self) -> int:
        return len(self._own) + len(self._others())

    def find(self, name: str, where: str = "") -> Entry:
        """The entry of that name.

        Args:
            where: The place that names it, which errors begin with: `faults[0]: `.

        Raises:
            UsageError: when there is none, with those that exist; where they are many
                and one of them is near, with that one alone.
        """
        entry = self.get(name)
        if entry is None:
            near = did_you_mean(name, self)
            known = f" (there are {', '.join(self)})"
            if near and len(self) > LISTED_MAX:
                known = ""
            raise UsageError(f"{where}unknown {self._what} {name!r}{known}{near}")
        return entry

    def add(self, entry: Entry) -> Entry:
        """Add an entry of your own for this process; the same one again changes nothing.

        Raises:
            UsageError: when another entry has its name, or it is no entry of this kind.
        """
        if not self._fits(entry):
            raise UsageError(f"expected {self._one}, got {type(entry).__name__}")
        name = self._name_of(entry)
        if self.get(name, entry) is not entry:
            raise UsageError(
                f"there is {self._one} {name!r} already: give yours another name"
            )
        if name not in self:
            self._added[name] = entry
            self._added_by[name] = _module_at_work()
            self._all = None
        return entry

    def added_by(self, name: str) -> str | None:
        """The module whose import adds an entry to this process.

        None for ours and for those that packages bring, which need no import, and for
        what no module adds by being imported.
        """
        return self._added_by.get(name)

    @property
    def _one(self) -> str:
        return f"{'an' if self._what[0] in 'aeiou' else 'a'} {self._what}"

    def discard(self, name: str) -> None:
        """Take back what `add` added, if it is there."""
        if self._added.pop(name, None) is not None:
            del self._added_by[name]
            self._all = None

    def _others(self) -> dict[str, Entry]:
        if self._brought is None:
            self._brought = {}  # an entry's module may itself ask for a name here
            try:
                self._brought = dict(self._load())
            except BaseException:
                self._brought = None  # the next one who asks is told, too
                raise
        return {**self._brought, **self._added} if self._added else self._brought

    def _load(self) -> Iterator[tuple[str, Entry]]:
        from importlib.metadata import entry_points

        for point in sorted(entry_points(group=self._group)):
            where = f"entry point {point.name!r} of the group {self._group!r}"
            try:
                entry = point.load()
            except (Exception, SystemExit) as error:
                raise UsageError(
                    f"{where}: loading {point.value} raised {named_error(error)}; mend "
                    "or uninstall the package that offers it"
                ) from error
            if not self._fits(entry):
                raise UsageError(
                    f"{where}: expected {self._one}, got {type(entry).__name__}"
                )
            name = self._name_of(entry)
            if name in self._own:
                raise UsageError(f"{where}: there is {self._one} {name!r} already")
            yield name, entry


def _module_at_work() -> str | None:
    """The module of a user that is being imported right now."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - there is no public way
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        ours = name.partition(".")[0] in ("agentsim", "__main__")
        if frame.f_code.co_name == "<module>" and not ours:
            module = sys.modules.get(name)
            if module is not None and vars(module) is frame.f_globals:
                return name
        frame = frame.f_back
    return None
