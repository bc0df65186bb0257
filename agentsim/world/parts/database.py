"""A database on a host, and the network to reach hosts by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from agentsim.core import ToolFailed, UsageError, number_fault
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Database", "DatabaseSystem"]


@dataclass(frozen=True, slots=True)
class Database:
    """How a database begins.

    Attributes:
        accepting: Whether it takes connections; if not, they are refused.
        reachable: Whether its host answers a ping; if not, a database that would take
            connections can't be reached either.
        connections: How many are open.
        connections_max: How many there can be; when all are open, no more are taken.
        service: The service whose restart lets it take connections again, or None.

    Raises:
        UsageError: for more connections than there can be.
    """

    kind: ClassVar[str] = "database"
    name: str = "main"
    host: str = "db-01"
    port: int = 5432
    accepting: bool = True
    reachable: bool = True
    connections: int = 12
    connections_max: int = 100
    service: str | None = None

    def __post_init__(self) -> None:
        for field in ("port", "connections", "connections_max"):
            if fault := number_fault(getattr(self, field), whole=True):
                raise UsageError(f"{field}: {fault}")
        if self.connections > self.connections_max:
            raise UsageError(
                f"connections: expected 0 to {self.connections_max}, got {self.connections}"
            )

    def build(self, world: Surroundings) -> DatabaseSystem:
        """Make the database for one run."""
        return DatabaseSystem(self, world)


class DatabaseSystem(Subsystem):
    """A database in one run."""

    STATE = ("accepting", "reachable", "connections")

    def __init__(self, spec: Database, world: Surroundings) -> None:
        super().__init__(world)
        self.spec = spec
        self.accepting = spec.accepting
        self.reachable = spec.reachable
        self.connections = spec.connections

    def hosts(self) -> Mapping[str, bool]:
        """The database's host."""
        return {self.spec.host: self.reachable}

    def service_restarted(self, host: str, service: str) -> None:
        """Take connections again after the restart of its service."""
        if (host, service) == (self.spec.host, self.spec.service):
            self.accepting, self.connections = True, 0

    @world_tool(latency_s=1.0)
    def check_database_status(
        self,
        database: Annotated[str | None, "Name of the database; may be left out"] = None,
    ) -> str:
        """Connect to a database and show its status."""
        spec = self.spec
        if database is not None and database != spec.name:
            raise unknown("database", database, (spec.name,))
        place = f"{spec.name} at {spec.host}:{spec.port}"
        if not self.accepting:
            raise ToolFailed(f"{place}: connection refused")
        if not self.reachable:
            raise ToolFailed(f"{place}: connection timed out")
        open_of_all = f"{self.connections} of {spec.connections_max} connections"
        if self.connections == spec.connections_max:
            raise ToolFailed(f"{place}: too many connections ({open_of_all} in use)")
        return f"{place}: accepting connections ({open_of_all} in use)"

    @world_tool(latency_s=1.0)
    def ping_host(self, host: Annotated[str, "Name of the host"]) -> str:
        """Check whether a host answers."""
        known = self.world.hosts()
        if host not in known:
            raise unknown("host", host, known)
        if not known[host]:
            raise ToolFailed(f"{host}: host unreachable")
        return f"{host}: 3 packets sent, 3 received"
