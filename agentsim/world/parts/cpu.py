"""The processor of one host, and the processes that load it.

Load is what its processes take, added up, in tenths of a per cent and of a process; it
does not vary by itself. A process that belongs to a service calms down when the service
is restarted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Annotated, ClassVar

from agentsim.core import UsageError, did_you_mean, number_fault
from agentsim.world.parameters import AtLeast
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Cpu", "CpuSystem", "Process"]

Host = Annotated[str | None, "Name of the host; may be left out"]


@dataclass(frozen=True, slots=True)
class Process:
    """How a process begins.

    Attributes:
        cpu_percent: What it takes of the processor.
        load: What it adds to the load average.
        service: The service it belongs to, or None.
        calm_percent: What it takes once its service was restarted; None: the same.
        calm_load: What it then adds to the load average; None: the same.
    """

    name: str
    cpu_percent: float
    load: float = 0.0
    service: str | None = None
    calm_percent: float | None = None
    calm_load: float | None = None

    def __post_init__(self) -> None:
        for field in ("cpu_percent", "load", "calm_percent", "calm_load"):
            value = getattr(self, field)
            if value is not None and (fault := number_fault(value, most=99_999)):
                raise UsageError(f"process {self.name!r}: {field}: {fault}")


CALM_PROCESSES = (
    Process("nginx-worker", 19.1, 0.9, "nginx"),
    Process("postgres", 3.2, 0.4, "postgres"),
    Process("redis-server", 2.8, 0.3),
    Process("log-shipper", 2.6, 0.2),
    Process("node-exporter", 1.9, 0.2),
    Process("sshd", 1.4, 0.1),
)
"""A host with little to do: 31 % and a load average of 2.1."""


@dataclass(frozen=True)
class Cpu:
    """How the processor of a host begins; by default it has little to do.

    Raises:
        UsageError: when two processes have one name.
    """

    kind: ClassVar[str] = "cpu"
    host: str = "web-03"
    processes: tuple[Process, ...] = CALM_PROCESSES

    def __post_init__(self) -> None:
        # What is read of them is kept: a list of the caller's must not change them.
        object.__setattr__(self, "processes", tuple(self.processes))
        names = [process.name for process in self.processes]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"processes: two are named {name!r}")

    @cached_property
    def percent_tenths(self) -> Mapping[str, int]:
        """Process -> what it takes, read once for all runs; so are its loads."""
        return {p.name: _tenths(p.cpu_percent) for p in self.processes}

    @cached_property
    def load_tenths(self) -> Mapping[str, int]:
        """Process -> what it adds to the load average."""
        return {p.name: _tenths(p.load) for p in self.processes}

    def build(self, world: Surroundings) -> CpuSystem:
        """Make the processor for one run."""
        return CpuSystem(self, world)


class CpuSystem(Subsystem):
    """The processor of a host in one run."""

    STATE = ("percent_tenths", "load_tenths")

    def __init__(self, spec: Cpu, world: Surroundings) -> None:
        super().__init__(world)
        self.host = spec.host
        self._processes = {process.name: process for process in spec.processes}
        self.percent_tenths = dict(spec.percent_tenths)
        self.load_tenths = dict(spec.load_tenths)

    @property
    def percent(self) -> int:
        """How busy the processor is, in whole per cent, 100 at most."""
        return min(100, (sum(self.percent_tenths.values()) + 5) // 10)

    @property
    def load_average(self) -> float:
        """The load average, to a tenth."""
        return sum(self.load_tenths.values()) / 10

    def heat(self, process: str, cpu_percent: float, load: float = 0.0) -> None:
        """Let a process take so much from now on.

        Raises:
            UsageError: for a process that does not exist.
        """
        if process not in self._processes:
            raise UsageError(
                f"heat: unknown process {process!r}{did_you_mean(process, self._processes)}"
            )
        self.percent_tenths[process] = _tenths(cpu_percent)
        self.load_tenths[process] = _tenths(load)

    def hosts(self) -> Mapping[str, bool]:
        """The processor's host."""
        return {self.host: True}

    def service_restarted(self, host: str, service: str) -> None:
        """Let the processes of a restarted service calm down."""
        if host != self.host:
            return
        for name, process in self._processes.items():
            if process.service != service:
                continue
            if process.calm_percent is not None:
                self.percent_tenths[name] = _tenths(process.calm_percent)
            if process.calm_load is not None:
                self.load_tenths[name] = _tenths(process.calm_load)

    @world_tool(latency_s=0.2)
    def check_cpu(self, host: Host = None) -> str:
        """Show how busy the processor of a host is."""
        self._check(host)
        return f"CPU: {self.percent}%, load average: {_shown(sum(self.load_tenths.values()))}"

    @world_tool(latency_s=0.3)
    def list_top_processes(
        self,
        host: Host = None,
        limit: Annotated[int, "How many processes to list", AtLeast(1)] = 5,
    ) -> str:
        """List the processes of a host that take most of its processor."""
        self._check(host)
        # Sorting is stable: equal ones keep the order in which they were given.
        taking = sorted(self.percent_tenths.items(), key=itemgetter(1), reverse=True)
        rows = [f"{name} {_shown(percent)}%" for name, percent in taking[:limit]]
        return "\n".join(rows) or "no processes"

    def _check(self, host: str | None) -> None:
        if host is not None and host != self.host:
            raise unknown("host", host, (self.host,))


def _tenths(value: float) -> int:
    return int(value * 10 + 0.5)


def _shown(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"
