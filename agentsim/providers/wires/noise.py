"""What may stand between the events of a stream and says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from agentsim.providers.wires.dialect import Dialect

__all__ = ["COMMENT", "HasNoise", "noise_of"]

COMMENT = b": ping\n\n"
"""A comment, which keeps a connection open on every wire."""


@runtime_checkable
class HasNoise(Protocol):
    """A dialect with events that say nothing, beside comments."""

    @property
    def noise(self) -> Sequence[bytes]:
        """Their bytes."""


def noise_of(dialect: Dialect) -> Sequence[bytes]:
    """What may come between two events: a comment, and what the wire has of its own."""
    own = dialect.noise if isinstance(dialect, HasNoise) else ()
    return (COMMENT, *own)
