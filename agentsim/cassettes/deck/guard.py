"""While a cassette is replayed nothing leaves the process, whatever client asks.

It is refused below all HTTP libraries, by the audit events of Python's sockets. What
programs do that are started meanwhile is their own matter.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from agentsim.cassettes.deck.pooled import POOLED
from agentsim.core import CassetteBypassed, shown_path
from agentsim.engine import NoNetwork, Refused, unseen_clients

__all__ = ["ReplayGuard", "UnseenClientWarning"]


class UnseenClientWarning(UserWarning):
    """A client written in C is loaded while a cassette is replayed.

    Python does not see what it sends, so that nothing of it is refused.
    """


class ReplayGuard:
    """Refuses connections and look-ups while it is on.

    Args:
        hosts: What is let through; see `NoNetwork`.
    """

    def __init__(self, path: Path, hosts: Iterable[str]) -> None:
        self._where = shown_path(path)
        self._guard = NoNetwork(
            hosts,
            error=Refused,
            advice=f"{self._where} is replayed, and nothing goes out: ask through the clients of "
            "the cassette, or let the host through with allow_hosts",
            strict=True,
        )

    def begin(self) -> None:
        """Refuse from now on."""
        self._guard.__enter__()
        POOLED.begin()

    def end(self) -> None:
        """Refuse no more; tell of clients that it could not see."""
        POOLED.end()
        self._guard.__exit__()
        unseen = unseen_clients()
        if unseen:
            verb = "is" if len(unseen) == 1 else "are"
            warnings.warn(
                f"{self._where}: {', '.join(unseen)} {verb} loaded, written in C: Python "
                "does not see what such clients send, so that nothing of it was refused",
                UnseenClientWarning,
                stacklevel=4,
            )

    def failure(self) -> CassetteBypassed | None:
        """The error for what was refused, if anything was."""
        attempts = dict.fromkeys(self._guard.attempts)
        return CassetteBypassed("\n".join(attempts)) if attempts else None


def is_refusal(error: BaseException) -> bool:
    """Whether an error is the guard's own, alone or in a group of them."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(is_refusal, error.exceptions))
    return isinstance(error, Refused)


def is_skip(error: BaseException) -> bool:
    """Whether an error only skips a test, which would then never be seen to fail."""
    return type(error).__name__ in ("Skipped", "SkipTest")
