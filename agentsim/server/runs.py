"""The runs of a server, kept apart by a header or by the key of the client."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping

from agentsim.core import UsageError
from agentsim.server.session import Session

__all__ = ["DEFAULT_RUN", "KEY", "RUN_HEADER", "Runs", "run_name"]

RUN_HEADER = "x-agentsim-run"

DEFAULT_RUN = "default"

KEY = "agentsim"
"""The key of the default run; `agentsim-NAME` is that of the run NAME."""

RUNS_MAX = 10_000

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Runs:
    """Every run by its name; one begins with its first request, or is asked for.

    Args:
        make: Makes the session of a new run.

    Attributes:
        finished: Sessions that ended and made room for a new one of the same name.
    """

    def __init__(self, make: Callable[[str], Session]) -> None:
        self._make = make
        self._open: dict[str, Session] = {}
        self.finished: list[Session] = []

    def __iter__(self) -> Iterator[Session]:
        return iter(self._open.values())

    def get(self, name: str) -> Session | None:
        """The run of this name, if there is one."""
        return self._open.get(name)

    def named(self, name: str) -> Session:
        """The run of this name; it begins now if it did not before.

        Raises:
            UsageError: for what is no name of a run, and for too many runs.
        """
        session = self._open.get(name)
        if session is None:
            _check(name)
            if len(self._open) >= RUNS_MAX:
                raise UsageError(
                    f"run {name!r}: there are {RUNS_MAX} runs already: is a new name "
                    "made for each request?"
                )
            session = self._open[name] = self._make(name)
        return session

    def reset(self, name: str) -> Session:
        """Begin a run anew; what of it did not end is thrown away.

        Raises:
            UsageError: as `named`.
        """
        before = self._open.pop(name, None)
        if before is not None and before.outcome is not None:
            self.finished.append(before)
        elif before is not None:
            before.end()
        return self.named(name)

    @property
    def to_tell(self) -> list[Session]:
        """The sessions to tell of at the end: all of which there is something to tell.

        Where none was, the default run, if it is there, tells so.
        """
        known = [*self.finished, *self._open.values()]
        return [session for session in known if session.tells] or known[:1]


def run_name(headers: Mapping[str, str]) -> str:
    """The run that a request belongs to: that of its header, else that of its key.

    A key of somebody's own is never shown: its run is named by some digits over it.

    Args:
        headers: Names in lower case.
    """
    named = headers.get(RUN_HEADER, "").strip()
    if named:
        return named
    key = headers.get("x-api-key", "").strip()
    key = key or headers.get("authorization", "").partition(" ")[2].strip()
    if key in ("", KEY):
        return DEFAULT_RUN
    own = key.removeprefix(f"{KEY}-")
    if own != key and _NAME.fullmatch(own):
        return own
    return f"key-{hashlib.blake2b(key.encode(), digest_size=4).hexdigest()}"


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{RUN_HEADER}: expected the name of a run (letters, digits, dots, hyphens "
            f"and underscores, at most 100), got {name[:120]!a}"
        )
