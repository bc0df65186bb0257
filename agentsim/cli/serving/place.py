"""Where a server listens, and how fast it answers: options of all commands that serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from agentsim.cli.options.declared import Option
from agentsim.core import UsageError

__all__ = ["Place"]

LATENCIES = ("none", "real")


@dataclass(frozen=True)
class Place:
    """Where to listen, and how to answer."""

    port: Annotated[
        int, Option("--port", says="The port to listen on; 0 for a free one.")
    ] = 0
    host: Annotated[str, Option("--host", says="The address to listen on.")] = (
        "127.0.0.1"
    )
    latency: Annotated[
        str,
        Option("--latency", says="How long answers take: none, or real."),
    ] = "none"

    def check(self) -> None:
        """Raise `UsageError` for a latency that there is not."""
        if self.latency not in LATENCIES:
            raise UsageError(
                f"--latency: expected one of {', '.join(LATENCIES)}, got {self.latency!r}"
            )
